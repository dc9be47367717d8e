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
			      .span = {INT64_MIN, INT64_MAX, 0, SIZE_MAX},
			      .before = WHY_NOBODY};
	for (int i = 0; i < WHY_RULES; i++)
		r->use[i] = m->used[i] && !(why_causes[why_rules[i].cause].gone == WHY_GONE_RULES &&
					    gone & WHY_BIT(why_rules[i].cause));
	r->issue_width = r->use[WHY_RULE_ISSUE_WIDTH] ? m->number[WHY_RULE_ISSUE_WIDTH] : 0;
	r->memory_width = r->use[WHY_RULE_MEMORY_WIDTH] ? m->number[WHY_RULE_MEMORY_WIDTH] : 0;
	for (int i = 0; i < WHY_PLACES; i++)
		ok = why_ring_new(&r->places[i], r->use[i] ? m->number[i] : 0) && ok;
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
		most = m->number[p] > most ? m->number[p] : most;
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
 * One time of an instruction, while constraints are offered to it. `observed` is a constant of each
 * of the two evaluations that are made of this: that of a what-if needs to know when the last
 * constraint arrived, but not which one it was.
 */
struct timing {
	struct why_run *r;
	const struct why_insn *n;
	struct why_step *s;
	enum why_time t;
	bool observed;
	bool tied; /* others were as late as the structure: it does not count as reached */
	uint32_t who; /* n */
	struct why_arrival a;
};

/*
 * Where nothing else holds: not before the time before; of the fetch, from the start on. What is
 * before the first fetch is no residue, unless it missed.
 */
ALWAYS struct timing begin(struct why_run *r, const bool observed, const struct why_insn *n,
			   struct why_step *s, enum why_time t)
{
	static const uint8_t rules[WHY_TIMES] = {WHY_RULE_ORIGIN, WHY_RULE_DEPTH, WHY_RULE_READY,
						 WHY_RULE_LATENCY, WHY_RULE_RETIRE};
	const uint32_t who = (uint32_t)(n - r->c->insns.data);
	const bool starts = who == 0 && !(n->flags & WHY_FETCH_MISS);
	struct timing w = {.r = r, .n = n, .s = s, .t = t, .observed = observed, .who = who};

	if (t == WHY_F)
		w.a = (struct why_arrival){starts ? n->times[t] : 0, 0, WHY_NOBODY, rules[t], t};
	else
		w.a = (struct why_arrival){s->times[t - 1], s->times[t - 1], who, rules[t],
					   (uint8_t)(t - 1)};
	return w;
}

/* Of equals the first one offered is the cause. */
ALWAYS void offer(struct timing *w, enum why_rule rule, int64_t at, uint32_t who,
		  enum why_time from)
{
	if (!w->r->use[rule] || (!w->observed && at <= w->a.at))
		return;
	if (!w->observed)
		w->a.at = at;
	else if (at > w->n->times[w->t])
		w->r->breaches[rule]++;
	else if (at > w->a.at)
		w->a = (struct why_arrival){at, w->a.at, who, (uint8_t)rule, (uint8_t)from};
	else if (at > w->a.second)
		w->a.second = at;
}

/* Structures, last: they count as reached where nothing else would have been as late. */
ALWAYS void offer_places(struct timing *w, unsigned flags)
{
#define PLACE(id, name, waits_, left_, turn_, taker, cause)                                        \
	if (WHY_##waits_ == w->t && flags & WHY_##taker && w->r->places[WHY_RULE_##id].size) {     \
		const struct why_ring *ring = &w->r->places[WHY_RULE_##id];                        \
		offer(w, WHY_RULE_##id, ring->left[ring->first].at + turn_,                        \
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
		why_ring_put(&r->places[WHY_RULE_##id], at, who);
	WHY_PLACE_INFO(PLACE)
#undef PLACE
}

/* The same time of the last one that had it. */
ALWAYS void offer_last(struct timing *w, enum why_rule rule)
{
	offer(w, rule, w->r->last[w->t].at, w->r->last[w->t].who, w->t);
}

/* Another instruction's time and the cycles from there, which depend on the operation. */
ALWAYS void offer_edge(struct timing *w, enum why_rule rule, uint8_t op, uint32_t who)
{
	const struct why_machine *m = w->r->machine;
	const int from = m->edges[rule - WHY_RULE_REDIRECT].from[op];

	if (from >= 0)
		offer(w, rule, w->r->results[who % WHY_REACH][from] + why_edge_length(m, rule, op),
		      who, (enum why_time)from);
}

/* ---- times --------------------------------------------------------------------------------- */

static bool is_gone(const struct why_run *r, unsigned cause)
{
	return r->gone & WHY_BIT(cause) &&
	       (cause >= WHY_CAUSES || why_causes[cause].gone == WHY_GONE_RESIDUES);
}

/* The time from what arrived last and the residue; or, of the run as it was, the residue. */
ALWAYS void settle(struct timing *w, int64_t ready)
{
	struct why_run *r = w->r;
	int64_t *residue = &w->s->residues[w->t];

	if (w->observed) {
		w->s->by[w->t] = w->a;
		*residue = w->n->times[w->t] - ready;
		r->binding[w->a.rule] += *residue == 0 && !w->tied;
		r->alone[w->a.rule] += *residue == 0 && !w->tied && w->a.second < w->a.at;
	}
	if (w->observed || r->fixed)
		ready = w->n->times[w->t];
	else if (*residue && !is_gone(r, why_residue_cause(w->n, w->t)))
		ready += *residue;
	w->s->times[w->t] = ready;
}

/* What a fetch would wait for if no wrong path had brought its line in. */
static int64_t owed(const struct why_run *r, unsigned flags)
{
	return flags & WHY_LENT && r->gone & WHY_BIT(WHY_BRANCH) && !(r->gone & WHY_BIT(WHY_ICACHE))
		   ? r->machine->lent
		   : 0;
}

/* Of the instruction before, which may be a branch. */
ALWAYS void offer_branch(struct timing *w, const struct why_insn *before, uint32_t who)
{
	if (before->flags & (WHY_MISPREDICTED | WHY_MISFETCHED))
		offer_edge(w, why_redirect(before), before->op, who);
	if (w->n->flags & WHY_BEHIND_TAKEN)
		offer(w, WHY_RULE_TAKEN, w->r->results[who % WHY_REACH][WHY_F] + 1, who, WHY_F);
}

ALWAYS void fetch(struct why_run *r, const bool observed, const struct why_insn *n,
		  struct why_step *s)
{
	struct timing w = begin(r, observed, n, s, WHY_F);

	offer_last(&w, WHY_RULE_FETCH_ORDER);
	if (n->flags & WHY_FETCHED && r->before != WHY_NOBODY)
		offer_branch(&w, &r->c->insns.data[r->before], r->before);
	offer_places(&w, n->flags);
	settle(&w, w.a.at + (observed ? 0 : owed(r, n->flags)));
	if (!observed && !r->fixed && s->times[WHY_F] < r->span.from)
		s->times[WHY_F] = r->span.from; /* what it saves before the span is not the span's */
	if (observed && n->flags & WHY_FETCH_MISS && s->residues[WHY_F]) {
		r->missed += s->residues[WHY_F];
		r->misses++;
	}
}

ALWAYS void dispatch(struct why_run *r, const bool observed, const struct why_insn *n,
		     struct why_step *s)
{
	struct timing w = begin(r, observed, n, s, WHY_D);

	offer_last(&w, WHY_RULE_DISPATCH_ORDER);
	offer_places(&w, n->flags | r->group_flags);
	/* last: where the stages before are full all of them hold, and the older is the cause */
	if (n->flags & WHY_FETCHED) {
		const int64_t depth = s->times[WHY_F] + r->machine->number[WHY_RULE_DEPTH];

		w.tied = w.a.at == depth;
		offer(&w, WHY_RULE_DEPTH, depth, w.who, WHY_F);
	}
	settle(&w, w.a.at);
}

/* The first cycle with a slot. */
ALWAYS int64_t slot_from(struct timing *w, int64_t ready, bool memory)
{
	struct why_run *r = w->r;
	const int64_t slot = why_slots_free_from(r->slots, ready, memory, r->issue_width,
						 r->memory_width);

	if (w->observed && slot > w->n->times[WHY_X]) {
		r->breaches[WHY_RULE_ISSUE_WIDTH]++;
		r->breaches[WHY_RULE_MEMORY_WIDTH] += memory;
		return ready;
	}
	if (w->observed)
		r->binding[memory ? WHY_RULE_MEMORY_WIDTH : WHY_RULE_ISSUE_WIDTH] += slot > ready;
	return slot;
}

ALWAYS void issue(struct why_run *r, const bool observed, const struct why_insn *n,
		  struct why_step *s)
{
	const bool issued = n->flags & WHY_ISSUED, memory = n->flags & WHY_MEMORY;
	struct timing w = begin(r, observed, n, s, WHY_X);
	int64_t slot;

	if (issued)
		offer(&w, WHY_RULE_READY, s->times[WHY_D] + r->machine->number[WHY_RULE_READY],
		      w.who, WHY_D);
	if (issued && n->flags & WHY_WHOLE)
		offer_last(&w, WHY_RULE_ISSUE_ORDER);
	if (issued && n->flags & WHY_LOAD)
		offer(&w, WHY_RULE_STORES, r->stores.at, r->stores.who, WHY_W);
	for (unsigned i = 0; i < n->producers; i++)
		offer_edge(&w, WHY_RULE_OPERAND, n->op,
			   w.who - r->c->producers.data[n->producer + i]);
	slot = issued ? slot_from(&w, w.a.at, memory) : w.a.at;
	if (observed)
		s->slot = slot - w.a.at;
	settle(&w, slot);
	if (!issued)
		return;
	why_slots_take(r->slots, s->times[WHY_X], memory);
	if (n->flags & WHY_WHOLE)
		r->last[WHY_X] = (struct why_left){s->times[WHY_X], w.who};
}

ALWAYS void finish(struct why_run *r, const bool observed, const struct why_insn *n,
		   struct why_step *s)
{
	struct timing w = begin(r, observed, n, s, WHY_W);

	w.a.at += r->machine->latency[n->op];
	settle(&w, w.a.at);
}

ALWAYS void until_result(struct why_run *r, const bool observed, const struct why_insn *n,
			 struct why_step *s)
{
	const uint32_t who = (uint32_t)(n - r->c->insns.data);

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

/* last: whose result came last of the group. */
ALWAYS void commit(struct why_run *r, const bool observed, const struct why_insn *n,
		   struct why_step *s, const struct why_left *last)
{
	struct timing w = begin(r, observed, n, s, WHY_C);
	const int64_t retire = r->machine->number[WHY_RULE_RETIRE];

	offer(&w, WHY_RULE_RETIRE, s->times[WHY_W] + retire, w.who, WHY_W);
	if (last->who != w.who)
		offer(&w, WHY_RULE_PARTS, last->at + retire, last->who, WHY_W);
	offer_last(&w, WHY_RULE_COMMIT_ORDER);
	offer_places(&w, n->flags);
	settle(&w, w.a.at);
	leave_places(r, WHY_C, n->flags, s->times[WHY_C], w.who);
	r->last[WHY_C] = (struct why_left){s->times[WHY_C], w.who};
}

ALWAYS void evaluate(struct why_run *r, const bool observed, size_t first, size_t end,
		     struct why_step *steps)
{
	const struct why_insn *n = &r->c->insns.data[first];
	struct why_left last = {INT64_MIN, WHY_NOBODY};

	for (size_t i = 0; i < end - first; i++) {
		until_result(r, observed, &n[i], &steps[i]);
		if (steps[i].times[WHY_W] > last.at)
			last = (struct why_left){steps[i].times[WHY_W], (uint32_t)(first + i)};
	}
	for (size_t i = 0; i < end - first; i++)
		commit(r, observed, &n[i], &steps[i], &last);
}

size_t why_run_group(struct why_run *r, size_t first, struct why_step *steps)
{
	const struct why_insn *insns = r->c->insns.data;
	const size_t end = why_columns_end(r->c, first);

	r->group_flags = 0;
	for (size_t i = first; i < end; i++)
		r->group_flags |= insns[i].flags & WHY_MEMORY;
	r->fixed = !why_span_has(r->span, first);
	if (r->observed)
		evaluate(r, true, first, end, steps);
	else
		evaluate(r, false, first, end, steps);
	r->before = (uint32_t)first;
	return end;
}
