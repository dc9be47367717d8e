/*
 * Which text is to be read again for some rows or ticks.
 */
#include "config.h"

#include <string.h>

#include "pipeline/store_private.h"

/* A few rows may live long, and then one look at them takes long; nothing of them is left out. */
enum { PATIENT_BYTES = 64 << 20 };

static void extent_begin(const struct leaf_head *h, const struct trace_index *ix, struct extent *x)
{
	x->off = h->off;
	x->line = h->line;
	x->tick = h->tick;
	x->split = h->split;
	x->row = h->row0 + ix->early;
}

/* Let x end behind tick, but not be longer than is read in one go. */
void extent_end(const struct trace_index *ix, int64_t tick, uint64_t limit, struct extent *x)
{
	size_t page = index_page_of_tick(ix, tick);
	struct page_view v;

	x->off_end = ix->off_end;
	if (tick != TICK_NONE && page < ix->page_count && index_view(ix, page, &v)) {
		int leaf = index_leaf_of_tick(&v, tick);

		x->off_end = leaf_off_end(&v, (unsigned)leaf);
	}
	if (x->off_end < x->off)
		x->off_end = x->off;
	if (limit == 0)
		limit = PATIENT_BYTES;
	if (x->off_end - x->off > limit) {
		x->off_end = x->off + limit;
		x->clipped = true;
	}
}

bool born_extent(const struct trace_index *ix, uint64_t born, struct extent *x)
{
	size_t page = index_page_of_row(ix, born);
	struct page_view v;

	if (page >= ix->page_count || !index_view(ix, page, &v))
		return false;
	extent_begin(&v.leaves[index_leaf_of_row(&v, born)], ix, x);
	return true;
}

static int64_t latest_end(const struct row *rows, size_t n)
{
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < n; i++)
		end = rows[i].end > end ? rows[i].end : end;
	return end;
}

bool rows_extent(const struct trace_index *ix, uint64_t first, uint64_t n, const struct row *rows,
		 struct extent *out)
{
	memset(out, 0, sizeof(*out));
	if (n == 0 || first < ix->early || !born_extent(ix, first - ix->early, out))
		return false;
	extent_end(ix, latest_end(rows, (size_t)n), 0, out);
	return true;
}

bool ticks_extent(const struct trace_index *ix, int64_t t0, int64_t t1, struct extent *out)
{
	struct page_view v;
	const struct leaf_head *h;
	size_t page;
	int leaf;

	memset(out, 0, sizeof(*out));
	if (!index_at_tick(ix, t0, &page, &v, &leaf))
		return false;
	h = &v.leaves[leaf];
	if (!born_extent(ix, h->head < ix->row_end ? h->head : h->row0, out))
		extent_begin(h, ix, out);
	if (out->off > h->off)
		extent_begin(h, ix, out);
	extent_end(ix, t1, 0, out);
	return true;
}

bool text_at_cut(const struct reader *reader, const struct window *w, bool split)
{
	int64_t tick;

	return w->off > 0 && !split && reader->cut && reader->cut(w->text, w->text + w->len, &tick);
}

/* The first line that mentions an unborn row, and the text up to the end of the last of them. */
bool unborn_extent(const struct trace_index *ix, const struct detail *d, struct extent *x)
{
	struct page_view v;
	int64_t end = INT64_MIN;

	memset(x, 0, sizeof(*x));
	if (ix->page_count == 0 || !index_view(ix, 0, &v))
		return false;
	extent_begin(&v.leaves[0], ix, x);
	for (size_t i = 0; i < d->count; i++)
		end = d->rows[i].head.end > end ? d->rows[i].head.end : end;
	extent_end(ix, end, d->limit, x);
	return true;
}
