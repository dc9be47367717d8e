#!/bin/sh
# Kanata logs: every row, label, link and count, and who held the head of the commit queue, equal
# what an independent reading of the log gives.
. "$srcdir/tests/real/lib.sh"
need_traces 'kanata/*'
mkdir "$scratch/made"
python3 "$here/kanata.py" "$scratch/made" $traces
