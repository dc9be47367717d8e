#include "config.h"

#include "pipeline/index/fetch_queue.h"

#include <stdlib.h>
#include <string.h>

void fetch_queue_free(struct fetch_queue *q)
{
	free(q->ring);
	memset(q, 0, sizeof(*q));
}

static bool fetch_queue_grow(struct fetch_queue *q)
{
	size_t cap = q->cap ? q->cap * 2 : 256;
	struct fetched *ring = malloc(cap * sizeof(*ring));

	if (!ring)
		return false;
	for (size_t i = 0; i < q->count; i++)
		ring[i] = q->ring[(q->first + i) & (q->cap - 1)];
	free(q->ring);
	q->ring = ring;
	q->cap = cap;
	q->first = 0;
	return true;
}

bool fetch_queue_push(struct fetch_queue *q, uint64_t id, uint64_t row, uint16_t thread)
{
	if (q->count == q->cap && !fetch_queue_grow(q))
		return false;
	q->ring[(q->first + q->count++) & (q->cap - 1)] =
	    (struct fetched){.id = id, .row = row, .thread = thread};
	return true;
}

bool fetch_queue_overtaken(struct fetch_queue *q, uint64_t row, uint16_t thread, size_t *at,
			   struct fetched *out)
{
	while (q->count && q->ring[q->first].gone) {
		q->first = (q->first + 1) & (q->cap - 1);
		q->count--;
		*at -= *at > 0;
	}
	for (; *at < q->count; ++*at) {
		struct fetched *f = &q->ring[(q->first + *at) & (q->cap - 1)];

		if (f->row > row)
			return false;
		if (f->gone || f->thread != thread)
			continue;
		f->gone = true;
		*out = *f;
		return true;
	}
	return false;
}
