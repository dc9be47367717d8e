#!/bin/sh
# Pairs of real runs compared, against an independent reading of the raw lines.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*'
need_whole_traces alpha-math-def.stock.trc alpha-math-n1.stock.trc
python3 "$here/compare.py" tests/traces
