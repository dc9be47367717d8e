#!/bin/sh
# Batch commands about tasks: what they write, and what they refuse.
set -u
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
samples=$(cd "$srcdir/samples" && pwd) || exit 99
cd "$scratch" || exit 99
export XDG_CACHE_HOME="$scratch/cache"
failed=0 count=0

# A kernel of 100 ns and nine work-groups, one every `$1` ns: sent, taken 1 ns later, done in 20 ns.
gpu()
{
	awk -v step="$1" 'BEGIN {
		print "ID, ParentID, Kind, What, Where, Start, End"
		line = "%s, %s, %s, %s, %s, %.10f, %.10f\n"
		for (i = 0; i < 9; i++) {
			t = i * step
			printf line, "w" i, "m" i "@CU", "wavefront", "wavefront", "GPU[1].CU[" i % 2 "].WFPool", (t + 1) / 1e9, (t + 21) / 1e9
			printf line, "m" i "@CU", "m" i, "req_in", "*protocol.MapWGReq", "GPU[1].CU[" i % 2 "]", (t + 1) / 1e9, (t + 21) / 1e9
			printf line, "m" i, "k", "req_out", "*protocol.MapWGReq", "GPU[1].Dispatcher0", t / 1e9, (t + 22) / 1e9
		}
		printf line, "lost", "gone", "req_in", "*mem.ReadReq", "=DMA", 50 / 1e9, 50 / 1e9
		printf line, "k", "", "req_in", "*protocol.LaunchKernelReq", "GPU[1]", 0, 100 / 1e9
	}'
}
gpu 8 >slow.csv
gpu 1 >fast.csv
printf '%s\n' 'ID, ParentID, Kind, What, Where, Start, End' 'a, , a, a, a, 0.0, 0.0000000010' >alone.csv

check() # status, all that it prints, argument...
{
	wanted=$1 expected=$2
	shift 2
	count=$((count + 1))
	got=$("$PIPEGLASS" "$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" -ne "$wanted" ] || [ "$got" != "$expected" ]; then
		printf 'FAILED: %s: status %s\n%s\n' "$*" "$status" "$got"
		failed=$((failed + 1))
	fi
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
	printf 'FAILED: %s: no %s\n%s\n' "$*" "$expected" "$got"
	failed=$((failed + 1))
}

check 0 '
components
name                 tasks     busy  residency  orphans  kinds
GPU[1].Dispatcher0       9   86.0 %     198 ns           req_out
GPU[1]                   1  100.0 %     100 ns           req_in
GPU[1].CU[0]             5   84.0 %     100 ns           req_in
GPU[1].CU[0].WFPool      5   84.0 %     100 ns           wavefront
GPU[1].CU[1]             4   68.0 %      80 ns           req_in
GPU[1].CU[1].WFPool      4   68.0 %      80 ns           wavefront
=DMA                     1    0.0 %        0 s        1  req_in' components slow.csv
check 0 '{"components":[{"name":"GPU[1].Dispatcher0","tasks":9,"busy":0.86,"residency":1.98e-07,"orphans":0,"kinds":["req_out"]}]}' \
	components --json --limit 1 slow.csv
has '"'"'"'=DMA",1,0,0,1,"req_in"' components --csv slow.csv

check 0 '{"tasks":[{"row":26,"id":"m8","parent":28,"kind":"req_out","what":"*protocol.MapWGReq","where":"GPU[1].Dispatcher0","start":64000,"end":86000},{"row":24,"id":"w8","parent":25,"kind":"wavefront","what":"wavefront","where":"GPU[1].CU[0].WFPool","start":65000,"end":85000}]}' \
	tasks --json --from 84000 --to 85500 --kind '^(wave|req_out)' slow.csv
# what takes no time is there at its tick, and nowhere else; an orphan has no parent
check 0 '{"tasks":[{"row":27,"id":"lost","parent":null,"kind":"req_in","what":"*mem.ReadReq","where":"=DMA","start":50000,"end":50000}]}' \
	tasks --json --component DMA --from 50000 --to 50001 slow.csv
check 0 '{"tasks":[]}' tasks --json --component DMA --from 40000 --to 50000 slow.csv
has ' 28  k        -  req_in   *protocol.LaunchKe…  GPU[1]               0 ps  100 ns' \
	tasks --limit 2 slow.csv

check 0 'pipeglass: slow.csv: 2 requests are left out: whoever sent them is not in the file
{"edges":[{"from":"GPU[1].Dispatcher0","to":"GPU[1].CU[0]","count":5,"wait":1e-09,"latency":2e-08},{"from":"GPU[1].Dispatcher0","to":"GPU[1].CU[1]","count":4,"wait":1e-09,"latency":2e-08}]}' \
	requests --json slow.csv
has '"count":1,"wait":1e-09' requests --json --component 'CU\[1\]' --from 8000 --to 9000 slow.csv

has '{"kinds":[{"kind":"req_in","what":"*protocol.MapWGReq","count":9,"latency":{"mean":2e-08,"p50":2e-08,"p90":2e-08,"p99":2e-08,"max":2e-08}}' \
	summary --json slow.csv
has '],"sections":[{"name":"kinds","rows":[{"kind":"req_in"' summary --json slow.csv
has '{"name":"residency","rows":[{"name":"GPU[1].Dispatcher0","tasks":9,"busy":0.86,"residency":1.98e-07' \
	summary --json slow.csv

# only some kinds count: their kind, or kind and what, matches; none of those a metric is about: no data
check 0 '{"metric":"concurrent-tasks","component":"GPU","kind":"in.*Map","from":0,"to":100000,"values":[2.14,1.46],"exact":true}' \
	series --json --metric concurrent-tasks --component GPU --kind 'in.*Map' --bins 2 slow.csv
has '"values":[null,null]' series --json --metric req-in-rate --kind '^wavefront$' --bins 2 slow.csv
has '"parent":28,"kind":"req_out"' tasks --json --kind 'out .*Map' --limit 1 slow.csv
check 2 "pipeglass: no kind of tasks matches 'nosuch'" series --metric utilisation --kind nosuch slow.csv
check 2 "pipeglass: --kind does not apply to --metric cpi0" series --metric cpi0 --kind a slow.csv
check 1 'pipeglass: SimpleScalar / GPV pipetrace has no kinds of tasks' \
	series --metric ipc --kind a "$samples/sort-4wide.trc.gz"
has '  0..2              0 ▅████' \
	screen -g 80x24 -c 'view overview' -c 'overview metric concurrent-tasks' -c 'keys Kin.*map<Enter>' slow.csv
has 'kinds: /in.*map/' screen -g 80x24 -c 'view overview' -c 'keys Kin.*map<Enter>' slow.csv
has '  0..2              0 ▅████' screen -g 80x24 -c 'overview metric concurrent-tasks' \
	-c 'filter kind in.*map' -c reload slow.csv
has '  0..4              0 ▅████' screen -g 80x24 -c 'overview metric concurrent-tasks' \
	-c 'filter kind in.*map' -c 'filter kind' slow.csv
has 'the overview counts these kinds: view overview' screen -g 80x24 -c 'view component' -c 'filter kind req' slow.csv
has "no kind of tasks matches 'nosuch'" screen -g 80x24 -c 'view overview' -c 'filter kind nosuch' slow.csv

# one that dispatches as often, but fast, is not bound by it
has '{"hints":[{"rank":1,"kind":"dispatch-bound","where":"GPU[1].Dispatcher0"' hints --json slow.csv
has '"place":{"item":2,"tick":0},"bound":"upper","evidence":{"interval":8e-09,"constant":1,"dispatches":9,"phase":6.4e-08,"kernel":1e-07,"share":0.64,"resident":0.9,"kernels":1}}' \
	hints --json slow.csv
has '1  idle-upstream  GPU[*].CU[*]' hints fast.csv
check 0 'nothing stands out' hints alone.csv
has '"place":null,"bound":null,"evidence":{"share":0.0225,"held":0.9,"capacity":40,"components":2}}' \
	hints --json --capacity 40 slow.csv
has 'each holds 0.9 of the 1 tasks that it can, over the kernels: full' \
	hints --capacity 'WFPool=1' slow.csv
check 2 "pipeglass: --capacity: '0' is not a number, or RE=N as in WFPool=40" hints --capacity 0 slow.csv

# the same as panes: Enter on a hint opens its task, on a component its tasks
numbers='interval 8 ns; constant 100 %; dispatches 9; phase 64 ns;'
has "$numbers" hints slow.csv
has "$numbers" screen -g 100x24 -c hints slow.csv
has '
    each holds 0.9 of the 40' screen -g 120x24 -c 'set capacity 40' -c hints slow.csv
for line in 0 3; do
	has '>GPU[1].Dispatcher0           Gggg' \
		screen -g 100x24 -c hints -c "move down $line" -c enter slow.csv
done
# ten of the intervals are seen there
has 'GPU[1].Dispatcher0  0 ps  2.048 ns per column' screen -g 100x24 -c hints -c enter slow.csv
has 'nothing stands out' screen -c hints alone.csv
has 'G req_out MapWGReq          9 Gggg' screen -g 100x24 -c components -c enter slow.csv
has 'wavefront  wavefront                      9   20 ns' screen -g 100x24 -c summary slow.csv
has 'GPU[1].Dispatcher0  GPU[1].CU[0]      5  1 ns    20 ns' screen -g 100x24 -c requests slow.csv

# with no task under the cursor that before it, else that behind it, of the component in sight
for places in '95ns 57' '50500ps 41' '2ns 9'; do
	has "GPU[1].CU[1]  ${places#* } ns" screen -g 80x24 -c 'component GPU[1].CU[1]' \
		-c "goto ${places% *}" -c 'move down 9' -c 'view task' slow.csv
done
has 'the nearest task: req_out MapWGReq at GPU[1].Dispatcher0' \
	screen -c 'search Dispatcher' -c 'goto 95ns' -c 'view task' slow.csv

# Enter in the chain and in the inspector opens a task framed; a mark is gone to at the same zoom
has '1 ns  512 ps per column' screen -g 80x24 -c 'component GPU[1].CU[0]' -c 'goto 10ns' -c 'keys A<Enter>' slow.csv
has '
>…Dispatcher0 G req_out MapWGReq ggg' screen -g 80x24 -c 'component GPU[1].CU[0]' -c 'goto 10ns' -c 'keys ijjjjj<Enter>' slow.csv
has '10 ns  2.048 ns per column' screen -g 80x24 -c 'component GPU[1].CU[0]' -c 'goto 10ns' -c 'keys maom<Enter>' slow.csv

# & filters what the view shows; a command of instructions says so, and what its key does elsewhere
has 'components: /WFPool/' screen -g 80x24 -c 'keys &WFPool<Enter>' slow.csv
has '  components: /CU/' screen -g 80x24 -c 'view network' -c 'keys &CU<Enter>' slow.csv
has '
GPU[1].CU[1] ' screen -g 80x24 -c 'view component' -c 'keys &GPU[1].CU[1]<Enter>' slow.csv
has 'distance: this trace has no instructions
' screen -g 80x24 -c 'distance' slow.csv
has 'chain: this trace has no instructions; in the view component A: open pane chain' screen -c chain slow.csv
has 'next squash: this trace has no instructions; in the view overview s: set scale' \
	screen -c 'view component' -c 'next squash' slow.csv
has 'no task here: open one first (Enter on one in the component view)' screen -c 'task parent' slow.csv
# groups fold, components open
has 'GPU[1]: 2 components  x <Enter> fold  { } height' screen -g 80x24 -c 'keys &WFPool<Enter>k' slow.csv

# a shared scale is that of groups too, and the title says so where it has room; ranges say their units
has 'GPU[1]         977M' screen -g 80x24 -c 'view overview' -c 'set scale shared' slow.csv
got=$("$PIPEGLASS" screen -g 80x24 -c 'set scale shared' slow.csv | grep -c '^  0..1.00G/s ')
[ "$got" -ge 3 ] || has 'the same range in each panel' screen -g 80x24 -c 'set scale shared' slow.csv
ln -s slow.csv a-name-that-is-as-long-as-half-of-it.csv
has 'column  shared' screen -g 70x24 -c 'set scale shared' a-name-that-is-as-long-as-half-of-it.csv
has '• 0..' screen -g 80x24 -c 'overview higher 2' slow.csv

# by components; from the start of each, or by its share
has '"name":"pending-req-out","component":"GPU[1].Dispatcher0","a":2,"b":2,"delta":0,"relative":0' \
	compare --json --from 8000 --to 16000 slow.csv slow.csv
has '"name":"req-in-rate","component":"GPU[1].CU[1]","a":40000000,"b":40000000' \
	compare --json --by fraction slow.csv fast.csv
has 'A slow.csv  100 ns
B fast.csv  100 ns
45 metrics in both, 5 different
sorted by B - A as a share of A'"'"'s total of the metric
' compare slow.csv fast.csv
has '
... 21 more' compare slow.csv fast.csv
# on the screen E draws another metric of both, / looks for what the view shows
has '  >7 utilisa' screen -g 80x40 -c compare -c 'keys Eutilisation<Enter>' slow.csv fast.csv
# the same height is the same value, the names say which is which, and the message where they differ
cp slow.csv run_of_a_gpu_kernel_dispatch_slow.csv
cp fast.csv run_of_a_gpu_kernel_dispatch_fast.csv
set -- -g 80x24 run_of_a_gpu_kernel_dispatch_slow.csv run_of_a_gpu_kernel_dispatch_fast.csv
for range in '0..30         3.02 ▂▃▃▃▄▄▄▄▆▆▅▄' '0..30         3.61 ▂▆███████████'; do
	has "$range" screen -c compare -c 'keys t1t2t3' "$@"
done
has 'A …nel_dispatch_slow.csv  [B] …nel_dispatch_fast.csv' screen -c compare "$@"
has 'A takes 100 ns, B 100 ns  oc: differences by metric and component' screen -c compare "$@"
has ':compare table, or :compare off first' screen -c compare -c 'view overview' "$@"
has '> GPU[1].CU[1]: 4 requests' screen -g 80x24 -c 'view network' -c 'keys /dispatcher<Enter>/cu.1<Enter>' slow.csv
# where no component matches, a task does
has 'no component matches wave; found in the view component' screen -g 80x24 -c 'keys /wave<Enter>' slow.csv
has 'wavefront at GPU[1].CU[0].WFPool, 20 ns from 33 ns' screen -g 80x24 -c 'keys /wave<Enter>n' slow.csv
has 'no component matches xyz; no kind, what or id matches xyz' screen -c 'search xyz' slow.csv
has 'no kind, what or id matches dispatcher' screen -c 'view component' -c 'search dispatcher' slow.csv
check 2 'pipeglass: compare: --by time and fraction align metrics' \
	compare --by time "$samples/sort-4wide.trc.gz" "$samples/sort-4wide.trc.gz"

check 1 "$samples/sort-4wide.trc.gz: this trace (pipetrace) has no tasks; try info, series, compare, export, hints" \
	tasks "$samples/sort-4wide.trc.gz"
has 'has no instructions' rows slow.csv
has "--kind: bad regular expression '*'" tasks --kind '*' slow.csv

# times as goto takes them, where ticks are of time
check 0 "$("$PIPEGLASS" tasks --json --from 10000 --to 12500 slow.csv)" \
	tasks --json --from 10ns --to 0.0125us slow.csv
has ',"from":10000,"to":12500,' series --json --metric utilisation --from 10ns --to 12.5ns slow.csv

[ "$count" -ge 30 ] || failed=1
exit $((failed > 0))
