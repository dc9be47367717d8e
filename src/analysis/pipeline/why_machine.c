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
	return cause < WHY_CAUSES ? why_causes[cause].key : w->fronts[cause - WHY_CAUSES];
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

struct why_slot *why_slots_new(void)
{
	struct why_slot *slots = malloc(WHY_SLOTS * sizeof(*slots));

	for (int i = 0; slots && i < WHY_SLOTS; i++)
		slots[i] = (struct why_slot){.cycle = INT64_MIN};
	return slots;
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

/* ---- measuring ----------------------------------------------------------------------------- */

bool why_measure_new(struct why_measure *m)
{
	bool ok = true;

	*m = (struct why_measure){.slots = why_slots_new(), .until = INT64_MAX};
	for (size_t i = 0; i < sizeof(m->edges) / sizeof(***m->edges); i++)
		(&m->edges[0][0][0])[i] = INT64_MAX;
	for (int r = WHY_SIZES; r < WHY_RULES; r++)
		m->found.number[r] = r < WHY_ORDERS ? INT64_MAX : 1;
	for (int op = 0; op <= WHY_OPS; op++)
		m->found.latency[op] = INT64_MAX;
	for (int p = 0; p < WHY_PLACES; p++)
		ok = why_ring_new(&m->holders[p], WHY_SIZE_MOST) && ok;
	return m->slots && ok;
}

void why_measure_free(struct why_measure *m)
{
	for (int p = 0; p < WHY_PLACES; p++)
		free(m->holders[p].left);
	free(m->slots);
}

static inline void least(int64_t *of, int64_t value)
{
	if (value < *of)
		*of = value;
}

static inline void most(int64_t *of, int64_t value)
{
	if (value > *of)
		*of = value;
}

/* One more enters: before it the size-th latest of the others has left, or more fit in. */
static void enter(const struct why_ring *r, int64_t now, int64_t *size)
{
	most(size, 1);
	while (*size <= WHY_SIZE_MOST && r->left[(r->first + r->size - *size) % r->size].at > now)
		++*size;
}

void why_measure_row(struct why_measure *m, unsigned flags, const int64_t times[WHY_TIMES],
		     bool committed)
{
	for (int p = 0; p < WHY_PLACES; p++) {
		const struct why_rule_info *info = &why_rules[p];

		if (times[info->left] == WHY_NEVER || (info->waits == WHY_C && !committed))
			continue;
		if (flags & info->takers && times[info->waits] < m->until)
			enter(&m->holders[p], times[info->waits], &m->found.number[p]);
		if (flags & info->leavers)
			why_ring_put(&m->holders[p], times[info->left] + info->turn, 0);
	}
	if (flags & WHY_ISSUED) {
		const struct why_slot *slot =
		    why_slots_take(m->slots, times[WHY_X], flags & WHY_MEMORY);

		most(&m->found.number[WHY_RULE_ISSUE_WIDTH], slot->all);
		most(&m->found.number[WHY_RULE_MEMORY_WIDTH], slot->memory);
	}
}

/* To a time that waits, from those of whom it may wait for. */
static void measure_edge(struct why_measure *m, enum why_rule rule, uint8_t op, int64_t waits,
			 const struct why_insn *from)
{
	for (int t = 0; t < WHY_C; t++)
		least(&m->edges[rule - WHY_RULE_REDIRECT][op][t], waits - from->times[t]);
}

void why_measure_insn(struct why_measure *m, const struct why_columns *c, size_t index)
{
	const struct why_insn *insns = c->insns.data, *n = &insns[index], *before;
	int64_t *number = m->found.number;

	if (n->flags & WHY_FETCHED)
		least(&number[WHY_RULE_DEPTH], n->times[WHY_D] - n->times[WHY_F]);
	if (n->flags & WHY_FETCHED && index) {
		before = &insns[why_whole(c, index - 1)];
		if (before->flags & (WHY_MISPREDICTED | WHY_MISFETCHED))
			measure_edge(m, why_redirect(before), before->op, n->times[WHY_F], before);
	}
	if (n->flags & WHY_ISSUED)
		least(&number[WHY_RULE_READY], n->times[WHY_X] - n->times[WHY_D]);
	if (n->flags & WHY_LAST)
		least(&number[WHY_RULE_RETIRE], n->times[WHY_C] - n->times[WHY_W]);
	least(&m->found.latency[n->op], n->times[WHY_W] - n->times[WHY_X]);
	for (unsigned i = 0; i < n->producers; i++)
		measure_edge(m, WHY_RULE_OPERAND, n->op, n->times[WHY_X],
			     &insns[index - c->producers.data[n->producer + i]]);
}

/* The latest of the source's times, not before `first`, that is never after its target. */
static void end_edges(int64_t (*seen)[WHY_C], enum why_time first, struct why_edges *out)
{
	out->usual = -1;
	for (int t = 0; t < WHY_C; t++)
		out->length[t] = INT64_MAX;
	for (int op = 0; op <= WHY_OPS; op++) {
		int t = WHY_C - 1;

		while (t >= (int)first && (seen[op][t] < 0 || seen[op][t] == INT64_MAX))
			t--;
		out->from[op] = (int8_t)(t < (int)first ? -1 : t);
		if (out->from[op] < 0)
			continue;
		least(&out->length[t], seen[op][t]);
		out->usual = out->from[op] > out->usual ? out->from[op] : out->usual;
	}
}

void why_measure_end(struct why_measure *m, struct why_machine *out)
{
	*out = m->found;
	for (int i = 0; i < WHY_EDGES; i++) {
		struct why_edges *e = &out->edges[i];
		const enum why_rule rule = WHY_RULE_REDIRECT + (enum why_rule)i;

		end_edges(m->edges[i], rule == WHY_RULE_OPERAND ? WHY_X : WHY_F, e);
		out->number[rule] = e->usual < 0 ? 0 : e->length[e->usual];
	}
	for (int r = 0; r < WHY_RULES; r++) {
		out->used[r] = true;
		if (out->number[r] > WHY_SIZE_MOST) /* or none was seen */
			out->number[r] = 0;
	}
}
