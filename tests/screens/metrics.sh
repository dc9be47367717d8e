#!/bin/sh
# Traces without items: how compare pairs and sorts their metrics, what it refuses; their warnings.
set -u
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
samples=$(cd "$srcdir/samples" && pwd) || exit 99
cd "$scratch" || exit 99
failed=0 count=0

printf '%s\n' time,metric,value 0,load,10 0,same,7 0,host_speed,1 0,new,0 0,gone,4 10,load,30 \
	10,same,7 >a.csv
printf '%s\n' time,metric,value 0,load,10 0,same,7 0,host_speed,9 0,new,3 0,=extra,4 10,load,5 \
	10,same,7 >b.csv

check() # status, what it prints, argument...
{
	expected=$2 wanted=$1
	shift 2
	count=$((count + 1))
	got=$("$PIPEGLASS" compare "$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" -ne "$wanted" ] || [ "$got" != "$expected" ]; then
		printf 'FAILED: compare %s: status %s\n%s\n' "$*" "$status" "$got"
		failed=$((failed + 1))
	fi
}

# gauges: means; from nothing to something first, then by the share, alone, the host's last
check 0 'name,component,unit,a,b,delta,relative
"new",,,0,3,3,
"load",,,20,7.5,-12.5,-0.625
"same",,,7,7,0,0
"'"'"'=extra",,,,4,,
"gone",,,4,,,
"host_speed",,,1,9,8,8' --csv a.csv b.csv
check 0 '{"a":{"file":"a.csv","format":"csv","unit":"tick","first":0,"last":19},"b":{"file":"b.csv","format":"csv","unit":"tick","first":0,"last":19},"metrics":[{"name":"new","component":null,"a":0,"b":3,"delta":3,"relative":null},{"name":"load","component":null,"a":20,"b":7.5,"delta":-12.5,"relative":-0.625}]}' \
	--json --limit 2 a.csv b.csv
check 0 'A a.csv
B b.csv
4 metrics in both, 3 different; 1 only in A; 1 only in B

metrics
name   A    B  B - A  relative
new    0    3     +3         -
load  20  7.5  -12.5   -62.5 %
... 4 more' --limit 2 a.csv b.csv
check 2 'pipeglass: compare: --from, --to, --by and --pair need instructions' --from 1 a.csv b.csv
check 1 "$samples/daxpy-4wide.trc.gz: SimpleScalar / GPV pipetrace; a.csv: comma-separated \
values over time: compare needs traces of the same kind" \
	--no-cache "$samples/daxpy-4wide.trc.gz" a.csv

# means are over the time, and of a ratio that is worked out what a series of one bin says
stats() # ticks, cycles, instructions, ipc, miss rate: of each section
{
	for section; do
		set -- $section
		end=$((end + $1))
		printf '%s\n' '---------- Begin Simulation Statistics' "simTicks $1" "finalTick $end" \
			"cpu.numCycles $2" "cpu.commitStats0.numInsts $3" "cpu.ipc $4 # (Ratio)" \
			"cpu.missRate $5 # (Ratio)" '---------- End Simulation Statistics'
	done
}
end=0
stats '100 10 10 1 0.5' '900 30 3 0.1 0.1' >first.txt
end=0
stats '900 30 30 1 0.5' '100 10 1 0.1 0.1' >second.txt
check 0 'A first.txt
B second.txt
6 metrics in both, 3 different

metrics
name      component             A      B  B - A  relative
missRate  cpu                0.14   0.46  +0.32  +228.6 %
ipc       cpu               0.325  0.775  +0.45  +138.5 %
numInsts  cpu.commitStats0     13     31    +18  +138.5 %
... 3 more' --limit 3 first.txt second.txt

# what could not be read is told where no view has items, too
count=$((count + 1))
printf '%s\n' time,load 0,1 5,2 3,3 9,4 >back.csv
"$PIPEGLASS" screen -g 80x12 -c warnings back.csv >screen.txt
if ! grep -q 'line  *4  the time is before that of the line above: line skipped' screen.txt; then
	echo "FAILED: warnings of back.csv" && cat screen.txt
	failed=$((failed + 1))
fi

# a metric of the table becomes a curve, of its component alone; so do those worked out
screen() # text, argument...
{
	expected=$1
	shift
	count=$((count + 1))
	"$PIPEGLASS" screen --no-cache -g 100x24 "$@" >screen.txt 2>&1
	if ! grep -qF -e "$expected" screen.txt; then
		printf 'FAILED: screen %s: no %s\n' "$*" "$expected"
		cat screen.txt
		failed=$((failed + 1))
	fi
}
printf '%s\n' time,core,load,heat 0,a.x,1,5 0,a+x,3,6 5,a.x,2,7 5,a+x,9,8 >cores.csv
screen 'load  a.x              2   1.5      1         2' -c metrics cores.csv
screen 'Metrics  (Enter draws one), by greatest' -c metrics -c 'sort by greatest' cores.csv
# keys of the curves and of all views
screen 't show the title line at the top' -c 'keys t' cores.csv
screen '>1 load a+x             9' -c metrics -c 'sort by greatest' -c enter -c 'metric remove load' \
	-c 'metric remove heat' -c 'goto cycle 7' cores.csv
screen 'occupancy  EX' -c metrics "$samples/daxpy-4wide.trc.gz"
screen 'metrics' -c info cores.csv
# a pane is searched whatever the trace has; the view of curves has nothing to search
screen '>2 heat a+x' -c metrics -c 'metric remove heat' -c 'search heat' -c next -c enter cores.csv
screen 'not found in this pane: nowhere' -c metrics -c 'search nowhere' cores.csv
screen 'no search in this pane yet' -c metrics -c next cores.csv
screen 'there is nothing to look for here' -c 'search load' cores.csv
screen 'tick 4 ' -c 'goto percent 50%' cores.csv

# panes that another tab's views bring are not opened here, whatever is open
screen '[2/2] cores.csv' -c legend -c options -c 'open cores.csv' "$samples/daxpy-4wide.trc.gz"
screen 'the trace has no metric ipc' -c 'metric add ipc' cores.csv
screen 'Curves are metrics, columns are ticks.' -c help -c 'goto first' cores.csv
printf '\357\273\277time,load\n0.5,1\n0.75,3\n99999999999999999999,4\n' >mark.csv
screen 'mark.csv  csv  500 ms' mark.csv
screen 'the time is too great' -c warnings mark.csv
screen 'not a time in ns: x' -c 'goto cycle x' mark.csv
screen 'the trace has 500 ms to 999.999999 ms' -c 'goto cycle 5' mark.csv
screen '750.000001 ms' -c 'goto 0.750000001s' mark.csv

# two of them share the window and the time since each one's start; without time it is a table
awk 'BEGIN { print "time,load"; for (i = 20; i < 60; i++) print i "," i % 7 }' >early.csv
awk 'BEGIN { print "time,load"; for (i = 50; i < 99; i++) print i "," i % 5 }' >late.csv
screen '[A] early.csv  B late.csv  csv  tick 45' -c 'compare late.csv' -c 'goto cycle 45' early.csv
screen 'B tick 75' -c 'compare late.csv' -c 'goto cycle 45' early.csv
screen 'A early.csv  [B] late.csv  csv  tick 60' -c 'compare late.csv' -c 'compare switch' \
	-c 'goto cycle 60' early.csv
screen '>1 A                   6      6┤' -c 'compare late.csv' -c 'compare curves' early.csv
screen 'load  2.925  1.95918  -0.965816   -33.0 %' -c 'compare late.csv' -c 'compare table' early.csv
# the window moves, not the cursor
screen 'early.csv  csv  tick 50' -c 'zoom in' -c 'zoom in' -c 'goto cycle 50' -c center early.csv
printf '%s\n' 5,,cycles,9,100.00,, 7,,branches,9,100.00,, >one.csv
printf '%s\n' 6,,cycles,9,100.00,, 7,,branches,9,100.00,, >two.csv
screen 'cycles    5  6     +1   +20.0 %' -c 'compare two.csv' one.csv
screen 'A counts time in tick, B in ns' -c 'compare two.csv' early.csv
screen 'compare needs traces of the same kind' -c "compare '$samples/daxpy-4wide.trc.gz'" early.csv
# what could not be compared is not left open
screen 'there is 1 tab' -c "compare '$samples/daxpy-4wide.trc.gz'" -c 'tab 2' early.csv

[ "$count" -ge 29 ] || failed=1
exit $((failed > 0))
