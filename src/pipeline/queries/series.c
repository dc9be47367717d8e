/*
 * Curves over ticks. A bin holds whole ticks, so every value is a difference of two sums "up
 * to tick T". Sums at the start of a leaf stand in the index; inside a leaf they come from the
 * text around it, or, for drawing wide bins, from a straight line through it.
 */
#include "config.h"

#include "pipeline/queries/series_bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SERIES_TEXT = 1 << 20, /* ranges of less text than this are read, not summed */
	TICKS_AT_ONCE = 256,   /* of one leaf, asked for by one reading of its text */
	FEW_TICKS =
	    512, /* so many are looked for in the row index also where estimates would do, */
	FEW_TICKS_BUSY = 4 /* while the index is being made: it wants the processors */
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

/* Where a tick lies: what the index sums up to its leaf, what the leaf adds, how far in it is. */
struct place {
	struct amount before, leaf;
	int64_t leaf_tick, leaf_end;
	uint64_t head, row_end; /* births: the oldest row alive at its start, and behind its own */
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
	p.head = h->head < h->row0 ? h->head : h->row0;
	p.row_end = h->row0;
	while (step_in_cycle(ix, &v, &page, &k)) {
		leaf_add_sums(ix, &v.leaves[k], &leaf);
		rows += v.leaves[k].rows;
		p.leaf_end = leaf_tick_end(&v, (unsigned)k);
	}
	p.leaf = pick(q, &leaf, (double)rows);
	p.row_end += rows;
	p.ok = true;
	return p;
}

/* ---- leaf by leaf ------------------------------------------------------------------------- */

/*
 * What rows stuck for very long add to the leaf of p: their text is far away, so it is what the
 * leaf's sum holds and the rows near by do not explain. It is spread evenly, which is exact where
 * none of them changes its stage in the leaf: then so many rows are there for all of its ticks.
 */
static double stuck_sum(const struct place *p, const struct amount *near, size_t n)
{
	double rest = p->leaf.sum;

	for (size_t i = 0; i < n; i++)
		rest -= near[i].sum;
	return rest;
}

/*
 * The amounts up to each of n ticks in order, n <= TICKS_AT_ONCE, all behind the start of the leaf
 * of p, and inside of it if rows are stuck: what the index has before the leaf, and from there on
 * the rows, or the text, read once.
 */
static enum status amounts_from_leaf(struct store *s, const struct series *q, const struct place *p,
				     bool stuck, const int64_t *tick, size_t n, struct amount *out,
				     bool *exact, struct error *e)
{
	const double ticks = (double)(p->leaf_end - p->leaf_tick);
	int64_t edge[TICKS_AT_ONCE + 2];
	struct amount part[TICKS_AT_ONCE + 1] = {{0, 0}}, now = p->before;
	struct bins b = {edge, stuck ? n + 1 : n, part, stuck};
	double slope = 0;
	enum status st;

	edge[0] = p->leaf_tick;
	memcpy(edge + 1, tick, n * sizeof(*tick));
	edge[n + 1] = p->leaf_end;
	st = bins_read_heads(s, q, &b) ? STATUS_OK : bins_read_text(s, q, &b, e);
	if (st != STATUS_OK)
		return st;
	if (stuck)
		slope = stuck_sum(p, part, b.n) / ticks;
	if (slope != floor(slope))
		*exact = false;
	for (size_t i = 0; i < n; i++) {
		now.sum += part[i].sum;
		now.samples += part[i].samples;
		out[i] = now;
		out[i].sum += slope * (double)(tick[i] - p->leaf_tick);
	}
	return STATUS_OK;
}

/*
 * How many of n ticks, the first of which is in the leaf of p, are to be read for together: those
 * of the leaf, and those behind it for which some of the same text would have to be read again.
 */
static size_t read_together(const struct trace_index *ix, const struct place *p, bool stuck,
			    const int64_t *tick, size_t n)
{
	struct extent read, more, next;
	size_t done = 1;

	if (n > TICKS_AT_ONCE)
		n = TICKS_AT_ONCE;
	while (done < n && tick[done] < p->leaf_end)
		done++;
	if (stuck || !ticks_extent(ix, p->leaf_tick, tick[done - 1], &read))
		return done;
	for (; done < n; done++, read = more)
		if (!ticks_extent(ix, tick[done], tick[done], &next) || next.off >= read.off_end ||
		    !ticks_extent(ix, p->leaf_tick, tick[done], &more) || more.clipped)
			break;
	return done;
}

/* The amounts up to the first of n ticks, and to those that are read for with it; *done of them. */
static enum status amounts_upto(struct store *s, const struct series *q, const int64_t *tick,
				size_t n, struct amount *out, size_t *done, bool *exact,
				struct error *e)
{
	struct place p;
	bool stuck;

	store_read_lock(s);
	p = place_of(&s->index, q, *tick);
	stuck = q->kind == SERIES_OCCUPANCY && p.ok && p.leaf_end > *tick &&
		bins_have_stuck(s, p.leaf_tick);
	*done = p.ok && *tick > p.leaf_tick ? read_together(&s->index, &p, stuck, tick, n) : 1;
	store_unlock(s);
	*out = p.before;
	if (!p.ok || *tick <= p.leaf_tick)
		return STATUS_OK;
	return amounts_from_leaf(s, q, &p, stuck, tick, *done, out, exact, e);
}

/* The same from the leaf's rows alone, as the row index has them; false: that does not tell. */
static bool amounts_of_heads(struct store *s, const struct series *q, const struct place *p,
			     const int64_t *tick, size_t n, struct amount *out)
{
	int64_t edge[TICKS_AT_ONCE + 1] = {p->leaf_tick};
	struct amount part[TICKS_AT_ONCE + 1] = {{0, 0}}, now = p->before;
	bool ok;

	memcpy(edge + 1, tick, n * sizeof(*tick));
	store_read_lock(s);
	ok = bins_add_heads(s, q, &(struct bins){edge, n, part, false}, p->head, p->row_end);
	store_unlock(s);
	for (size_t i = 0; i < n; i++) {
		now.sum += part[i].sum;
		out[i] = now;
	}
	return ok;
}

static struct amount amount_about(const struct place *p, int64_t tick, bool *exact)
{
	double part = (double)(tick - p->leaf_tick) / (double)(p->leaf_end - p->leaf_tick);
	struct amount a = p->before;

	if (tick <= p->leaf_tick || (p->leaf.sum == 0 && p->leaf.samples == 0))
		return a;
	if (part < 1)
		*exact = false;
	else
		part = 1;
	a.sum += p->leaf.sum * part;
	a.samples += (uint64_t)((double)p->leaf.samples * part + 0.5);
	return a;
}

/*
 * The amounts up to the first of n ticks and to those in the same leaf, from the index: *done of
 * them. Few ticks are looked for among the rows alive in the leaf.
 */
static void amounts_about(struct store *s, const struct series *q, const int64_t *tick, size_t n,
			  bool few, struct amount *out, size_t *done, bool *exact)
{
	struct place p;

	store_read_lock(s);
	p = place_of(&s->index, q, *tick);
	store_unlock(s);
	*done = 1;
	while (p.ok && *done < n && *done < TICKS_AT_ONCE && tick[*done] < p.leaf_end)
		++*done;
	if (few && p.ok && tick[*done - 1] > p.leaf_tick &&
	    amounts_of_heads(s, q, &p, tick, *done, out))
		return;
	for (size_t i = 0; i < *done; i++)
		out[i] = p.ok ? amount_about(&p, tick[i], exact) : p.before;
}

/* out has a place more than there are bins. */
static enum status sum_bins(struct store *s, const struct series *q, const struct bins *b,
			    bool *exact, struct error *e)
{
	const bool about = !*exact;
	enum status st = STATUS_OK;
	size_t done = 1, few;

	store_read_lock(s);
	few = s->index.complete ? FEW_TICKS : FEW_TICKS_BUSY;
	store_unlock(s);
	*exact = true;
	for (size_t k = 0; st == STATUS_OK && k <= b->n; k += done) {
		if (about)
			amounts_about(s, q, b->edge + k, b->n + 1 - k, b->n <= few, b->out + k,
				      &done, exact);
		else
			st = amounts_upto(s, q, b->edge + k, b->n + 1 - k, b->out + k, &done, exact,
					  e);
	}
	for (size_t k = 0; k < b->n; k++) {
		b->out[k].sum = b->out[k + 1].sum - b->out[k].sum;
		b->out[k].samples = b->out[k + 1].samples - b->out[k].samples;
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

enum status store_series(struct store *s, const struct series *q, int64_t from, int64_t to,
			 size_t n, double *values, bool *exact, struct error *e)
{
	struct extent x = {0};
	int64_t first, end, *edge = malloc((n + 1) * sizeof(*edge));
	struct amount *out = calloc(n + 1, sizeof(*out));
	struct bins b = {edge, n, out, false};
	enum status st = STATUS_OK;
	bool text, whole = !exact || *exact;

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
	if (text && q->kind == SERIES_OCCUPANCY && bins_have_stuck(s, clamp(from, first, end))) {
		text = false;
		whole = true;
	}
	store_unlock(s);
	for (size_t k = 0; k <= n; k++)
		edge[k] = clamp(edge_of(from, to, n, k), first, end);
	if (n == 0 || edge[n] <= edge[0] || bins_read_heads(s, q, &b))
		whole = true;
	else if (!text)
		st = sum_bins(s, q, &b, &whole, e);
	else if ((st = bins_read_text(s, q, &b, e)) == STATUS_OK)
		whole = true;
	for (size_t k = 0; k < n; k++) {
		double ticks = (double)(edge[k + 1] - edge[k]);
		double over = q->kind == SERIES_STATISTIC ? (double)out[k].samples : ticks;

		values[k] = over > 0 ? out[k].sum / over : NAN;
	}
	if (exact)
		*exact = whole;
	free(edge);
	free(out);
	return st;
}
