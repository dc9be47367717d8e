/*
 * The picture at any zoom. Little text: every row under it is read again, and the picture is
 * exact. Much text: the index is descended, page groups that fall into one cell as one
 * subtraction, down to single rows where a cell's border runs through a leaf. When such a row was in
 * which stage, and where its events lie, only its text says: all of its life it is drawn in the
 * stage that it was in longest, its events where it ends. Either way what is rare is in a set, and a
 * set forgets nothing.
 */
#include "config.h"

#include "pipeline/store_private.h"

#include <stdlib.h>
#include <string.h>

struct canvas {
	struct store *s;
	const struct picture_request *q;
	struct picture_cell *cells;
	uint64_t *weight; /* ticks by stage, for each cell */
	size_t stages;
	uint64_t line0, line_end; /* indexes shown: [line0, line_end) */
	uint64_t row0, row_end;   /* rows those are among */
	int64_t tick0, tick_end;
	int64_t column; /* ticks of one */
	int64_t data_end; /* behind the last tick: where rows in flight stop */
};

/* ---- painting ---------------------------------------------------------------------------- */

static int column_of(const struct canvas *c, int64_t tick)
{
	if (c->q->tick_step <= 1)
		return (int)((uint64_t)(tick - c->tick0) >> c->q->tick_zoom);
	return (int)((tick - c->tick0) / c->column);
}

static int line_of(const struct canvas *c, uint64_t row)
{
	uint64_t index = c->q->filter ? filter_rank(c->q->filter, row) : row;

	return (int)((index - c->line0) >> c->q->row_zoom);
}

static bool shown(const struct canvas *c, uint64_t row)
{
	return row >= c->row0 && row < c->row_end &&
	       (!c->q->filter || filter_has(c->q->filter, row));
}

static size_t cell_at(const struct canvas *c, int line, int column)
{
	return (size_t)line * (size_t)c->q->columns + (size_t)column;
}

/* A stay of some ticks in a stage; one of no length still counts for something. */
static void paint_span(struct canvas *c, int line, int64_t from, int64_t to, unsigned stage,
		       bool failed)
{
	int first, last;

	if (to == TICK_NONE)
		to = c->data_end;
	if (to == from)
		to = from + 1;
	if (stage >= c->stages || to <= c->tick0 || from >= c->tick_end)
		return;
	if (from < c->tick0)
		from = c->tick0;
	if (to > c->tick_end)
		to = c->tick_end;
	first = column_of(c, from);
	last = column_of(c, to - 1);
	for (int k = first; k <= last; k++) {
		int64_t lo = c->tick0 + k * c->column;
		int64_t hi = lo > INT64_MAX - c->column ? INT64_MAX : lo + c->column;
		uint64_t ticks = (uint64_t)((to < hi ? to : hi) - (from > lo ? from : lo));

		c->weight[cell_at(c, line, k) * c->stages + stage] += ticks;
		c->cells[cell_at(c, line, k)].survivors |= !failed;
	}
}

static void paint_events(struct canvas *c, int line, int64_t tick, unsigned events, unsigned fates)
{
	if (tick < c->tick0 || tick >= c->tick_end)
		return;
	struct picture_cell *cell = &c->cells[cell_at(c, line, column_of(c, tick))];

	cell->events |= (uint16_t)events;
	cell->fates |= (uint8_t)fates;
}

static int64_t last_tick(const struct canvas *c, const struct row *r)
{
	return r->end == TICK_NONE ? c->data_end - 1 : r->end;
}

/* Where in its life an event happened the index does not know: it is shown where the row ends. */
static void paint_at_end(struct canvas *c, const struct row *r)
{
	int64_t at = last_tick(c, r);

	if (at >= c->tick_end && r->start < c->tick_end)
		at = c->tick_end - 1;
	paint_events(c, line_of(c, r->row), at, r->events, 0);
}

static void paint_row(struct canvas *c, const struct row *r)
{
	int line;

	if (!shown(c, r->row))
		return;
	line = line_of(c, r->row);
	paint_span(c, line, r->start, r->end, r->dominant == STAGE_NONE ? 0 : r->dominant,
		   fate_failed(r->fate));
	paint_events(c, line, last_tick(c, r), 0, 1u << r->fate);
	paint_at_end(c, r);
}

static void paint_detail(struct canvas *c, const struct detail *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct detail_row *row = &d->rows[i];
		bool failed = fate_failed(row->head.fate);
		int64_t last;
		int line;

		if (!shown(c, row->head.row))
			continue;
		line = line_of(c, row->head.row);
		if (row->stays == 0)
			paint_span(c, line, row->head.start, row->head.end, 0, failed);
		for (uint32_t k = 0; k < row->stays; k++) {
			const struct stay *stay = &d->stays[row->stay0 + k];

			paint_span(c, line, stay->start, stay->end, stay->stage, failed);
			paint_events(c, line, stay->start, stay->events, 0);
		}
		last = row->head.end == TICK_NONE ? c->data_end - 1 : row->head.end;
		paint_events(c, line, last, 0, 1u << row->head.fate);
	}
}

static void finish(struct canvas *c)
{
	size_t n = (size_t)c->q->lines * (size_t)c->q->columns;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *w = c->weight + i * c->stages;
		uint64_t best = 0;

		for (size_t k = 0; k < c->stages; k++) {
			c->cells[i].stages |= (uint64_t)(w[k] != 0) << k;
			if (w[k] > best) {
				best = w[k];
				c->cells[i].stage = (uint8_t)k;
			}
		}
	}
}

/* ---- descending the index ---------------------------------------------------------------- */

/* The cell that holds all of rows [r0, r1), ticks [t0, t1]: -1: several, -2: none shown. */
static long one_cell(const struct canvas *c, uint64_t r0, uint64_t r1, int64_t t0, int64_t t1)
{
	if (r1 <= c->row0 || r0 >= c->row_end || t0 >= c->tick_end || t1 < c->tick0 || r0 == r1)
		return -2;
	if (r0 < c->row0 || r1 > c->row_end || t0 < c->tick0 || t1 >= c->tick_end || c->q->filter)
		return -1;
	if (line_of(c, r0) != line_of(c, r1 - 1) || column_of(c, t0) != column_of(c, t1))
		return -1;
	return (long)cell_at(c, line_of(c, r0), column_of(c, t0));
}

static void paint_sums(struct canvas *c, long cell, const struct sums *a, const struct sums *b)
{
	uint64_t *w = c->weight + (size_t)cell * c->stages;
	bool some = false;

	for (size_t k = 0; k < c->stages; k++) {
		w[k] += b->dominant[k] - a->dominant[k];
		some = some || w[k] != 0;
	}
	w[0] += !some; /* rows without length are rows too */
	for (unsigned k = 0; k < EVENT_MAX; k++)
		if (b->event_rows[k] != a->event_rows[k])
			c->cells[cell].events |= (uint16_t)(1u << k);
	for (unsigned k = 0; k < FATE_COUNT; k++)
		if (b->fates[k] != a->fates[k]) {
			c->cells[cell].fates |= (uint8_t)(1u << k);
			c->cells[cell].survivors |= !fate_failed(k);
		}
}

/* Ends that came late are in no sum and no largest end: such rows are looked at one by one. */
static bool has_late(const struct canvas *c, uint64_t r0, uint64_t r1)
{
	const struct trace_index *ix = &c->s->index;

	return index_late_in(ix, r0 - ix->early, r1 - ix->early, INT64_MIN) != ROW_NONE;
}

static bool filter_skips(const struct canvas *c, uint64_t r0, uint64_t r1)
{
	return c->q->filter && filter_rank(c->q->filter, r0) == filter_rank(c->q->filter, r1);
}

static bool paint_leaf(struct canvas *c, struct leaf_walk *w)
{
	const struct leaf_head *h = &w->view.leaves[w->leaf];
	uint64_t r0 = h->row0 + w->ix->early;
	long cell = one_cell(c, r0, r0 + h->rows, h->tick, h->end_max);
	struct sums none, sums;

	if (filter_skips(c, r0, r0 + h->rows) || (cell == -2 && !has_late(c, r0, r0 + h->rows)))
		return true;
	if (cell >= 0 && !has_late(c, r0, r0 + h->rows)) {
		memset(&none, 0, sizeof(none));
		memset(&sums, 0, sizeof(sums));
		leaf_add_sums(w->ix, h, &sums);
		paint_sums(c, cell, &none, &sums);
		return true;
	}
	if (!leaf_walk_rows(w))
		return false;
	for (uint64_t i = 0; i < h->rows; i++)
		paint_row(c, &w->rows[i]);
	return true;
}

static bool paint_page(struct canvas *c, struct leaf_walk *w, size_t page)
{
	w->page = page;
	if (!index_view(w->ix, page, &w->view))
		return true; /* damaged: blank, and reported when the index was opened */
	for (w->leaf = 0; (unsigned)w->leaf < w->view.entry.leaves; w->leaf++)
		if (!paint_leaf(c, w))
			return false;
	return true;
}

static bool paint_pages(struct canvas *c, struct leaf_walk *w, size_t from, size_t to, size_t group)
{
	const struct trace_index *ix = w->ix;
	uint64_t r0 = index_page(ix, from)->row0 + ix->early;
	uint64_t r1 = (to < ix->page_count ? index_page(ix, to)->row0 : ix->row_end) + ix->early;
	long cell;

	cell = one_cell(c, r0, r1, index_page(ix, from)->tick, index_end_max(ix, from, to));
	if (filter_skips(c, r0, r1) || (cell == -2 && !has_late(c, r0, r1)))
		return true;
	if (cell >= 0 && !has_late(c, r0, r1)) {
		struct sums a, b;

		if (index_sums(ix, from, &a) && index_sums(ix, to, &b))
			paint_sums(c, cell, &a, &b);
		return true;
	}
	if (group == 1)
		return paint_page(c, w, from);
	group /= 16;
	for (; from < to; from += group)
		if (!paint_pages(c, w, from, from + group < to ? from + group : to, group))
			return false;
	return true;
}

static bool paint_index(struct canvas *c)
{
	const struct trace_index *ix = &c->s->index;
	struct leaf_walk w = {.ix = ix};
	size_t group = 1;
	bool ok = true;
	struct row row;

	while (group < ix->page_count)
		group *= 16;
	if (ix->page_count)
		ok = paint_pages(c, &w, 0, ix->page_count, group);
	for (uint64_t i = 0; i < ix->early; i++)
		if (shown(c, i) && rows_get(ix, i, 1, &row) == 1)
			paint_row(c, &row);
	for (uint64_t i = ix->early + ix->row_end; i < rows_total(ix); i++)
		if (shown(c, i) && rows_get(ix, i, 1, &row) == 1)
			paint_row(c, &row);
	leaf_walk_end(&w);
	return ok;
}

/* ---- the query --------------------------------------------------------------------------- */

/* Rows that can show: those of the lines that live in the ticks. */
static void clip_rows(struct canvas *c)
{
	const struct picture_request *q = c->q;
	uint64_t total = q->filter ? filter_count(q->filter) : store_row_count(c->s);
	uint64_t from, to;

	c->line0 = q->row0;
	c->line_end = total;
	if (q->row_zoom < 56 && (uint64_t)q->lines << q->row_zoom < total - q->row0)
		c->line_end = q->row0 + ((uint64_t)q->lines << q->row_zoom);
	c->row0 = c->line0;
	c->row_end = c->line_end;
	if (q->filter) {
		c->row0 = filter_row(q->filter, c->line0);
		c->row_end = c->line_end > c->line0 ? filter_row(q->filter, c->line_end - 1) + 1
						    : c->row0;
	}
	store_rows_alive(c->s, c->tick0, c->tick_end, &from, &to);
	if (from > c->row0)
		c->row0 = from < c->row_end ? from : c->row_end;
	if (to < c->row_end)
		c->row_end = to > c->row0 ? to : c->row0;
}

/* Is the text under the picture little enough to read it? */
static bool little_text(const struct canvas *c)
{
	const struct trace_index *ix = &c->s->index;
	struct page_view v;
	uint64_t off, off_end = ix->off_end, born;
	size_t page;

	if (c->row_end - c->row0 > STORE_EXACT_BYTES / 32)
		return false;
	if (c->row0 < ix->early || c->row_end > ix->early + ix->row_end)
		return c->row_end - c->row0 < 4096;
	born = c->row0 - ix->early;
	page = index_page_of_row(ix, born);
	if (page >= ix->page_count || !index_view(ix, page, &v))
		return false;
	off = v.leaves[index_leaf_of_row(&v, born)].off;
	page = index_page_of_row(ix, c->row_end - 1 - ix->early);
	if (page < ix->page_count && index_view(ix, page, &v))
		off_end = v.off_end;
	return off_end - off < STORE_EXACT_BYTES - (1 << 20);
}

/* When the last row of the picture has ended, or the picture. */
static int64_t lives_end(const struct canvas *c)
{
	struct row rows[LEAF_ROWS];
	int64_t end = INT64_MIN;
	size_t n;

	for (uint64_t row = c->row0; row < c->row_end && end < c->tick_end; row += n) {
		n = c->row_end - row < LEAF_ROWS ? (size_t)(c->row_end - row) : LEAF_ROWS;
		n = rows_get(&c->s->index, row, n, rows);
		if (n == 0)
			return c->tick_end;
		for (size_t i = 0; i < n; i++)
			end = rows[i].end > end ? rows[i].end : end;
	}
	return end < c->tick_end ? end : c->tick_end;
}

/* Text that follows the births: does some row outlive what may be read? */
static bool outlived(const struct canvas *c, uint64_t limit)
{
	const struct trace_index *ix = &c->s->index;
	struct extent x = {0};

	if (!c->s->reader->lex || limit == 0 || c->row0 < ix->early ||
	    !born_extent(ix, c->row0 - ix->early, &x))
		return false;
	extent_end(ix, c->tick_end, limit, &x);
	if (!x.clipped)
		return false;
	x.clipped = false;
	extent_end(ix, lives_end(c), limit, &x);
	return x.clipped;
}

static enum status paint(struct canvas *c, bool *exact, struct error *e)
{
	struct detail d = {.no_notes = true, .bounded = true, .until = c->tick_end};
	enum status st = STATUS_OK;

	clip_rows(c);
	/* a row alone is read for its own sake too, however long it lives */
	d.limit = c->row_end - c->row0 == 1 ? 0 : STORE_EXACT_BYTES;
	if (c->row0 >= c->row_end) {
		*exact = true;
		return STATUS_OK;
	}
	store_read_lock(c->s);
	c->data_end = c->s->index.tick_end;
	*exact = little_text(c) && !outlived(c, d.limit);
	if (!*exact && !paint_index(c))
		st = error_set(e, STATUS_NOMEM, "out of memory");
	store_unlock(c->s);
	if (!*exact)
		return st;
	st = store_detail(c->s, c->row0, (size_t)(c->row_end - c->row0), &d, e);
	*exact = !d.clipped;
	if (st == STATUS_OK && *exact) {
		paint_detail(c, &d);
	} else if (st == STATUS_OK) {
		/* some row outlives what was read: nothing of it may be missing */
		store_read_lock(c->s);
		if (!paint_index(c))
			st = error_set(e, STATUS_NOMEM, "out of memory");
		store_unlock(c->s);
	}
	detail_free(&d);
	return st;
}

enum status store_picture(struct store *s, const struct picture_request *q,
			  struct picture_cell *cells, bool *exact, struct error *e)
{
	struct canvas c = {.s = s, .q = q, .cells = cells, .stages = store_stage_count(s)};
	size_t n = (size_t)q->lines * (size_t)q->columns;
	__int128 column = (__int128)(q->tick_step > 1 ? q->tick_step : 1) << q->tick_zoom;
	__int128 end;
	enum status st;

	for (size_t i = 0; i < n; i++)
		cells[i] = (struct picture_cell){.stage = PICTURE_EMPTY};
	c.column = column > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)column;
	end = (__int128)q->tick0 + (__int128)c.column * q->columns;
	c.tick0 = q->tick0;
	c.tick_end = end > INT64_MAX - 1 ? INT64_MAX - 1 : (int64_t)end;
	c.weight = calloc(n ? n : 1, c.stages * sizeof(*c.weight));
	if (c.weight)
		st = paint(&c, exact, e);
	else
		st = error_set(e, STATUS_NOMEM, "out of memory");
	if (st == STATUS_OK)
		finish(&c);
	free(c.weight);
	return st;
}
