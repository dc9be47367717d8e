#!/bin/sh
# On every real trace: curves against counts made tick by tick.
. "$srcdir/tests/real/lib.sh"
need_traces
drop_long_traces
python3 "$here/series.py" "$scratch"/traces/*
