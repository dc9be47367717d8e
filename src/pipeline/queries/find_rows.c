/*
 * The same searches as find.c's in formats whose text gives whole rows: no text tells what
 * happened from one tick to another, and ids ascend with rows only as far as there is one CPU.
 */
#include "config.h"

#include "pipeline/queries/find_private.h"

#include <stdlib.h>

/* ---- ticks with a record ----------------------------------------------------------------- */

struct tick_list {
	VEC(int64_t) ticks;
	int64_t from, to; /* wanted: [from, to) */
	bool failed;
};

static void add_tick(struct tick_list *t, int64_t tick)
{
	if (tick >= t->from && tick < t->to && !vec_push(&t->ticks, tick))
		t->failed = true;
}

static void add_rows(void *arg, const struct detail *d)
{
	struct tick_list *t = arg;

	for (size_t i = 0; i < d->count; i++) {
		add_tick(t, d->rows[i].head.start);
		add_tick(t, d->rows[i].head.end);
		for (uint32_t k = 0; k < d->rows[i].stays; k++) {
			add_tick(t, d->stays[d->rows[i].stay0 + k].start);
			add_tick(t, d->stays[d->rows[i].stay0 + k].end);
		}
	}
}

static int by_tick(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

bool find_active_ticks(struct store *s, const struct page_view *v, int leaf, int64_t **ticks,
		       size_t *count)
{
	const struct leaf_head *h = &v->leaves[leaf];
	struct tick_list t = {.from = h->tick, .to = leaf_tick_end(v, (unsigned)leaf)};
	struct error e;
	size_t n = 0;

	if (details_alive(s, h->head, h->row0 + h->rows, h->tick, INT64_MAX, add_rows, &t, &e) != STATUS_OK)
		t.failed = true;
	if (t.ticks.count)
		qsort(t.ticks.data, t.ticks.count, sizeof(*t.ticks.data), by_tick);
	for (size_t i = 0; i < t.ticks.count; i++)
		if (n == 0 || t.ticks.data[n - 1] != t.ticks.data[i])
			t.ticks.data[n++] = t.ticks.data[i];
	*ticks = t.ticks.data;
	*count = n;
	return !t.failed;
}

/* ---- ids --------------------------------------------------------------------------------- */

/* The next page from page on whose rows may have the id. */
static size_t page_with_id(const struct trace_index *ix, size_t page, uint64_t id)
{
	while (page < ix->page_count &&
	       (id < index_page(ix, page)->id_min || id > index_page(ix, page)->id_max))
		page++;
	return page;
}

static uint64_t id_in_page(struct store *s, size_t page, uint64_t id, uint64_t from)
{
	struct page_view v;
	uint64_t found = ROW_NONE;

	if (!index_view(&s->index, page, &v))
		return ROW_NONE;
	for (unsigned k = 0; k < v.entry.leaves && found == ROW_NONE; k++) {
		const struct leaf_head *h = &v.leaves[k];

		if (h->row0 + h->rows > from && id >= h->first_id && id - h->first_id <= h->id_span)
			found = find_id_in_rows(s, id, from, h->row0, h->rows);
	}
	return found;
}

uint64_t find_id_of_whole_row(struct store *s, uint64_t id, uint64_t from)
{
	const struct trace_index *ix = &s->index;
	size_t page = index_page_of_row(ix, from);
	uint64_t found = ROW_NONE;

	for (; found == ROW_NONE; page++) {
		page = page_with_id(ix, page, id);
		if (page >= ix->page_count)
			break;
		found = id_in_page(s, page, id, from);
	}
	return found;
}
