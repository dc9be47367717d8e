#include "config.h"

#include "view/pipeline/pipeview_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Rows this close are read in one piece: the text between them is cheaper than a second look-up. */
enum { RUN_GAP = 32 };

void pipeview_forget(struct pipeview *v)
{
	v->cache->fresh = false;
}

void viewcache_free(struct pipeview_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->row_cap; i++)
		detail_free(&c->parts[i]);
	free(c->parts);
	free(c->rows);
	free(c->cells);
	free(c->slots);
	free(c);
}

/* Insertion sort: at most sixteen kinds, and equal counts must keep the table's order. */
static void order_events(const struct store *s, const struct totals *t, struct event_order *o)
{
	o->count = store_event_count(s);
	if (o->count > EVENT_MAX)
		o->count = EVENT_MAX;
	o->problems = o->lasting = 0;
	for (size_t e = 0; e < o->count; e++) {
		size_t i = e;

		for (; i > 0 && t->event_counts[o->event[i - 1]] > t->event_counts[e]; i--)
			o->event[i] = o->event[i - 1];
		o->event[i] = (uint8_t)e;
		if (store_event(s, e)->problem)
			o->problems |= (uint16_t)(1U << e);
		if (store_event(s, e)->lasting)
			o->lasting |= (uint16_t)(1U << e);
	}
}

void viewcache_refresh(struct pipeview *v)
{
	struct pipeview_cache *c = v->cache;
	struct progress p;

	store_progress(v->store, &p);
	if (c->fresh && p.items == c->at.items && p.reached == c->at.reached &&
	    p.last == c->at.last && p.complete == c->at.complete)
		return;
	c->at = p;
	c->fresh = true;
	c->row_count = 0;
	c->has_picture = false;
	c->has_links = false;
	store_totals(v->store, &c->totals);
	order_events(v->store, &c->totals, &c->order);
	/* how many ticks a cycle has is found out while the trace is read */
	axis_set_extent(&v->axis, p.first, p.last, store_ticks_per_cycle(v->store));
}

static void reserve_lines(struct pipeview_cache *c, size_t lines)
{
	if (lines <= c->row_cap)
		return;
	c->rows = xreallocarray(c->rows, lines, sizeof(*c->rows));
	c->parts = xreallocarray(c->parts, lines, sizeof(*c->parts));
	memset(c->parts + c->row_cap, 0, (lines - c->row_cap) * sizeof(*c->parts));
	c->row_cap = lines;
}

static bool same_rows(const struct pipeview *v, size_t lines)
{
	const struct pipeview_cache *c = v->cache;

	if (c->row_count != lines)
		return false;
	for (size_t i = 0; i < lines; i++)
		if (c->rows[i].row != pipeview_row(v, v->top + i))
			return false;
	return true;
}

static size_t visible_rows(const struct pipeview *v)
{
	uint64_t count = pipeview_count(v);
	uint64_t rest = count > v->top ? count - v->top : 0;
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 0;

	return (size_t)(rest < lines ? rest : lines);
}

/* Read the runs of rows that lie close together, one part each. */
static enum status read_runs(struct pipeview *v, size_t lines, struct error *e)
{
	struct pipeview_cache *c = v->cache;
	uint32_t part = 0;

	for (size_t i = 0, from; i < lines; part++) {
		enum status status;

		for (from = i;
		     i < lines && (i == from || c->rows[i].row - c->rows[i - 1].row <= RUN_GAP); i++) {
			c->rows[i].part = part;
			c->rows[i].index = (uint32_t)(c->rows[i].row - c->rows[from].row);
		}
		status = store_detail(v->store, c->rows[from].row, c->rows[i - 1].index + 1,
				      &c->parts[part], e);
		if (status != STATUS_OK)
			return status;
	}
	c->row_count = lines;
	return STATUS_OK;
}

enum status viewcache_detail(struct pipeview *v, struct error *e)
{
	struct pipeview_cache *c = v->cache;
	size_t lines = visible_rows(v);

	reserve_lines(c, lines);
	if (same_rows(v, lines))
		return STATUS_OK;
	c->row_count = 0;
	for (size_t i = 0; i < lines; i++)
		c->rows[i].row = pipeview_row(v, v->top + i);
	return read_runs(v, lines, e);
}

struct row_view viewcache_row(const struct pipeview *v, size_t line)
{
	const struct pipeview_cache *c = v->cache;
	const struct detail *d;

	if (line >= c->row_count)
		return (struct row_view){NULL, NULL};
	d = &c->parts[c->rows[line].part];
	if (c->rows[line].index >= d->count)
		return (struct row_view){NULL, NULL};
	return (struct row_view){d, &d->rows[c->rows[line].index]};
}

static bool same_request(const struct picture_request *a, const struct picture_request *b)
{
	return a->filter == b->filter && a->row0 == b->row0 && a->tick0 == b->tick0 &&
	       a->row_zoom == b->row_zoom && a->tick_zoom == b->tick_zoom &&
	       a->tick_step == b->tick_step && a->lines == b->lines && a->columns == b->columns;
}

static struct picture_request request_of(const struct pipeview *v)
{
	int per_tick = v->axis.zoom < 0 ? 1 << -v->axis.zoom : 1;

	return (struct picture_request){
	    .filter = v->filter,
	    .row0 = v->top,
	    .tick0 = v->axis.left,
	    .row_zoom = v->row_zoom,
	    .tick_zoom = v->axis.zoom < 0 ? 0 : v->axis.zoom,
	    .tick_step = v->axis.step,
	    .lines = v->lines,
	    .columns = (v->axis.columns + per_tick - 1) / per_tick,
	};
}

enum status viewcache_picture(struct pipeview *v, const struct picture_cell **cells, int *columns,
			      struct error *e)
{
	struct pipeview_cache *c = v->cache;
	struct picture_request q = request_of(v);
	size_t need = (size_t)q.lines * (size_t)q.columns;
	enum status status;
	bool exact;

	if (need > c->cell_cap) {
		c->cells = xreallocarray(c->cells, need, sizeof(*c->cells));
		c->cell_cap = need;
		c->has_picture = false;
	}
	*cells = c->cells;
	*columns = q.columns;
	if (c->has_picture && same_request(&q, &c->request))
		return STATUS_OK;
	c->has_picture = false;
	status = store_picture(v->store, &q, c->cells, &exact, e);
	if (status == STATUS_OK) {
		c->request = q;
		c->has_picture = true;
		c->interpolated = !exact;
	}
	return status;
}

struct slot *viewcache_slots(struct pipeview *v)
{
	struct pipeview_cache *c = v->cache;
	size_t need = (size_t)v->axis.columns + 1;

	if (need > c->slot_cap) {
		c->slots = xreallocarray(c->slots, need, sizeof(*c->slots));
		c->slot_cap = need;
	}
	return c->slots;
}
