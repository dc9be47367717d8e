# Counts the records of a pipetrace on its own and compares with the counters samplecore kept itself.
# usage: awk -f check.awk COUNTERS TRACE		exits 1 and names the first differences if there are any
# Fates are told as a viewer has to tell them: by CT, by a removal right behind DA, by being overtaken.

function complain(what)
{
	if (++complaints <= 10)
		print FILENAME ": " what
}

function hexadecimal(text,	value, i)
{
	value = 0
	for (i = 3; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

function end_stage(seq)
{
	if (seq in stage)
		count["stage." stage[seq] ".cycles"] += cycle - since[seq]
}

function die(seq, fate)
{
	end_stage(seq)
	alive[seq] = 0
	count[fate]++
	if (seq in uop)
		count[fate "_micro_ops"]++
	else
		count[fate "_instructions"]++
}

# A younger one reaches decode: whoever is still in fetch before it is lost.
function overtake(seq)
{
	for (; first_fetched < seq; first_fetched++)
		if (alive[first_fetched] && stage[first_fetched] == "IF")
			die(first_fetched, "lost")
}

function enter(seq, name, bits, latency, colour,	bit, i)
{
	if (!alive[seq])
		complain(cycle ": " $0 ": not alive")
	if (seq in moved && moved[seq] == cycle)
		complain(cycle ": " $0 ": moves twice in a cycle")
	moved[seq] = cycle
	if (name == "DA" && !(seq in uop))
		overtake(seq)
	end_stage(seq)
	stage[seq] = name
	since[seq] = cycle
	count["stage." name ".entries"]++
	bit = 1
	for (i = 1; i <= events; i++) {
		if (int(bits / bit) % 2) {
			count["event." event[i]]++
			count["event." event[i] "." name]++
		}
		if (colour == bit)
			count["latency." event[i]] += latency
		bit *= 2
	}
}

function compare(name)
{
	if (!(name in kept))
		complain(name ": no such counter")
	else if (count[name] + 0 != kept[name])
		complain(name ": " count[name] + 0 " in the trace, " kept[name] " kept")
}

BEGIN {
	totals = split("cycles instructions fetched micro_ops committed committed_instructions " \
		"committed_micro_ops squashed squashed_micro_ops dropped lost in_flight", total)
	events = split("cache-miss tlb-miss mispredict mispredict-detected agen", event)
	cycle = -1
}

FILENAME == ARGV[1] {
	kept[$1] = $2
	next
}

$1 == "@" {
	if ($2 != cycle + 1)
		complain($0 ": not the next cycle")
	cycle = $2
}

$1 == "+" {
	if ($2 + 0 != count["instructions"] + 0)
		complain(cycle ": " $0 ": not the next number")
	alive[$2] = 1
	count["instructions"]++
	if ($5 == "[internal") {
		uop[$2] = 1
		count["micro_ops"]++
	} else {
		count["fetched"]++
	}
}

$1 == "*" {
	if (NF == 4)
		stock = 1
	enter($2, $3, hexadecimal($4), $5, hexadecimal($6))
	decoded = $3 == "DA" ? $2 : ""
	next
}

$1 == "-" {
	if (!alive[$2])
		complain(cycle ": " $0 ": removed twice")
	die($2, stage[$2] == "CT" ? "committed" : $2 == decoded ? "dropped" : "squashed")
}

{ decoded = "" }

END {
	count["cycles"] = cycle + 1
	for (seq in alive)
		if (alive[seq]) {
			count["in_flight"]++
			count["stage." stage[seq] ".open_cycles"] += cycle - since[seq]
		}
	for (i = 1; i <= totals; i++)
		compare(total[i])
	for (name in kept)
		if (name ~ /^(stage|event)\./ || (name ~ /^latency\./ && !stock))
			compare(name)
	for (name in count)
		if (name ~ /^(stage|event|latency)\./ && !(name in kept))
			complain(name ": " count[name] " in the trace, no such counter")
	exit complaints > 0
}
