# Writes the tasks of a made-up GPU in the form of Akita's CSV: 96 work-groups of one wavefront,
# which a dispatcher gives to four compute units, at most one each `interval` ns. A compute unit
# holds 10 wavefronts; each of them reads six times from the cache of its unit, which takes
# one request in 4 ns.
#   awk -v interval=16 -f samples/dispatch.awk >samples/dispatch-slow.tasks.csv
#   awk -v interval=1 -f samples/dispatch.awk >samples/dispatch-fast.tasks.csv

function task(id, parent, kind, what, where, start, end)
{
	printf "%s, %s, %s, %s, %s, %.10f, %.10f\n", id, parent, kind, what, where,
	    start * 1e-9, end * 1e-9
}

# One read of a wavefront that begins now; when it is over.
function read_once(w, cu, t, n,    id, begin, end)
{
	id = "r" w "_" n
	begin = free[cu] > t + 1 ? free[cu] : t + 1
	end = begin + 12 + (w * 7 + n * 5) % 9
	free[cu] = begin + 4
	task(id "@L1", id "_req_out", "req_in", "*mem.ReadReq", "GPU[1].L1VCache[" cu "]",
	    begin, end)
	task(id "_req_out", "i" w "_" n, "req_out", "*mem.ReadReq", "GPU[1].CU[" cu "]", t, end + 1)
	task("i" w "_" n, "wf" w, "inst", "VMem", "GPU[1].CU[" cu "].VMem", t, end + 1)
	return end + 1
}

function finish(w, cu, t)
{
	task("wf" w, "wg" w "@CU", "wavefront", "wavefront", "GPU[1].CU[" cu "].WFPool", born[w], t)
	task("wg" w "@CU", "wg" w, "req_in", "*protocol.MapWGReq", "GPU[1].CU[" cu "]", born[w], t)
	task("wg" w, "kernel@CP", "req_out", "*protocol.MapWGReq",
	    "GPU[1].CommandProcessor.Dispatcher0", born[w] - 1, t + 1)
	held[cu]--
	done++
}

BEGIN {
	sent = done = 0
	groups = 96
	units = 4
	print "ID, ParentID, Kind, What, Where, Start, End"
	for (t = 100; done < groups; t++) {
		for (w = 0; w < sent; w++) {
			if (next_at[w] != t)
				continue
			cu = unit[w]
			if (reads[w] == 6) {
				finish(w, cu, t)
				next_at[w] = -1
				continue
			}
			end = read_once(w, cu, t, ++reads[w])
			task("v" w "_" reads[w], "wf" w, "inst", "VALU", "GPU[1].CU[" cu "].VALU",
			    end, end + 5)
			next_at[w] = end + 5 + (w * 3) % 4
		}
		if (sent == groups || t < ready)
			continue
		for (cu = sent % units; held[cu] == 10 && ++tried < units;)
			cu = (cu + 1) % units
		tried = 0
		if (held[cu] == 10)
			continue
		unit[sent] = cu
		born[sent] = t + 1
		next_at[sent] = t + 2
		held[cu]++
		sent++
		ready = t + interval
	}
	task("kernel@CP", "kernel", "req_in", "*protocol.LaunchKernelReq",
	    "GPU[1].CommandProcessor", 90, t + 5)
	task("kernel", "launch", "req_out", "*protocol.LaunchKernelReq", "Driver", 60, t + 30)
	task("launch", "sim", "Driver Command", "*driver.LaunchKernelCommand", "Driver", 50, t + 30)
	task("sim", "", "Simulation", "Simulation", "Driver", 0, t + 100)
}
