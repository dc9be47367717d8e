#!/bin/sh
# The metrics of component tasks are what their definitions say, on real traces of each form.
. "$srcdir/tests/real/lib.sh"
python3 -c 'import sqlite3' 2>/dev/null || skip 'python3 has no sqlite3'
need_traces daisen/akita_v3.1.0_sample_trace_small.sqlite3 \
	daisen/real_v4_mgpusim420_fir1024_two_windows.sqlite3 daisen/real_v5beta8_dram.sqlite3
export PIPEGLASS
python3 "$here/tasks_metrics.py" $traces
