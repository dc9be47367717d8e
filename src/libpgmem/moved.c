/*
 * See libpgmem/pgmem.h: objects that lie elsewhere, as far as the caches know.
 *
 * Where a padded object is told to lie is where nothing of a process does. It keeps the sets of the
 * caches that it falls into but for the padding: areas are multiples of AREA, and in them the
 * object lies as in its own.
 */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RULES = 256, STEPS = 1 << 18, NAME_MOST = 256, ALIGNED = 16 };

static const uint64_t areas = UINT64_C(0x600000000000), AREA = 1 << 20;

/* Its objects are those made at a pc, or the one at an address, or those of a name. */
struct rule {
	bool pads;
	uint64_t number; /* bytes of padding; else where the next object goes */
	uint64_t pc, address, size;
	char name[NAME_MOST];
};

/* From here to the next step, addresses lie `by` further on, modulo 2^64. */
struct step {
	uint64_t from, by;
};

static struct rule rules[RULES];
static size_t rule_count;
static struct step steps[STEPS]; /* sorted */
static size_t step_count;
static uint64_t next_area;

/* ---- steps ---- */

/* How many begin at or before the address. */
static size_t up_to(uint64_t address)
{
	size_t low = 0, high = step_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (steps[mid].from <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint64_t by_of(size_t steps_before)
{
	return steps_before ? steps[steps_before - 1].by : 0;
}

uint64_t pgmem_moved(uint64_t address)
{
	return step_count ? address + by_of(up_to(address)) : address;
}

/* An object within another goes its own way. */
static void set(uint64_t from, uint64_t to, uint64_t by)
{
	const size_t first = up_to(from - 1), behind = up_to(to);
	const uint64_t before = by_of(first), after = by_of(behind);
	struct step instead[2];
	size_t n = 0;

	if (by != before)
		instead[n++] = (struct step){from, by};
	if (after != by)
		instead[n++] = (struct step){to, after};
	if (step_count + n > STEPS)
		pgmem_give_up("more than %d objects are to lie elsewhere", STEPS / 2);
	memmove(steps + first + n, steps + behind, (step_count - behind) * sizeof *steps);
	memcpy(steps + first, instead, n * sizeof *steps);
	step_count = step_count - (behind - first) + n;
}

/* ---- objects ---- */

static uint64_t place(struct rule *r, uint64_t address, uint64_t size)
{
	uint64_t to = r->number;

	if (!r->pads) {
		r->number += (size + ALIGNED - 1) / ALIGNED * ALIGNED;
		return to;
	}
	to = areas + next_area + address % AREA + r->number;
	next_area += (size + r->number + 2 * AREA - 1) / AREA * AREA;
	return to;
}

static void move(struct rule *r, uint64_t address, uint64_t size)
{
	set(address, address + size, place(r, address, size) - address);
}

void pgmem_moved_created(uint64_t address, uint64_t size, uint64_t pc, const char *name)
{
	for (struct rule *r = rules; size && r < rules + rule_count; r++)
		if (r->pc ? r->pc == pc : name && !r->size && !strcmp(r->name, name)) {
			move(r, address, size);
			return;
		}
}

void pgmem_moved_deleted(uint64_t address, uint64_t size)
{
	if (step_count)
		set(address, address + size, 0);
}

/* ---- rules ---- */

static bool read_rule(struct rule *r, const char *line)
{
	int end = 0;

	r->pads = sscanf(line, "pad %" SCNu64 " %n", &r->number, &end) == 1;
	if (!r->pads && sscanf(line, "move %" SCNx64 " %n", &r->number, &end) != 1)
		return false;
	line += end;
	return sscanf(line, "pc %" SCNx64, &r->pc) == 1 ||
	       sscanf(line, "at %" SCNx64 " %" SCNu64 " %255[^\n]", &r->address, &r->size,
		      r->name) == 3 ||
	       sscanf(line, "name %255[^\n]", r->name) == 1;
}

/* What they have by its address is an object from the beginning. */
static void create_static(struct rule *r)
{
	move(r, r->address, r->size);
	pgmem_emit(&(struct sim_record){.type = SIM_OBJECT,
					.text = pgmem_text(r->name),
					.address = pgmem_moved(r->address),
					.other = r->size,
					.time = (int64_t)r->address});
}

bool pgmem_rules_read(const char *text)
{
	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		struct rule *r = &rules[rule_count];

		if (rule_count == RULES || !read_rule(r, text))
			return false;
		rule_count++;
		if (r->size)
			create_static(r);
		text += strcspn(text, "\n");
	}
	return true;
}
