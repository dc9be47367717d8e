#include "config.h"

#include "pipeline/queries/course.h"

#include <math.h>
#include <string.h>

/* A life of more than so many usual ones was spent waiting: no other stay is longer for that. */
enum { LONG_LIVES = 8 };

static const double most_ticks = 0x1p62; /* that a damaged index can make */

static double share(uint64_t part, uint64_t all)
{
	return (double)part / (double)all;
}

bool course_make(struct course *out, const struct sums *a, const struct sums *b)
{
	uint64_t lives = 0, spent = 0, rows = 0;
	double rest = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned k = 0; k < STAGE_MAX; k++) {
		out->keep[k] = 1;
		lives += b->dominant[k] - a->dominant[k];
		spent += b->area[k] - a->area[k];
	}
	for (unsigned k = 0; k < FATE_COUNT; k++)
		rows += b->fates[k] - a->fates[k];
	if (!lives || !spent || !rows)
		return false;
	out->longest = fmin(LONG_LIVES * share(lives, rows), most_ticks);
	for (unsigned k = 0; k < STAGE_MAX; k++) {
		double claimed = share(b->dominant[k] - a->dominant[k], lives);
		double used = share(b->area[k] - a->area[k], spent);

		if (used < claimed)
			out->keep[k] = used / claimed;
		if (used <= claimed)
			continue;
		out->gain[k] = used - claimed;
		out->gainers[out->count++] = (uint8_t)k;
		rest += used - claimed;
	}
	for (size_t i = 0; i < out->count; i++)
		out->gain[out->gainers[i]] /= rest;
	return true;
}

/* What leaves that begin before tick add up to. */
static bool sums_before(const struct trace_index *ix, int64_t tick, struct sums *out)
{
	struct page_view v;
	size_t page;
	int leaf;

	if (tick >= ix->tick_end) {
		*out = ix->total;
		return true;
	}
	if (!index_at_tick(ix, tick, &page, &v, &leaf))
		return false;
	*out = v.before;
	for (int i = 0; i < leaf; i++)
		leaf_add_sums(ix, &v.leaves[i], out);
	return true;
}

bool course_of_ticks(struct course *out, const struct trace_index *ix, int64_t t0, int64_t t1)
{
	struct sums a, b;

	return sums_before(ix, t0, &a) && sums_before(ix, t1, &b) && course_make(out, &a, &b);
}

static int64_t append(struct course_span *out, size_t *n, const struct course *c, double given,
		      uint8_t stage, int64_t at)
{
	int64_t ticks = (int64_t)(given * c->gain[stage]);

	if (ticks)
		out[(*n)++] = (struct course_span){at, at + ticks, stage};
	return at + ticks;
}

size_t course_of_row(const struct course *c, int64_t start, int64_t end, uint8_t dominant,
		     struct course_span out[STAGE_MAX + 1])
{
	double given = (1 - c->keep[dominant]) * fmin((double)end - (double)start, c->longest);
	size_t count = given >= 1 ? c->count : 0, n = 0;
	int64_t at = start, kept = 0;

	if (count && __builtin_sub_overflow(end, start, &kept))
		count = 0;
	for (size_t i = 0; i < count; i++)
		kept -= (int64_t)(given * c->gain[c->gainers[i]]);
	if (kept <= 0) /* or a life too long for a double */
		count = 0;
	for (size_t i = 0; i < count && c->gainers[i] < dominant; i++)
		at = append(out, &n, c, given, c->gainers[i], at);
	out[n++] = (struct course_span){at, count ? at + kept : end, dominant};
	at = out[n - 1].end;
	for (size_t i = 0; i < count; i++)
		if (c->gainers[i] > dominant)
			at = append(out, &n, c, given, c->gainers[i], at);
	return n;
}

void course_of_sum(const struct course *c, const uint64_t *lives, size_t stages, uint64_t *ticks)
{
	double given = 0;

	for (size_t k = 0; k < stages; k++) {
		uint64_t kept = lives[k];

		if (kept && c->keep[k] < 1) /* where there is something, it is not rounded to nothing */
			kept = 1 + (uint64_t)((double)(kept - 1) * c->keep[k]);
		ticks[k] += kept;
		given += (double)(lives[k] - kept);
	}
	given = fmin(given, most_ticks);
	for (size_t i = 0; i < c->count && c->gainers[i] < stages; i++)
		ticks[c->gainers[i]] += (uint64_t)(given * c->gain[c->gainers[i]]);
}
