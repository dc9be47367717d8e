#include "config.h"

#include "analysis/pipeline/why_measure.h"

#include <stdlib.h>
#include <string.h>

bool why_measure_new(struct why_measure *m)
{
	*m = (struct why_measure){.depth = INT64_MAX, .ready = INT64_MAX, .retire = INT64_MAX};
	m->redirect = malloc((WHY_OPS + 1) * sizeof(*m->redirect));
	m->misfetch = malloc((WHY_OPS + 1) * sizeof(*m->misfetch));
	for (int op = 0; m->redirect && m->misfetch && op <= WHY_OPS; op++)
		for (int t = 0; t < WHY_C; t++)
			m->redirect[op][t] = m->misfetch[op][t] = INT64_MAX;
	m->latencies = calloc(WHY_OPS + 1, sizeof(*m->latencies));
	m->operands = malloc((WHY_OPS + 1) * sizeof(*m->operands));
	for (int op = 0; op <= WHY_OPS; op++) {
		m->latency[op] = INT64_MAX;
		for (int of = 0; m->operands && of <= WHY_OPS; of++)
			m->operands[op][of] = (struct why_least){INT64_MAX, INT64_MAX};
	}
	return why_slots_new(&m->slots) && m->latencies && m->operands && m->redirect &&
	       m->misfetch;
}

void why_measure_free(struct why_measure *m)
{
	for (int p = 0; p < WHY_PLACES; p++)
		vec_free(&m->holders[p].left);
	why_slots_free(&m->slots);
	free(m->latencies);
	free(m->operands);
	free(m->redirect);
	free(m->misfetch);
	m->redirect = m->misfetch = NULL;
	m->latencies = NULL;
	m->operands = NULL;
}

static inline void least(int64_t *of, int64_t value)
{
	if (value < *of)
		*of = value;
}

/* ---- structures ---------------------------------------------------------------------------- */

/* Forget those who are gone. */
static void pass(struct why_holder *h, int64_t now)
{
	while (h->first < h->left.count && h->left.data[h->first] <= now)
		h->first++;
	if (h->first * 2 < h->left.count || h->first < WHY_SIZE_MOST)
		return;
	h->left.count -= h->first;
	memmove(h->left.data, h->left.data + h->first, h->left.count * sizeof(*h->left.data));
	h->first = 0;
}

static bool hold(struct why_holder *h, int64_t until)
{
	size_t at;

	if (h->left.count - h->first > WHY_SIZE_MOST)
		return true;
	if (!vec_push(&h->left, until))
		return false;
	for (at = h->left.count - 1; at > h->first && h->left.data[at - 1] > until; at--)
		h->left.data[at] = h->left.data[at - 1];
	h->left.data[at] = until;
	return true;
}

void why_measure_row(struct why_measure *m, unsigned flags, const int64_t times[WHY_TIMES],
		     bool committed)
{
	const bool memory = flags & WHY_MEMORY;

	for (int p = 0; p < WHY_PLACES; p++) {
		const struct why_place_info *info = &why_places[p];
		struct why_holder *h = &m->holders[p];

		if (!(flags & info->who) || times[info->left] == WHY_NEVER ||
		    (info->waits == WHY_C && !committed))
			continue;
		pass(h, times[info->waits]);
		m->no_memory |= !hold(h, times[info->left] + info->turn);
		if (h->left.count - h->first > h->most)
			h->most = h->left.count - h->first;
	}
	if (flags & WHY_ISSUED) {
		const struct why_slot *slot = why_slots_at(&m->slots, times[WHY_X]);

		why_slots_take(&m->slots, times[WHY_X], memory);
		m->issued = slot->all > m->issued ? slot->all : m->issued;
		m->accesses = slot->memory > m->accesses ? slot->memory : m->accesses;
	}
}

/* ---- least differences --------------------------------------------------------------------- */

static void measure_redirect(struct why_measure *m, const struct why_node *n,
			     const struct why_node *before)
{
	int64_t *of = (before->insn.flags & WHY_MISPREDICTED ? m->redirect
							     : m->misfetch)[before->insn.op];

	if (!(before->insn.flags & (WHY_MISPREDICTED | WHY_MISFETCHED)))
		return;
	for (int t = 0; t < WHY_C; t++)
		least(&of[t], n->times[WHY_F] - before->times[t]);
}

static void measure_operands(struct why_measure *m, const struct why_columns *c,
			     const struct why_node *n)
{
	for (unsigned i = 0; i < n->insn.producers; i++) {
		const size_t at = n->index - n->producers[i];
		const struct why_insn *from = &c->insns.data[at];
		int64_t x = c->blocks.data[at / WHY_BLOCK].base + from->fetch + from->later[0] +
			    from->later[1];

		struct why_least *of = &m->operands[from->op][n->insn.op];

		least(&of->x, n->times[WHY_X] - x);
		least(&of->w, n->times[WHY_X] - x - from->later[2]);
	}
}

void why_measure_node(struct why_measure *m, const struct why_columns *c, const struct why_node *n,
		      const struct why_node *before)
{
	const int64_t took = n->times[WHY_W] - n->times[WHY_X];

	if (n->insn.flags & WHY_FETCHED)
		least(&m->depth, n->times[WHY_D] - n->times[WHY_F]);
	if (n->insn.flags & WHY_FETCHED && before)
		measure_redirect(m, n, before);
	if (n->insn.flags & WHY_ISSUED)
		least(&m->ready, n->times[WHY_X] - n->times[WHY_D]);
	least(&m->retire, n->times[WHY_C] - n->times[WHY_W]);
	measure_operands(m, c, n);
	least(&m->latency[n->insn.op], took);
	if (!(n->insn.flags & WHY_MISS) && took < WHY_LATENCIES)
		m->latencies[n->insn.op][took]++;
}

/* ---- the machine --------------------------------------------------------------------------- */

static bool is_found(int64_t diff)
{
	return diff >= 0 && diff < INT64_MAX;
}

/* The latest of the source's times that is never after its target. */
static struct why_edge edge_of(const int64_t diffs[WHY_C])
{
	for (int t = WHY_C - 1; t >= 0; t--)
		if (is_found(diffs[t]))
			return (struct why_edge){(int8_t)t, diffs[t]};
	return (struct why_edge){-1, 0};
}

static void end_redirect(int64_t (*diffs)[WHY_C], struct why_redirect *out)
{
	*out = (struct why_redirect){.usual = -1};
	for (int op = 0; op <= WHY_OPS; op++) {
		struct why_edge *edge = &out->of[op];

		*edge = edge_of(diffs[op]);
		if (edge->from > out->usual)
			out->length = edge->length;
		else if (edge->from == out->usual && edge->from >= 0)
			least(&out->length, edge->length);
		out->usual = edge->from > out->usual ? edge->from : out->usual;
	}
}

/* From the result if that is never late, and then by the least of all; else from the issue. */
static void end_operands(const struct why_measure *m, struct why_operands *out)
{
	int64_t length = INT64_MAX;

	for (int op = 0; op <= WHY_OPS; op++)
		for (int of = 0; of <= WHY_OPS; of++)
			if (m->operands[op][of].w >= 0)
				least(&length, m->operands[op][of].w);
	for (int op = 0; op <= WHY_OPS; op++)
		for (int of = 0; of <= WHY_OPS; of++) {
			const struct why_least *l = &m->operands[op][of];

			out->from[op][of] = is_found(l->w) ? WHY_W : is_found(l->x) ? WHY_X : -1;
			out->length[op][of] = (int32_t)(is_found(l->w) ? length : l->x);
		}
}

/* The most frequent; the least where none is. */
static int64_t hit_of(const struct why_measure *m, int op)
{
	uint32_t most = 0;
	int64_t hit = m->latency[op];

	for (int i = 0; i < WHY_LATENCIES; i++)
		if (m->latencies[op][i] > most) {
			most = m->latencies[op][i];
			hit = i;
		}
	return hit;
}

static int64_t found(int64_t value)
{
	return value == INT64_MAX ? 0 : value;
}

void why_measure_end(const struct why_measure *m, struct why_operands *operands,
		     struct why_machine *out)
{
	*out = (struct why_machine){
	    .issue_width = m->issued,
	    .memory_width = m->accesses,
	    .operands = operands,
	    .depth = found(m->depth),
	    .ready = found(m->ready),
	    .retire = found(m->retire),
	};
	end_redirect(m->redirect, &out->redirect);
	end_redirect(m->misfetch, &out->misfetch);
	for (int p = 0; p < WHY_PLACES; p++)
		out->size[p] = m->holders[p].most <= WHY_SIZE_MOST ? (int64_t)m->holders[p].most : 0;
	end_operands(m, operands);
	for (int op = 0; op <= WHY_OPS; op++) {
		out->latency[op] = hit_of(m, op);
		out->set_latency[op] = -1;
	}
	for (int r = 0; r < WHY_RULES; r++)
		out->used[r] = true;
}
