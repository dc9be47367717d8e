#!/bin/sh
# On every real pipetrace: info, rows, stalls and curves against an independent reading of the raw lines.
. "$srcdir/tests/real/lib.sh"
need_traces 'pipetrace/*'
python3 "$here/lives.py" $traces
