# Writes what the memory does when vecadd.c runs, as Chiron's simulator would: four CPUs, each with an
# L1 cache of 16 blocks of 16 bytes, in pairs at two L2 caches that hold all, of blocks of 64 bytes.
#   awk -v grab=1 -f samples/vecadd.awk samples/vecadd.c >samples/vecadd-1.trace
#   awk -v grab=4 -f samples/vecadd.awk samples/vecadd.c >samples/vecadd-4.trace
# The second takes four elements at once, and its workers lie 64 bytes apart. All numbers but those of
# the header are octal; the last one of a load is which words others wrote since the cache lost the block.

function word_line(p) { return sprintf("1%06o", line[p]) }

# A record of one cache: letter, address, CPU, level, and when.
function say(letter, address, cpu, level, rest)
{
	printf "%s %o %d %d %s%s\n", letter, address, cpu, level, source, rest
}

function held(level, cache, block) { return state[level, cache, block] }

function private_block(level, cache, block) { return held(level, cache, block) ~ /[EM]/ }

# The words of the block that others wrote while the cache was without it, if it ever had it.
function changed_words(level, cache, block,    words, w, mask)
{
	words = had[level, cache, block] ? size[level] / 4 : 0
	for (w = words - 1; w >= 0; w--)
		mask = mask * 2 + changed[level, cache, block * words + w]
	return mask
}

function lose(level, cache, block,    words, w)
{
	delete state[level, cache, block]
	words = size[level] / 4
	for (w = 0; w < words; w++)
		delete changed[level, cache, block * words + w]
}

# A cache's block is taken by a write; how much longer that takes.
function take_away(level, cache, block, address,    dirty)
{
	if (!held(level, cache, block))
		return 0
	dirty = held(level, cache, block) == "M"
	if (int(address / size[level]) != block)
		address = block * size[level]
	say(dirty ? "e" : "f", address, level == 1 ? cache : cache * 2, level, sprintf(" %o", now))
	lose(level, cache, block)
	return dirty
}

# Others lose the block to a write, or share it from now on with a read.
function ask_others(cpu, address, write,    k, pair, b1, b2, b, dirty, cost)
{
	b1 = int(address / 16)
	b2 = int(address / 64)
	pair = int(cpu / 2)
	for (k = 0; k < 4; k++) {
		if (k == cpu)
			continue
		dirty = 0
		if (!write && held(1, k, b1)) {
			dirty = held(1, k, b1) == "M"
			state[1, k, b1] = "S"
		}
		for (b = b2 * 4; write && b < b2 * 4 + 4; b++)
			if (b == b1 || int(k / 2) != pair)
				dirty += take_away(1, k, b, address)
		if (dirty)
			cost = int(k / 2) == pair ? 3 : 20
	}
	k = 1 - pair
	if (write)
		take_away(2, k, b2, address)
	else if (held(2, k, b2))
		state[2, k, b2] = "S"
	return cost
}

function load(level, cache, block, cpu, address, private)
{
	say(private ? "h" : "g", address, cpu, level,
	    sprintf(" %o %o", now, changed_words(level, cache, block)))
	state[level, cache, block] = private ? "E" : "S"
	had[level, cache, block] = 1
	now++
}

# What has to go for a block: caches are of one way.
function make_room(cpu, block, address,    set, old)
{
	set = block % 16
	old = in_set[cpu, set]
	in_set[cpu, set] = block
	if (old == "" || old == block || !held(1, cpu, old))
		return
	say(held(1, cpu, old) == "M" ? "a" : "b", address, cpu, 1, sprintf(" %o %o", now, old * 16))
	lose(1, cpu, old)
}

function fill(cpu, address, write,    pair, b1, b2, cost, alone)
{
	b1 = int(address / 16)
	b2 = int(address / 64)
	pair = int(cpu / 2)
	cost = 16
	say("m", address, cpu, 1, "")
	if (!held(2, pair, b2)) {
		say("m", address, cpu, 2, "")
		cost = 47
	}
	cost += ask_others(cpu, address, write)
	alone = write || !held(2, 1 - pair, b2)
	if (!held(2, pair, b2))
		load(2, pair, b2, cpu, address, alone)
	else if (write && held(2, pair, b2) == "S")
		upgrade(2, pair, b2, cpu, address)
	alone = write || (private_block(2, pair, b2) && !held(1, cpu + 1 - cpu % 2 * 2, b1))
	make_room(cpu, b1, address)
	load(1, cpu, b1, cpu, address, alone)
	return cost
}

function upgrade(level, cache, block, cpu, address)
{
	say("p", address, cpu, level, sprintf(" %o", now++))
	state[level, cache, block] = "E"
}

# It is shared, and will be written: what that costs.
function own(cpu, address,    pair, cost)
{
	pair = int(cpu / 2)
	cost = held(2, pair, int(address / 64)) == "S" ? 47 : 16
	ask_others(cpu, address, 1)
	if (cost == 47)
		upgrade(2, pair, int(address / 64), cpu, address)
	upgrade(1, cpu, int(address / 16), cpu, address)
	return cost
}

# An access of a CPU at this place of the program; the bus takes one after another.
function reach(cpu, address, write, place,    b1, cost, k, w)
{
	source = word_line(place)
	b1 = int(address / 16)
	if (clock[cpu] > now)
		now = clock[cpu]
	clock[cpu] = now
	if (!held(1, cpu, b1))
		cost = fill(cpu, address, write)
	else if (write && held(1, cpu, b1) == "S")
		cost = own(cpu, address)
	if (cost)
		printf "%s %o %d %s %o\n", write ? "W" : "R", address, cpu, source, cost
	clock[cpu] += cost + 1
	if (!write)
		return
	state[1, cpu, b1] = state[2, int(cpu / 2), int(address / 64)] = "M"
	w = int(address / 4)
	for (k = 0; k < 4; k++)
		changed[1, k, w] = k != cpu
	for (k = 0; k < 2; k++)
		changed[2, k, w] = k != int(cpu / 2)
}

# What a thread does next; `at` says where it is.
function step(cpu,    i)
{
	i = element[cpu]
	if (at[cpu] == 0) {
		reach(cpu, global, 1, "take")
		element[cpu] = taken
		taken += grab
		end[cpu] = taken
		at[cpu] = element[cpu] < elements ? 1 : 9
	} else if (at[cpu] <= 3) {
		reach(cpu, global + 64 * at[cpu] + i * 4, at[cpu] == 3, "add")
		if (++at[cpu] > 3 && ++element[cpu] < end[cpu])
			at[cpu] = 1
	} else {
		reach(cpu, worker(cpu) + 4, at[cpu] == 5, "done")
		at[cpu] = at[cpu] == 5 ? 0 : 5
	}
	clock[cpu] += 3
}

function worker(k) { return workers + k * (grab == 1 ? 8 : 64) }

/atomic_fetch_add/ { line["take"] = NR }
/global.c\[i\] = / { line["add"] = NR }
/w->done \+=/ { line["done"] = NR }
/global.a\[i\] = / { line["init a"] = NR }
/global.b\[i\] = / { line["init b"] = NR }
/sum \+=/ { line["sum"] = NR }

END {
	elements = 16
	size[1] = 16
	size[2] = 64
	global = 8 * 8 * 8 * 8 * 8 * 8 * 8 * 8 * 8 * 8
	workers = global + 256 + (grab == 1 ? 0 : 16)
	print "i 16\ni 64\ni 4\ni 2"
	printf "c Global %o 400 0\nc next %o 4 0\n", global, global
	for (k = 1; k <= 3; k++)
		printf "c %s %o 100 0\n", substr("abc", k, 1), global + 64 * k
	for (k = 0; k < 4; k++)
		printf "c worker %o 10 0\n", worker(k)
	for (i = 0; i < elements; i++) {
		reach(0, global + 64 + i * 4, 1, "init a")
		reach(0, global + 128 + i * 4, 1, "init b")
	}
	for (k = 1; k < 4; k++)
		clock[k] = clock[0] + 40 * k
	for (;;) {
		cpu = -1
		for (k = 0; k < 4; k++)
			if (at[k] != 9 && (cpu < 0 || clock[k] < clock[cpu]))
				cpu = k
		if (cpu < 0)
			break
		step(cpu)
	}
	for (k = 1; k < 4; k++)
		if (clock[k] > clock[0])
			clock[0] = clock[k]
	for (i = 0; i < elements; i++)
		reach(0, global + 192 + i * 4, 0, "sum")
	for (k = 0; k < 4; k++)
		printf "d %o 0\n", worker(k)
}
