#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>

#include "base/bisect.h"

/* ---- names --------------------------------------------------------------------------------- */

const char *const why_time_names[WHY_TIMES] = {
#define NAME(id, name) name,
    WHY_TIME_INFO(NAME)
#undef NAME
};

const struct why_cause_info why_causes[WHY_CAUSES] = {
#define CAUSE(id, key, gone, bound, what) {key, bound, WHY_GONE_##gone},
    WHY_CAUSE_INFO(CAUSE)
#undef CAUSE
};

const struct why_rule_info why_rules[WHY_RULES] = {
#define PLACE(id, key, waits, left, turn, who, of)                                                 \
	{key, WHY_##of, WHY_##waits, WHY_##left, turn, WHY_##who},
    WHY_PLACE_INFO(PLACE)
#undef PLACE
#define EDGE(id, key, of) {.name = key, .cause = WHY_##of},
	WHY_EDGE_INFO(EDGE)
#undef EDGE
};

const char *why_cause_name(const struct why *w, unsigned cause)
{
	return cause < WHY_CAUSES ? why_causes[cause].key : w->fronts[cause - WHY_CAUSES];
}

/* ---- settings ------------------------------------------------------------------------------ */

const enum why_rule why_settings[WHY_SETTINGS] = {
    WHY_RULE_FETCH_WIDTH,  WHY_RULE_DISPATCH_WIDTH, WHY_RULE_ISSUE_WIDTH, WHY_RULE_MEMORY_WIDTH,
    WHY_RULE_COMMIT_WIDTH, WHY_RULE_WINDOW_SIZE,    WHY_RULE_LSQ,         WHY_RULE_QUEUE_SIZE,
    WHY_RULE_FLOAT_QUEUE,  WHY_RULE_BUFFER,         WHY_RULE_DEPTH,       WHY_RULE_REDIRECT,
};

void why_forget_unreached(struct why_machine *m)
{
	for (unsigned r = 0; r < WHY_RULES; r++)
		m->used[r] = m->used[r] && (m->binding[r] || !why_is_size(r));
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Whether it was fetched before the cycle, or stands in a row before that one, with its group. */
static bool is_before(const struct why_columns *c, size_t i, int64_t cycle, uint64_t row)
{
	return c->insns.data[i].times[WHY_F] < cycle ||
	       c->row0 + c->insns.data[why_columns_begin(c, i)].row < row;
}

static bool is_behind(const struct why_columns *c, size_t i, int64_t cycle, uint64_t row)
{
	return c->insns.data[i].times[WHY_F] >= cycle ||
	       c->row0 + c->insns.data[why_columns_begin(c, i)].row >= row;
}

void why_columns_in(const struct why_columns *c, uint64_t row0, uint64_t row1,
		    struct why_span *span)
{
	size_t first = 0, end = c->insns.count, hi = end;

	if (!c->unordered) {
		bisect(first, hi, i, is_before(c, i, span->from, row0));
		hi = first;
		bisect(hi, end, i, !is_behind(c, i, span->to, row1));
	}
	while (first < end && is_before(c, first, span->from, row0))
		first++;
	while (end > first && is_behind(c, end - 1, span->to, row1))
		end--;
	span->first = first;
	span->end = end;
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

struct why_slot *why_slots_new(void)
{
	struct why_slot *slots = malloc(WHY_SLOTS * sizeof(*slots));

	for (int i = 0; slots && i < WHY_SLOTS; i++)
		slots[i] = (struct why_slot){.cycle = INT64_MIN};
	return slots;
}

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

int64_t why_slots_free_from(struct why_slot *slots, int64_t from, bool memory, int64_t width,
			    int64_t memory_width)
{
	int64_t cycle = from;

	for (;;) {
		struct why_slot *slot = slot_of(slots, cycle);
		bool full = (width && slot->all >= width) ||
			    (memory && memory_width && slot->memory >= memory_width);

		if (slot->cycle != cycle || !full)
			break;
		cycle += slot->skip[memory] ? slot->skip[memory] : 1;
	}
	/* whoever comes next skips those that were found full now */
	if (cycle > from)
		slot_of(slots, from)->skip[memory] = (uint32_t)(cycle - from);
	return cycle;
}
