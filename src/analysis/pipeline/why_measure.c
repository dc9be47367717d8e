#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>

/* What is least begins with the most, and is 0 if none was seen. */
static const enum why_rule leasts[] = {WHY_RULE_DEPTH, WHY_RULE_READY, WHY_RULE_RETIRE};

bool why_measure_new(struct why_measure *m)
{
	bool ok = true;

	*m = (struct why_measure){.slots = why_slots_new(), .until = INT64_MAX};
	for (size_t i = 0; i < sizeof(m->edges) / sizeof(***m->edges); i++)
		(&m->edges[0][0][0])[i] = INT64_MAX;
	for (size_t i = 0; i < sizeof(leasts) / sizeof(*leasts); i++)
		m->found.number[leasts[i]] = INT64_MAX;
	for (int op = 0; op <= WHY_OPS; op++)
		m->found.latency[op] = INT64_MAX;
	for (int r = 0; r < WHY_RULES; r++)
		m->found.used[r] = true;
	for (int p = 0; p < WHY_PLACES; p++)
		ok = why_ring_new(&m->holders[p], WHY_SIZE_MOST) && ok;
	return m->slots && ok;
}

void why_measure_free(struct why_measure *m)
{
	for (int p = 0; p < WHY_PLACES; p++)
		free(m->holders[p].left);
	free(m->slots);
	m->slots = NULL;
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

/* ---- structures ---------------------------------------------------------------------------- */

/* One more enters: before it the size-th latest of the others has left, or more fit in. */
static void enter(const struct why_ring *r, int64_t now, int64_t *size)
{
	if (*size == 0)
		*size = 1;
	while (*size <= WHY_SIZE_MOST && r->left[(r->first + r->size - *size) % r->size].at > now)
		++*size;
}

void why_measure_row(struct why_measure *m, unsigned flags, const int64_t times[WHY_TIMES],
		     bool committed)
{
	for (int p = 0; p < WHY_PLACES; p++) {
		const struct why_rule_info *info = &why_rules[p];
		struct why_ring *r = &m->holders[p];

		if (!(flags & info->who) || times[info->left] == WHY_NEVER ||
		    (info->waits == WHY_C && !committed))
			continue;
		if (times[info->waits] < m->until)
			enter(r, times[info->waits], &m->found.number[p]);
		why_ring_put(r, times[info->left] + info->turn, 0);
	}
	if (flags & WHY_ISSUED) {
		const struct why_slot *slot =
		    why_slots_take(m->slots, times[WHY_X], flags & WHY_MEMORY);

		most(&m->found.number[WHY_RULE_ISSUE_WIDTH], slot->all);
		most(&m->found.number[WHY_RULE_MEMORY_WIDTH], slot->memory);
	}
}

/* ---- least differences --------------------------------------------------------------------- */

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
	if (n->flags & WHY_FETCHED && n->flags & WHY_WHOLE && index) {
		before = &insns[why_columns_begin(c, index - 1)];
		if (before->flags & (WHY_MISPREDICTED | WHY_MISFETCHED))
			measure_edge(m, why_redirect(before), before->op, n->times[WHY_F], before);
	}
	if (n->flags & WHY_ISSUED)
		least(&number[WHY_RULE_READY], n->times[WHY_X] - n->times[WHY_D]);
	least(&number[WHY_RULE_RETIRE], n->times[WHY_C] - n->times[WHY_W]);
	least(&m->found.latency[n->op], n->times[WHY_W] - n->times[WHY_X]);
	for (unsigned i = 0; i < n->producers; i++)
		measure_edge(m, WHY_RULE_OPERAND, n->op, n->times[WHY_X],
			     &insns[index - c->producers.data[n->producer + i]]);
}

/* ---- the machine --------------------------------------------------------------------------- */

/* The latest of the source's times, not before `first`, that is never after its target. */
static void end_edges(int64_t (*least_from)[WHY_C], enum why_time first, struct why_edges *out,
		      int64_t *usual_length)
{
	out->usual = -1;
	for (int op = 0; op <= WHY_OPS; op++) {
		int t = WHY_C - 1;

		while (t >= (int)first && (least_from[op][t] < 0 || least_from[op][t] == INT64_MAX))
			t--;
		out->from[op] = (int8_t)(t < (int)first ? -1 : t);
		out->length[op] = t < (int)first ? 0 : least_from[op][t];
		out->usual = out->from[op] > out->usual ? out->from[op] : out->usual;
	}
	*usual_length = out->usual < 0 ? 0 : INT64_MAX;
	for (int op = 0; op <= WHY_OPS; op++)
		if (out->from[op] == out->usual)
			least(usual_length, out->length[op]);
}

void why_measure_end(struct why_measure *m, struct why_machine *out)
{
	*out = m->found;
	for (size_t i = 0; i < sizeof(leasts) / sizeof(*leasts); i++)
		if (out->number[leasts[i]] == INT64_MAX)
			out->number[leasts[i]] = 0;
	for (int i = 0; i < WHY_EDGES; i++)
		end_edges(m->edges[i], WHY_RULE_REDIRECT + i == WHY_RULE_OPERAND ? WHY_X : WHY_F,
			  &out->edges[i], &out->number[WHY_RULE_REDIRECT + i]);
	for (int p = 0; p < WHY_PLACES; p++)
		if (out->number[p] > WHY_SIZE_MOST)
			out->number[p] = 0;
}
