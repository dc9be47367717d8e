#include "config.h"

#include "analysis/pipeline/why_places.h"

#include <stdlib.h>

bool why_ring_new(struct why_ring *r, int64_t size)
{
	*r = (struct why_ring){.size = (uint32_t)size};
	if (size <= 0)
		return true;
	r->left = malloc((size_t)size * sizeof(*r->left));
	for (int64_t i = 0; r->left && i < size; i++)
		r->left[i] = (struct why_left){INT64_MIN / 2, WHY_NOBODY};
	return r->left != NULL;
}

void why_ring_free(struct why_ring *r)
{
	free(r->left);
	*r = (struct why_ring){0};
}

bool why_slots_new(struct why_slots *s)
{
	s->ring = malloc(WHY_SLOTS * sizeof(*s->ring));
	for (int i = 0; s->ring && i < WHY_SLOTS; i++)
		s->ring[i] = (struct why_slot){.cycle = INT64_MIN};
	return s->ring != NULL;
}

void why_slots_free(struct why_slots *s)
{
	free(s->ring);
	s->ring = NULL;
}

int64_t why_slots_free_from(struct why_slots *s, int64_t from, bool memory, int64_t width,
			    int64_t memory_width)
{
	int64_t cycle = from;
	uint32_t step;

	for (;; cycle += step) {
		struct why_slot *slot = why_slots_at(s, cycle);
		bool full = (width && slot->all >= width) ||
			    (memory && memory_width && slot->memory >= memory_width);

		if (slot->cycle != cycle || !full)
			break;
		step = slot->skip[memory] ? slot->skip[memory] : 1;
	}
	/* whoever comes to the full cycles next skips those that were found full now */
	for (int64_t at = from; at < cycle; at += step) {
		struct why_slot *slot = why_slots_at(s, at);

		step = slot->skip[memory] ? slot->skip[memory] : 1;
		if (slot->cycle == at && cycle - at < UINT32_MAX)
			slot->skip[memory] = (uint32_t)(cycle - at);
	}
	return cycle;
}
