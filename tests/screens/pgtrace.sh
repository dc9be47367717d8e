#!/bin/sh
# The example core writes its run with libpgtrace: what pipeglass counts in the stream, in a file and
# through a pipe, are the model's own counters.
set -u
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
failed=0 count=0

demand() # what, is, wanted
{
	count=$((count + 1))
	[ "$2" = "$3" ] && return
	echo "FAILED: $1: $2, not $3"
	failed=$((failed + 1))
}

counter() # name
{
	sed -n "s/^$1 //p" "$scratch/counters"
}

number() # what stands before it in the JSON
{
	sed -n "s/.*$1\([0-9]*\).*/\1/p" "$scratch/info"
}

trace=$scratch/sort.pgtrace
"$SAMPLECORE" -t -o "$trace" -c "$scratch/counters" sort 2>"$scratch/err" || failed=1
"$PIPEGLASS" info --json --config=none --no-cache "$trace" >"$scratch/info"
rows=$(($(counter fetched) + $(counter micro_ops) + 1))
demand 'tasks of the core' "$(number '{"name":"core","spans":')" "$rows"
for stage in IF DA EX WB CT; do
	demand "stays in $stage" "$(number "{\"name\":\"core.$stage\",\"spans\":")" \
		"$(counter "stage.$stage.entries")"
done
demand 'samples' "$(number '"name":"rob_used","component":"core","unit":null,"samples":')" "$(counter cycles)"
demand 'orphans' "$(number '"orphans":')" 0
demand 'bad rows' "$(number '"bad-rows":')" 0
"$SAMPLECORE" -t -c "$scratch/counters" sort 2>"$scratch/err" |
	"$PIPEGLASS" info --json --config=none - | sed 's/,"index".*//' >"$scratch/piped"
demand 'what is piped' "$(cat "$scratch/piped")" "$(sed 's/,"index".*//' "$scratch/info")"
echo "$count checks, $failed failed"
[ "$failed" -eq 0 ]
