#!/bin/sh
# Reduced traces: against a program of its own, the machine cycle by cycle, and each other.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*'
need_whole_traces alpha-math-def.stock.trc alpha-math-n1.stock.trc
python3 "$here/reduce.py" "$scratch" "$srcdir/samples" $traces tests/traces/whole-alpha-math-*
