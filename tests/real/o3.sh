#!/bin/sh
# The real O3PipeView log against an independent reading of it: plain, gzip, from a pipe, indexed
# by 1, 2 and 3 threads, from the cache. And a debug log without any O3PipeView line says so.
. "$srcdir/tests/real/lib.sh"
export PIPEGLASS
need_traces 'o3pipeview/*-o3pipeview-*'
gzip -c $traces >"$scratch/log.gz"
python3 "$here/o3.py" $traces "$scratch/log.gz" -

need_traces 'o3pipeview/*nopipeview*'
status=0
"$PIPEGLASS" info $traces >/dev/null 2>"$scratch/said" || status=$?
[ "$status" = 1 ] || { echo "a log without O3PipeView lines: status $status"; exit 1; }
grep -q ':1: no O3PipeView lines in this file: the debug flag O3PipeView was not on' \
	"$scratch/said" || { cat "$scratch/said"; exit 1; }
