/*
 * See libpgmem/pgmem.h: objects that lie elsewhere, as far as the caches know.
 *
 * Where a moved object is told to lie is where nothing of a process does. What moves it keeps the
 * sets of the caches that it falls into: areas are multiples of AREA, and in them the object lies
 * as in its own.
 */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES = 256, TEXT_MOST = 256, ALIGNED = 16 };

static const uint64_t areas = UINT64_C(0x600000000000), AREA = 1 << 20;

struct rule {
	enum { PAD, MOVE } what;
	enum { BY_PC, BY_ADDRESS, BY_NAME } key;
	uint64_t number; /* bytes, or where the next object goes */
	uint64_t pc, address, size;
	char name[TEXT_MOST];
};

/*
 * Part of what is moved: [from, to) lies `by` further on, modulo 2^64. Sorted, apart: an object
 * within another splits that one. `end` is that of the largest object that begins at `from`.
 */
struct part {
	uint64_t from, to, by, end;
};

static struct rule *rules;
static size_t rule_count;
static struct part *parts;
static size_t part_count, part_room;
static uint64_t next_area;

/* ---- parts ---- */

/* How many begin at or before the address. */
static size_t up_to(uint64_t address)
{
	size_t low = 0, high = part_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (parts[mid].from <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t pgmem_moved(uint64_t address)
{
	size_t n = part_count ? up_to(address) : 0;

	return n && address < parts[n - 1].to ? address + parts[n - 1].by : address;
}

static bool insert(size_t at, struct part p)
{
	if (part_count == part_room) {
		size_t room = part_room ? 2 * part_room : 64;
		struct part *more = realloc(parts, room * sizeof *more);

		if (!more)
			return false;
		parts = more;
		part_room = room;
	}
	memmove(parts + at + 1, parts + at, (part_count - at) * sizeof *parts);
	parts[at] = p;
	part_count++;
	return true;
}

/* Nothing of [from, to) is moved any more. */
static void clear(uint64_t from, uint64_t to)
{
	size_t n = up_to(from), end;
	struct part *p = n ? &parts[n - 1] : NULL;

	if (p && p->to > from) {
		struct part rest = {to, p->to, p->by, p->to};

		p->to = from;
		if (rest.to > to && !insert(n, rest))
			return;
		if (parts[n - 1].from == from)
			n--;
	}
	for (end = n; end < part_count && parts[end].to <= to; end++)
		;
	memmove(parts + n, parts + end, (part_count - end) * sizeof *parts);
	part_count -= end - n;
	if (n < part_count && parts[n].from < to)
		parts[n].from = to;
}

/* ---- objects ---- */

static bool matches(const struct rule *r, uint64_t pc, const char *name)
{
	return (r->key == BY_PC && r->pc == pc) ||
	       (r->key == BY_NAME && name && !strcmp(r->name, name));
}

static uint64_t place(struct rule *r, uint64_t address, uint64_t size)
{
	uint64_t to = r->number;

	if (r->what == MOVE) {
		r->number += (size + ALIGNED - 1) / ALIGNED * ALIGNED;
		return to;
	}
	to = areas + next_area + address % AREA + r->number;
	next_area += (size + r->number + 2 * AREA - 1) / AREA * AREA;
	return to;
}

static void move(struct rule *r, uint64_t address, uint64_t size)
{
	uint64_t to = place(r, address, size), end = address + size;
	size_t n = up_to(address);
	struct part p = {address, end, to - address, end};

	if (n && parts[n - 1].from == address && parts[n - 1].end > end)
		p.end = parts[n - 1].end;
	clear(address, end);
	insert(up_to(address), p);
}

void pgmem_moved_created(uint64_t address, uint64_t size, uint64_t pc, const char *name)
{
	if (!rule_count || !size)
		return;
	for (size_t i = 0; i < rule_count; i++)
		if (matches(&rules[i], pc, name)) {
			move(&rules[i], address, size);
			return;
		}
}

void pgmem_moved_deleted(uint64_t address)
{
	size_t n = part_count ? up_to(address) : 0;

	if (n && parts[n - 1].from == address)
		clear(address, parts[n - 1].end);
}

/* ---- rules ---- */

static const char *read_key(struct rule *r, const char *text)
{
	int end = 0;

	if (sscanf(text, "pc %" SCNx64 " %n", &r->pc, &end) == 1 && !text[end])
		r->key = BY_PC;
	else if (sscanf(text, "at %" SCNx64 " %" SCNu64 " %n", &r->address, &r->size, &end) == 2 &&
		 !text[end] && r->size)
		r->key = BY_ADDRESS;
	else if (sscanf(text, "name %255[^\n]", r->name) == 1)
		r->key = BY_NAME;
	else
		return "the object is 'pc HEX', 'at HEX BYTES' or 'name TEXT'";
	return NULL;
}

static const char *read_rule(struct rule *r, const char *line)
{
	int end = 0;

	*r = (struct rule){0};
	if (sscanf(line, "pad %" SCNu64 " %n", &r->number, &end) == 1 && end)
		r->what = PAD;
	else if (sscanf(line, "move %" SCNx64 " %n", &r->number, &end) == 1 && end)
		r->what = MOVE;
	else
		return "a rule is 'pad BYTES OBJECT' or 'move HEX OBJECT'";
	return read_key(r, line + end);
}

const char *pgmem_rules_read(const char *text)
{
	const char *wrong = NULL;
	char *lines = strdup(text), *rest = lines;

	rules = calloc(RULES, sizeof *rules);
	if (!lines || !rules)
		return "no memory";
	for (char *line; !wrong && (line = strtok_r(rest, "\n", &rest));) {
		if (rule_count == RULES)
			wrong = "too many rules";
		else
			wrong = read_rule(&rules[rule_count++], line);
	}
	free(lines);
	return wrong;
}

void pgmem_rules_statics(void)
{
	for (size_t i = 0; i < rule_count; i++) {
		struct rule *r = &rules[i];

		if (r->key != BY_ADDRESS)
			continue;
		move(r, r->address, r->size);
		pgmem_emit(&(struct sim_record){.type = SIM_OBJECT,
						.address = pgmem_moved(r->address),
						.other = r->size,
						.time = (int64_t)r->address});
	}
}
