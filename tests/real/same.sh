#!/bin/sh
# The same trace, however it is wrapped and read, gives the same answers.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*'
need_long_trace
mkdir "$scratch/copies"
python3 "$here/same.py" "$scratch/copies" $long $traces
