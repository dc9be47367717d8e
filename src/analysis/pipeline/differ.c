#include "config.h"

#include "analysis/pipeline/differ.h"

#include "analysis/pipeline/align_keys.h"
#include "base/bisect.h"

const char *const difference_names[DIFFERENCE_COUNT] = {
#define DIFFERENCE_NAME(kind, name, help) name,
    DIFFERENCE_INFO(DIFFERENCE_NAME)
#undef DIFFERENCE_NAME
};

enum { DETAIL_ROWS = 512 };

#define KIND(name) (1U << DIFFERENCE_##name)

bool differ_new(struct differ *d, const struct align *al, const atomic_bool *stop)
{
	*d = (struct differ){.al = al, .stop = stop};
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (!path_cursor_new(&d->at[s], al->side[s].path)) {
			differ_free(d);
			return false;
		}
	return true;
}

void differ_free(struct differ *d)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		path_cursor_free(&d->at[s]);
		detail_free(&d->held[s]);
	}
}

/* The detail of a row, and of some behind it, which come next. NULL: it cannot be read. */
static const struct detail_row *detail_of(struct differ *d, int side, uint64_t row)
{
	struct detail *held = &d->held[side];
	struct error e;

	if (row < d->held_from[side] || row - d->held_from[side] >= held->count) {
		held->count = 0;
		if (store_detail(d->al->side[side].store, row, DETAIL_ROWS, held, &e))
			return NULL;
		d->held_from[side] = row;
	}
	return row - d->held_from[side] < held->count ? &held->rows[row - d->held_from[side]]
						      : NULL;
}

/* Time since the birth of the row; a stay that is still open is as long as can be. */
static int64_t since(const struct differ *d, int side, const struct detail_row *r, int64_t tick)
{
	return tick == TICK_NONE ? TICK_NONE : align_length(d->al, side, r->head.start, tick);
}

static bool same_stays(struct differ *d, const uint64_t row[ALIGN_SIDES])
{
	const struct detail_row *x = detail_of(d, ALIGN_A, row[ALIGN_A]);
	const struct detail_row *y = detail_of(d, ALIGN_B, row[ALIGN_B]);

	if (!x || !y)
		return x == y;
	if (x->stays != y->stays)
		return false;
	for (uint32_t i = 0; i < x->stays; i++) {
		const struct stay *p = &d->held[ALIGN_A].stays[x->stay0 + i];
		const struct stay *q = &d->held[ALIGN_B].stays[y->stay0 + i];
		const struct align_side *b = &d->al->side[ALIGN_B];

		if (q->stage >= STAGE_MAX || p->stage != b->stage_of[q->stage] ||
		    p->lane != q->lane ||
		    since(d, ALIGN_A, x, p->start) != since(d, ALIGN_B, y, q->start) ||
		    since(d, ALIGN_A, x, p->end) != since(d, ALIGN_B, y, q->end))
			return false;
	}
	return true;
}

static bool same_stages(struct differ *d, const struct path_step *x, const struct path_step *y)
{
	if (!same_stays(d, (uint64_t[]){x->row, y->row}))
		return false;
	return x->last == x->row && y->last == y->row
		   ? true
		   : same_stays(d, (uint64_t[]){x->last, y->last});
}

static unsigned events_on_a(const struct align_side *side, unsigned events)
{
	unsigned on_a = 0;

	for (; events; events &= events - 1)
		on_a |= side->event_of[__builtin_ctz(events)];
	return on_a;
}

/* Time between the commit of a step and that of the one before it, or the trace's beginning. */
static int64_t since_commit(struct differ *d, int side, uint64_t index, const struct path_step *s)
{
	int64_t end = s->end;
	const struct path_step *before = index ? path_at(&d->at[side], index - 1) : NULL;
	struct progress p;

	if (before)
		return align_length(d->al, side, before->end, end);
	store_progress(d->al->side[side].store, &p);
	return align_length(d->al, side, p.first, end);
}

static unsigned index_kinds(const struct differ *d, const uint64_t index[ALIGN_SIDES],
			    const struct path_step *x, const struct path_step *y)
{
	const struct align_side *a = &d->al->side[ALIGN_A], *b = &d->al->side[ALIGN_B];
	unsigned kinds = 0;

	if (align_key_of(a, index[ALIGN_A]) != align_key_of(b, index[ALIGN_B]))
		kinds |= KIND(CODE);
	if (align_length(d->al, ALIGN_A, x->start, x->end) !=
	    align_length(d->al, ALIGN_B, y->start, y->end))
		kinds |= KIND(LIFE);
	if (events_on_a(a, x->events) != events_on_a(b, y->events))
		kinds |= KIND(EVENTS);
	return kinds;
}

unsigned differ_pair(struct differ *d, const uint64_t index[ALIGN_SIDES], unsigned kinds)
{
	const struct path_step *p[ALIGN_SIDES];
	struct path_step step[ALIGN_SIDES];
	int64_t cycles[ALIGN_SIDES];
	unsigned found;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		p[s] = path_at(&d->at[s], index[s]);
		if (!p[s])
			return 0;
		step[s] = *p[s]; /* looking at the one before may turn the page */
		cycles[s] = since_commit(d, s, index[s], &step[s]);
	}
	found = index_kinds(d, index, &step[ALIGN_A], &step[ALIGN_B]);
	if (cycles[ALIGN_A] != cycles[ALIGN_B])
		found |= KIND(CYCLES);
	if ((kinds & KIND(STAGES)) && !same_stages(d, &step[ALIGN_A], &step[ALIGN_B]))
		found |= KIND(STAGES);
	return found & kinds;
}

/* The gap before run t (behind the last one: t is the number of runs) as path indexes. */
static void gap(const struct align *al, size_t t, uint64_t from[ALIGN_SIDES],
		uint64_t to[ALIGN_SIDES])
{
	const struct run *r = al->diff.runs.data;

	from[ALIGN_A] = t ? r[t - 1].a + r[t - 1].length : 0;
	from[ALIGN_B] = t ? r[t - 1].b + r[t - 1].length : 0;
	to[ALIGN_A] = t < al->diff.runs.count ? r[t].a : path_count(al->side[ALIGN_A].path);
	to[ALIGN_B] = t < al->diff.runs.count ? r[t].b : path_count(al->side[ALIGN_B].path);
}

static bool report_gap(const struct align *al, size_t t, unsigned kinds, struct difference *out)
{
	uint64_t from[ALIGN_SIDES], to[ALIGN_SIDES];

	*out = (struct difference){.side = ALIGN_B};
	gap(al, t, from, to);
	for (int s = ALIGN_SIDES; s-- > 0;) {
		out->row[s] = ROW_NONE;
		out->steps[s] = to[s] - from[s];
		if (out->steps[s] == 0)
			continue;
		out->kinds |= s == ALIGN_A ? KIND(ONLY_A) : KIND(ONLY_B);
		out->row[s] = path_row(al->side[s].path, from[s]);
		out->side = s;
	}
	out->kinds &= kinds;
	return out->kinds != 0;
}

static bool report_pair(struct differ *d, const struct run *r, uint64_t k, unsigned kinds,
			struct difference *out)
{
	uint64_t index[ALIGN_SIDES] = {r->a + k, r->b + k};

	*out = (struct difference){.steps = {1, 1}, .side = ALIGN_A};
	out->kinds = differ_pair(d, index, kinds);
	for (int s = 0; out->kinds && s < ALIGN_SIDES; s++)
		out->row[s] = path_row(d->al->side[s].path, index[s]);
	return out->kinds != 0;
}

static bool stopped(const struct differ *d)
{
	return d->stop && *d->stop;
}

/* The first run that ends behind the path index of the side. */
static size_t run_behind(const struct align *al, int side, uint64_t index)
{
	const struct run *runs = al->diff.runs.data;
	size_t low = 0, high = al->diff.runs.count;

	bisect(low, high, i, (side == ALIGN_A ? runs[i].a : runs[i].b) + runs[i].length <= index);
	return low;
}

/* The gap before run t (k 0), or pair k - 1 of the run; behind the last run there is a gap too. */
struct spot {
	size_t t;
	uint64_t k;
};

static uint64_t pairs_of(const struct align *al, size_t t)
{
	return t < al->diff.runs.count ? al->diff.runs.data[t].length : 0;
}

/* One further; false: there is none. */
static bool step(const struct align *al, struct spot *at, int dir)
{
	if (dir > 0 && at->k < pairs_of(al, at->t)) {
		at->k++;
	} else if (dir > 0) {
		*at = (struct spot){at->t + 1, 0};
	} else if (at->k > 0) {
		at->k--;
	} else {
		if (at->t == 0)
			return false;
		at->t--;
		at->k = pairs_of(al, at->t);
	}
	return at->t <= al->diff.runs.count;
}

/* From a spot on. */
static enum status look(struct differ *d, struct spot at, int dir, unsigned kinds,
			struct difference *out, struct error *e)
{
	const struct align *al = d->al;
	bool more = at.k <= pairs_of(al, at.t);

	for (; more && !stopped(d); more = step(al, &at, dir))
		if (at.k ? report_pair(d, &al->diff.runs.data[at.t], at.k - 1, kinds, out)
			 : report_gap(al, at.t, kinds, out))
			return STATUS_OK;
	*out = (struct difference){.row = {ROW_NONE, ROW_NONE}};
	return stopped(d) ? error_set(e, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}

enum status differ_next(struct differ *d, int side, uint64_t row, int dir, unsigned kinds,
			struct difference *out, struct error *e)
{
	const struct path *path = d->al->side[side].path;
	uint64_t index = path_rank(path, row), from[ALIGN_SIDES], to[ALIGN_SIDES];
	struct spot at = {dir > 0 ? 0 : d->al->diff.runs.count, 0};

	if (row == ROW_NONE)
		return look(d, at, dir, kinds, out, e);
	index += dir > 0 && path_has(path, row); /* the first not yet looked at */
	at.t = run_behind(d->al, side, index);
	gap(d->al, at.t, from, to);
	if (index > to[side])
		at.k = index - to[side] + (dir > 0);
	else if (dir > 0) /* in the middle of a gap that is behind us, but for the other's rows; */
		at.k = index > from[side] && (kinds & KIND(ONLY_A) << side);
	else if (index == from[side] && from[side] < to[side] && !step(d->al, &at, dir))
		at.k = UINT64_MAX; /* there, backwards, it comes first */
	return look(d, at, dir, kinds, out, e);
}

enum status differ_from(struct differ *d, const uint64_t index[ALIGN_SIDES], struct difference *out,
			struct error *e)
{
	struct spot at = {run_behind(d->al, ALIGN_A, index[ALIGN_A]), 0};
	uint64_t from[ALIGN_SIDES], to[ALIGN_SIDES];

	gap(d->al, at.t, from, to);
	if (index[ALIGN_A] >= to[ALIGN_A] && index[ALIGN_B] >= to[ALIGN_B])
		at.k = index[ALIGN_A] - to[ALIGN_A] + 1;
	return look(d, at, 1, DIFFERENCE_ALL, out, e);
}
