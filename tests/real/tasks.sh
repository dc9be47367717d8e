#!/bin/sh
# What batch commands say of component tasks is what their definitions say, on real traces.
. "$srcdir/tests/real/lib.sh"
need_sqlite
export PIPEGLASS
need_traces daisen/akita_v3.1.0_sample_trace_small.sqlite3 \
	daisen/real_v4_mgpusim420_fir1024_two_windows.sqlite3 daisen/real_v5beta8_dram.sqlite3
python3 "$here/tasks.py" $traces
need_traces daisen/real_v4_pagerank512_dispatch_slow.sqlite3 \
	daisen/real_v4_pagerank512_dispatch_fast.sqlite3
python3 "$here/tasks.py" case $traces
