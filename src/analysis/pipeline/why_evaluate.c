#include "config.h"

#include "analysis/pipeline/why_evaluate.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

bool why_run_new(struct why_run *r, const struct why_machine *m, uint64_t gone, bool observed)
{
	bool ok = true;

	*r = (struct why_run){.machine = m, .gone = gone, .observed = observed, .seen = INT64_MAX,
			     .span = {INT64_MIN, INT64_MAX}};
	for (int i = 0; i < WHY_RULES; i++)
		r->use[i] = m->used[i] && !(why_causes[why_rules[i].cause].gone == WHY_GONE_RULES &&
					    gone & WHY_BIT(why_rules[i].cause));
	for (int i = 0; i < WHY_PLACES; i++)
		ok = why_ring_new(&r->places[i], r->use[i] ? m->size[i] : 0) && ok;
	for (int t = 0; t < WHY_TIMES; t++)
		r->last[t] = (struct why_left){INT64_MIN / 2, WHY_NOBODY};
	r->stores = r->last[WHY_W];
	r->before_who = WHY_NOBODY;
	r->results = calloc(WHY_REACH, sizeof(*r->results));
	return why_slots_new(&r->slots) && r->results && ok;
}

void why_run_free(struct why_run *r)
{
	for (int i = 0; i < WHY_PLACES; i++)
		why_ring_free(&r->places[i]);
	why_slots_free(&r->slots);
	free(r->results);
	r->results = NULL;
}

unsigned why_residue_cause(const struct why_insn *insn, enum why_time t)
{
	static const uint8_t causes[WHY_TIMES] = {WHY_FETCH, WHY_DISPATCH, WHY_CONTENTION,
						  WHY_EXECUTE, WHY_COMMIT};

	if (t == WHY_F && insn->flags & WHY_FETCH_MISS)
		return WHY_ICACHE;
	if (t == WHY_D && insn->front)
		return WHY_CAUSES + insn->front - 1u;
	if (t == WHY_W && insn->flags & (WHY_MEMORY | WHY_MISS | WHY_UNREAD))
		return WHY_DCACHE;
	return causes[t];
}

/* ---- constraints --------------------------------------------------------------------------- */

/* Of equals the first one offered is the cause. */
ALWAYS void offer(struct why_run *r, struct why_arrival *a, enum why_rule rule, int64_t at,
		  uint32_t who, enum why_time from)
{
	if (at <= a->at || !r->use[rule])
		return;
	if (at > r->seen)
		r->breaches[rule]++;
	else
		*a = (struct why_arrival){at, who, (uint8_t)rule, (uint8_t)from};
}

/* Structures, last: they count as reached where nothing else would have been as late. */
ALWAYS void offer_places(struct why_run *r, struct why_arrival *a, enum why_time t, unsigned flags)
{
#define PLACE(id, name, waits_, left_, turn_, taker, cause)                                        \
	if (WHY_##waits_ == t && flags & WHY_##taker && r->places[WHY_PLACE_##id].size) {          \
		const struct why_ring *ring = &r->places[WHY_PLACE_##id];                          \
		offer(r, a, (enum why_rule)WHY_PLACE_##id, ring->left[ring->first].at + turn_,     \
		      ring->left[ring->first].who, WHY_##left_);                                   \
	}
	WHY_PLACE_INFO(PLACE)
#undef PLACE
}

ALWAYS void leave_places(struct why_run *r, enum why_time t, unsigned flags, int64_t at,
			 uint32_t who)
{
#define PLACE(id, name, waits, left_, turn, taker, cause)                                          \
	if (WHY_##left_ == t && flags & WHY_##taker)                                               \
		why_ring_put(&r->places[WHY_PLACE_##id], at, who);
	WHY_PLACE_INFO(PLACE)
#undef PLACE
}

static void offer_redirect(struct why_run *r, struct why_arrival *a, enum why_rule rule,
			   const struct why_edge *edge)
{
	if (edge->from >= 0)
		offer(r, a, rule, r->before[edge->from] + edge->length, r->before_who,
		      (enum why_time)edge->from);
}

ALWAYS void offer_f(struct why_run *r, const struct why_node *n, struct why_arrival *a)
{
	offer(r, a, WHY_RULE_FETCH_ORDER, r->last[WHY_F].at, r->last[WHY_F].who, WHY_F);
	if (!(n->insn.flags & WHY_FETCHED) || r->before_who == WHY_NOBODY)
		return;
	if (r->before_flags & WHY_MISPREDICTED)
		offer_redirect(r, a, WHY_RULE_REDIRECT, &r->machine->redirect);
	else if (r->before_flags & WHY_MISFETCHED)
		offer_redirect(r, a, WHY_RULE_MISFETCH, &r->machine->misfetch);
	if (n->insn.flags & WHY_BEHIND_TAKEN)
		offer(r, a, WHY_RULE_TAKEN, r->before[WHY_F] + 1, r->before_who, WHY_F);
}

ALWAYS void offer_d(struct why_run *r, const struct why_node *n, const int64_t *at,
		    struct why_arrival *a)
{
	if (n->insn.flags & WHY_FETCHED)
		offer(r, a, WHY_RULE_DEPTH, at[WHY_F] + r->machine->depth, (uint32_t)n->index,
		      WHY_F);
	offer(r, a, WHY_RULE_DISPATCH_ORDER, r->last[WHY_D].at, r->last[WHY_D].who, WHY_D);
}

static void offer_operands(struct why_run *r, const struct why_columns *c, const struct why_node *n,
			   struct why_arrival *a)
{
	for (unsigned i = 0; i < n->insn.producers; i++) {
		size_t from = n->index - n->producers[i];
		const uint8_t op = c->insns.data[from].op;
		const int t = r->machine->operands->from[op][n->insn.op];

		if (t >= 0)
			offer(r, a, WHY_RULE_OPERAND,
			      r->results[from % WHY_REACH][t == WHY_W] +
				  r->machine->operands->length[op][n->insn.op],
			      (uint32_t)from, (enum why_time)t);
	}
}

ALWAYS void offer_x(struct why_run *r, const struct why_columns *c, const struct why_node *n,
		    const int64_t *at, struct why_arrival *a)
{
	const unsigned flags = n->insn.flags;

	if (flags & WHY_ISSUED)
		offer(r, a, WHY_RULE_READY, at[WHY_D] + r->machine->ready, (uint32_t)n->index,
		      WHY_D);
	if (flags & WHY_ISSUED && flags & WHY_WHOLE)
		offer(r, a, WHY_RULE_ISSUE_ORDER, r->last[WHY_X].at, r->last[WHY_X].who, WHY_X);
	if (flags & WHY_ISSUED && flags & WHY_LOAD)
		offer(r, a, WHY_RULE_STORES, r->stores.at, r->stores.who, WHY_W);
	offer_operands(r, c, n, a);
}

/* ---- times --------------------------------------------------------------------------------- */

/* The time from what arrived last and the residue; or, of the run as it was, the residue. */
ALWAYS int64_t settle(struct why_run *r, const struct why_node *n, struct why_step *s,
		      enum why_time t, int64_t ready)
{
	unsigned cause;

	if (r->observed) {
		s->residues[t] = n->times[t] - ready;
		r->binding[s->by[t].rule] += s->residues[t] == 0;
		return s->times[t] = n->times[t];
	}
	if (r->fixed)
		return s->times[t] = n->times[t];
	cause = why_residue_cause(&n->insn, t);
	if (s->residues[t] == 0 || (r->gone & WHY_BIT(cause) &&
				    (cause >= WHY_CAUSES || why_causes[cause].gone == WHY_GONE_RESIDUES)))
		return s->times[t] = ready;
	return s->times[t] = ready + s->residues[t];
}

ALWAYS void see(struct why_run *r, const struct why_node *n, enum why_time t)
{
	if (r->observed)
		r->seen = n->times[t];
}

/*
 * Where nothing else holds: not before the time before; of the fetch, from the start on. What is
 * before the first fetch is no residue, unless it missed.
 */
ALWAYS struct why_arrival at_least(const struct why_node *n, const struct why_step *s,
				   enum why_time t)
{
	const bool starts = n->index == 0 && !(n->insn.flags & WHY_FETCH_MISS);

	if (t == WHY_F)
		return (struct why_arrival){starts ? n->times[WHY_F] : 0, WHY_NOBODY,
					    WHY_RULE_ORIGIN, WHY_F};
	return (struct why_arrival){s->times[t - 1], (uint32_t)n->index,
				    (uint8_t)(t == WHY_D   ? WHY_RULE_DEPTH
					      : t == WHY_X ? WHY_RULE_READY
					      : t == WHY_W ? WHY_RULE_LATENCY
							   : WHY_RULE_RETIRE),
				    (uint8_t)(t - 1)};
}

static void issue(struct why_run *r, const struct why_node *n, struct why_step *s)
{
	const bool memory = n->insn.flags & WHY_MEMORY;
	const int64_t ready = s->by[WHY_X].at;
	int64_t slot = ready;

	if (n->insn.flags & WHY_ISSUED) {
		slot = why_slots_free_from(
		    &r->slots, ready, memory, r->use[WHY_RULE_ISSUE_WIDTH] ? r->machine->issue_width : 0,
		    r->use[WHY_RULE_MEMORY_WIDTH] ? r->machine->memory_width : 0);
		if (slot > r->seen) {
			r->breaches[WHY_RULE_ISSUE_WIDTH]++;
			slot = ready;
		}
		r->binding[WHY_RULE_ISSUE_WIDTH] += slot > ready;
	}
	s->slot = slot - ready;
	settle(r, n, s, WHY_X, slot);
	if (!(n->insn.flags & WHY_ISSUED))
		return;
	why_slots_take(&r->slots, s->times[WHY_X], memory);
	if (n->insn.flags & WHY_WHOLE)
		r->last[WHY_X] = (struct why_left){s->times[WHY_X], (uint32_t)n->index};
}

/* What of the latency is that of a hit. */
static int64_t latency_of(const struct why_run *r, const struct why_node *n)
{
	int64_t took = n->times[WHY_W] - n->times[WHY_X], hit = r->machine->latency[n->insn.op];

	if (r->machine->set_latency[n->insn.op] >= 0 && n->insn.flags & WHY_ISSUED)
		return r->machine->set_latency[n->insn.op];
	return took < hit ? took : hit;
}

/* What a fetch would wait for if no wrong path had brought its line in. */
static int64_t owed(const struct why_run *r, unsigned flags)
{
	return flags & WHY_LENT && r->gone & WHY_BIT(WHY_BRANCH) && !(r->gone & WHY_BIT(WHY_ICACHE))
		   ? r->machine->lent
		   : 0;
}

ALWAYS void until_result(struct why_run *r, const struct why_columns *c, const struct why_node *n,
			 struct why_step *s)
{
	const uint32_t who = (uint32_t)n->index;
	const unsigned flags = n->insn.flags;

	see(r, n, WHY_F);
	s->by[WHY_F] = at_least(n, s, WHY_F);
	offer_f(r, n, &s->by[WHY_F]);
	offer_places(r, &s->by[WHY_F], WHY_F, flags);
	settle(r, n, s, WHY_F, s->by[WHY_F].at + owed(r, flags));
	if (r->observed && flags & WHY_FETCH_MISS && s->residues[WHY_F]) {
		r->missed += s->residues[WHY_F];
		r->misses++;
	}
	see(r, n, WHY_D);
	s->by[WHY_D] = at_least(n, s, WHY_D);
	offer_d(r, n, s->times, &s->by[WHY_D]);
	offer_places(r, &s->by[WHY_D], WHY_D, flags);
	settle(r, n, s, WHY_D, s->by[WHY_D].at);
	see(r, n, WHY_X);
	s->by[WHY_X] = at_least(n, s, WHY_X);
	offer_x(r, c, n, s->times, &s->by[WHY_X]);
	issue(r, n, s);
	s->by[WHY_W] = at_least(n, s, WHY_W);
	s->by[WHY_W].at += latency_of(r, n);
	settle(r, n, s, WHY_W, s->by[WHY_W].at);
	for (int t = WHY_F; t <= WHY_X; t++)
		leave_places(r, (enum why_time)t, flags, s->times[t], who);
	r->last[WHY_F] = (struct why_left){s->times[WHY_F], who};
	r->last[WHY_D] = (struct why_left){s->times[WHY_D], who};
	r->results[who % WHY_REACH][0] = s->times[WHY_X];
	r->results[who % WHY_REACH][1] = s->times[WHY_W];
	if (flags & WHY_ADDRESS && s->times[WHY_W] > r->stores.at)
		r->stores = (struct why_left){s->times[WHY_W], who};
}

/* Who of the group is done last. */
static size_t last_result(const struct why_step *steps, size_t count)
{
	size_t last = 0;

	for (size_t i = 1; i < count; i++)
		if (steps[i].times[WHY_W] > steps[last].times[WHY_W])
			last = i;
	return last;
}

static void commit(struct why_run *r, const struct why_node *n, struct why_step *s,
		   const struct why_left *group)
{
	struct why_arrival *a = &s->by[WHY_C];

	see(r, n, WHY_C);
	*a = at_least(n, s, WHY_C);
	offer(r, a, WHY_RULE_RETIRE, s->times[WHY_W] + r->machine->retire, (uint32_t)n->index,
	      WHY_W);
	offer(r, a, WHY_RULE_PARTS, group->at + r->machine->retire, group->who, WHY_W);
	offer(r, a, WHY_RULE_COMMIT_ORDER, r->last[WHY_C].at, r->last[WHY_C].who, WHY_C);
	offer_places(r, a, WHY_C, n->insn.flags);
	settle(r, n, s, WHY_C, a->at);
	leave_places(r, WHY_C, n->insn.flags, s->times[WHY_C], (uint32_t)n->index);
	r->last[WHY_C] = (struct why_left){s->times[WHY_C], (uint32_t)n->index};
}

void why_run_group(struct why_run *r, const struct why_columns *c, const struct why_node *nodes,
		   size_t count, struct why_step *steps)
{
	struct why_left group;
	size_t last;

	r->fixed = nodes[0].times[WHY_F] < r->span.from || nodes[0].times[WHY_F] >= r->span.to;
	for (size_t i = 0; i < count; i++)
		until_result(r, c, &nodes[i], &steps[i]);
	last = last_result(steps, count);
	group = (struct why_left){steps[last].times[WHY_W], (uint32_t)nodes[last].index};
	for (size_t i = 0; i < count; i++)
		commit(r, &nodes[i], &steps[i], &group);
	memcpy(r->before, steps[0].times, sizeof(r->before));
	r->before_who = (uint32_t)nodes[0].index;
	r->before_flags = nodes[0].insn.flags;
}
