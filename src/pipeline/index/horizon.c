#include "config.h"

#include "pipeline/index/horizon.h"

#include <string.h>

void horizon_init(struct horizon *h, uint64_t rows)
{
	memset(h, 0, sizeof(*h));
	h->rows = rows;
	h->patience[HORIZON_BY_AGE] = HORIZON_AGE;
	h->patience[HORIZON_BY_SILENCE] = HORIZON_SILENCE;
	h->start_max = INT64_MIN;
	for (size_t i = 0; i < HORIZON_LIMITS; i++)
		h->safe[i] = INT64_MIN;
}

void horizon_free(struct horizon *h)
{
	vec_free(&h->marks);
}

bool horizon_take(struct horizon *h, uint64_t rows, int64_t start_max, double now)
{
	h->taken += rows;
	if (start_max > h->start_max)
		h->start_max = start_max;
	return vec_push(&h->marks, ((struct mark){h->taken, h->start_max, now}));
}

bool horizon_waits(const struct horizon *h)
{
	return h->marks.count > 0;
}

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

void horizon_widen(struct horizon *h, int64_t start)
{
	enum horizon_limit limit = HORIZON_ROWS;

	while (limit < HORIZON_BY_SILENCE && start >= h->safe[limit])
		limit++;
	h->patience[limit] *= 2;
	if (h->patience[limit] > HORIZON_MOST)
		h->patience[limit] = HORIZON_MOST;
}
