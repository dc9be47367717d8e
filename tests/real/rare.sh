#!/bin/sh
# Zooming out never hides the rare: a generated trace of a million rows, one of them squashed.
. "$srcdir/tests/real/lib.sh"
python3 "$here/rare.py" "$scratch/rare.trc"
