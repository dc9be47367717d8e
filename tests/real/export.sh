#!/bin/sh
# What `pipeglass export` writes, against what `pipeglass rows` says: Kanata logs read back, the
# JSON for Perfetto, the CSV and the database read by other programs' readers; the database of tasks
# against the trace's own; and what caches held against the text of the trace. Of each simulator a trace, of hostile ones more.
. "$srcdir/tests/real/lib.sh"
need_traces daisen/real_v4_mgpusim420_fir1024.sqlite3
tasks=$traces
need_traces chiron/vecadd1-mask.trace chiron/mp3d-bad.trace
memory=$traces
need_traces pipetrace/alpha-math-def-cyc5000-8000.stock.trc \
	pipetrace/arm-lswlr-def.gpv.trc pipetrace/arm2007-printf-aborted.gpv.trc \
	pipetrace/mixed-stdout.stock.txt kanata/izumi-sargantana-add_output.kanata \
	'kanata/kanata-sample-*.log' 'o3pipeview/*-o3pipeview-*'
python3 "$here/export.py" "$scratch" $tasks $memory $traces
