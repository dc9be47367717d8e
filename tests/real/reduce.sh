#!/bin/sh
# Reduced traces: against a program of its own, the machine cycle by cycle, and each other.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*'
python3 "$here/reduce.py" "$scratch" "$srcdir/samples" $traces
