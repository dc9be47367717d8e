#!/bin/sh
# Real counter files: what info, series and compare say is what an independent reader counts.
. "$srcdir/tests/real/lib.sh"
need_traces 'counters/*.txt'
export PIPEGLASS
for file in "$PIPEGLASS_TRACES"/counters/perf-stat-I20-make.csv \
	"$PIPEGLASS_TRACES"/counters/perf-stat-A-I50.csv; do
	[ -e "$file" ] || skip "no $file (set PIPEGLASS_TRACES)"
	traces="$traces $file"
done
python3 "$here/counters.py" $traces
