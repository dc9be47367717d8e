#!/bin/sh
# Traces of shared memory, plain, packed and from a pipe: what is told of them, their metrics, and
# what the user says of their numbers.
set -u
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
samples=$(cd "$srcdir/samples" && pwd) || exit 99
cd "$scratch" || exit 99
export XDG_CACHE_HOME="$scratch/cache"
failed=0 count=0

has() # a part of what it prints, argument...
{
	expected=$1
	shift
	count=$((count + 1))
	got=$("$PIPEGLASS" "$@" 2>&1 </dev/null)
	case $got in
	*"$expected"*) return ;;
	esac
	printf 'FAILED: %s: no %s\n%s\n' "$*" "$expected" "$got"
	failed=$((failed + 1))
}

same() # what, wanted, got
{
	count=$((count + 1))
	[ "$2" = "$3" ] && return
	printf 'FAILED: %s:\n%s\n-- not\n%s\n' "$1" "$3" "$2"
	failed=$((failed + 1))
}

cp "$samples/vecadd-1.trace" v.trace
cp "$samples/vecadd-1.trace.files" v.trace.files
gzip -c v.trace >v.trace.gz
printf '1 /somewhere/else.c\n' >u.trace.files
sed '/^[gh]/s/ [0-7]*$//' v.trace >u.trace # without word masks

has '{"format":"chiron","unit":"cycle","first":0,"last":1216,"spans":122,"references":99,"objects":9,"classes":6,"words":43,"source_lines":6,"radix":8,"geometry":"given","verdicts":"exact: loads say which words others wrote"' \
	info --json v.trace
has '"levels":[{"level":"L1","caches":4,"block_bytes":16,"blocks":15},{"level":"L2","caches":2,"block_bytes":64,"blocks":5}],"components":[{"name":"CPU[0]","spans":36}' \
	info --json v.trace
has '"verdicts":"false and inclusion are upper bounds: the trace has no word masks"' info --json u.trace
has 'vecadd.c:30' export --format csv v.trace
has 'else.c:30' export --format csv u.trace

csv=$("$PIPEGLASS" export --format csv v.trace)
same 'packed' "$csv" "$("$PIPEGLASS" export --format csv v.trace.gz)"
same 'from the cache' "$csv" "$("$PIPEGLASS" export --format csv v.trace)"
size_of()
{
	"$PIPEGLASS" index --json n.trace | sed 's/.*"bytes":\([0-9]*\).*/\1/'
}
cp v.trace n.trace
same 'the size of an index' "$(size_of)" "$(size_of)"
same 'from a pipe, which has no table of files' "$(printf '%s' "$csv" | sed 's/vecadd.c:/file 1:/g')" \
	"$(cat v.trace | "$PIPEGLASS" export --format csv -)"

# all CPUs wait for what the reads and writes that completed waited
same 'cycles waited' "$(awk '/^[RW]/ {
	for (n = i = 0; i < length($5); i++) n = n * 8 + substr($5, i + 1, 1)
	sum += n
} END { print sum }' v.trace)" "$("$PIPEGLASS" series --json --metric wait --bins 1 --to 1300 v.trace |
	sed 's/.*"values":\[\([0-9.]*\)\].*/\1/' | awk '{ printf "%.0f", $1 * 4 * 1300 }')"
# never "false" alone where nobody knows
has 'verdict      false≤' screen -g 110x30 -c 'view blocks' -c '/^c.0x10' -c inspector u.trace
has 'L1 false≤                 1' screen -g 110x30 -c 'view blocks' -c '/^c.0x10' -c inspector u.trace

has '0 w... vecadd.c:43      47' screen -g 110x40 -c 'view objects' -c 'move down 2' -c inspector v.trace
mkdir -p elsewhere && cp "$samples/vecadd.c" elsewhere/else.c
has 'w->done += GRAB' screen --src elsewhere -g 110x40 -c 'view source' u.trace
# the file beside the trace comes before one of that name in the current folder
mkdir -p beside && cp v.trace v.trace.files beside && sed 's/w->done/beside/' "$samples/vecadd.c" >beside/vecadd.c
cp "$samples/vecadd.c" .
has 'beside += GRAB' screen -g 110x40 -c 'view source' beside/v.trace
rm vecadd.c
has '/somewhere/else.c is neither there' screen -g 110x40 -c 'view source' -c inspector u.trace
# the lines of a word by CPU
has '0 .w.. vecadd.c:30      67' screen -g 110x40 -c 'view words' -c '/^c.0x10' -c inspector v.trace
# Enter on the first one of a list
has '5 cycles later CPU[2] took it for c' screen -c pairs -c 'move down 9' -c enter v.trace
has 'replaced for next' screen -g 110x24 -c collisions -c enter v.trace
# without a pattern there is no lock any more, nor its curve
blocks()
{
	"$PIPEGLASS" screen -c 'view blocks' "$@" v.trace | head -23
}
has 'lock-wait' screen -c 'view blocks' -c 'lock ^(a|next)$' v.trace
has 'no object matches nosuch' screen -c 'lock nosuch' v.trace
has 'no object is a lock' screen -c lock v.trace
same 'no lock any more' "$(blocks)" "$(blocks -c 'lock ^next$' -c lock)"
# what the user said of the trace is still so when it is read again
for said in 'lock ^next$' 'blocks object' 'blocks colour' 'blocks cache 1'; do
	same "$said, then a reload" "$(blocks -c 'goto cycle 500' -c "$said")" \
		"$(blocks -c 'goto cycle 500' -c "$said" -c reload)"
done

has '"values":[0,0,0.' series --json --metric false-sharing --component '^L2' --bins 6 v.trace
has "no component of wait matches 'L1'" series --metric wait --component L1 v.trace
has '{"components":[{"name":"CPU[0]","spans":36,"wait":0.840591618735,"counts":{"reads":10,"writes":26}}]}' \
	components --json --limit 1 v.trace
has '{"name":"L2[1]","spans":14,"wait":null,"counts":{"loads":14,"true-sharing":3,"false-sharing":6,"invalidations":12,"cold":5,"replacement":0,"inclusion":0,"evictions":0,"upgrades":2}}' \
	components --json v.trace
has '"name":"evictions","component":"L1[0]","a":' compare --json v.trace "$samples/vecadd-4.trace"

# two ways to count what the caches have
all=$("$PIPEGLASS" screen -g 110x30 -c 'view blocks' -c 'goto cycle 500' -c caches v.trace | grep -o 'L[12].[0-9]. *[0-9]*  ')
for cache in 'L1[0]' 'L1[1]' 'L1[2]' 'L1[3]' 'L2[0]' 'L2[1]'; do
	printf '%s ' "$cache"
	"$PIPEGLASS" series --json --metric resident --component "^$(echo "$cache" | sed 's/[][]/\\&/g')\$" --from 500 \
		--to 501 --bins 1 v.trace | sed 's/.*"values":\[\([0-9]*\).*/\1/'
done >counts
same 'blocks in caches' "$(echo $(cat counts))" "$(echo $all)"

# one class is left out, or all; going to what is not shown brings them again
# Names, classes, addresses, places and, of source lines, text: each for itself, so that ^ and $ are its ends.
for found in '1/8 objects=oO&^next$' '4/8 objects=oO&^worker$' '1/8 objects=oO&^0x400000c0$' '1/6 lines=oL&:30$' \
	'3/6 lines=oL&^work$' '1/6 lines=oL&^sum' '36/43 words=oB&:30$' '1/43 words=oB&^c.0x10$'; do
	has "${found%%=*} by cost" screen --src "$samples" -g 120x12 -c "keys ${found#*=}<Enter>" v.trace
done
has 'none of the blocks matches ^sum' screen -c 'keys ob&^sum<Enter>' v.trace
has '5 classes by cost  hidden: F  ' screen -c 'view classes' -c 'keys X' v.trace
has '7/8 objects by cost  hidden: B  ' screen -c 'view objects' -c 'keys X' v.trace
has '6/8 objects by cost  hidden: BE  ' screen -c 'view objects' -c 'keys XX' v.trace
has '4/8 objects by cost  hidden: F  ' screen -c 'view classes' -c 'keys X' -c 'view objects' v.trace
has '8 objects by cost  bars' screen -c 'view classes' -c 'keys XX' -c 'view objects' v.trace
has 'classes that are not shown' screen -c 'view objects' -c 'keys XXXXX' v.trace
has '14/15 blocks by cost  hidden: B  ' screen -c 'view objects' -c 'keys X' -c 'view blocks' v.trace
has '15/15 blocks by cost  51 taken' screen -c 'view objects' -c 'keys X' -c 'blocks stay 12' v.trace
has '7/8 objects by cost  hidden: C  ' screen -c 'view objects' -c 'keys XX' -c 'blocks stay 12' \
	-c 'view objects' -c 'move down 2' -c 'keys X' v.trace
has 'no class is listed here' screen -c 'view source' -c 'keys X' v.trace

# stays by how they ended, of caches that are shown: two ways to count them
ended() # LEVEL COMPONENTS COMMAND...
{
	level=$1 of=$2
	shift 2
	"$PIPEGLASS" components --json v.trace | grep -o "\"name\":\"L$level.$of\"[^}]*" |
		sed 's/.*invalidations":\([0-9]*\).*evictions":\([0-9]*\).*/\1 \2/' |
		awk '{ a += $1; b += $2 } END { print a " taken, " b " replaced" }' >counts
	has "$(cat counts)" screen -g 120x40 -c 'view blocks' "$@" v.trace
}
ended 1 '[0-3]]'
ended 2 '[01]]'
ended 1 '[1-3]]' -c 'blocks cache 0'
has '51 taken, 7 replaced' screen -g 120x40 -c 'view blocks' v.trace
has '51 taken, 7 replaced  + 2-3 caches, # more' screen -g 80x24 -c 'view blocks' v.trace
has 'no stay of a block is here' screen -c 'view blocks' -c 'blocks top 1' -c 'move down 9' -c enter v.trace
# a level that nothing was loaded to
printf '%s\n' 'i 16' 'i 64' 'i 2' 'i 1' 'g 1000 0 2 1000001 10' 'g 2000 0 2 1000001 20' >l2.trace
for command in 'move up 3' 'blocks other'; do
	has 'L2 occupancy, 2/2 blocks by cost' screen -g 80x40 -c 'view blocks' -c 'blocks stay 0' -c "$command" l2.trace
done
# the dearest block of a list has all its caches, whatever cache was looked at before
same 'all caches' "$(blocks -c 'goto cycle 500' -c 'view objects' -c 'blocks other')" \
	"$(blocks -c 'goto cycle 500' -c 'blocks cache 2' -c 'view objects' -c 'blocks other')"

# What is selected of the time is so on both levels, and can be zoomed in to.
has 'cycle 700  4 cycles per column' screen -c 'view blocks' -c 'goto cycle 500' -c select -c 'goto cycle 700' -c 'zoom fit' v.trace
has 'cycle 700  32 cycles per column' screen -c 'view blocks' -c 'goto cycle 500' -c select -c 'goto cycle 700' -c 'select none' -c 'zoom fit' v.trace

# Enter on a warning goes to the stay that was read last
sed '441p' v.trace >twice.trace
for view in overview blocks; do
	has 'chiron  cycle 1 176 ' screen -g 80x24 -c "view $view" -c warnings -c enter twice.trace
	has 'L1 occupancy' screen -g 80x24 -c "view $view" -c warnings -c enter twice.trace
done

# what lies outside of all objects can be selected and opened
sed '/^c/d' v.trace >nameless.trace
has '43/43 words by cost  only ?: 43 of 43, 100 % of the cost' \
	screen -g 100x12 -c 'view objects' -c enter -c enter nameless.trace

# waits do not overlap: a load has the time at which they begin, or end
printf '%s\n' 'i 16' 'i 64' 'i 2' 'i 1' 'h 1000 0 1 1000001 100' 'W 1000 0 1000001 40' \
	'h 1100 0 1 1000001 120' 'W 1100 0 1000001 20' >ends.trace
has '"waits":"begin with their loads"' info --json v.trace
has '"first":32,"last":80,' info --json ends.trace
has '"waits":"end with their loads"' info --json ends.trace # from the cache
has '"values":[1,1,1]' series --json --metric wait --component 'CPU.0' --to 80 --bins 3 ends.trace

# numbers mean what the user says
sed 1,4d v.trace >bare
has 'give --geom' info bare
has '"geometry":"guessed: give --geom"' info --json bare
has '"geometry":"guessed: give --geom"' info --json bare # from the cache
has 'block sizes guessed  ' screen bare
has '(guessed, and with' sharing bare
has '"geometry":"given"' info --json --geom 16,64,4,2 bare
has '"warnings":[]' info --json --geom 16,64,4,2 bare
has '"radix":16' info --json --radix 16 v.trace
has "'7' is not 8, 10 or 16" info --radix 7 v.trace
has "'16,64,4' is not four numbers, as in 32,128,8,2" info --geom 16,64,4 v.trace
for geometry in 0,0,0,0 128,16,4,2 4294967312,64,4,2 17,64,4,2 16,64,2,4 2,64,4,2 16,8192,4,2 16,64,4,0; do
	has "'$geometry' is not bytes of blocks (4, 8, 16 .. 4096, L2 no less than L1) and numbers of caches" info --geom $geometry bare
done
has 'has no instructions' rows v.trace

[ "$count" -ge 36 ] || failed=1
exit $((failed > 0))
