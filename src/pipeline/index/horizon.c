#include "config.h"

#include "pipeline/index/horizon.h"

#include <string.h>

enum { ARRIVALS_MANY = 1024 };

void horizon_init(struct horizon *h, uint64_t rows)
{
	memset(h, 0, sizeof(*h));
	h->rows = rows;
	h->patience[HORIZON_BY_AGE] = HORIZON_AGE;
	h->patience[HORIZON_BY_SILENCE] = HORIZON_SILENCE;
	horizon_restart(h);
}

void horizon_free(struct horizon *h)
{
	vec_free(&h->arrivals);
	vec_free(&h->marks);
}

void horizon_restart(struct horizon *h)
{
	vec_clear(&h->marks);
	h->taken = h->off_end = 0;
	h->start_max = INT64_MIN;
	for (size_t i = 0; i < HORIZON_LIMITS; i++)
		h->safe[i] = INT64_MIN;
}

/* ---- marks ------------------------------------------------------------------------------- */

static bool put_mark(struct horizon *h, int64_t start_max, double at)
{
	if (start_max > h->start_max)
		h->start_max = start_max;
	return vec_push(&h->marks, ((struct mark){h->taken, h->start_max, at}));
}

/* What is older than any patience is as old as the oldest kept. */
static void forget_arrivals(struct horizon *h, double now)
{
	size_t old = 0;

	if (h->arrivals.count < ARRIVALS_MANY)
		return;
	while (old + 1 < h->arrivals.count && now - h->arrivals.data[old].at > HORIZON_MOST)
		old++;
	h->arrivals.count -= old;
	memmove(h->arrivals.data, h->arrivals.data + old,
		h->arrivals.count * sizeof(*h->arrivals.data));
}

static size_t arrival_of(const struct horizon *h, uint64_t off)
{
	size_t lo = 0, hi = h->arrivals.count - 1;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (h->arrivals.data[mid].off_end > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Text read again may have come bit by bit: a mark for each bit that has rows in the run. */
static bool mark_again(struct horizon *h, const struct row_run *run)
{
	VEC(int64_t) latest = {0};
	bool ok = vec_reserve(&latest, h->arrivals.count);

	for (size_t i = 0; ok && i < h->arrivals.count; i++)
		latest.data[i] = INT64_MIN;
	for (size_t i = 0; ok && i < run->keys.count; i++) {
		const struct packed_row *p =
		    (const struct packed_row *)(const void *)(run->words.data +
							      run->keys.data[i].at);
		size_t k = arrival_of(h, p->offset);

		latest.data[k] = p->start > latest.data[k] ? p->start : latest.data[k];
	}
	for (size_t i = 0; ok && i < h->arrivals.count; i++)
		if (latest.data[i] != INT64_MIN)
			ok = put_mark(h, latest.data[i], h->arrivals.data[i].at);
	vec_free(&latest);
	return ok;
}

bool horizon_take(struct horizon *h, const struct row_run *run, uint64_t off_end, double now)
{
	uint64_t known = h->arrivals.count ? vec_last(&h->arrivals).off_end : 0;
	bool again = h->off_end < known;

	h->taken += run->keys.count;
	h->off_end = off_end;
	if (now >= 0 && off_end > known) {
		forget_arrivals(h, now);
		if (!vec_push(&h->arrivals, ((struct arrival){off_end, now})))
			return false;
	}
	return again ? mark_again(h, run) : put_mark(h, run->start_max, now);
}

bool horizon_waits(const struct horizon *h)
{
	return h->marks.count > 0;
}

/* ---- limits ------------------------------------------------------------------------------ */

static void move(struct horizon *h, enum horizon_limit limit, int64_t safe)
{
	if (safe > h->safe[limit])
		h->safe[limit] = safe;
}

/*
 * By rows, what starts before the latest start of text so long ago; by the clock also what starts
 * with it, so that in the end none is left.
 */
bool horizon_move(struct horizon *h, double now)
{
	size_t n = h->marks.count, old = 0;
	bool waited = false;

	for (; old < n; old++) {
		const struct mark *m = &h->marks.data[old];

		if (h->taken - m->rows >= h->rows) {
			move(h, HORIZON_ROWS, m->start_max);
		} else if (m->at >= 0 && now - m->at >= h->patience[HORIZON_BY_AGE]) {
			move(h, HORIZON_BY_AGE, m->start_max + 1);
			waited = true;
		} else {
			break;
		}
	}
	if (old < n && h->marks.data[n - 1].at >= 0 &&
	    now - h->marks.data[n - 1].at >= h->patience[HORIZON_BY_SILENCE]) {
		move(h, HORIZON_BY_SILENCE, h->start_max + 1);
		waited = true;
		old = n;
	}
	h->marks.count -= old;
	memmove(h->marks.data, h->marks.data + old, h->marks.count * sizeof(*h->marks.data));
	return waited;
}

int64_t horizon_safe(const struct horizon *h)
{
	int64_t safe = h->safe[0];

	for (size_t i = 1; i < HORIZON_LIMITS; i++)
		safe = h->safe[i] > safe ? h->safe[i] : safe;
	return safe;
}

enum horizon_limit horizon_widen(struct horizon *h, int64_t start)
{
	enum horizon_limit limit = HORIZON_ROWS;

	while (limit < HORIZON_BY_SILENCE && start >= h->safe[limit])
		limit++;
	h->patience[limit] *= 2;
	if (h->patience[limit] > HORIZON_MOST)
		h->patience[limit] = HORIZON_MOST;
	return limit;
}
