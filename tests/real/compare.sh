#!/bin/sh
# Pairs of real runs compared, against an independent reading of the raw lines.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*'
python3 "$here/compare.py" tests/traces
