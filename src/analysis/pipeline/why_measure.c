#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>

static void begin(int64_t least[WHY_OPS + 1][WHY_C])
{
	for (int op = 0; op <= WHY_OPS; op++)
		for (int t = 0; t < WHY_C; t++)
			least[op][t] = INT64_MAX;
}

bool why_measure_new(struct why_measure *m)
{
	bool ok = true;

	*m = (struct why_measure){
	    .found = {.depth = INT64_MAX, .ready = INT64_MAX, .retire = INT64_MAX},
	    .slots = why_slots_new()};
	begin(m->redirect);
	begin(m->misfetch);
	begin(m->operand);
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
		const struct why_place_info *info = &why_places[p];
		struct why_ring *r = &m->holders[p];

		if (!(flags & info->who) || times[info->left] == WHY_NEVER ||
		    (info->waits == WHY_C && !committed))
			continue;
		enter(r, times[info->waits], &m->found.size[p]);
		why_ring_put(r, times[info->left] + info->turn, 0);
	}
	if (flags & WHY_ISSUED) {
		const struct why_slot *slot =
		    why_slots_take(m->slots, times[WHY_X], flags & WHY_MEMORY);

		most(&m->found.issue_width, slot->all);
		most(&m->found.memory_width, slot->memory);
	}
}

/* ---- least differences --------------------------------------------------------------------- */

/* To a time that waits, from those of whom it may wait for. */
static void measure_edge(int64_t from_each[WHY_C], int64_t waits, const struct why_insn *from)
{
	for (int t = 0; t < WHY_C; t++)
		least(&from_each[t], waits - from->times[t]);
}

/* Behind a branch that was mispredicted, or repaired at dispatch. */
static void measure_redirect(struct why_measure *m, const struct why_insn *n,
			     const struct why_insn *before)
{
	if (before->flags & WHY_MISPREDICTED)
		measure_edge(m->redirect[before->op], n->times[WHY_F], before);
	else if (before->flags & WHY_MISFETCHED)
		measure_edge(m->misfetch[before->op], n->times[WHY_F], before);
}

void why_measure_insn(struct why_measure *m, const struct why_columns *c, size_t index)
{
	struct why_machine *f = &m->found;
	const struct why_insn *insns = c->insns.data, *n = &insns[index];

	if (n->flags & WHY_FETCHED)
		least(&f->depth, n->times[WHY_D] - n->times[WHY_F]);
	if (n->flags & WHY_FETCHED && n->flags & WHY_WHOLE && index)
		measure_redirect(m, n, &insns[why_columns_begin(c, index - 1)]);
	if (n->flags & WHY_ISSUED)
		least(&f->ready, n->times[WHY_X] - n->times[WHY_D]);
	least(&f->retire, n->times[WHY_C] - n->times[WHY_W]);
	least(&f->latency[n->op], n->times[WHY_W] - n->times[WHY_X]);
	for (unsigned i = 0; i < n->producers; i++)
		measure_edge(m->operand[n->op], n->times[WHY_X],
			     &insns[index - c->producers.data[n->producer + i]]);
}

/* ---- the machine --------------------------------------------------------------------------- */

/* The latest of the source's times, not before `first`, that is never after its target. */
static void end_edges(int64_t (*diffs)[WHY_C], enum why_time first, struct why_edges *out)
{
	*out = (struct why_edges){.usual = -1, .usual_length = INT64_MAX};
	for (int op = 0; op <= WHY_OPS; op++) {
		int t = WHY_C - 1;

		while (t >= (int)first && (diffs[op][t] < 0 || diffs[op][t] == INT64_MAX))
			t--;
		out->from[op] = (int8_t)(t < (int)first ? -1 : t);
		out->length[op] = t < (int)first ? 0 : diffs[op][t];
		out->usual = out->from[op] > out->usual ? out->from[op] : out->usual;
	}
	for (int op = 0; op <= WHY_OPS; op++)
		if (out->usual >= 0 && out->from[op] == out->usual)
			least(&out->usual_length, out->length[op]);
	if (out->usual < 0)
		out->usual_length = 0;
}

static void end_least(int64_t *value)
{
	*value = *value == INT64_MAX ? 0 : *value;
}

void why_measure_end(struct why_measure *m, struct why_machine *out)
{
	*out = m->found;
	end_least(&out->depth);
	end_least(&out->ready);
	end_least(&out->retire);
	end_edges(m->redirect, WHY_F, &out->redirect);
	end_edges(m->misfetch, WHY_F, &out->misfetch);
	end_edges(m->operand, WHY_X, &out->operand);
	for (int p = 0; p < WHY_PLACES; p++)
		if (out->size[p] > WHY_SIZE_MOST)
			out->size[p] = 0;
}
