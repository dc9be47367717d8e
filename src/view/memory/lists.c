#include "config.h"

#include "view/memory/lists.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>


enum { LEAST_LINES = 20, MOST_LINES = 2000 };
static const double share_with_lines = 0.8; /* of the cost */
const size_t ranking_drops[DROPS] = {1, 10, 50};

const struct memory_choice ranking_choices[] = {
    [RANKING_FACE] = {"lists face", {"list", "map"}, offsetof(struct ranking, face)},
    [RANKING_ORDER] = {"lists order", {"cost", "shared", "address"}, offsetof(struct ranking, order)},
    [RANKING_SCALE] = {"lists scale", {"linear", "logarithmic"}, offsetof(struct ranking, log)},
};

void ranking_init(struct ranking *r, struct trace *t, enum memory_thing by,
		  struct memory_focus *focus)
{
	*r = (struct ranking){.trace = t, .by = by, .focus = focus};
	if (by == MEMORY_BY_LINE)
		r->source = source_text_new(t);
	axis_open(&r->axis, t);
}

void ranking_free(struct ranking *r)
{
	vec_free(&r->rows);
	vec_free(&r->lines);
	table_free(&r->table);
	intern_free(r->texts);
	source_text_free(r->source);
	regex_free(r->only);
}

void ranking_layout(struct ranking *r, int w, int h)
{
	axis_layout(&r->axis, w, h, 0);
	r->w = w;
	r->h = h;
}

/* ---- what rows are of ---- */

uint32_t ranking_class(const struct ranking *r, const struct memory_index *x, uint32_t number)
{
	uint32_t object = number;

	if (number == MEMORY_NONE || r->by == MEMORY_BY_LINE)
		return MEMORY_NONE;
	if (r->by == MEMORY_BY_CLASS)
		return number;
	if (r->by == MEMORY_BY_WORD)
		object = x->words[number].object;
	return object == MEMORY_NONE ? MEMORY_NONE : x->objects[object].class;
}

static uint64_t address_of(const struct ranking *r, const struct memory_index *x, uint32_t number)
{
	if (number == MEMORY_NONE)
		return UINT64_MAX;
	switch (r->by) {
	case MEMORY_BY_LINE:
		return (uint64_t)x->lines[number].file << 32 | x->lines[number].line;
	case MEMORY_BY_WORD:
		return x->words[number].address;
	case MEMORY_BY_CLASS:
		return number;
	default:
		return x->objects[number].address;
	}
}

/* By what stands in its line: its name, its class, the text of a source line. */
static bool matches(const struct ranking *r, const struct memory_index *x, uint32_t number,
		    const struct regex *re)
{
	const uint32_t class = ranking_class(r, x, number);
	struct sbuf text = {0};
	bool does;

	memory_put_thing(r->trace, x, r->by, number, &text);
	sbuf_putc(&text, ' ');
	if (class != MEMORY_NONE)
		memory_put_thing(r->trace, x, MEMORY_BY_CLASS, class, &text);
	if (r->by == MEMORY_BY_LINE)
		source_text_put(r->source, x, number, &text);
	does = regex_match(re, sbuf_text(&text), text.len, NULL, NULL);
	sbuf_free(&text);
	return does;
}

/* ---- making rows ---- */

static bool is_shown(const struct ranking *r, const struct memory_index *x,
		     const struct ranking_row *row)
{
	/* it has no place among addresses, and would set the scale */
	if (r->face == RANKING_MAP && r->order == BY_ADDRESS && row->number == MEMORY_NONE)
		return false;
	if (r->only && !matches(r, x, row->number, r->only))
		return false;
	if (r->by != MEMORY_BY_CLASS &&
	    !focus_shows_class(r->focus, ranking_class(r, x, row->number)))
		return false;
	return !r->focus->related || !r->selects || row->related ||
	       focus_is_on(r->focus, r->by, row->number);
}

static int by_rank(const void *a, const void *b)
{
	const struct ranking_row *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static int by_shared(const void *a, const void *b)
{
	const struct ranking_row *x = a, *y = b;

	return x->shared == y->shared ? by_rank(a, b) : x->shared > y->shared ? -1 : 1;
}

static int by_address(const void *a, const void *b)
{
	const struct ranking_row *x = a, *y = b;

	return x->address == y->address ? by_rank(a, b) : x->address < y->address ? -1 : 1;
}

static void sort(struct ranking *r, uint8_t order)
{
	static int (*const compare[])(const void *, const void *) = {
	    [BY_COST] = by_rank, [BY_SHARED] = by_shared, [BY_ADDRESS] = by_address};

	if (r->rows.count)
		qsort(r->rows.data, r->rows.count, sizeof(r->rows.data[0]), compare[order]);
}

/* How steeply the cost falls, of rows by cost. */
static void sum_drops(struct ranking *r)
{
	for (size_t d = 0; d < DROPS; d++) {
		const size_t most = (r->rows.count * ranking_drops[d] + 99) / 100;

		r->drop[d] = 0;
		for (size_t i = 0; i < most; i++)
			r->drop[d] += r->rows.data[i].cycles;
	}
}

/* All that cost something, with their ranks, then those that are shown. */
static bool make_rows(struct ranking *r, const struct memory_index *x, const struct memory_sums *all)
{
	size_t kept = 0;

	vec_clear(&r->rows);
	r->most = r->cost = 0;
	if (!vec_reserve(&r->rows, all->there))
		return false;
	for (uint32_t i = 0; i <= all->count; i++) {
		const uint32_t number = i < all->count ? i : MEMORY_NONE;
		const struct memory_sum *shared = &r->sums.of[i];

		if (all->of[i].count)
			r->rows.data[r->rows.count++] =
			    (struct ranking_row){.number = number,
						 .address = address_of(r, x, number),
						 .cycles = all->of[i].cycles,
						 .shared = r->selects ? shared->cycles : 0,
						 .related = r->selects && shared->count};
	}
	sort(r, BY_COST);
	for (size_t i = 0; i < r->rows.count; i++) {
		struct ranking_row *row = &r->rows.data[i];

		row->rank = (uint32_t)i + 1;
		if (!is_shown(r, x, row))
			continue;
		r->most = row->cycles > r->most ? row->cycles : r->most;
		r->cost += row->cycles;
		r->rows.data[kept++] = *row;
	}
	r->rows.count = kept;
	sum_drops(r);
	return true;
}

/* As many of the dearest as have most of the cost together. */
static size_t lines_wanted(const struct ranking *r)
{
	const uint64_t enough = (uint64_t)(share_with_lines * (double)r->cost);
	uint64_t sum = 0;
	size_t n = 0;

	while (n < r->rows.count && (n < LEAST_LINES || sum < enough))
		sum += r->rows.data[n++].cycles;
	n = n < MOST_LINES ? n : MOST_LINES;
	n = n < r->wanted ? r->wanted : n;
	return n < r->rows.count ? n : r->rows.count;
}

/* Lines are of the dearest rows, whatever order they are in. */
static bool make_lines(struct ranking *r, const struct memory_index *x, const struct memory_sums *all)
{
	const size_t wanted = lines_wanted(r);
	const size_t rows = r->rows.count;

	vec_clear(&r->lines);
	table_free(&r->table);
	r->table = (struct table){0};
	intern_free(r->texts);
	r->texts = intern_new();
	if (r->order == BY_SHARED) /* then they are what shares most */
		sort(r, BY_SHARED);
	if (r->face == RANKING_LINES)
		r->rows.count = wanted;
	if (r->order == BY_ADDRESS)
		sort(r, BY_ADDRESS);
	r->rows.count = rows;
	for (size_t i = 0; i < wanted; i++)
		if (!r->texts || !ranking_make_line(r, x, all, &r->rows.data[i]))
			return false;
	return ranking_make_table(r, x);
}

static bool is_fresh(const struct ranking *r, const struct memory_index *x)
{
	return r->fresh && r->made_references == x->reference_count &&
	       r->made_stays == x->stay_count && r->made_version == r->focus->version &&
	       r->made_related == r->focus->related;
}

static enum status make(struct ranking *r, const struct memory_index *x, struct error *e)
{
	struct memory_selection selection = r->focus->selected;
	struct memory_sums all = {.of = NULL};
	enum status status = memory_sum_up(&all, x, r->by, NULL, e);

	r->masks = x->masks;
	selection.chosen[r->by] = false; /* rows are related to other things */
	r->selects = memory_selects(&selection);
	if (!status)
		status = memory_sum_up(&r->sums, x, r->by, &selection, e);
	if (!status && (!make_rows(r, x, &all) || !make_lines(r, x, &all)))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	memory_sums_free(&all);
	memory_sums_free(&r->sums);
	r->made_references = x->reference_count;
	r->made_stays = x->stay_count;
	r->made_version = r->focus->version;
	r->made_related = r->focus->related;
	r->fresh = true;
	return status;
}

enum status ranking_refresh(struct ranking *r, struct error *e)
{
	const struct memory_index *x = memory_lock(r->trace);
	enum status status = STATUS_OK;
	uint32_t number = MEMORY_NONE;
	const bool known = ranking_here(r, &number) && r->cursor;

	const bool stale = !is_fresh(r, x);

	if (stale)
		status = make(r, x, e);
	memory_unlock(r->trace);
	if (stale && (!known || !ranking_goto(r, number)))
		ranking_move(r, 0, 0);
	return status;
}

void ranking_renew(struct ranking *r)
{
	r->fresh = false;
	ranking_refresh(r, NULL);
}

bool ranking_filter(struct ranking *r, struct regex *only)
{
	struct regex *before = r->only;

	r->only = only;
	ranking_renew(r);
	if (only && !r->rows.count) {
		r->only = before;
		ranking_renew(r);
		return false;
	}
	regex_free(before);
	return true;
}

void ranking_look_as(struct ranking *r, const struct ranking *other)
{
	r->face = other->face;
	r->order = other->order;
	r->log = other->log;
	r->fresh = false;
}

void ranking_show_all(struct ranking *r)
{
	r->wanted = r->rows.count;
	ranking_renew(r);
}

/* ---- motions ---- */

/* Where the cursor can be: on a row, among lines also on that of the others. */
static size_t last_place(const struct ranking *r)
{
	const size_t lines = r->lines.count + (r->lines.count < r->rows.count);
	const size_t count = r->face == RANKING_MAP ? r->rows.count : lines;

	return count ? count - 1 : 0;
}

/* A row beyond the lines gets one. */
static void put_cursor(struct ranking *r, size_t row)
{
	r->cursor = row;
	if (row >= r->lines.count && row < r->rows.count &&
	    (r->face == RANKING_MAP || row > r->lines.count)) {
		const uint32_t number = r->rows.data[row].number;

		r->wanted = 2 * row + 1;
		ranking_renew(r);
		for (r->cursor = 0; r->cursor + 1 < r->rows.count &&
				    r->rows.data[r->cursor].number != number;)
			r->cursor++;
	}
	if (r->cursor < r->top)
		r->top = r->cursor;
	if (r->lines_h > 0 && r->cursor >= r->top + (size_t)r->lines_h)
		r->top = r->cursor + 1 - (size_t)r->lines_h;
}

static size_t step(size_t from, int64_t by, size_t last)
{
	if (by < 0)
		return (uint64_t)-by > from ? 0 : from - (size_t)-by;
	return (uint64_t)by > last - from ? last : from + (size_t)by;
}

static void move_in_map(struct ranking *r, int64_t lines, int64_t columns)
{
	const size_t side = map_side(r->rows.count);
	size_t x, y;

	map_place(side, r->cursor, &x, &y);
	x = step(x, columns * (int64_t)ranking_map_bin(r), side - 1);
	y = step(y, lines * (int64_t)ranking_map_bin(r), side - 1);
	if (map_row(side, x, y) < r->rows.count)
		put_cursor(r, map_row(side, x, y));
}

void ranking_move(struct ranking *r, int64_t lines, int64_t columns)
{
	const size_t last = last_place(r);

	if (r->cursor > last)
		r->cursor = last;
	if (r->face == RANKING_MAP && r->rows.count)
		move_in_map(r, lines, columns);
	else
		put_cursor(r, step(r->cursor, lines, last));
	if (r->face == RANKING_LINES && columns)
		r->shift = table_scrolled(&r->table, r->shift, (int)(columns > 0 ? 1 : -1));
}

void ranking_scroll(struct ranking *r, int64_t lines)
{
	const size_t last = last_place(r), room = r->lines_h > 0 ? (size_t)r->lines_h : 1;

	r->top = step(r->top, lines, last + 1 > room ? last + 1 - room : 0);
	if (r->cursor < r->top)
		r->cursor = r->top;
	if (r->cursor >= r->top + room)
		r->cursor = r->top + room - 1;
}

bool ranking_goto(struct ranking *r, uint32_t number)
{
	for (size_t i = 0; i < r->rows.count; i++)
		if (r->rows.data[i].number == number) {
			put_cursor(r, i);
			return true;
		}
	return false;
}

bool ranking_here(const struct ranking *r, uint32_t *number)
{
	const size_t rows = r->face == RANKING_MAP ? r->rows.count : r->lines.count;

	if (r->cursor >= rows)
		return false;
	*number = r->rows.data[r->cursor].number;
	return true;
}

bool ranking_find(struct ranking *r, const struct regex *re, int dir)
{
	const size_t count = r->rows.count;
	const struct memory_index *x = memory_lock(r->trace);
	size_t at = r->cursor < count ? r->cursor : 0, found = count;

	for (size_t i = 0; i < count && found == count; i++) {
		at = (at + (dir > 0 ? 1 : count - 1)) % count;
		if (matches(r, x, r->rows.data[at].number, re))
			found = at;
	}
	memory_unlock(r->trace);
	if (found < count) {
		if (found == r->lines.count) /* the others' line is there */
			ranking_show_all(r);
		put_cursor(r, found);
	}
	return found < count;
}

/* ---- what else is asked of rows ---- */

enum ranking_sign ranking_edge(const struct ranking *r, const struct memory_index *x, size_t row)
{
	uint64_t here, before;

	if (r->order != BY_ADDRESS || !row || r->by == MEMORY_BY_LINE || r->by == MEMORY_BY_CLASS)
		return SIGN_COUNT;
	here = r->rows.data[row].address;
	before = r->rows.data[row - 1].address;
	for (int level = MEMORY_L2; level >= MEMORY_L1; level--)
		if (x->block_bytes[level] &&
		    here / x->block_bytes[level] != before / x->block_bytes[level])
			return level == MEMORY_L2 ? SIGN_L2 : SIGN_L1;
	return SIGN_COUNT;
}

uint32_t ranking_dearest_block(const struct ranking *r, uint32_t number)
{
	const struct memory_index *x = memory_lock(r->trace);
	const struct memory_selection only = memory_only(r->by, number);
	struct memory_sums sums = {.of = NULL};
	uint32_t dearest = MEMORY_NONE;
	uint64_t most = 0;

	if (!memory_sum_up(&sums, x, MEMORY_BY_L1_BLOCK, &only, NULL))
		for (uint32_t i = 0; i < sums.count; i++)
			if (sums.of[i].cycles > most) {
				most = sums.of[i].cycles;
				dearest = i;
			}
	memory_sums_free(&sums);
	memory_unlock(r->trace);
	return dearest;
}
