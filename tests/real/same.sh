#!/bin/sh
# The same trace, however it is wrapped and read, gives the same answers.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*'
need_whole_traces arm-own-matmul-naive-def.gpv.trc # 29 MB
mkdir "$scratch/copies"
python3 "$here/same.py" "$scratch/copies" tests/traces/whole-arm-own-matmul-naive-def.gpv.trc $traces
