/*
 * Curves over ticks. A bin holds whole ticks, so every value is a difference of two sums "up
 * to tick T". Sums at the start of a leaf stand in the index; inside a leaf they come from the
 * text around it, or, for drawing wide bins, from a straight line through it.
 */
#include "config.h"

#include "store/store_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROWS_AT_ONCE = 1 << 16,
	SERIES_TEXT = 1 << 20, /* ranges of less text than this are read, not summed */
	SERIES_ROWS = 1 << 14, /* of so many rows all are looked at, for a curve of a frame */
	TICKS_AT_ONCE = 256 /* of one leaf, asked for by one reading of its text */
};

static const char *const series_names[SERIES_COUNT] = {
#define SERIES_NAME(name, text, help) text,
    SERIES_INFO(SERIES_NAME)
#undef SERIES_NAME
};

bool series_parse(const struct store *s, const char *name, const struct regex *component,
		  struct series *out)
{
	size_t stages = store_stage_count(s);

	memset(out, 0, sizeof(*out));
	for (int k = 0; k < SERIES_STATISTIC; k++) {
		if (strcmp(series_names[k], name) != 0)
			continue;
		out->kind = (enum series_kind)k;
		if (k != SERIES_OCCUPANCY)
			return !component;
		for (size_t i = 0; i < stages; i++) {
			const char *stage = store_stage(s, i)->name;

			if (!component || regex_match(component, stage, strlen(stage), NULL, NULL))
				out->stages |= UINT64_C(1) << i;
		}
		return out->stages != 0;
	}
	for (size_t i = 0; i < store_metric_count(s); i++)
		if (strcmp(s->names.metrics[i], name) == 0) {
			out->kind = SERIES_STATISTIC;
			out->metric = i;
			return !component;
		}
	return false;
}

/* What a bin collects. */
struct amount {
	double sum;
	uint64_t samples; /* of a statistic */
};

/* ---- from the index ---------------------------------------------------------------------- */

static struct amount pick(const struct series *q, const struct sums *s, double births)
{
	struct amount a = {0, 0};

	switch (q->kind) {
	case SERIES_IPC:
		a.sum = (double)s->committed_macro;
		break;
	case SERIES_FETCH:
		a.sum = births;
		break;
	case SERIES_COMMIT:
		a.sum = (double)s->committed;
		break;
	case SERIES_SQUASH:
		a.sum = (double)s->squashed;
		break;
	case SERIES_IN_FLIGHT:
		a.sum = (double)s->area[SLOT_ALIVE];
		break;
	case SERIES_OCCUPANCY:
		for (unsigned i = 0; i < STAGE_MAX; i++)
			if (q->stages >> i & 1)
				a.sum += (double)s->area[i];
		break;
	default:
		a.sum = s->sample_sum[q->metric];
		a.samples = s->samples[q->metric];
		break;
	}
	return a;
}

/* Where a tick lies: what the index sums up to its leaf, what the leaf adds, how far in it is. */
struct place {
	struct amount before, leaf;
	double part; /* 0..1 of the leaf's ticks */
	int64_t leaf_tick, leaf_end;
	bool ok;
};

/* To the next leaf, if it begins inside a cycle; that may be a page of its own. */
static bool step_in_cycle(const struct trace_index *ix, struct page_view *v, size_t *page, int *k)
{
	if (*k + 1 < (int)v->entry.leaves) {
		++*k;
	} else {
		if (*page + 1 >= ix->page_count || !index_view(ix, *page + 1, v))
			return false;
		++*page;
		*k = 0;
	}
	return v->leaves[*k].split;
}

static struct place place_of(const struct trace_index *ix, const struct series *q, int64_t tick)
{
	struct place p = {.ok = false};
	struct page_view v;
	struct sums before, leaf;
	const struct leaf_head *h;
	uint64_t rows;
	size_t page;
	int k;

	if (tick >= ix->tick_end) {
		p.before = pick(q, &ix->total, (double)ix->row_end);
		p.leaf_tick = tick;
		p.ok = true;
		return p;
	}
	if (!index_at_tick(ix, tick, &page, &v, &k))
		return p;
	before = v.before;
	for (int i = 0; i < k; i++)
		leaf_add_sums(ix, &v.leaves[i], &before);
	h = &v.leaves[k];
	rows = h->rows;
	memset(&leaf, 0, sizeof(leaf));
	leaf_add_sums(ix, h, &leaf);
	p.before = pick(q, &before, (double)h->row0);
	p.leaf_tick = h->tick;
	p.leaf_end = leaf_tick_end(&v, (unsigned)k);
	while (step_in_cycle(ix, &v, &page, &k)) {
		leaf_add_sums(ix, &v.leaves[k], &leaf);
		rows += v.leaves[k].rows;
		p.leaf_end = leaf_tick_end(&v, (unsigned)k);
	}
	p.leaf = pick(q, &leaf, (double)rows);
	if (tick >= p.leaf_end)
		p.part = 1;
	else if (tick > p.leaf_tick)
		p.part = (double)(tick - p.leaf_tick) / (double)(p.leaf_end - p.leaf_tick);
	p.ok = true;
	return p;
}

/* ---- from the text ----------------------------------------------------------------------- */

/* Bins given by their edges: bin k holds ticks [edge[k], edge[k + 1]). */
struct bins {
	const int64_t *edge;
	size_t n;
	struct amount *out;
	bool near; /* without rows that have been stuck for very long */
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

/* Is some row alive at tick whose end came late? Its stages there are not in the text around. */
static bool has_stuck(const struct store *s, int64_t tick)
{
	return index_late_in(&s->index, 0, s->index.row_end, tick) != ROW_NONE;
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

			if (r->end > b->edge[0] &&
			    index_late_in(ix, h->row0 + i, h->row0 + i + 1, INT64_MIN) != ROW_NONE &&
			    (q->kind == SERIES_IN_FLIGHT ||
			     (r->dominant < STAGE_MAX && q->stages >> r->dominant & 1)))
				add_span(b, r->start, r->end);
		}
	}
	leaf_walk_end(&w);
	return next;
}

/* Rows published without an end live on behind what is read: their stage is the dominant one. */
static void add_stuck(struct store *s, const struct series *q, const struct bins *b, uint64_t before)
{
	const struct trace_index *ix = &s->index;

	if (b->near || (q->kind != SERIES_IN_FLIGHT && q->kind != SERIES_OCCUPANCY))
		return;
	for (uint64_t born = 0; (born = index_late_in(ix, born, before, b->edge[0])) != ROW_NONE;)
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
	lexer_begin_at(&lx, &s->names, false, x->tick, text_at_cut(s, &w));
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

/* All bins from the text: rows alive in them, or samples. */
static enum status read_bins(struct store *s, const struct series *q, const struct bins *b,
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
	if (ok)
		add_stuck(s, q, b, x.row - early);
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

/*
 * What rows stuck for very long add to the leaf of p: their text is far away, so it is what the
 * leaf's sum holds and the rows near by do not explain. It is spread evenly, which is exact where
 * none of them changes its stage in the leaf.
 */
static double stuck_sum(const struct place *p, const struct amount *near, size_t n)
{
	double rest = p->leaf.sum;

	for (size_t i = 0; i < n; i++)
		rest -= near[i].sum;
	return rest;
}

/*
 * The amounts up to each of n ticks in order, n <= TICKS_AT_ONCE, all in the leaf of p and behind
 * its start, exactly: what the index has before the leaf, and the leaf's text read once.
 */
static enum status amounts_in_leaf(struct store *s, const struct series *q, const struct place *p,
				   bool stuck, const int64_t *tick, size_t n, struct amount *out,
				   struct error *e)
{
	int64_t edge[TICKS_AT_ONCE + 2];
	struct amount part[TICKS_AT_ONCE + 1] = {{0, 0}}, now = p->before;
	struct bins b = {edge, stuck ? n + 1 : n, part, stuck};
	double slope = 0;
	enum status st;

	edge[0] = p->leaf_tick;
	memcpy(edge + 1, tick, n * sizeof(*tick));
	edge[n + 1] = p->leaf_end;
	st = read_bins(s, q, &b, e);
	if (st != STATUS_OK)
		return st;
	if (stuck)
		slope = stuck_sum(p, part, b.n) / (double)(p->leaf_end - p->leaf_tick);
	for (size_t i = 0; i < n; i++) {
		now.sum += part[i].sum;
		now.samples += part[i].samples;
		out[i] = now;
		out[i].sum += slope * (double)(tick[i] - p->leaf_tick);
	}
	return STATUS_OK;
}

/* The amounts up to the first of n ticks and to those behind it in the same leaf; *done of them. */
static enum status amounts_upto(struct store *s, const struct series *q, const int64_t *tick,
				size_t n, struct amount *out, size_t *done, struct error *e)
{
	struct place p;
	bool stuck;

	store_read_lock(s);
	p = place_of(&s->index, q, *tick);
	stuck = q->kind == SERIES_OCCUPANCY && p.ok && p.leaf_end > *tick && has_stuck(s, p.leaf_tick);
	store_unlock(s);
	*done = 1;
	*out = p.before;
	if (!p.ok || *tick <= p.leaf_tick)
		return STATUS_OK;
	while (*done < n && *done < TICKS_AT_ONCE && tick[*done] < p.leaf_end)
		++*done;
	return amounts_in_leaf(s, q, &p, stuck, tick, *done, out, e);
}

static struct amount amount_about(struct store *s, const struct series *q, int64_t tick)
{
	struct place p;
	struct amount a;

	store_read_lock(s);
	p = place_of(&s->index, q, tick);
	store_unlock(s);
	a = p.before;
	a.sum += p.leaf.sum * p.part;
	a.samples += (uint64_t)((double)p.leaf.samples * p.part + 0.5);
	return a;
}

/* out has a place more than there are bins. */
static enum status sum_bins(struct store *s, const struct series *q, const struct bins *b,
			    bool exact, struct error *e)
{
	enum status st = STATUS_OK;
	size_t done = 1;

	for (size_t k = 0; st == STATUS_OK && k <= b->n; k += done) {
		if (exact)
			st = amounts_upto(s, q, b->edge + k, b->n + 1 - k, b->out + k, &done, e);
		else
			b->out[k] = amount_about(s, q, b->edge[k]);
	}
	for (size_t k = 0; k < b->n; k++) {
		b->out[k].sum = b->out[k + 1].sum - b->out[k].sum;
		b->out[k].samples = b->out[k + 1].samples - b->out[k].samples;
	}
	return st;
}

/* Rows [from, to), but those of leaves that were over before; false: they are too many. */
static bool add_heads(const struct trace_index *ix, const struct series *q, const struct bins *b,
		      uint64_t from, uint64_t to)
{
	struct leaf_walk w;
	uint64_t seen = 0;
	bool ok = leaf_walk_begin(&w, ix, from), more = ok;

	for (; more && w.view.leaves[w.leaf].row0 < to; more = leaf_walk_step(&w, 1)) {
		const struct leaf_head *h = &w.view.leaves[w.leaf];

		if (h->end_max < b->edge[0])
			continue;
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

/*
 * All bins from the row index, where the rows alive in them are not too many and no stages are
 * asked for: what a row that never ends makes too much text is still few rows. False: not so.
 */
static bool read_heads(struct store *s, const struct series *q, const struct bins *b)
{
	const struct trace_index *ix = &s->index;
	uint64_t to = store_row_born_at(s, b->edge[b->n]);
	struct extent x = {0};
	bool ok;

	if (q->kind == SERIES_OCCUPANCY || q->kind == SERIES_STATISTIC || s->reader->lex_rows)
		return false;
	store_read_lock(s);
	ok = !ix->early && rows_total(ix) == ix->row_end &&
	     ticks_extent(ix, b->edge[0], b->edge[b->n], &x) && to <= x.row + ROWS_AT_ONCE;
	if (ok) {
		add_stuck(s, q, b, x.row);
		ok = to <= x.row || add_heads(ix, q, b, x.row, to);
	}
	store_unlock(s);
	if (!ok) /* others begin anew */
		memset(b->out, 0, (b->n + 1) * sizeof(*b->out));
	return ok;
}

/* ---- the query --------------------------------------------------------------------------- */

/* First tick of bin k: the least integer not below from + k * (to - from) / n. */
static int64_t edge_of(int64_t from, int64_t to, size_t n, size_t k)
{
	__int128 span = (__int128)to - from;

	return (int64_t)(from + (span * (__int128)k + (__int128)n - 1) / (__int128)n);
}

static int64_t clamp(int64_t t, int64_t lo, int64_t hi)
{
	return t < lo ? lo : t > hi ? hi : t;
}

enum status store_series(struct store *s, const struct series *q, int64_t from, int64_t to, size_t n,
			 bool exact, double *values, struct error *e)
{
	struct extent x = {0};
	int64_t first, end, *edge = malloc((n + 1) * sizeof(*edge));
	struct amount *out = calloc(n + 1, sizeof(*out));
	struct bins b = {edge, n, out, false};
	enum status st = STATUS_OK;
	bool text;

	if (!edge || !out) {
		free(edge);
		free(out);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	store_read_lock(s);
	first = s->index.first;
	end = s->index.page_count ? s->index.tick_end : first;
	text = ticks_extent(&s->index, clamp(from, first, end), clamp(to, first, end), &x) &&
	       !x.clipped && x.off_end - x.off <= SERIES_TEXT;
	/* of those the text around does not tell the stages */
	if (text && q->kind == SERIES_OCCUPANCY && has_stuck(s, clamp(from, first, end))) {
		text = false;
		exact = true;
	}
	store_unlock(s);
	for (size_t k = 0; k <= n; k++)
		edge[k] = clamp(edge_of(from, to, n, k), first, end);
	if (n && edge[n] > edge[0])
		st = read_heads(s, q, &b) ? STATUS_OK
		     : text               ? read_bins(s, q, &b, e)
					  : sum_bins(s, q, &b, exact, e);
	for (size_t k = 0; k < n; k++) {
		double ticks = (double)(edge[k + 1] - edge[k]);
		double over = q->kind == SERIES_STATISTIC ? (double)out[k].samples : ticks;

		values[k] = over > 0 ? out[k].sum / over : NAN;
	}
	free(edge);
	free(out);
	return st;
}
