#!/bin/sh
# Batch commands about shared memory: what they write of the samples and of small traces.
# PIPEGLASS_UPDATE_GOLDEN=1 writes the report of a sample instead of comparing it.
set -u
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
samples=$(cd "$srcdir/samples" && pwd) || exit 99
golden=$(cd "$srcdir/tests/screens" && pwd)/sharing.report || exit 99
cd "$scratch" || exit 99
export XDG_CACHE_HOME="$scratch/cache"
cp "$samples"/vecadd-?.trace "$samples"/vecadd-?.trace.files "$samples/vecadd.c" .
failed=0 count=0

wrong() # what
{
	printf 'FAILED: %s\n' "$1"
	failed=$((failed + 1))
}

has() # a part of what it prints, argument...
{
	expected=$1
	shift
	count=$((count + 1))
	got=$("$PIPEGLASS" "$@" 2>&1 </dev/null)
	case $got in
	*"$expected"*) return ;;
	esac
	wrong "$*: no $expected
$got"
}

lacks() # what it does not print, argument...
{
	unwanted=$1
	shift
	count=$((count + 1))
	got=$("$PIPEGLASS" "$@" 2>&1 </dev/null)
	case $got in
	*"$unwanted"*) wrong "$*: $unwanted" ;;
	esac
}

# The report, in 80 columns.
if [ -n "${PIPEGLASS_UPDATE_GOLDEN-}" ]; then
	"$PIPEGLASS" sharing vecadd-1.trace >"$golden"
fi
"$PIPEGLASS" sharing vecadd-1.trace >report || wrong 'sharing vecadd-1.trace'
diff -u "$golden" report || wrong "the report differs from $golden"
count=$((count + 1))

# Two CPUs on words of one block in turn, then on one word: false, then true sharing, then neither,
# and a word that no object has. Nothing says what was written by writes that hit.
write() # cpu, word, line, cycles: an L1 load for it, and who loses the block
{
	printf 'h 100%s %d 1 10000%s %o\n' "$2" "$1" "$3" $((tick = tick + 8))
	printf 'W 100%s %d 10000%s %s\n' "$2" "$1" "$3" "$4"
}
lose() # cpu, word, line
{
	printf 'e 100%s %d 1 10000%s %o\n' "$2" "$1" "$3" $((tick = tick + 8))
}
tick=0
{
	printf 'i 16\ni 64\ni 2\ni 1\n'
	printf 'c Apart 10000 10 0\nc One 10020 4 0\nc Own 10040 10 0\nc Gone 10100 10 0\n'
	write 0 00 01 20
	for turn in 1 2 3 4; do
		lose 0 04 02
		write 1 04 02 20
		lose 1 00 01
		write 0 00 01 20
	done
	write 0 20 03 20
	lose 0 20 03
	write 1 20 03 20
	lose 1 20 03
	write 0 20 03 20
	write 0 40 04 20
	write 1 60 05 20
} >small.trace

has '"name":"Apart","cycles":144,"verdict":"false","address":"0x1000"' sharing --json small.trace
has '"name":"One","cycles":48,"verdict":"true"' sharing --json small.trace
has '"name":"Own","cycles":16,"verdict":"not-shared"' sharing --json small.trace
has '"name":"Gone","cycles":0,' sharing --json small.trace
has '{"name":"?","cycles":16,"verdict":"not-shared","address":null,"size":null,' sharing --json small.trace
has '"classes":[{"name":"Apart","instances":1,"cycles":144,"verdict":"false"},{"name":"One","instances":1,"cycles":48,"verdict":"true"},{"name":"Own","instances":1,"cycles":16,"verdict":"not-shared"},{"name":"?","instances":null,"cycles":16,"verdict":"not-shared"},{"name":"Gone","instances":1,"cycles":0,"verdict":"not-shared"}]' \
	sharing --json small.trace
has '"lines":[{"file":"file 1","line":1,"function":null,"cycles":80,"verdict":"false"}' sharing --json small.trace
has '{"victim":{"object":"Apart","file":"file 1","line":1,"function":null},"culprit":{"object":"Apart","file":"file 1","line":2,"function":null},"level":1,"count":4}' \
	sharing --json small.trace
has '"words":[{"address":"0x1000","object":"Apart","offset":0,"cycles":80,"cpus":[{"cpu":0,"reads":0,"writes":5,"lines":["file 1:1"]}]}' \
	sharing --json --words small.trace
has '{"address":"0x1030","object":null,"offset":null,' sharing --json --words small.trace
lacks '"words"' sharing --json small.trace
has '"touches":[{"address":"0x1000","word":"Apart+0x0","file":"file 1","line":1,"function":null,"cpu":0,"reads":0,"writes":5,"cycles":80}' \
	sharing --json --words small.trace
has 'offset  word           line         function  CPU  reads  writes  cycles
   0x0  next           vecadd.c:28  work        0      0       7     251
   0x0  next           vecadd.c:28  work        1      0       5     191
   0x0  next           vecadd.c:28  work        2      0       4     124
   0x0  next           vecadd.c:28  work        3      0       4     220
   0x4  worker[0]+0x4  vecadd.c:31  work        0      6       5     298
' sharing --words vecadd-1.trace
has '"levels":[{"level":1,"fills":{"cold":6,"replacement":0,"true":1,"false":7,"inclusion":0}},{"level":2,' \
	sharing --top 1 --json small.trace
lacks '"One"' sharing --top 1 --json small.trace

# Functions, by the text of the source.
has '"lines":[{"file":"vecadd.c","line":30,"function":"work","cycles":1181,"verdict":"false"}' sharing --json vecadd-1.trace
has '{"victim":{"object":"c","file":"vecadd.c","line":51,"function":"main"},"culprit":{"object":"c","file":"vecadd.c","line":30,"function":"work"}' \
	sharing --json vecadd-1.trace
has 'is at vecadd.c:28 in work.' hints vecadd-1.trace

sed 1,4d small.trace >headless.trace

# What may be true sharing is called so.
has 'at most 112 (50.0 %) were for false' sharing small.trace
has 'false≤  inclusion≤' sharing small.trace
has 'Apart      144  64.3 %  false≤' sharing small.trace
has 'words of the L1 block 0x1000, false (upper bound)
offset  word       line      CPU  reads  writes  cycles
   0x0  Apart+0x0  file 1:1    0      0       5      80
   0x4  Apart+0x4  file 1:2    1      0       4      64' sharing small.trace
has '   0x0  Apart+0x0  file 1:1    0      0       5      80
... 1 more' sharing --top 1 small.trace
lacks '(upper bound)' sharing vecadd-1.trace
has '"bound":null,"geometry":"given"' sharing --json vecadd-1.trace
has '"geometry":"guessed"' sharing --json headless.trace

# Hints: a kind each, and whether it is a bound.
has '"kind":"false-sharing","where":"Apart","text":"CPUs waited at most 112 cycles (50.0 % of all) for blocks in which another CPU had written a different word. ' \
	hints --json small.trace
has '"bound":"upper","evidence":{"cycles":112,' hints --json small.trace
has '"kind":"lock-wait","where":"One"' hints --json small.trace
has '"bound":"lower"' hints --json small.trace
has '1  lock-wait  next
    CPUs waited 602 cycles (19.0 %' hints vecadd-1.trace
has 'move the instances apart, or pad and align each to 64 bytes. It gains
    at most 756 cycles (23.8 % of all), with what follows' hints vecadd-1.trace
lacks '(1.0 % of all)' hints vecadd-1.trace
has '"kind":"replacement-conflict","where":"worker"' hints --json vecadd-1.trace
# A write to what was only read, of memory outside all objects; and L1 blocks that push each other out there.
{
	printf 'i %s\n' 16 32 1 1
	printf '%s\n' 'g 2000 0 1 1000001 10' 'R 2000 0 1000001 20' 'p 2000 0 1 1000002 50' 'W 2000 0 1000002 30' \
		'b 2100 0 1 1000003 100 2000' 'g 2100 0 1 1000003 100' 'R 2100 0 1000003 10' \
		'b 2000 0 1 1000001 120 2100' 'g 2000 0 1 1000001 120' 'R 2000 0 1000001 50'
} >outside.trace
has '{"rank":1,"kind":"replacement","where":"?","text":"CPUs waited 40 cycles (45.5 % of all) to load blocks again that had made room in L1, mostly for memory outside all objects. Most of it is at file 1:1.",' \
	hints --json outside.trace
has '"kind":"upgrades","where":"?","text":"CPUs waited 24 cycles (27.3 % of all) to write to blocks that they held for reading only. Most of it is at file 1:2.",' \
	hints --json outside.trace
has '"evidence":{"cycles":24,"share":0.2727272727272727,"of":88}' hints --json outside.trace
has 'of 32 bytes
    (guessed: give --geom). It gains' hints headless.trace

# of a load whose completion is missing, another word pays
sed 23d vecadd-1.trace >cut.trace
has 'b             285   9.1 %  not-shared    0.0 %     0.0 %' sharing cut.trace

# A and B: by name, and by the text of a line or its number.
has '"objects":[{"name":"c","ordinal":0,"a":774,"b":281,"delta":-493,"relative":-0.636950' \
	compare --json vecadd-1.trace vecadd-4.trace
has '{"name":"worker","ordinal":3,"a":136,"b":47,' compare --json vecadd-1.trace vecadd-4.trace
has '"classes":[{"name":"worker","a":949,"b":188,' compare --json vecadd-1.trace vecadd-4.trace
has '"lines":[{"file":"vecadd.c","line":30,"text":"global.c[i] = global.a[i] + global.b[i];","a":1181,"b":390,' \
	compare --json vecadd-1.trace vecadd-4.trace
has 'worker  949  188   -761   -80.2 %' compare vecadd-1.trace vecadd-4.trace
has 'worker[0]  298   47   -251   -84.2 %' compare vecadd-1.trace vecadd-4.trace
rm vecadd.c
has '"lines":[{"file":"vecadd.c","line":30,"text":null,"a":1181,"b":390,' \
	compare --json vecadd-1.trace vecadd-4.trace
has '{"name":"One","ordinal":0,"a":0,"b":48,"delta":48,"relative":null}' \
	compare --json vecadd-1.trace small.trace

# Two traces of one name are told apart by as much of their paths as it takes.
mkdir other
cp vecadd-4.trace other/vecadd-1.trace
has '[A] vecadd-1.trace  B other/vecadd-1.trace' screen -g 80x24 -c ':compare other/vecadd-1.trace' vecadd-1.trace
has '[A] vecadd-1.trace  B vecadd-4.trace' screen -g 80x24 -c ':compare other/../vecadd-4.trace' vecadd-1.trace

[ "$failed" -eq 0 ] && echo "$count checks passed"
exit "$failed"
