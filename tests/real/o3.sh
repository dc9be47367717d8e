#!/bin/sh
# The real O3PipeView log against an independent reading of it: plain, gzip, from a pipe, indexed
# by 1, 2 and 3 threads, from the cache. And a debug log without any O3PipeView line says so.
. "$srcdir/tests/real/lib.sh"
command -v xz >/dev/null || skip 'xz is missing: install the Debian package xz-utils'
set -- "$PIPEGLASS_TRACES"/o3pipeview/*o3pipeview*.xz
[ -e "$1" ] || skip "no O3PipeView log in $PIPEGLASS_TRACES/o3pipeview (set PIPEGLASS_TRACES)"
xz -dc "$1" >"$scratch/log"
gzip -c "$scratch/log" >"$scratch/log.gz"
export PIPEGLASS
python3 "$here/o3.py" "$scratch/log" "$scratch/log.gz" -

set -- "$PIPEGLASS_TRACES"/o3pipeview/*nopipeview*.xz
[ -e "$1" ] || exit 0
xz -dc "$1" >"$scratch/none"
status=0
"$PIPEGLASS" info "$scratch/none" >/dev/null 2>"$scratch/said" || status=$?
[ "$status" = 1 ] || { echo "a log without O3PipeView lines: status $status"; exit 1; }
grep -q ':1: no O3PipeView lines in this file: the debug flag O3PipeView was not on' \
	"$scratch/said" || { cat "$scratch/said"; exit 1; }
