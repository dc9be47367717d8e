#!/bin/sh
# On every real trace: info, rows and stalls against an independent reading of the raw lines.
. "$srcdir/tests/real/lib.sh"
need_traces
drop_long_traces
python3 "$here/lives.py" "$scratch"/traces/*
