#!/bin/sh
# The programs of samples/record, from source to the verdict to the cure: the vector addition has the
# numbers of Chiron's thesis, a trace has the same bytes each time, and what is falsely shared is so no
# longer once it is padded, in the source or by record --pad.
set -u
srcdir=$(cd "$srcdir" && pwd) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export XDG_CACHE_HOME="$scratch/cache"
unset PIPEGLASS_CC PIPEGLASS_CXX PIPEGLASS_SECURE PGMEM_FD
failed=0 count=0

grep -q 'define HAVE_LIBDW 1' "${PIPEGLASS%/*}/config.h" || {
	echo 'skipped: built without libdw, which gives objects their names'
	exit 77
}
for compiler in gcc g++; do
	command -v $compiler >/dev/null || {
		echo "skipped: $compiler is missing"
		exit 77
	}
done

fail() # what
{
	echo "FAILED: $1: $(head -5 err)"
	failed=$((failed + 1))
}

build() # cc or c++, source, program, flag...
{
	how=$1 source=$srcdir/samples/record/$2 program=$3
	shift 3
	"$PIPEGLASS" $how -g -O1 -Wall -Wextra -Werror "$@" "$source" -o "$program" >out 2>err || fail "$how $source"
}

# Twice, which makes no difference.
record() # trace, caches, program, argument...
{
	trace=$1 caches=$2
	shift 2
	count=$((count + 1))
	for name in "$trace" again.trace; do
		"$PIPEGLASS" record --caches "$caches" -o "$name" -- "$@" >out 2>err || fail "record $*"
	done
	cmp "$trace" again.trace >err 2>&1 || fail "$*: recorded twice"
	"$PIPEGLASS" sharing --json "$trace" >"$trace.json" 2>err || fail "sharing $trace"
}

# name cycles verdict, and loads of false sharing at L1 and L2: the dearest objects, a line each.
objects() # trace
{
	awk '
	function field(text, key) {
		if (!match(text, "\"" key "\":\"?[^\",}]*"))
			return "-"
		text = substr(text, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
		sub(/^"/, "", text)
		return text
	}
	{
		sub(/.*"objects":\[/, "")
		sub(/\],"classes".*/, "")
		n = split($0, object, /[{]"name"/)
		for (i = 2; i <= n; i++) {
			split(object[i], fills, /"fills_l[12]"/)
			print field("\"name\"" object[i], "name"), field(object[i], "cycles"),
				field(object[i], "verdict"), field(fills[2], "false"), field(fills[3], "false")
		}
	}' "$1.json"
}

same() # what, expected, got
{
	count=$((count + 1))
	[ "$2" = "$3" ] || {
		echo "$3" >err
		fail "$1: not $2"
	}
}

holds() # what, awk's expression
{
	count=$((count + 1))
	awk "BEGIN { exit !($2) }" || {
		echo "$2" >err
		fail "$1"
	}
}

# The last number in a line of what record --pad says.
row() # words
{
	sed -n "s/^$1  *//p" err | sed 's/.*   //; s/ //g; s/^+//'
}

# ---- the vector addition: loads of false sharing, and what costs most, as in the thesis (Table 1) ----

build cc vectors.c vectors
adds=$(grep -n 'ArrayC\[i\] = ' "$srcdir/samples/record/vectors.c")
vectors() # elements at a time, loads of ArrayC for false sharing at L1 and L2, cycles from the dearest
{
	record "$1.trace" thesis ./vectors "$1"
	objects "$1.trace" >objects
	same "vectors $1: false sharing" "$2" "$(awk '$1 == "Global.ArrayC" { print $4 "/" $5 }' objects)"
	same "vectors $1: objects by cost" "$3" \
		"$(awk 'sub(/^Global\./, "") { printf "%s%s %s", (n++ ? ", " : ""), $1, $2 }' objects)"
	same "vectors $1: the dearest line" "${adds%%:*}" "$(sed 's/.*"lines":\[{[^}]*"line":\([0-9]*\).*/\1/' "$1.trace.json")"
}

vectors 1 24/61 'GS 8394, ArrayC 5352, ArrayA 1785, ArrayB 1785'
vectors 4 0/41 'ArrayC 3556, GS 2346, ArrayA 1017, ArrayB 1017'
vectors 32 0/0 'ArrayA 987, ArrayB 987, ArrayC 987, GS 582'

# ---- counters of OpenMP ----

verdict() # trace, object
{
	objects "$1" | awk -v name="$2" '$1 == name { print $3 }'
}

if echo 'int main(void) { return 0; }' | gcc -fopenmp -x c - -o openmp 2>/dev/null; then
	build cc counters.c counters -fopenmp
	build cc counters.c padded -fopenmp -DPADDED
	record counters.trace today ./counters
	record padded.trace today ./padded
	same 'counters' false "$(verdict counters.trace counters)"
	same 'counters that are padded' not-shared "$(verdict padded.trace counters)"
	"$PIPEGLASS" record --pad counters=64 -- ./counters >out 2>err || fail 'record --pad counters'
	holds 'an array is moved as a whole' \
		"$(row 'bound: false sharing') == 0 && $(row 'inside an object: it stays') > 1000"
else
	echo 'skipped: OpenMP is missing'
fi

# ---- the wind tunnel ----

class() # trace, name: cycles
{
	sed 's/.*"name":"'"$2"'","instances":[0-9]*,"cycles":\([0-9]*\).*/\1/' "$1.json"
}

build c++ tunnel.cpp tunnel
build c++ tunnel.cpp fixed -DFIXED
record tunnel.trace thesis-8 ./tunnel
record fixed.trace thesis-8 ./fixed
same 'the dearest Quadrant' false "$(objects tunnel.trace | awk '/^Quadrant/ { print $3; exit }')"
before=$(class tunnel.trace Quadrant) after=$(class fixed.trace Quadrant)
holds 'the fix cures Quadrants' "$after + 0 > 0 && $after * 20 < $before"

"$PIPEGLASS" record --caches thesis-8 --pad Quadrant=192 -- ./tunnel >out 2>err || fail 'record --pad'
gain=$(row 'measured gain, cycles waited') least=$(row 'bound: false sharing') most=$(row 'bound: what follows from it')
holds 'the gain of padding, and its bound' \
	"${gain:-0} > ${least:-0} / 2 && ${gain:-0} <= ${least:-0} + ${most:-0} && ${gain:-0} > $before / 2"

echo "$count checks, $failed failed"
[ $failed -eq 0 ]
