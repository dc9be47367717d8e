/*
 * Places that are taken and left: the structures of why_model.h, and the issue slots of cycles.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_PLACES_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WHY_NOBODY = UINT32_MAX };

struct why_left {
	int64_t at;
	uint32_t who;
};

/*
 * The `size` latest leaves so far, in a ring from the earliest: that one has to be over before
 * one more can enter. They come nearly in order, so that few change places.
 */
struct why_ring {
	struct why_left *left;
	uint32_t size, first; /* 0: it bounds nothing */
};

bool why_ring_new(struct why_ring *r, int64_t size); /* false: no memory */
void why_ring_free(struct why_ring *r);

static inline void why_ring_put(struct why_ring *r, int64_t at, uint32_t who)
{
	uint32_t slot = r->first;

	if (r->size == 0 || at <= r->left[slot].at)
		return;
	r->first = slot + 1 == r->size ? 0 : slot + 1;
	for (uint32_t more = r->size - 1; more > 0; more--) {
		uint32_t before = slot ? slot - 1 : r->size - 1;

		if (r->left[before].at <= at)
			break;
		r->left[slot] = r->left[before];
		slot = before;
	}
	r->left[slot] = (struct why_left){at, who};
}

/* How many issued in a cycle, and of them to memory; skip: cycles from here on that are full. */
struct why_slot {
	int64_t cycle;
	uint32_t all, memory, skip[2];
};

enum { WHY_SLOTS = 4096 }; /* cycles that are kept apart */

struct why_slots {
	struct why_slot *ring;
};

bool why_slots_new(struct why_slots *s); /* false: no memory */
void why_slots_free(struct why_slots *s);

static inline struct why_slot *why_slots_at(struct why_slots *s, int64_t cycle)
{
	struct why_slot *slot = &s->ring[(uint64_t)cycle % WHY_SLOTS];

	if (slot->cycle < cycle)
		*slot = (struct why_slot){.cycle = cycle};
	return slot;
}

/*
 * The first cycle from `from` on with fewer than these widths (0: any number) taken. Cycles that
 * the ring has forgotten are free. O(1), amortised.
 */
int64_t why_slots_free_from(struct why_slots *s, int64_t from, bool memory, int64_t width,
			    int64_t memory_width);

static inline void why_slots_take(struct why_slots *s, int64_t cycle, bool memory)
{
	struct why_slot *slot = why_slots_at(s, cycle);

	slot->all += slot->cycle == cycle;
	slot->memory += memory && slot->cycle == cycle;
}

#endif
