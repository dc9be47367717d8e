#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_LEAST = 256 };

#define ALWAYS static inline __attribute__((always_inline))

bool why_run_new(struct why_run *r, const struct why_columns *c, const struct why_machine *m,
		 uint64_t gone, bool observed)
{
	bool ok = true;

	*r = (struct why_run){.c = c,
			      .machine = m,
			      .gone = gone,
			      .observed = observed,
			      .span = {INT64_MIN, INT64_MAX},
			      .before = WHY_NOBODY};
	for (int i = 0; i < WHY_RULES; i++)
		r->use[i] = m->used[i] && !(why_causes[why_rules[i].cause].gone == WHY_GONE_RULES &&
					    gone & WHY_BIT(why_rules[i].cause));
	for (int i = 0; i < WHY_PLACES; i++)
		ok = why_ring_new(&r->places[i], r->use[i] ? m->size[i] : 0) && ok;
	for (int t = 0; t < WHY_TIMES; t++)
		r->last[t] = (struct why_left){INT64_MIN / 2, WHY_NOBODY};
	r->stores = r->last[WHY_W];
	r->results = calloc(WHY_REACH, sizeof(*r->results));
	r->slots = why_slots_new();
	return r->slots && r->results && ok;
}

void why_run_free(struct why_run *r)
{
	for (int i = 0; i < WHY_PLACES; i++)
		free(r->places[i].left);
	free(r->slots);
	free(r->results);
}

/* Those of four full structures. */
size_t why_run_memory(const struct why_machine *m)
{
	int64_t most = MEMORY_LEAST / 4;

	for (int p = 0; p < WHY_PLACES; p++)
		most = m->size[p] > most ? m->size[p] : most;
	return (size_t)most * 4;
}

unsigned why_residue_cause(const struct why_insn *insn, enum why_time t)
{
	static const uint8_t causes[WHY_TIMES] = {WHY_FETCH, WHY_DISPATCH, WHY_CONTENTION,
						  WHY_EXECUTE, WHY_COMMIT};

	if (t == WHY_F && insn->flags & WHY_FETCH_MISS)
		return WHY_ICACHE;
	if (t == WHY_D && insn->front)
		return WHY_CAUSES + insn->front - 1u;
	/* what waits to issue, and then misses, as a rule waited for a miss register */
	if ((t == WHY_X && insn->flags & WHY_MISS) ||
	    (t == WHY_W && insn->flags & (WHY_MEMORY | WHY_MISS | WHY_UNREAD)))
		return WHY_DCACHE;
	return causes[t];
}

/* ---- constraints --------------------------------------------------------------------------- */

/*
 * `observed`, here and below, is a constant of each of the two evaluations that are made of this:
 * that of a what-if needs to know when the last constraint arrived, but not which one it was.
 */

static inline uint32_t who_of(const struct why_run *r, const struct why_insn *n)
{
	return (uint32_t)(n - r->c->insns.data);
}

/* Of equals the first one offered is the cause. */
ALWAYS void offer(struct why_run *r, const bool observed, struct why_arrival *a, enum why_rule rule,
		  int64_t at, uint32_t who, enum why_time from)
{
	if (!r->use[rule] || (!observed && at <= a->at))
		return;
	if (!observed)
		a->at = at;
	else if (at > r->seen)
		r->breaches[rule]++;
	else if (at > a->at)
		*a = (struct why_arrival){at, a->at, who, (uint8_t)rule, (uint8_t)from};
	else if (at > a->second)
		a->second = at;
}

/* Structures, last: they count as reached where nothing else would have been as late. */
ALWAYS void offer_places(struct why_run *r, const bool observed, struct why_arrival *a,
			 enum why_time t, unsigned flags)
{
#define PLACE(id, name, waits_, left_, turn_, taker, cause)                                        \
	if (WHY_##waits_ == t && flags & WHY_##taker && r->places[WHY_PLACE_##id].size) {          \
		const struct why_ring *ring = &r->places[WHY_PLACE_##id];                          \
		offer(r, observed, a, (enum why_rule)WHY_PLACE_##id,                               \
		      ring->left[ring->first].at + turn_, ring->left[ring->first].who,             \
		      WHY_##left_);                                                                \
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

ALWAYS void offer_last(struct why_run *r, const bool observed, struct why_arrival *a,
		       enum why_rule rule, enum why_time t)
{
	offer(r, observed, a, rule, r->last[t].at, r->last[t].who, t);
}

/* Another instruction's time and the cycles from there, which depend on the operation. */
ALWAYS void offer_edge(struct why_run *r, const bool observed, struct why_arrival *a,
		       enum why_rule rule, const struct why_edges *edges, uint8_t op, uint32_t who)
{
	const int from = edges->from[op];

	if (from >= 0)
		offer(r, observed, a, rule,
		      r->results[who % WHY_REACH][from] + why_edge_length(edges, op), who,
		      (enum why_time)from);
}

ALWAYS void offer_f(struct why_run *r, const bool observed, const struct why_insn *n,
		    struct why_arrival *a)
{
	const struct why_insn *before;

	offer_last(r, observed, a, WHY_RULE_FETCH_ORDER, WHY_F);
	if (!(n->flags & WHY_FETCHED) || r->before == WHY_NOBODY)
		return;
	before = &r->c->insns.data[r->before];
	if (before->flags & WHY_MISPREDICTED)
		offer_edge(r, observed, a, WHY_RULE_REDIRECT, &r->machine->redirect, before->op,
			   r->before);
	else if (before->flags & WHY_MISFETCHED)
		offer_edge(r, observed, a, WHY_RULE_MISFETCH, &r->machine->misfetch, before->op,
			   r->before);
	if (n->flags & WHY_BEHIND_TAKEN)
		offer(r, observed, a, WHY_RULE_TAKEN,
		      r->results[r->before % WHY_REACH][WHY_F] + 1, r->before, WHY_F);
}

ALWAYS void offer_x(struct why_run *r, const bool observed, const struct why_insn *n,
		    const int64_t *at, struct why_arrival *a)
{
	const unsigned flags = n->flags;

	if (flags & WHY_ISSUED)
		offer(r, observed, a, WHY_RULE_READY, at[WHY_D] + r->machine->ready, who_of(r, n),
		      WHY_D);
	if (flags & WHY_ISSUED && flags & WHY_WHOLE)
		offer_last(r, observed, a, WHY_RULE_ISSUE_ORDER, WHY_X);
	if (flags & WHY_ISSUED && flags & WHY_LOAD)
		offer(r, observed, a, WHY_RULE_STORES, r->stores.at, r->stores.who, WHY_W);
	for (unsigned i = 0; i < n->producers; i++)
		offer_edge(r, observed, a, WHY_RULE_OPERAND, &r->machine->operand, n->op,
			   who_of(r, n) - r->c->producers.data[n->producer + i]);
}

/* ---- times --------------------------------------------------------------------------------- */

/* What a fetch would wait for if no wrong path had brought its line in. */
static int64_t owed(const struct why_run *r, unsigned flags)
{
	return flags & WHY_LENT && r->gone & WHY_BIT(WHY_BRANCH) && !(r->gone & WHY_BIT(WHY_ICACHE))
		   ? r->machine->lent
		   : 0;
}

static bool is_gone(const struct why_run *r, unsigned cause)
{
	return r->gone & WHY_BIT(cause) &&
	       (cause >= WHY_CAUSES || why_causes[cause].gone == WHY_GONE_RESIDUES);
}

/* The time from what arrived last and the residue; or, of the run as it was, the residue. */
ALWAYS void settle(struct why_run *r, const bool observed, const struct why_insn *n,
		   struct why_step *s, enum why_time t, const struct why_arrival *a, int64_t ready)
{
	if (observed) {
		s->by[t] = *a;
		s->residues[t] = n->times[t] - ready;
		r->binding[a->rule] += s->residues[t] == 0 && !r->tied;
		r->alone[a->rule] += s->residues[t] == 0 && !r->tied && a->second < a->at;
		s->times[t] = n->times[t];
	} else if (r->fixed) {
		s->times[t] = n->times[t];
	} else if (s->residues[t] == 0 || is_gone(r, why_residue_cause(n, t))) {
		s->times[t] = ready;
	} else {
		s->times[t] = ready + s->residues[t];
	}
}

/*
 * Where nothing else holds: not before the time before; of the fetch, from the start on. What is
 * before the first fetch is no residue, unless it missed.
 */
ALWAYS struct why_arrival at_least(struct why_run *r, const struct why_insn *n,
				   const struct why_step *s, enum why_time t)
{
	static const uint8_t rules[WHY_TIMES] = {WHY_RULE_ORIGIN, WHY_RULE_DEPTH, WHY_RULE_READY,
						 WHY_RULE_LATENCY, WHY_RULE_RETIRE};
	const bool starts = who_of(r, n) == 0 && !(n->flags & WHY_FETCH_MISS);

	r->seen = n->times[t];
	r->tied = false;
	if (t == WHY_F)
		return (struct why_arrival){starts ? n->times[WHY_F] : 0, 0, WHY_NOBODY, rules[t],
					    WHY_F};
	return (struct why_arrival){s->times[t - 1], s->times[t - 1], who_of(r, n), rules[t],
				    (uint8_t)(t - 1)};
}

ALWAYS void fetch(struct why_run *r, const bool observed, const struct why_insn *n,
		  struct why_step *s)
{
	const unsigned flags = n->flags;
	struct why_arrival a = at_least(r, n, s, WHY_F);

	offer_f(r, observed, n, &a);
	offer_places(r, observed, &a, WHY_F, flags);
	settle(r, observed, n, s, WHY_F, &a, a.at + (observed ? 0 : owed(r, flags)));
	if (!observed && !r->fixed && s->times[WHY_F] < r->span.from)
		s->times[WHY_F] = r->span.from; /* what it saves before the span is not the span's */
	if (observed && flags & WHY_FETCH_MISS && s->residues[WHY_F]) {
		r->missed += s->residues[WHY_F];
		r->misses++;
	}
}

ALWAYS void dispatch(struct why_run *r, const bool observed, const struct why_insn *n,
		     struct why_step *s)
{
	struct why_arrival a = at_least(r, n, s, WHY_D);

	offer_last(r, observed, &a, WHY_RULE_DISPATCH_ORDER, WHY_D);
	offer_places(r, observed, &a, WHY_D, n->flags | r->group_flags);
	/* last: where the stages before are full all of them hold, and the older is the cause */
	if (n->flags & WHY_FETCHED) {
		const int64_t depth = s->times[WHY_F] + r->machine->depth;

		r->tied = a.at == depth;
		offer(r, observed, &a, WHY_RULE_DEPTH, depth, who_of(r, n), WHY_F);
	}
	settle(r, observed, n, s, WHY_D, &a, a.at);
}

/* The first cycle with a slot. */
ALWAYS int64_t slot_from(struct why_run *r, const bool observed, int64_t ready, bool memory)
{
	const int64_t slot = why_slots_free_from(
	    r->slots, ready, memory, r->use[WHY_RULE_ISSUE_WIDTH] ? r->machine->issue_width : 0,
	    r->use[WHY_RULE_MEMORY_WIDTH] ? r->machine->memory_width : 0);

	if (!observed)
		return slot;
	if (slot > r->seen) {
		r->breaches[WHY_RULE_ISSUE_WIDTH]++;
		r->breaches[WHY_RULE_MEMORY_WIDTH] += memory;
		return ready;
	}
	r->binding[memory && slot > ready ? WHY_RULE_MEMORY_WIDTH : WHY_RULE_ISSUE_WIDTH] +=
	    slot > ready;
	return slot;
}

ALWAYS void issue(struct why_run *r, const bool observed, const struct why_insn *n,
		  struct why_step *s)
{
	const unsigned flags = n->flags;
	const bool memory = flags & WHY_MEMORY;
	struct why_arrival a = at_least(r, n, s, WHY_X);
	int64_t slot;

	offer_x(r, observed, n, s->times, &a);
	slot = flags & WHY_ISSUED ? slot_from(r, observed, a.at, memory) : a.at;
	if (observed)
		s->slot = slot - a.at;
	settle(r, observed, n, s, WHY_X, &a, slot);
	if (!(flags & WHY_ISSUED))
		return;
	why_slots_take(r->slots, s->times[WHY_X], memory);
	if (flags & WHY_WHOLE)
		r->last[WHY_X] = (struct why_left){s->times[WHY_X], who_of(r, n)};
}

ALWAYS void finish(struct why_run *r, const bool observed, const struct why_insn *n,
		   struct why_step *s)
{
	struct why_arrival a = at_least(r, n, s, WHY_W);

	a.at += r->machine->latency[n->op];
	settle(r, observed, n, s, WHY_W, &a, a.at);
}

ALWAYS void until_result(struct why_run *r, const bool observed, const struct why_insn *n,
			 struct why_step *s)
{
	const uint32_t who = who_of(r, n);

	fetch(r, observed, n, s);
	dispatch(r, observed, n, s);
	issue(r, observed, n, s);
	finish(r, observed, n, s);
	for (int t = WHY_F; t <= WHY_X; t++)
		leave_places(r, (enum why_time)t, n->flags, s->times[t], who);
	r->last[WHY_F] = (struct why_left){s->times[WHY_F], who};
	r->last[WHY_D] = (struct why_left){s->times[WHY_D], who};
	memcpy(r->results[who % WHY_REACH], s->times, sizeof(s->times));
	if (n->flags & WHY_ADDRESS && s->times[WHY_W] > r->stores.at)
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

ALWAYS void commit(struct why_run *r, const bool observed, const struct why_insn *n,
		   struct why_step *s, const struct why_left *group)
{
	struct why_arrival a = at_least(r, n, s, WHY_C);
	const uint32_t who = who_of(r, n);

	offer(r, observed, &a, WHY_RULE_RETIRE, s->times[WHY_W] + r->machine->retire, who, WHY_W);
	if (group->who != who)
		offer(r, observed, &a, WHY_RULE_PARTS, group->at + r->machine->retire, group->who,
		      WHY_W);
	offer_last(r, observed, &a, WHY_RULE_COMMIT_ORDER, WHY_C);
	offer_places(r, observed, &a, WHY_C, n->flags);
	settle(r, observed, n, s, WHY_C, &a, a.at);
	leave_places(r, WHY_C, n->flags, s->times[WHY_C], who);
	r->last[WHY_C] = (struct why_left){s->times[WHY_C], who};
}

ALWAYS void evaluate(struct why_run *r, const bool observed, const struct why_insn *n,
		     size_t count, struct why_step *steps)
{
	struct why_left group;
	size_t last;

	for (size_t i = 0; i < count; i++)
		until_result(r, observed, &n[i], &steps[i]);
	last = last_result(steps, count);
	group = (struct why_left){steps[last].times[WHY_W], who_of(r, &n[last])};
	for (size_t i = 0; i < count; i++)
		commit(r, observed, &n[i], &steps[i], &group);
}

size_t why_run_group(struct why_run *r, size_t first, struct why_step *steps)
{
	const struct why_insn *n = &r->c->insns.data[first];
	const size_t end = why_columns_end(r->c, first);

	r->group_flags = 0;
	for (size_t i = first; i < end; i++)
		r->group_flags |= r->c->insns.data[i].flags & WHY_MEMORY;
	r->fixed = first < r->first || !why_span_has(r->span, n->times[WHY_F]);
	if (r->observed)
		evaluate(r, true, n, end - first, steps);
	else
		evaluate(r, false, n, end - first, steps);
	r->before = (uint32_t)first;
	return end;
}
