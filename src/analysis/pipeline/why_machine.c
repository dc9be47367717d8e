#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>

/* ---- names --------------------------------------------------------------------------------- */

const char *const why_time_names[WHY_TIMES] = {
#define NAME(id, name) name,
    WHY_TIME_INFO(NAME)
#undef NAME
};

const struct why_cause_info why_causes[WHY_CAUSES] = {
#define CAUSE(id, key, letter, gone, bound, what) {key, bound, letter, WHY_GONE_##gone},
    WHY_CAUSE_INFO(CAUSE)
#undef CAUSE
};

const struct why_rule_info why_rules[WHY_RULES] = {
#define PLACE(id, key, waits, takers, left, leavers, turn, of)                                     \
	{key, WHY_##of, WHY_##waits, WHY_##left, WHY_##takers, WHY_##leavers, turn},
#define EDGE(id, key, of) {.name = key, .cause = WHY_##of},
    WHY_SIZE_INFO(PLACE)
    WHY_EDGE_INFO(EDGE)
    WHY_ORDER_INFO(PLACE)
#undef PLACE
#undef EDGE
};

const char *why_cause_name(const struct why *w, unsigned cause)
{
	return cause < WHY_CAUSES ? why_causes[cause].key
				  : w->reading->stages.names[cause - WHY_CAUSES];
}

/* ---- places -------------------------------------------------------------------------------- */

bool why_ring_new(struct why_ring *r, int64_t size)
{
	*r = (struct why_ring){.size = (uint32_t)size};
	if (size <= 0)
		return true;
	r->left = malloc((size_t)size * sizeof(*r->left));
	for (int64_t i = 0; r->left && i < size; i++)
		r->left[i] = (struct why_left){INT64_MIN / 2, WHY_NOBODY};
	return r->left;
}

void why_ring_put(struct why_ring *r, int64_t at, uint32_t who)
{
	uint32_t slot = r->first;

	if (r->size == 0 || at < r->left[slot].at)
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

/* The cycle's slots, or those of a later cycle that stands in its place. */
static struct why_slot *slot_of(struct why_slot *slots, int64_t cycle)
{
	struct why_slot *slot = &slots[(uint64_t)cycle % WHY_SLOTS];

	if (slot->cycle < cycle)
		*slot = (struct why_slot){.cycle = cycle};
	return slot;
}

const struct why_slot *why_slots_take(struct why_slot *slots, int64_t cycle, bool memory)
{
	struct why_slot *slot = slot_of(slots, cycle);

	slot->all += slot->cycle == cycle;
	slot->memory += memory && slot->cycle == cycle;
	return slot;
}

int64_t why_slots_free_from(struct why_slot *slots, int64_t from, int64_t width,
			    int64_t memory_width)
{
	for (;; from++) {
		const struct why_slot *slot = slot_of(slots, from);
		const bool full = (width && slot->all >= width) ||
				  (memory_width && slot->memory >= memory_width);

		if (slot->cycle != from || !full)
			return from;
	}
}
