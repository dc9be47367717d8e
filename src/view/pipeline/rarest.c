#include "config.h"

#include "view/pipeline/pipeview.h"

#include "view/pipeline/pipeview_private.h"

/* Rows with the event that are looked at before the nearest one so far is taken. */
enum { CANDIDATES = 4096 };

/* What is looked for: an event or a fate of rows [row0, row1) in ticks [t0, t1). */
struct quest {
	uint64_t row0, row1;
	int64_t t0, t1;
	int event, fate; /* -1: not this */
};

/*
 * The cell as it is on the screen: where that was too much text to read, an event may be shown in
 * another cell than in a picture of this one alone, and Enter has to go to what the user sees.
 */
static enum status cell_on_screen(struct pipeview *v, struct picture_cell *cell, struct error *e)
{
	const struct picture_cell *cells;
	int64_t column =
	    axis_column_of(&v->axis, v->axis.tick) >> (v->axis.zoom < 0 ? -v->axis.zoom : 0);
	uint64_t line = (v->cursor - v->top) >> v->row_zoom;
	int columns;
	enum status status = viewcache_picture(v, &cells, &columns, e);

	if (status == STATUS_OK && column >= 0 && column < columns && v->cursor >= v->top &&
	    line < (uint64_t)v->lines)
		*cell = cells[(size_t)line * (size_t)columns + (size_t)column];
	return status;
}

enum status pipeview_cell(struct pipeview *v, struct picture_cell *cell, bool *exact,
			  struct error *e)
{
	struct picture_request r = {
	    .filter = v->filter,
	    .row0 = v->cursor,
	    .tick0 = axis_align(&v->axis, v->axis.tick, v->axis.zoom),
	    .tick_zoom = v->axis.zoom > 0 ? v->axis.zoom : 0,
	    .tick_step = v->axis.step,
	    .lines = 1,
	    .columns = 1,
	};
	enum status status;

	*exact = true;
	*cell = (struct picture_cell){.stage = PICTURE_EMPTY};
	viewcache_refresh(v);
	if (pipeview_count(v) == 0)
		return STATUS_OK;
	if (v->row_zoom == 0)
		return store_picture(v->store, &r, cell, exact, e);
	status = cell_on_screen(v, cell, e);
	*exact = !v->cache->interpolated;
	return status;
}

static uint64_t next_candidate(const struct pipeview *v, const struct quest *q, uint64_t row)
{
	if (q->event >= 0)
		return store_find_event(v->store, (unsigned)q->event, row, 1, v->filter);
	return store_find_fate(v->store, (enum fate)q->fate, row, 1, v->filter);
}

static bool is_candidate(const struct pipeview *v, const struct quest *q, uint64_t row)
{
	struct row r;

	if (!store_row(v->store, row, &r) || (v->filter && !filter_has(v->filter, row)))
		return false;
	return q->event >= 0 ? r.events >> q->event & 1 : r.fate == q->fate;
}

/* Ticks between tick and [t0, t1); 0: inside. */
static int64_t distance(const struct quest *q, int64_t tick)
{
	if (tick < q->t0)
		return tick_sub(q->t0, tick);
	return tick >= q->t1 ? tick_sub(tick, q->t1 - 1) : 0;
}

/* The row's occurrence that is nearest to the cell; TICK_NONE: none. */
static enum status nearest_tick(struct pipeview *v, const struct quest *q, uint64_t row,
				struct detail *d, int64_t *tick, struct error *e)
{
	enum status status;

	*tick = TICK_NONE;
	status = store_detail(v->store, row, 1, d, e);
	if (status != STATUS_OK || d->count == 0)
		return status;
	if (q->event < 0) {
		*tick = d->rows[0].head.end;
		return STATUS_OK;
	}
	for (uint32_t i = 0; i < d->rows[0].stays; i++) {
		const struct stay *s = &d->stays[d->rows[0].stay0 + i];

		if ((s->events >> q->event & 1) &&
		    (*tick == TICK_NONE || distance(q, s->start) < distance(q, *tick)))
			*tick = s->start;
	}
	return STATUS_OK;
}

/*
 * The candidate whose occurrence lies in the cell, or the nearest: a picture of much text may
 * show an event in another cell of its row than the one where it happened.
 */
static enum status find_occurrence(struct pipeview *v, const struct quest *q, uint64_t *row,
				   int64_t *tick, struct error *e)
{
	struct detail d = {0};
	enum status status = STATUS_OK;
	uint64_t at = q->row0, from, to;

	store_rows_alive(v->store, q->t0, q->t1, &from, &to);
	if (from > at && from < q->row1)
		at = from;
	*row = ROW_NONE;
	if (!is_candidate(v, q, at))
		at = next_candidate(v, q, at);
	for (int n = 0; n < CANDIDATES && at < q->row1 && status == STATUS_OK; n++) {
		int64_t t;

		status = nearest_tick(v, q, at, &d, &t, e);
		if (status == STATUS_OK && t != TICK_NONE &&
		    (*row == ROW_NONE || distance(q, t) < distance(q, *tick))) {
			*row = at;
			*tick = t;
			if (distance(q, t) == 0)
				break;
		}
		at = next_candidate(v, q, at);
	}
	detail_free(&d);
	return status;
}

/* The first row of the line that is alive in the cell; none: the cursor's tick. */
static void first_alive(const struct pipeview *v, const struct quest *q, uint64_t *row,
			int64_t *tick)
{
	int64_t start, end;

	*row = pipeview_oldest_alive(v, q->t0, q->t1, q->row0, q->row1);
	*tick = v->axis.tick;
	if (*row == ROW_NONE)
		return;
	pipeview_life(v, pipeview_index(v, *row), &start, &end);
	*tick = start > q->t0 ? start : end < q->t0 ? end : q->t0;
}

bool pipeview_rarest(struct pipeview *v, uint64_t *row, int64_t *tick, struct error *e)
{
	struct picture_cell cell;
	struct quest q;
	bool exact;

	if (pipeview_cell(v, &cell, &exact, e) != STATUS_OK || pipeview_count(v) == 0)
		return false;
	pipeview_under_cursor(v, &q.row0, &q.row1, &q.t0, &q.t1);
	q.event = event_to_show(&v->cache->order, cell.events);
	q.fate = q.event < 0 ? fate_to_show(&v->cache->totals, cell.fates) : -1;
	if (v->highlight.kind == HIGHLIGHT_EVENT && (cell.events >> v->highlight.what & 1))
		q.event = (int)v->highlight.what;
	*row = ROW_NONE;
	if ((q.event >= 0 || q.fate >= 0) && find_occurrence(v, &q, row, tick, e) != STATUS_OK)
		return false;
	if (*row == ROW_NONE)
		first_alive(v, &q, row, tick);
	return true;
}
