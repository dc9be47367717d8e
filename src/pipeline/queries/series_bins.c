#include "config.h"

#include "pipeline/queries/series_bins.h"

#include <string.h>

enum {
	ROWS_AT_ONCE = 1 << 14,
	SERIES_ROWS = 1 << 14, /* of so many rows all are looked at, for a curve of a frame */
	NEAR_ROWS = 1024       /* so far back rows are read that were shown before they ended */
};

static size_t bin_of(const struct bins *b, int64_t tick)
{
	size_t lo = 0, hi = b->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->edge[mid] <= tick)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void add_span(const struct bins *b, int64_t from, int64_t to)
{
	if (from < b->edge[0])
		from = b->edge[0];
	if (to > b->edge[b->n])
		to = b->edge[b->n];
	if (from >= to)
		return;
	for (size_t k = bin_of(b, from); k < b->n && b->edge[k] < to; k++) {
		int64_t lo = from > b->edge[k] ? from : b->edge[k];
		int64_t hi = to < b->edge[k + 1] ? to : b->edge[k + 1];

		if (hi > lo)
			b->out[k].sum += (double)(hi - lo);
	}
}

static void add_point(const struct bins *b, int64_t tick)
{
	if (tick >= b->edge[0] && tick < b->edge[b->n])
		b->out[bin_of(b, tick)].sum += 1;
}

/* What the index knows of a row. */
static void add_head(const struct series *q, const struct bins *b, const struct row *h)
{
	switch (q->kind) {
	case SERIES_IPC:
		if (h->fate == FATE_COMMITTED && !h->micro_op)
			add_point(b, row_commit_tick(h));
		break;
	case SERIES_FETCH:
		if (h->fate != FATE_UNKNOWN)
			add_point(b, h->start);
		break;
	case SERIES_COMMIT:
		if (h->fate == FATE_COMMITTED)
			add_point(b, row_commit_tick(h));
		break;
	case SERIES_SQUASH:
		if (h->fate == FATE_SQUASHED)
			add_point(b, row_commit_tick(h));
		break;
	case SERIES_IN_FLIGHT:
		add_span(b, h->start, h->end);
		break;
	default:
		break;
	}
}

static void add_row(const struct series *q, const struct bins *b, const struct detail *d, size_t i)
{
	const struct detail_row *row = &d->rows[i];

	for (uint32_t k = 0; q->kind == SERIES_OCCUPANCY && k < row->stays; k++) {
		const struct stay *stay = &d->stays[row->stay0 + k];

		if (q->stages >> stay->stage & 1)
			add_span(b, stay->start, stay->end);
	}
	add_head(q, b, &row->head);
}

/*
 * The first row to read for what lives from tick on. The index's (row) is the oldest of those that
 * had not ended when the text there was read; of live text others were published as if they had,
 * some dozens as a rule: what was in flight when the writer paused.
 */
static uint64_t first_near(const struct trace_index *ix, uint64_t row, int64_t tick)
{
	uint64_t born = row - ix->early, late;

	if (row < ix->early)
		return row;
	late = index_late_in(ix, born > NEAR_ROWS ? born - NEAR_ROWS : 0, born, tick - 1);
	return late == ROW_NONE ? row : late + ix->early;
}

bool bins_have_stuck(const struct store *s, int64_t tick)
{
	const struct trace_index *ix = &s->index;
	struct extent x;

	return ticks_extent(ix, tick, tick, &x) &&
	       index_late_in(ix, 0, first_near(ix, x.row, tick) - ix->early, tick) != ROW_NONE;
}

/* The late ones of the leaf that holds birth `born` -> the first birth behind it. */
static uint64_t add_stuck_leaf(const struct trace_index *ix, const struct series *q,
			       const struct bins *b, uint64_t born, uint64_t before)
{
	struct leaf_walk w;
	uint64_t next = before;

	if (leaf_walk_begin(&w, ix, born) && leaf_walk_rows(&w)) {
		const struct leaf_head *h = &w.view.leaves[w.leaf];

		next = h->row0 + h->rows;
		for (uint64_t i = born - h->row0; i < h->rows && h->row0 + i < before; i++) {
			const struct row *r = &w.rows[i];

			if (r->end < b->edge[0] ||
			    index_late_in(ix, h->row0 + i, h->row0 + i + 1, INT64_MIN) == ROW_NONE)
				continue;
			if (q->kind != SERIES_OCCUPANCY)
				add_head(q, b, r);
			else if (r->dominant < STAGE_MAX && q->stages >> r->dominant & 1)
				add_span(b, r->start, r->end);
		}
	}
	leaf_walk_end(&w);
	return next;
}

/*
 * Rows published without an end live on behind what is read, and end there: their stage is the
 * dominant one.
 */
static void add_stuck(struct store *s, const struct series *q, const struct bins *b, uint64_t before)
{
	const struct trace_index *ix = &s->index;

	if (b->near || q->kind == SERIES_STATISTIC)
		return;
	for (uint64_t born = 0;
	     (born = index_late_in(ix, born, before, b->edge[0] - 1)) != ROW_NONE;)
		born = add_stuck_leaf(ix, q, b, born, before);
}

static enum status add_rows(struct store *s, const struct series *q, const struct bins *b,
			    uint64_t first, uint64_t n, struct error *e)
{
	struct detail d = {.no_notes = true, .limit = UINT64_MAX, .bounded = true,
			   .until = b->edge[b->n]};
	enum status st = STATUS_OK;

	for (uint64_t done = 0; done < n && st == STATUS_OK; done += d.count) {
		uint64_t left = n - done;

		st = store_detail(s, first + done,
				  left < ROWS_AT_ONCE ? (size_t)left : ROWS_AT_ONCE, &d, e);
		if (st == STATUS_OK && d.count == 0)
			break;
		for (size_t i = 0; st == STATUS_OK && i < d.count; i++)
			add_row(q, b, &d, i);
	}
	detail_free(&d);
	return st;
}

struct adding {
	const struct series *q;
	const struct bins *b;
};

static void add_alive(void *arg, const struct detail *d)
{
	const struct adding *a = arg;

	for (size_t i = 0; i < d->count; i++)
		add_row(a->q, a->b, d, i);
}

static enum status add_samples(struct store *s, const struct series *q, const struct bins *b,
			       const struct extent *x, struct error *e)
{
	struct record batch[LEX_BATCH];
	struct lexer lx;
	struct window w;
	int64_t tick = x->tick;
	enum status st = source_map(s->source, x->off, (size_t)(x->off_end - x->off), &w, e);
	size_t n;

	if (st != STATUS_OK)
		return st;
	lexer_begin_at(&lx, &s->names, false, x->tick, text_at_cut(s->reader, &w, x->split));
	while ((n = s->reader->lex(&lx, w.text, w.len, true, batch, LEX_BATCH)) > 0)
		for (size_t i = 0; i < n; i++) {
			if (batch[i].kind == REC_TICK && (int64_t)batch[i].id > tick)
				tick = (int64_t)batch[i].id;
			if (batch[i].kind != REC_SAMPLE || batch[i].stage != q->metric ||
			    tick < b->edge[0] || tick >= b->edge[b->n])
				continue;
			struct amount *a = &b->out[bin_of(b, tick)];

			a->sum += batch[i].value;
			a->samples++;
		}
	source_release(s->source, &w);
	return STATUS_OK;
}

enum status bins_read_text(struct store *s, const struct series *q, const struct bins *b,
			   struct error *e)
{
	const struct trace_index *ix = &s->index;
	struct extent x;
	uint64_t to, early, late0, total;
	bool ok;
	enum status st = STATUS_OK;

	to = store_row_born_at(s, b->edge[b->n]);
	store_read_lock(s);
	ok = ticks_extent(ix, b->edge[0], b->edge[b->n], &x);
	early = ix->early;
	late0 = ix->early + ix->row_end;
	total = rows_total(ix);
	if (ok) {
		x.row = first_near(ix, x.row, b->edge[0]);
		add_stuck(s, q, b, x.row - early);
	}
	store_unlock(s);
	if (!ok)
		return STATUS_OK;
	if (q->kind == SERIES_STATISTIC)
		return add_samples(s, q, b, &x, e);
	if (s->reader->lex_rows)
		return details_alive(s, x.row, to, b->edge[0], add_alive,
				     &(struct adding){q, b}, e);
	if (to > x.row)
		st = add_rows(s, q, b, x.row, to - x.row, e);
	if (st == STATUS_OK && early && x.row >= early)
		st = add_rows(s, q, b, 0, early, e);
	if (st == STATUS_OK && total > late0)
		st = add_rows(s, q, b, late0, total - late0, e);
	return st;
}

/* ---- from the row index ------------------------------------------------------------------ */

/* This leaf, or the next one with a row that ends at tick or behind it. */
static bool leaf_alive(struct leaf_walk *w, int64_t tick)
{
	do {
		size_t page = index_page_alive(w->ix, w->page, tick - 1);

		if (page != w->page) {
			if (page >= w->ix->page_count || !index_view(w->ix, page, &w->view))
				return false;
			w->page = page;
			w->leaf = 0;
		}
		if (w->view.leaves[w->leaf].end_max >= tick)
			return true;
	} while (leaf_walk_step(w, 1));
	return false;
}

/* Rows [from, to), but those of leaves that were over before; false: they are too many. */
static bool add_heads(const struct trace_index *ix, const struct series *q, const struct bins *b,
		      uint64_t from, uint64_t to)
{
	struct leaf_walk w;
	uint64_t seen = 0;
	bool ok = leaf_walk_begin(&w, ix, from);

	for (bool more = ok; more && leaf_alive(&w, b->edge[0]); more = leaf_walk_step(&w, 1)) {
		const struct leaf_head *h = &w.view.leaves[w.leaf];

		if (h->row0 >= to)
			break;
		seen += h->rows;
		ok = seen <= SERIES_ROWS && leaf_walk_rows(&w);
		if (!ok)
			break;
		for (uint64_t i = 0; i < h->rows; i++)
			if (h->row0 + i >= from && h->row0 + i < to)
				add_head(q, b, &w.rows[i]);
	}
	leaf_walk_end(&w);
	return ok;
}

/* Does the row index tell all of the series? Under the read lock. */
static bool heads_tell(const struct store *s, const struct series *q)
{
	return q->kind != SERIES_OCCUPANCY && q->kind != SERIES_STATISTIC && !s->reader->lex_rows &&
	       !s->index.early && rows_total(&s->index) == s->index.row_end;
}

bool bins_add_heads(struct store *s, const struct series *q, const struct bins *b, uint64_t from,
		    uint64_t to)
{
	if (!heads_tell(s, q))
		return false;
	add_stuck(s, q, b, from);
	return to <= from || add_heads(&s->index, q, b, from, to);
}

bool bins_read_heads(struct store *s, const struct series *q, const struct bins *b)
{
	const struct trace_index *ix = &s->index;
	uint64_t to = store_row_born_at(s, b->edge[b->n]);
	struct extent x = {0};
	bool ok;

	if (to - store_row_born_at(s, b->edge[0]) > SERIES_ROWS)
		return false;
	store_read_lock(s);
	ok = heads_tell(s, q) && ticks_extent(ix, b->edge[0], b->edge[b->n], &x) &&
	     bins_add_heads(s, q, b, x.row, to);
	store_unlock(s);
	if (!ok) /* others begin anew */
		memset(b->out, 0, (b->n + 1) * sizeof(*b->out));
	return ok;
}
