#!/bin/sh
# usage: check.sh SAMPLECORE
# Every program on both machines, in all forms, whole and cut short: does samplecore compute the right
# result, and does the trace, counted independently, agree with the counters?  Are the bundled samples
# what samplecore writes?
set -eu
here=$(cd "$(dirname "$0")" && pwd)
samplecore=${1:?usage: check.sh SAMPLECORE}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for program in list daxpy matmul matmul-blocked sort sort-branchless; do
	for options in '-w 2' '-w 4' '-w 2 --stock' '-w 4 --stock' '-w 2 -n 777' '-w 4 -n 301' \
		'-w 2 --without branch' '-w 4 --without branch --without dcache' \
		'-w 4 --without icache --window 200' '-w 2 --window 9'; do
		if ! "$samplecore" $options -c "$work/kept" -o "$work/trace" "$program" \
			2> "$work/errors" || ! awk -f "$here/check.awk" "$work/kept" "$work/trace"
		then
			cat "$work/errors"
			echo "FAILED: samplecore $options $program"
			failed=1
		fi
	done
	# gem5's form has a record for an instruction, none for what it does beside, and no cycle but theirs
	for options in '-w 2 -g' '-w 4 -g' '-w 2 -g -n 777'; do
		"$samplecore" $options -c "$work/kept" -o "$work/trace" "$program" 2> "$work/errors"
		if ! awk -F '[: ]' '
			FNR == NR { want[$1] = $2 }
			/^O3PipeView:retire:0:/ { gone++ }
			/^O3PipeView:retire:[1-9]/ { retired++ }
			END { exit !(NR > FNR && retired == want["committed_instructions"] &&
				gone == want["squashed"] - want["squashed_micro_ops"] + want["dropped"]) }
			' "$work/kept" "$work/trace"
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
gzip -dc "$work/sort-2wide.o3pipeview.gz" > "$work/new"
gzip -dc "$here/sort-2wide.o3pipeview.gz" > "$work/bundled"
cmp "$work/new" "$work/bundled" || failed=1
exit $failed
