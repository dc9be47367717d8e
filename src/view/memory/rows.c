#include "config.h"

#include "view/memory/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"

enum { LEAST_LINES = 20, MOST_LINES = 2000 };
static const double share_with_lines = 0.8; /* of the cost */

const char *const row_order_names[] = {"cost", "shared", "hitm", "address"};

static bool is_block(enum memory_thing by)
{
	return by == MEMORY_BY_L1_BLOCK || by == MEMORY_BY_L2_BLOCK;
}

/* Of a block that of its dearest word. */
static uint32_t class_of(const struct memory_index *x, enum memory_thing by, uint32_t number)
{
	if (number == MEMORY_NONE || by == MEMORY_BY_LINE || by == MEMORY_BY_CLASS)
		return by == MEMORY_BY_CLASS ? number : MEMORY_NONE;
	if (by == MEMORY_BY_OBJECT)
		return memory_class_of(x, number);
	return memory_class_of_word(x, is_block(by) ? x->blocks[number].word : number);
}

/* ---- what matches ---- */

/* By name, class, address; a source line by its function, too, and, if wanted, by its text. */
static bool name_matches(const struct memory_index *x, const struct memory_focus *f,
			 enum memory_thing by, uint32_t number, bool text, const struct regex *re)
{
	const bool line = by == MEMORY_BY_LINE && f->source;
	const uint32_t class = class_of(x, by, number);
	const struct source_place place =
	    line ? source_place(f->source, x, number) : (struct source_place){.label = NULL};
	char address[24] = "";
	struct sbuf name = {0};
	bool does = false;

	memory_put_thing(f->trace, x, by, number, &name);
	if (number != MEMORY_NONE && (by == MEMORY_BY_OBJECT || by == MEMORY_BY_WORD))
		snprintf(address, sizeof(address), "0x%" PRIx64, memory_address(x, by, number));
	const char *const parts[] = {sbuf_text(&name), address, place.function,
				     class == MEMORY_NONE ? NULL : memory_class(f->trace, class),
				     text ? place.text : NULL};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !does; i++)
		does = parts[i] && regex_match(re, parts[i], strlen(parts[i]), NULL, NULL);
	sbuf_free(&name);
	return does;
}

/*
 * Things of a sort by number, behind them what is outside of all; words also by the places that
 * touched them, blocks by their words.
 */
static bool *matching(const struct memory_index *x, const struct memory_focus *f,
		      enum memory_thing by, bool text, const struct regex *re)
{
	const uint32_t count = memory_thing_count(x, by);
	const enum memory_thing within = is_block(by)	       ? MEMORY_BY_WORD
					 : by == MEMORY_BY_WORD ? MEMORY_BY_LINE
								: by;
	bool *hit = xcalloc((size_t)count + 1, sizeof(*hit)), *inner;

	for (uint32_t i = 0; i <= count; i++)
		hit[i] = name_matches(x, f, by, i < count ? i : MEMORY_NONE, text, re);
	if (within == by)
		return hit;
	inner = matching(x, f, within, false, re);
	for (uint32_t i = 0; i < x->cell_count; i++) {
		const uint32_t of = memory_thing_of(x, &x->cells[i], by);
		const uint32_t in = memory_thing_of(x, &x->cells[i], within);

		if (of < count && in != MEMORY_NONE)
			hit[of] |= inner[in];
	}
	free(inner);
	return hit;
}

/* Its number; of what is outside of all how many numbers there are. */
static uint32_t row_index(const struct memory_rows *r, const struct memory_row *row)
{
	return row->number < r->sums.count ? row->number : r->sums.count;
}

/* ---- making rows ---- */

static int compare(const void *a, const void *b, void *order)
{
	const struct memory_row *x = a, *y = b;
	const enum row_order by = *(enum row_order *)order;
	const int address = memory_ascending(x->address, y->address);
	const int worth = memory_ascending(memory_row_worth(y, by), memory_row_worth(x, by));
	const int cost = memory_ascending(y->cycles, x->cycles);

	return by == BY_ADDRESS && address ? address : worth ? worth : cost ? cost : address;
}

static void sort(struct memory_rows *r, size_t count, enum row_order order)
{
	if (count)
		qsort_r(r->of.data, count, sizeof(r->of.data[0]), compare, &order);
}

/* Blocks that were ever held; of all else what cost something. */
static bool is_there(const struct memory_rows *r, const struct memory_index *x, uint32_t i)
{
	if (!is_block(r->by))
		return r->sums.of[i].count;
	return i < r->sums.count &&
	       memory_by_block((enum memory_level)x->blocks[i].level) == r->by &&
	       x->blocks[i].stays;
}

/* All there are, to none; shared: what is selected has of them. */
static void add_rows(struct memory_rows *r, const struct memory_index *x,
		     const struct memory_sums *shared)
{
	const uint32_t count = r->sums.count;

	r->of.data = xcalloc((size_t)count + 1, sizeof(*r->of.data));
	for (uint32_t i = 0; i <= count; i++) {
		const uint64_t part = r->selects ? shared->of[i].cycles : 0;
		const uint32_t number = i < count ? i : MEMORY_NONE;

		if (!is_there(r, x, i))
			continue;
		r->of.data[r->of.count++] = (struct memory_row){
		    .number = number,
		    .edge = ' ',
		    .class = class_of(x, r->by, number),
		    .address = memory_address(x, r->by, number),
		    .cycles = r->sums.of[i].cycles,
		    .shared = part,
		    .hitm = is_block(r->by) ? x->blocks[i].transfers : 0,
		    .part = memory_share(part, r->sums.of[i].cycles),
		    .related = r->selects && shared->of[i].count};
	}
	r->all = r->of.count;
}

/* hit: of numbers; NULL: all are. */
static bool is_shown(const struct memory_rows *r, const struct memory_focus *f, const bool *hit,
		     const struct memory_row *row)
{
	return (r->by == MEMORY_BY_CLASS || focus_shows_class(f, row->class)) &&
	       (!hit || hit[row_index(r, row)]) &&
	       (!f->related || !r->selects || row->related || focus_is_on(f, r->by, row->number));
}

/* Rows by cost get their ranks; then those that are not shown go. */
static void choose_rows(struct memory_rows *r, const struct memory_focus *f, const bool *hit)
{
	size_t kept = 0;

	r->most = r->cost = 0;
	for (size_t i = 0; i < r->of.count; i++) {
		struct memory_row *row = &r->of.data[i];

		row->rank = i + 1;
		if (!is_shown(r, f, hit, row))
			continue;
		/* what has no place among addresses would hide the rest */
		if (row->cycles > r->most && (r->order != BY_ADDRESS || row->number != MEMORY_NONE))
			r->most = row->cycles;
		r->cost += row->cycles;
		r->of.data[kept++] = *row;
	}
	r->of.count = kept;
	r->dearest = kept ? r->of.data[0].number : 0;
}

/* All rows have lines, but of blocks those that have most of the cost. */
static void choose_lines(struct memory_rows *r)
{
	const size_t count = r->of.count;
	const uint64_t enough = (uint64_t)(share_with_lines * (double)r->cost);
	uint64_t cycles = 0;

	r->lines = is_block(r->by) ? 0 : count;
	for (; r->lines < count; cycles += r->of.data[r->lines++].cycles)
		if (r->asked ? r->lines >= r->asked
			     : r->lines >= LEAST_LINES &&
				   (r->lines >= MOST_LINES || cycles >= enough))
			break;
}

static void sum_up(struct memory_rows *r)
{
	r->worth = r->others = 0;
	for (size_t i = 0; i < r->of.count; i++) {
		const uint64_t worth = memory_row_worth(&r->of.data[i], (enum row_order)r->order);

		r->worth += worth;
		r->others += i < r->lines ? 0 : worth;
	}
}

static void mark_edges(struct memory_rows *r, const struct memory_index *x)
{
	const bool places = r->by == MEMORY_BY_OBJECT || r->by == MEMORY_BY_WORD;

	for (size_t n = 1; n < r->of.count && places && r->order == BY_ADDRESS; n++)
		for (int i = 0; i < MEMORY_LEVELS; i++)
			if (r->of.data[n].address / x->block_bytes[i] !=
			    r->of.data[n - 1].address / x->block_bytes[i])
				r->of.data[n].edge = ".|"[i];
}

uint64_t memory_rows_age(const struct memory_index *x, const struct memory_focus *f)
{
	return (uint64_t)x->reference_count + x->stay_count + f->version;
}

enum status memory_rows_make(struct memory_rows *r, const struct memory_index *x,
			     const struct memory_focus *f, struct error *e)
{
	bool *hit = r->only ? matching(x, f, r->by, true, r->only) : NULL;
	struct memory_selection selection = f->selected;
	struct memory_sums shared = {.of = NULL};
	enum status status;

	memory_rows_free(r);
	status = memory_sum_up(&r->sums, x, r->by, NULL, e);
	if (!is_block(r->by)) /* rows of lists are related to other things */
		selection.chosen[r->by] = false;
	r->selects = memory_selects(&selection);
	if (!status && r->selects)
		status = memory_sum_up(&shared, x, r->by, &selection, e);
	if (!status)
		add_rows(r, x, &shared);
	r->shared = shared.all.cycles;
	r->touched = shared.touched;
	sort(r, r->of.count, BY_COST);
	choose_rows(r, f, hit);
	choose_lines(r);
	/* blocks that have lines are the dearest, by address too, or the first in their order */
	sort(r, r->order == BY_ADDRESS ? r->lines : r->of.count, (enum row_order)r->order);
	sum_up(r);
	mark_edges(r, x);
	memory_rows_columns(r, x);
	memory_sums_free(&shared);
	free(hit);
	r->age = memory_rows_age(x, f);
	return status;
}

void memory_rows_free(struct memory_rows *r)
{
	vec_free(&r->of);
	free(r->told);
	r->told = NULL;
	memory_sums_free(&r->sums);
}

/* ---- looking for one ---- */

size_t memory_rows_find(const struct memory_rows *r, uint32_t number)
{
	size_t i = 0;

	while (i < r->of.count && r->of.data[i].number != number)
		i++;
	return i;
}

size_t memory_rows_search(const struct memory_rows *r, const struct memory_index *x,
			  const struct memory_focus *f, const struct regex *re, size_t from,
			  int dir)
{
	const size_t count = r->of.count;
	bool *hit = matching(x, f, r->by, true, re);
	size_t found = count, at = from < count ? from : 0;

	for (size_t i = 0; i < count && found == count; i++) {
		at = (at + (dir > 0 ? 1 : count - 1)) % count;
		if (hit[row_index(r, &r->of.data[at])])
			found = at;
	}
	free(hit);
	return found;
}

/* ---- in words ---- */

void memory_rows_put_related(const struct memory_rows *r, const struct memory_focus *f,
			     struct sbuf *out)
{
	const struct memory_index *x = memory_lock(f->trace);
	const char *between = f->related ? "  only " : "  ";

	for (enum memory_thing by = 0; by < MEMORY_THING_COUNT && r->selects; by++)
		if (f->selected.chosen[by] && (by != r->by || is_block(by))) {
			sbuf_puts(out, between);
			memory_put_thing(f->trace, x, by, f->selected.of[by], out);
			between = " and ";
		}
	memory_unlock(f->trace);
	if (r->selects)
		sbuf_printf(out, ": %" PRIu32 " of %zu, %.0f %% of the cost", r->touched, r->all,
			    100 * memory_share(r->shared, r->sums.cycles));
}
