#!/bin/sh
# usage: check.sh SAMPLECORE
# Every program on both machines, in both forms, whole and cut short: does samplecore compute the right
# result, and does the trace, counted independently, agree with the counters?  Are the bundled samples
# what samplecore writes?
set -eu
here=$(cd "$(dirname "$0")" && pwd)
samplecore=${1:?usage: check.sh SAMPLECORE}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for program in list daxpy matmul matmul-blocked sort sort-branchless; do
	for options in '-w 2' '-w 4' '-w 2 --stock' '-w 4 --stock' '-w 2 -n 777' '-w 4 -n 301'; do
		if ! "$samplecore" $options -c "$work/kept" -o "$work/trace" "$program" \
			2> "$work/errors" || ! awk -f "$here/check.awk" "$work/kept" "$work/trace"
		then
			cat "$work/errors"
			echo "FAILED: samplecore $options $program"
			failed=1
		fi
	done
done

"$here/regenerate.sh" "$samplecore" "$work"
for new in "$work"/*.counters; do
	name=$(basename "$new" .counters)
	gzip -dc "$work/$name.trc.gz" > "$work/new"
	gzip -dc "$here/$name.trc.gz" > "$work/bundled"
	cmp "$work/new" "$work/bundled" || failed=1
	cmp "$new" "$here/$name.counters" || failed=1
done
exit $failed
