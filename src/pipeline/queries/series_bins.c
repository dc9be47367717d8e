#include "config.h"

#include "pipeline/queries/series_bins.h"

#include "base/bisect.h"

enum { NEAR_ROWS = 1024 }; /* so far back rows are read that were shown before they ended */

static size_t bin_of(const struct bins *b, int64_t tick)
{
	size_t lo = 0, hi = b->n;

	bisect(lo, hi, i, b->edge[i] <= tick);
	return lo ? lo - 1 : 0;
}

static void add_part(struct amount *a, int64_t from, int64_t to, int64_t lo, int64_t hi)
{
	lo = from > lo ? from : lo;
	hi = to < hi ? to : hi;
	if (hi > lo)
		a->sum += (double)(hi - lo);
}

static void add_span(struct bins *b, int64_t from, int64_t to)
{
	add_part(&b->before, from, to, b->from, b->edge[0]);
	if (to <= b->edge[0])
		return;
	for (size_t k = from > b->edge[0] ? bin_of(b, from) : 0; k < b->n && b->edge[k] < to; k++)
		add_part(&b->out[k], from, to, b->edge[k], b->edge[k + 1]);
}

static void add_point(struct bins *b, int64_t tick, double value)
{
	struct amount *a;

	if (tick < b->from || tick >= b->edge[b->n])
		return;
	a = tick < b->edge[0] ? &b->before : &b->out[bin_of(b, tick)];
	a->sum += value;
	a->samples++;
}

/* What the index knows of a row. */
static void add_row(const struct series *q, struct bins *b, const struct row *r)
{
	switch (q->kind) {
	case SERIES_IPC:
		if (r->fate == FATE_COMMITTED && !r->micro_op)
			add_point(b, row_commit_tick(r), 1);
		break;
	case SERIES_FETCH:
		if (r->fate != FATE_UNKNOWN)
			add_point(b, r->start, 1);
		break;
	case SERIES_COMMIT:
		if (r->fate == FATE_COMMITTED)
			add_point(b, row_commit_tick(r), 1);
		break;
	case SERIES_SQUASH:
		if (r->fate == FATE_SQUASHED)
			add_point(b, row_commit_tick(r), 1);
		break;
	case SERIES_IN_FLIGHT:
		add_span(b, r->start, r->end);
		break;
	default:
		break;
	}
}

/* ---- from the row index ------------------------------------------------------------------ */

/* The late ones of the leaf that holds birth `born` -> the first birth behind it. */
static uint64_t add_late_leaf(const struct trace_index *ix, const struct series *q, struct bins *b,
			      uint64_t born, uint64_t before)
{
	struct leaf_walk w;
	uint64_t next = before;

	if (leaf_walk_begin(&w, ix, born) && leaf_walk_rows(&w)) {
		const struct leaf_head *h = &w.view.leaves[w.leaf];

		next = h->row0 + h->rows;
		for (uint64_t i = born - h->row0; i < h->rows && h->row0 + i < before; i++)
			if (w.rows[i].end >= b->from &&
			    index_late_in(ix, h->row0 + i, h->row0 + i + 1, INT64_MIN) != ROW_NONE)
				add_row(q, b, &w.rows[i]);
	}
	leaf_walk_end(&w);
	return next;
}

/* Rows published without an end live on behind what is read, and end there. */
static bool add_late(const struct trace_index *ix, const struct series *q, struct bins *b,
		     uint64_t before, uint64_t *left)
{
	for (uint64_t born = 0;
	     (born = index_late_in(ix, born, before, b->from - 1)) != ROW_NONE;) {
		if (*left < LEAF_ROWS)
			return false;
		*left -= LEAF_ROWS;
		born = add_late_leaf(ix, q, b, born, before);
	}
	return true;
}

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

static bool add_leaves(const struct trace_index *ix, const struct series *q, struct bins *b,
		       uint64_t head, uint64_t *left)
{
	struct leaf_walk w;
	bool more = leaf_walk_begin(&w, ix, head), ok = true;

	for (; more && leaf_alive(&w, b->from); more = leaf_walk_step(&w, 1)) {
		const struct leaf_head *h = &w.view.leaves[w.leaf];

		if (h->tick >= b->edge[b->n])
			break;
		ok = h->rows <= *left && leaf_walk_rows(&w);
		if (!ok)
			break;
		*left -= h->rows;
		for (uint64_t i = 0; i < h->rows; i++)
			if (h->row0 + i >= head)
				add_row(q, b, &w.rows[i]);
	}
	leaf_walk_end(&w);
	return ok;
}

static bool add_unborn(const struct trace_index *ix, const struct series *q, struct bins *b,
		       uint64_t *left)
{
	struct row row;
	uint64_t n = rows_total(ix) - ix->row_end;

	if (q->kind != SERIES_IN_FLIGHT)
		return true;
	if (n > *left)
		return false;
	*left -= n;
	for (uint64_t i = 0; i < n; i++)
		if (rows_get(ix, i < ix->early ? i : i + ix->row_end, 1, &row))
			add_row(q, b, &row);
	return true;
}

bool bins_read_rows(struct store *s, const struct series *q, struct bins *b, uint64_t head,
		    uint64_t *left)
{
	const struct trace_index *ix = &s->index;
	bool ok;

	store_read_lock(s);
	ok = add_late(ix, q, b, head, left) && add_leaves(ix, q, b, head, left) &&
	     add_unborn(ix, q, b, left);
	store_unlock(s);
	return ok;
}

/* ---- from the text ----------------------------------------------------------------------- */

struct adding {
	const struct series *q;
	struct bins *b;
};

static void add_stays(void *arg, const struct detail *d)
{
	const struct adding *a = arg;

	for (size_t i = 0; i < d->count; i++)
		for (uint32_t k = 0; k < d->rows[i].stays; k++) {
			const struct stay *stay = &d->stays[d->rows[i].stay0 + k];

			if (a->q->stages >> stay->stage & 1)
				add_span(a->b, stay->start, stay->end);
		}
}

static enum status add_samples(struct store *s, const struct series *q, struct bins *b,
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
			if (batch[i].kind == REC_SAMPLE && batch[i].stage == q->metric)
				add_point(b, tick, batch[i].value);
		}
	source_release(s->source, &w);
	return STATUS_OK;
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

bool bins_have_stuck(const struct trace_index *ix, int64_t tick)
{
	struct extent x;

	return ticks_extent(ix, tick, tick, &x) &&
	       index_late_in(ix, 0, first_near(ix, x.row, tick) - ix->early, tick) != ROW_NONE;
}

/* Ends of stages that the text tells only later: of rows in flight nobody knows how far to read. */
static bool ends_open(const struct trace_counts *c)
{
	return c->notes[NOTE_LATE_END] && c->totals.fates[FATE_IN_FLIGHT];
}

enum status bins_read_text(struct store *s, const struct series *q, struct bins *b, bool *exact,
			   struct error *e)
{
	const struct trace_index *ix = &s->index;
	const int64_t end = b->edge[b->n];
	struct adding a = {q, b};
	uint64_t to = store_row_born_at(s, end), early, late0, total;
	struct extent x;
	enum status st;
	bool ok;

	store_read_lock(s);
	ok = ticks_extent(ix, b->from, end, &x);
	early = ix->early;
	late0 = ix->early + ix->row_end;
	total = rows_total(ix);
	if (ok)
		x.row = first_near(ix, x.row, b->from);
	*exact &= ok && !x.clipped && (q->kind != SERIES_OCCUPANCY || !ends_open(&s->counts));
	store_unlock(s);
	if (!ok)
		return STATUS_OK;
	if (q->kind == SERIES_STATISTIC)
		return add_samples(s, q, b, &x, e);
	st = details_alive(s, x.row, to, b->from, end, add_stays, &a, e);
	if (st == STATUS_OK)
		st = details_alive(s, 0, early, b->from, end, add_stays, &a, e);
	return st ? st : details_alive(s, late0, total, b->from, end, add_stays, &a, e);
}
