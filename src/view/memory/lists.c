#include "config.h"

#include "view/memory/lists.h"

#include <stdlib.h>

const struct memory_choice ranking_choices[] = {
    [RANKING_FACE] = {"lists face", {"list", "map"}, offsetof(struct ranking, face)},
    [RANKING_ORDER] = {"lists order", {"cost", "shared", "address"},
		       offsetof(struct ranking, rows.order)},
    [RANKING_SCALE] = {"lists scale", {"linear", "logarithmic"}, offsetof(struct ranking, log)},
};

void ranking_init(struct ranking *r, struct trace *t, enum memory_thing by,
		  struct memory_focus *focus)
{
	*r = (struct ranking){.trace = t,
			      .by = by,
			      .focus = focus,
			      .source = source_text_new(t),
			      .rows = {.by = by}};
	axis_open(&r->axis, t);
}

void ranking_free(struct ranking *r)
{
	memory_rows_free(&r->rows);
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
	if (h > (int)r->rows.room) {
		r->rows.room = (size_t)h;
		r->focus->version++;
	}
}

/* ---- making rows ---- */

static bool make_lines(struct ranking *r, const struct memory_index *x, const struct memory_sums *all)
{
	vec_clear(&r->lines);
	table_free(&r->table);
	r->table = (struct table){0};
	intern_free(r->texts);
	r->texts = intern_new();
	for (size_t i = 0; i < r->rows.lines; i++)
		if (!r->texts || !ranking_make_line(r, x, all, &r->rows.of.data[i]))
			return false;
	return ranking_make_table(r, x);
}

static enum status make(struct ranking *r, const struct memory_index *x, struct error *e)
{
	struct memory_sums all;
	enum status status;

	r->rows.whole = r->face == RANKING_MAP;
	r->rows.only = r->only;
	r->masks = x->masks;
	status = memory_rows_make(&r->rows, &all, r->trace, x, r->focus, r->source, e);
	if (!status && !make_lines(r, x, &all))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	memory_sums_free(&all);
	return status;
}

enum status ranking_refresh(struct ranking *r, struct error *e)
{
	const struct memory_index *x = memory_lock(r->trace);
	enum status status = STATUS_OK;
	uint32_t number = MEMORY_NONE;
	const bool known = ranking_here(r, &number) && r->cursor;
	const bool stale = !memory_rows_fresh(&r->rows, x, r->focus);

	if (stale)
		status = make(r, x, e);
	memory_unlock(r->trace);
	if (stale && (!known || !ranking_goto(r, number)) && !ranking_goto(r, r->rows.dearest))
		r->cursor = 0;
	return status;
}

void ranking_renew(struct ranking *r)
{
	r->focus->version++;
	ranking_refresh(r, NULL);
}

bool ranking_filter(struct ranking *r, struct regex *only)
{
	struct regex *before = r->only;

	r->only = only;
	ranking_renew(r);
	if (only && !r->rows.of.count) {
		r->only = before;
		ranking_renew(r);
		return false;
	}
	regex_free(before);
	return true;
}

/* ---- motions ---- */

static size_t last_row(const struct ranking *r)
{
	return r->rows.of.count ? r->rows.of.count - 1 : 0;
}

/* A row beyond the lines gets one, with as many more. */
static void need_line(struct ranking *r, size_t row)
{
	if (row < r->lines.count || row >= r->rows.of.count)
		return;
	r->rows.wanted = 2 * row + 1;
	ranking_renew(r);
}

void ranking_show_cursor(struct ranking *r)
{
	const size_t room = r->lines_h > 0 ? (size_t)r->lines_h : SIZE_MAX / 2; /* not drawn yet */
	const size_t lines = r->lines.count + (r->lines.count < r->rows.of.count);

	if (r->top + room > lines)
		r->top = lines > room ? lines - room : 0;
	if (r->cursor < r->top)
		r->top = r->cursor;
	if (r->cursor >= r->top + room)
		r->top = r->cursor + 1 - room;
}

static void put_cursor(struct ranking *r, size_t row)
{
	need_line(r, row);
	r->cursor = row;
	ranking_show_cursor(r);
}

static size_t step(size_t from, int64_t by, size_t last)
{
	if (by < 0)
		return (uint64_t)-by > from ? 0 : from - (size_t)-by;
	return (uint64_t)by > last - from ? last : from + (size_t)by;
}

static void move_in_map(struct ranking *r, int64_t lines, int64_t columns)
{
	const size_t side = map_side(r->rows.of.count);
	size_t x, y;

	map_place(side, r->cursor, &x, &y);
	x = step(x, columns * (int64_t)ranking_map_bin(r), side - 1);
	y = step(y, lines * (int64_t)ranking_map_bin(r), side - 1);
	if (map_row(side, x, y) < r->rows.of.count)
		put_cursor(r, map_row(side, x, y));
}

void ranking_move(struct ranking *r, int64_t lines, int64_t columns)
{
	if (r->face == RANKING_MAP && r->rows.of.count)
		move_in_map(r, lines, columns);
	else
		put_cursor(r, step(r->cursor, lines, last_row(r)));
	if (r->face == RANKING_LINES && columns)
		r->shift = table_scrolled(&r->table, r->shift, (int)(columns > 0 ? 1 : -1));
}

void ranking_scroll(struct ranking *r, int64_t lines)
{
	const size_t room = r->lines_h > 0 ? (size_t)r->lines_h : 1, rows = r->rows.of.count;
	const size_t top = step(r->top, lines, rows > room ? rows - room : 0);
	const size_t end = top + room < rows ? top + room : rows;

	if (!rows)
		return;
	need_line(r, end - 1);
	r->top = top;
	put_cursor(r, r->cursor < top ? top : r->cursor < end ? r->cursor : end - 1);
}

bool ranking_goto(struct ranking *r, uint32_t number)
{
	const size_t row = memory_rows_find(&r->rows, number);

	if (row == r->rows.of.count)
		return false;
	need_line(r, row);
	put_cursor(r, memory_rows_find(&r->rows, number));
	return true;
}

bool ranking_here(const struct ranking *r, uint32_t *number)
{
	if (r->cursor >= r->rows.of.count)
		return false;
	*number = r->rows.of.data[r->cursor].number;
	return true;
}

bool ranking_find(struct ranking *r, const struct regex *re, int dir)
{
	const struct memory_index *x = memory_lock(r->trace);
	const size_t found =
	    memory_rows_search(&r->rows, r->trace, x, r->source, re, r->cursor, dir);

	memory_unlock(r->trace);
	if (found == r->rows.of.count)
		return false;
	return ranking_goto(r, r->rows.of.data[found].number);
}

/* ---- what else is asked of rows ---- */

enum ranking_sign ranking_edge(const struct ranking *r, const struct memory_index *x, size_t row)
{
	uint64_t here, before;

	if (r->rows.order != BY_ADDRESS || !row || r->by == MEMORY_BY_LINE || r->by == MEMORY_BY_CLASS)
		return SIGN_COUNT;
	here = r->rows.of.data[row].address;
	before = r->rows.of.data[row - 1].address;
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
