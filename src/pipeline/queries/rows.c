#include "config.h"

#include "pipeline/store_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- leaves in order --------------------------------------------------------------------- */

bool leaf_walk_begin(struct leaf_walk *w, const struct trace_index *ix, uint64_t born)
{
	memset(w, 0, sizeof(*w));
	w->ix = ix;
	w->page = index_page_of_row(ix, born);
	w->ok = w->page < ix->page_count && index_view(ix, w->page, &w->view);
	if (w->ok)
		w->leaf = index_leaf_of_row(&w->view, born);
	return w->ok;
}

bool leaf_walk_step(struct leaf_walk *w, int dir)
{
	w->leaf += dir;
	if (w->ok && w->leaf >= 0 && (unsigned)w->leaf < w->view.entry.leaves)
		return true;
	if (dir < 0 && w->page == 0)
		w->ok = false;
	w->page += (size_t)(ptrdiff_t)dir;
	w->ok = w->ok && w->page < w->ix->page_count && index_view(w->ix, w->page, &w->view);
	w->leaf = dir > 0 || !w->ok ? 0 : (int)w->view.entry.leaves - 1;
	return w->ok;
}

bool leaf_walk_rows(struct leaf_walk *w)
{
	const struct leaf_head *h = &w->view.leaves[w->leaf];

	if (h->rows > w->rows_cap) {
		struct row *rows = realloc(w->rows, h->rows * sizeof(*rows));

		if (!rows)
			return w->ok = false;
		w->rows = rows;
		w->rows_cap = h->rows;
	}
	index_leaf_rows(w->ix, h, w->rows);
	return true;
}

void leaf_walk_end(struct leaf_walk *w)
{
	free(w->rows);
	w->rows = NULL;
}

/* ---- rows -------------------------------------------------------------------------------- */

uint64_t rows_total(const struct trace_index *ix)
{
	return ix->row_end + (ix->complete ? ix->unborn.count : ix->early);
}

static void unborn_row(const struct trace_index *ix, uint64_t i, uint64_t row, struct row *out)
{
	const struct unborn_row *u = &ix->unborn.data[i];

	*out = (struct row){.row = row,
			    .start = ix->first,
			    .end = u->end,
			    .parent = ROW_NONE,
			    .code = CODE_NONE,
			    .events = u->events,
			    .fate = FATE_UNKNOWN,
			    .dominant = u->dominant};
}

static size_t born_rows(const struct trace_index *ix, uint64_t born, size_t n, struct row *out)
{
	struct leaf_walk w;
	size_t got = 0;
	bool ok = leaf_walk_begin(&w, ix, born);

	for (; ok && got < n; ok = leaf_walk_step(&w, 1)) {
		const struct leaf_head *h = &w.view.leaves[w.leaf];
		uint64_t skip = born + got - h->row0;

		if (skip >= h->rows)
			continue;
		if (skip == 0 && h->rows <= n - got) {
			index_leaf_rows(ix, h, out + got);
			got += h->rows;
			continue;
		}
		if (!leaf_walk_rows(&w))
			break;
		for (; skip < h->rows && got < n; skip++)
			out[got++] = w.rows[skip];
	}
	leaf_walk_end(&w);
	return got;
}

size_t rows_get(const struct trace_index *ix, uint64_t first, size_t n, struct row *out)
{
	uint64_t total = rows_total(ix), born_end = ix->early + ix->row_end;
	size_t got = 0;

	if (first >= total)
		return 0;
	if (n > total - first)
		n = (size_t)(total - first);
	for (; got < n && first + got < ix->early; got++)
		unborn_row(ix, first + got, first + got, &out[got]);
	if (got < n && first + got < born_end) {
		uint64_t born = first + got - ix->early;
		size_t want = n - got;

		if (want > ix->row_end - born)
			want = (size_t)(ix->row_end - born);
		want = born_rows(ix, born, want, out + got);
		got += want;
		if (first + got < born_end)
			return got;
	}
	for (; got < n; got++)
		unborn_row(ix, first + got - ix->row_end, first + got, &out[got]);
	return got;
}

uint64_t store_row_count(const struct store *s)
{
	uint64_t n;

	store_read_lock(s);
	n = rows_total(&s->index);
	store_unlock(s);
	return n;
}

bool store_row(const struct store *s, uint64_t row, struct row *out)
{
	return store_rows(s, row, 1, out) == 1;
}

size_t store_rows(const struct store *s, uint64_t first, size_t n, struct row *out)
{
	store_read_lock(s);
	n = rows_get(&s->index, first, n, out);
	store_unlock(s);
	return n;
}

uint64_t rows_born_at(const struct trace_index *ix, int64_t tick)
{
	struct leaf_walk w;
	uint64_t row;

	if (tick <= ix->first && ix->early)
		return 0;
	if (ix->page_count == 0)
		return rows_total(ix);
	/* the last page that begins before tick may have births at or after it */
	memset(&w, 0, sizeof(w));
	w.ix = ix;
	w.page = tick == INT64_MIN ? 0 : index_page_of_tick(ix, tick - 1);
	row = ix->row_end;
	if (!(w.ok = index_view(ix, w.page, &w.view)))
		return row + ix->early;
	w.leaf = tick == INT64_MIN ? 0 : index_leaf_of_tick(&w.view, tick - 1);
	do {
		const struct leaf_head *h = &w.view.leaves[w.leaf];
		uint64_t i = 0;

		if (!leaf_walk_rows(&w))
			break;
		while (i < h->rows && w.rows[i].start < tick)
			i++;
		if (i < h->rows) {
			row = h->row0 + i;
			break;
		}
	} while (leaf_walk_step(&w, 1));
	leaf_walk_end(&w);
	return row + ix->early;
}

uint64_t store_row_born_at(const struct store *s, int64_t tick)
{
	uint64_t row;

	store_read_lock(s);
	row = rows_born_at(&s->index, tick);
	store_unlock(s);
	return row;
}

void store_rows_alive(const struct store *s, int64_t t0, int64_t t1, uint64_t *from, uint64_t *to)
{
	const struct trace_index *ix = &s->index;
	struct page_view v;
	uint64_t late;
	size_t page;
	int leaf;

	store_read_lock(s);
	*to = rows_born_at(ix, t1);
	*from = *to;
	if (index_at_tick(ix, t0, &page, &v, &leaf)) {
		const struct leaf_head *h = &v.leaves[leaf];

		*from = h->head + ix->early;
	}
	/* rows stuck for very long do not hold the head back, but may still live, or end in t0 */
	late =
	    index_late_in(ix, 0, *from > ix->early ? *from - ix->early : 0, t0 - (t0 > INT64_MIN));
	if (late != ROW_NONE)
		*from = late + ix->early;
	for (size_t i = 0; i < ix->early; i++)
		if (ix->unborn.data[i].end >= t0) {
			*from = i < *from ? i : *from;
			break;
		}
	if (ix->complete && ix->unborn.count > ix->early)
		*to = rows_total(ix);
	if (*from > *to)
		*from = *to;
	store_unlock(s);
}

/* ---- finding ----------------------------------------------------------------------------- */

/* What a search looks for: can a stretch with these sums or this head have it, has a row it. */
struct wanted {
	enum { WANT_EVENT, WANT_FATE, WANT_LIFE } kind;
	unsigned what;
	int64_t n;
	int64_t trace_end; /* rows in flight live until then */
};

/* No overflow, whatever a damaged index says. */
static uint64_t ticks_between(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

static bool row_is(const struct wanted *w, const struct row *r)
{
	int64_t end;

	switch (w->kind) {
	case WANT_EVENT:
		return r->events >> w->what & 1;
	case WANT_FATE:
		return r->fate == w->what;
	case WANT_LIFE:
		end = r->end == TICK_NONE ? w->trace_end : r->end;
		return end >= r->start && ticks_between(r->start, end) >= (uint64_t)w->n;
	}
	return false;
}

static bool sums_may(const struct wanted *w, const struct sums *a, const struct sums *b)
{
	switch (w->kind) {
	case WANT_EVENT:
		return b->event_rows[w->what] != a->event_rows[w->what];
	case WANT_FATE:
		return b->fates[w->what] != a->fates[w->what];
	case WANT_LIFE:
		return true;
	}
	return true;
}

static bool page_may(const struct trace_index *ix, size_t from, size_t to, const struct wanted *w)
{
	uint64_t row_end = to < ix->page_count ? index_page(ix, to)->row0 : ix->row_end;
	struct sums a, b;

	/* ends that came late are in no sum */
	if (index_late_in(ix, index_page(ix, from)->row0, row_end, INT64_MIN) != ROW_NONE)
		return true;
	if (w->kind == WANT_LIFE) {
		/* the longest possible life in these pages */
		int64_t end = index_end_max(ix, from, to);

		return end == TICK_NONE || ticks_between(index_page(ix, from)->tick, end) >= (uint64_t)w->n;
	}
	return !index_sums(ix, from, &a) || !index_sums(ix, to, &b) || sums_may(w, &a, &b);
}

/* The next page with a chance, from page on: gallops over stretches without. */
static size_t next_page(const struct trace_index *ix, size_t page, int dir, const struct wanted *w)
{
	size_t n = ix->page_count, step = 1;

	while (page < n) {
		size_t from = dir > 0 ? page : page + 1 >= step ? page + 1 - step : 0;
		size_t to = dir > 0 ? (page + step < n ? page + step : n) : page + 1;

		if (page_may(ix, from, to, w)) {
			if (to - from == 1)
				return page;
			step = step / 4 ? step / 4 : 1;
			continue;
		}
		if (dir < 0 && from == 0)
			return n;
		page = dir > 0 ? to : from - 1;
		step *= 2;
	}
	return n;
}

static bool leaf_may(const struct trace_index *ix, const struct leaf_head *h, const struct wanted *w)
{
	struct sums none, sums;

	if (index_late_in(ix, h->row0, h->row0 + h->rows, INT64_MIN) != ROW_NONE)
		return true;
	if (w->kind == WANT_LIFE)
		return h->end_max == TICK_NONE || ticks_between(h->tick, h->end_max) >= (uint64_t)w->n;
	memset(&none, 0, sizeof(none));
	memset(&sums, 0, sizeof(sums));
	leaf_add_sums(ix, h, &sums);
	return sums_may(w, &none, &sums);
}

static uint64_t find_in_leaf(struct leaf_walk *lw, const struct wanted *w, uint64_t after, int dir,
			     const struct filter *filter)
{
	const struct leaf_head *h = &lw->view.leaves[lw->leaf];

	if (!leaf_may(lw->ix, h, w) || !leaf_walk_rows(lw))
		return ROW_NONE;
	for (uint64_t k = 0; k < h->rows; k++) {
		const struct row *r = &lw->rows[dir > 0 ? k : h->rows - 1 - k];

		if ((dir > 0 ? after == ROW_NONE || r->row > after : r->row < after) &&
		    row_is(w, r) && (!filter || filter_has(filter, r->row)))
			return r->row;
	}
	return ROW_NONE;
}

static uint64_t find_born(const struct trace_index *ix, const struct wanted *w, uint64_t after,
			  int dir, const struct filter *filter)
{
	struct leaf_walk lw;
	uint64_t found = ROW_NONE, start;

	if (dir > 0)
		start = after == ROW_NONE || after < ix->early ? 0 : after - ix->early;
	else
		start = after > ix->early + ix->row_end ? ix->row_end - 1 : after - ix->early;
	if (ix->row_end == 0 || (dir < 0 && after <= ix->early))
		return ROW_NONE;
	if (start >= ix->row_end)
		start = ix->row_end - 1;
	if (!leaf_walk_begin(&lw, ix, start))
		return ROW_NONE;
	for (;;) {
		size_t page = lw.page;

		found = find_in_leaf(&lw, w, after, dir, filter);
		if (found != ROW_NONE || !leaf_walk_step(&lw, dir))
			break;
		if (lw.page == page)
			continue;
		page = next_page(ix, lw.page, dir, w);
		if (page >= ix->page_count)
			break;
		if (page != lw.page) {
			lw.page = page;
			if (!index_view(ix, page, &lw.view))
				break;
			lw.leaf = dir > 0 ? 0 : (int)lw.view.entry.leaves - 1;
		}
	}
	leaf_walk_end(&lw);
	return found;
}

/* Rows [from, to) of unborn ones, which are few. */
static uint64_t find_unborn(const struct trace_index *ix, const struct wanted *w, uint64_t after,
			    int dir, uint64_t from, uint64_t to, const struct filter *filter)
{
	for (uint64_t k = from; k < to; k++) {
		uint64_t row = dir > 0 ? k : to - 1 - (k - from);
		struct row r;

		unborn_row(ix, row < ix->early ? row : row - ix->row_end, row, &r);
		if ((dir > 0 ? after == ROW_NONE || row > after : row < after) && row_is(w, &r) &&
		    (!filter || filter_has(filter, row)))
			return row;
	}
	return ROW_NONE;
}

/* ROW_NONE as the place to start from: before the first row, or behind the last. */
static uint64_t find(const struct store *s, const struct wanted *w, uint64_t after, int dir,
		     const struct filter *filter)
{
	const struct trace_index *ix = &s->index;
	uint64_t found, born_end;

	store_read_lock(s);
	born_end = ix->early + ix->row_end;
	if (dir > 0) {
		found = find_unborn(ix, w, after, dir, 0, ix->early, filter);
		if (found == ROW_NONE)
			found = find_born(ix, w, after, dir, filter);
		if (found == ROW_NONE)
			found = find_unborn(ix, w, after, dir, born_end, rows_total(ix), filter);
	} else {
		found = find_unborn(ix, w, after, dir, born_end, rows_total(ix), filter);
		if (found == ROW_NONE)
			found = find_born(ix, w, after, dir, filter);
		if (found == ROW_NONE)
			found = find_unborn(ix, w, after, dir, 0, ix->early, filter);
	}
	store_unlock(s);
	return found;
}

uint64_t store_find_event(const struct store *s, unsigned event, uint64_t row, int dir,
			  const struct filter *filter)
{
	return find(s, &(struct wanted){.kind = WANT_EVENT, .what = event}, row, dir, filter);
}

uint64_t store_find_fate(const struct store *s, enum fate fate, uint64_t row, int dir,
			 const struct filter *filter)
{
	return find(s, &(struct wanted){.kind = WANT_FATE, .what = fate}, row, dir, filter);
}

uint64_t store_find_life(const struct store *s, int64_t n, uint64_t row, int dir,
			 const struct filter *filter)
{
	int64_t end;

	store_read_lock(s);
	end = s->index.tick_end;
	store_unlock(s);
	return find(s, &(struct wanted){.kind = WANT_LIFE, .n = n < 0 ? 0 : n, .trace_end = end}, row,
		    dir, filter);
}
