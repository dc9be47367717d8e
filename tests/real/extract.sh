#!/bin/sh
# What `pipeglass export --format akita` writes of component tasks, against SQL on the same files.
. "$srcdir/tests/real/lib.sh"
need_sqlite
export PIPEGLASS
python3 "$here/extract.py" "$scratch"
need_traces daisen/akita_v3.1.0_sample_trace_small.sqlite3 daisen/akita_v3.1.0_sample_trace_small.csv \
	daisen/real_v4_mgpusim420_fir1024.sqlite3 \
	daisen/real_v4_mgpusim420_fir1024_two_windows.sqlite3 daisen/real_v5beta8_mesh.sqlite3
python3 "$here/extract.py" "$scratch" $traces
