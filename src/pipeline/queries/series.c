/*
 * Curves over ticks. A bin holds whole ticks. What the trace adds up to before an entry of the
 * index stands there; from there on to the edges of bins it is counted, from rows or text
 * (series_bins.h), or, where that is too much for drawing, interpolated: the entry spread evenly
 * over its ticks. Edges that lie close to each other are counted at once.
 */
#include "config.h"

#include "pipeline/queries/series_bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	DRAWN_TEXT = 1 << 20, /* bytes that are read to draw a curve, */
	DRAWN_ROWS = 1 << 20, /* rows that are looked at */
	GROUP_TEXT = 8 << 20  /* bytes of what is counted at once */
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

/* ---- around an edge ---------------------------------------------------------------------- */

/* The entry of the index that a tick lies in: what the trace has before it, and inside. */
struct place {
	struct amount before, inside;
	int64_t from, to; /* ticks of the entry; equal: nothing is to be counted */
	uint64_t off, row0, row_end, head; /* births: its own, and the oldest one alive at its start */
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
	struct place p = {.from = tick, .to = tick, .row0 = ix->row_end};
	struct sums before, inside = {0};
	const struct leaf_head *h;
	struct page_view v;
	size_t page;
	int k;

	if (tick >= ix->tick_end)
		p.before = pick(q, &ix->total, (double)ix->row_end);
	if (tick >= ix->tick_end || !index_at_tick(ix, tick, &page, &v, &k))
		return p;
	before = v.before;
	for (int i = 0; i < k; i++)
		leaf_add_sums(ix, &v.leaves[i], &before);
	h = &v.leaves[k];
	p = (struct place){.before = pick(q, &before, (double)h->row0),
			   .from = h->tick,
			   .off = h->off,
			   .row0 = h->row0,
			   .row_end = h->row0,
			   .head = h->head};
	do {
		leaf_add_sums(ix, &v.leaves[k], &inside);
		p.row_end += v.leaves[k].rows;
		p.to = leaf_tick_end(&v, (unsigned)k);
	} while (step_in_cycle(ix, &v, &page, &k));
	p.inside = pick(q, &inside, (double)(p.row_end - p.row0));
	return p;
}

struct query {
	struct store *s;
	const struct series *q;
	bool interpolated; /* nothing is counted */
	bool exact;
	uint64_t left; /* rows that may be looked at */
};

/*
 * How many of n edges, the first of them in p, are counted for at once: those of the same entry,
 * and of those behind it for which some of the same would be counted again, unless rows are stuck.
 */
static size_t together(const struct query *z, const struct place *p, const int64_t *edge, size_t n,
		       bool stuck)
{
	struct place at = *p;
	size_t k = 1;

	for (; k < n; k++) {
		uint64_t end = at.row_end;

		if (edge[k] <= at.to)
			continue;
		at = place_of(&z->s->index, z->q, edge[k]);
		if (stuck || at.from == at.to || (series_of_rows(z->q) ? at.row0 : at.head) > end ||
		    at.off - p->off > GROUP_TEXT)
			break;
	}
	return k;
}

/* The entry spread over its ticks. */
static struct amount interpolate(struct query *z, const struct place *p, int64_t tick)
{
	double part = (double)(tick - p->from) / (double)(p->to - p->from);
	struct amount a = p->before;

	if (tick > p->from && (p->inside.sum != 0 || p->inside.samples)) {
		a.sum += p->inside.sum * part;
		a.samples += (uint64_t)((double)p->inside.samples * part + 0.5);
		z->exact = false;
	}
	return a;
}

/*
 * What rows stuck for very long add: their text is far away, so it is what the entry holds and the
 * rows near by do not explain. It is spread evenly, which is exact where none of them changes its
 * stage in the entry: then so many rows are there for all of its ticks.
 */
static enum status add_stuck(struct query *z, const struct place *p, struct bins *b, struct error *e)
{
	struct bins near = {.from = p->from, .edge = &p->to};
	enum status st = bins_read_text(z->s, z->q, &near, &z->exact, e);
	double rows = (p->inside.sum - near.before.sum) / (double)(p->to - p->from);

	b->before.sum += rows * (double)(b->edge[0] - p->from);
	for (size_t k = 0; k < b->n; k++)
		b->out[k].sum += rows * (double)(b->edge[k + 1] - b->edge[k]);
	z->exact &= rows == floor(rows);
	return st;
}

/* Up to the first of n edges from the start of the trace on; and the bins of `done` of them. */
static enum status take(struct query *z, const int64_t *edge, size_t n, struct amount *first,
			struct amount *out, size_t *done, struct error *e)
{
	struct bins b = {.edge = edge, .out = out};
	enum status st = STATUS_OK;
	bool stuck = false;
	struct place p;

	store_read_lock(z->s);
	p = place_of(&z->s->index, z->q, *edge);
	if (!z->interpolated && z->q->kind == SERIES_OCCUPANCY && p.from < p.to)
		stuck = bins_have_stuck(&z->s->index, p.from);
	*done = z->interpolated ? 1 : together(z, &p, edge, n, stuck);
	store_unlock(z->s);
	b.from = p.from;
	b.n = *done - 1;
	if (!z->interpolated && p.from < edge[b.n]) {
		if (!series_of_rows(z->q))
			st = bins_read_text(z->s, z->q, &b, &z->exact, e);
		else
			z->interpolated = !bins_read_rows(z->s, z->q, &b, p.head, &z->left);
		if (st == STATUS_OK && stuck)
			st = add_stuck(z, &p, &b, e);
	}
	*first = (struct amount){p.before.sum + b.before.sum, p.before.samples + b.before.samples};
	if (z->interpolated) {
		memset(out, 0, b.n * sizeof(*out));
		*done = 1;
		*first = interpolate(z, &p, *edge);
	}
	return st;
}

static enum status take_bins(struct query *z, const int64_t *edge, size_t n, struct amount *out,
			     struct error *e)
{
	struct amount first, last = {0, 0};
	enum status st = STATUS_OK;

	for (size_t k = 0, done; k <= n && st == STATUS_OK; k += done) {
		st = take(z, edge + k, n + 1 - k, &first, out + k, &done, e);
		if (k)
			out[k - 1] = (struct amount){first.sum - last.sum,
						     first.samples - last.samples};
		last = first;
		for (size_t i = k; i + 1 < k + done; i++) {
			last.sum += out[i].sum;
			last.samples += out[i].samples;
		}
	}
	return st;
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

/* Is the text of ticks [from, to) too much to be read for drawing? */
static bool much_text(struct store *s, int64_t from, int64_t to)
{
	struct extent x;
	bool much;

	store_read_lock(s);
	much = ticks_extent(&s->index, from, to, &x) && x.off_end - x.off > DRAWN_TEXT;
	store_unlock(s);
	return much;
}

enum status store_series(struct store *s, const struct series *q, int64_t from, int64_t to,
			 size_t n, double *values, bool *exact, struct error *e)
{
	const bool drawn = exact && !*exact;
	struct query z = {s, q, .exact = true, .left = drawn ? DRAWN_ROWS : UINT64_MAX};
	int64_t first, end, *edge = malloc((n + 1) * sizeof(*edge));
	struct amount *out = calloc(n + 1, sizeof(*out));
	enum status st = STATUS_OK;

	if (!edge || !out) {
		free(edge);
		free(out);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	store_read_lock(s);
	first = s->index.first;
	end = s->index.page_count ? s->index.tick_end : first;
	store_unlock(s);
	for (size_t k = 0; k <= n; k++)
		edge[k] = clamp(n ? edge_of(from, to, n, k) : from, first, end);
	z.interpolated = drawn && !series_of_rows(q) && much_text(s, edge[0], edge[n]);
	if (edge[0] < edge[n])
		st = take_bins(&z, edge, n, out, e);
	for (size_t k = 0; k < n; k++) {
		double ticks = (double)(edge[k + 1] - edge[k]);
		double over = q->kind == SERIES_STATISTIC ? (double)out[k].samples : ticks;

		values[k] = over > 0 ? out[k].sum / over : NAN;
	}
	if (exact)
		*exact = z.exact;
	free(edge);
	free(out);
	return st;
}
