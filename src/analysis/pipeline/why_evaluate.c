#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_LEAST = 256 }; /* or as much as four full structures hold */

#define ALWAYS static inline __attribute__((always_inline))

bool why_run_begin(struct why_run *r)
{
	struct why_step step = {.times = {0}};
	bool ok = true;

	r->memory = MEMORY_LEAST;
	for (int i = 0; i < WHY_RULES; i++) {
		const enum why_cause_id cause = why_rules[i].cause;

		if (i < WHY_PLACES && (size_t)r->m.number[i] * 4 > r->memory)
			r->memory = (size_t)r->m.number[i] * 4;
		r->m.used[i] = r->m.used[i] && !(why_causes[cause].gone == WHY_GONE_RULES &&
						 r->gone & WHY_BIT(cause));
		if (!r->m.used[i])
			r->m.number[i] = 0;
		if (i < WHY_PLACES || i >= WHY_ORDERS)
			ok = why_ring_new(&r->places[i], r->m.number[i]) && ok;
	}
	r->results = calloc(WHY_REACH, sizeof(*r->results));
	r->slots = calloc(WHY_SLOTS, sizeof(*r->slots));
	if (!ok || !r->slots || !r->results)
		return false;
	/* what holds it up, from nothing */
	for (size_t i = r->first > r->memory ? why_whole(r->c, r->first - r->memory) : 0;
	     i < r->first; i++)
		why_run_step(r, i, &step);
	return true;
}

void why_run_free(struct why_run *r)
{
	for (int i = 0; i < WHY_RULES; i++)
		free(r->places[i].left);
	free(r->slots);
	free(r->results);
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
	bool tied;    /* others were as late as the structure: it does not count as reached */
	uint32_t who; /* n */
	struct why_arrival a;
};

/*
 * Where nothing else holds: so long after the time before; of the fetch, from the start on. What is
 * before the first fetch is no residue, unless it missed.
 */
ALWAYS struct timing begin(struct why_run *r, const bool observed, uint32_t who,
			   struct why_step *s, enum why_time t)
{
	static const struct {
		uint8_t rule;
		unsigned who;
	} own[WHY_TIMES] = {{WHY_RULE_ORIGIN, 0},
			    {WHY_RULE_DEPTH, WHY_FETCHED},
			    {WHY_RULE_READY, WHY_ISSUED},
			    {WHY_RULE_LATENCY, 0},
			    {WHY_RULE_RETIRE, WHY_LAST}};
	const struct why_insn *n = &r->c->insns.data[who];
	const bool starts = who == 0 && !(n->flags & WHY_FETCH_MISS);
	const bool own_time = t != WHY_F && (n->flags & own[t].who) == own[t].who;
	int64_t *least = &r->m.number[t == WHY_W ? WHY_RULES + n->op : own[t].rule];
	struct timing w = {.r = r, .n = n, .s = s, .t = t, .observed = observed, .who = who};

	if (observed && r->learned && own_time)
		why_least(least, n->times[t] - n->times[t - 1]);
	if (t == WHY_F)
		w.a = (struct why_arrival){starts ? n->times[t] : 0, 0, WHY_NOBODY, own[t].rule, t};
	else
		w.a = (struct why_arrival){s->times[t - 1], s->times[t - 1], who,
					   own[t].rule, (uint8_t)(t - 1)};
	/* of dispatch: see there */
	w.a.at += own_time && t != WHY_D ? *least : 0;
	return w;
}

/* Of equals the first one offered is the cause. */
ALWAYS void offer(struct timing *w, enum why_rule rule, int64_t at, uint32_t who,
		  enum why_time from)
{
	if (!w->r->m.used[rule] || (!w->observed && at <= w->a.at))
		return;
	if (!w->observed)
		w->a.at = at;
	else if (at > w->n->times[w->t])
		w->r->m.breaches[rule]++;
	else if (at > w->a.at)
		w->a = (struct why_arrival){at, w->a.at, who, (uint8_t)rule, (uint8_t)from};
	else if (at > w->a.second)
		w->a.second = at;
}

/* Last: structures count as reached where nothing else would have been as late. */
ALWAYS void offer_places(struct timing *w)
{
#define PLACE(id, name, waits_, taker, left_, leaver, turn, cause)                                 \
	if (WHY_##waits_ == w->t && (w->n->flags & WHY_##taker) == WHY_##taker &&                  \
	    w->r->places[WHY_RULE_##id].size) {                                                    \
		const struct why_ring *ring = &w->r->places[WHY_RULE_##id];                        \
		offer(w, WHY_RULE_##id, ring->left[ring->first].at + turn,                         \
		      ring->left[ring->first].who, WHY_##left_);                                   \
	}
	WHY_ORDER_INFO(PLACE)
	WHY_SIZE_INFO(PLACE)
#undef PLACE
}

/* Another instruction's time and the cycles from there, which depend on the operation. */
ALWAYS void offer_edge(struct timing *w, enum why_rule rule, uint8_t op, uint32_t who)
{
	const struct why_edges *e = &w->r->m.edges[rule - WHY_RULE_REDIRECT];
	const int64_t *times = w->r->results[who % WHY_REACH];
	const int from = e->from[op];

	if (w->observed && w->r->learned)
		for (int t = 0; t < WHY_C; t++)
			why_least(&w->r->learned[rule - WHY_RULE_REDIRECT][op][t],
				  w->n->times[w->t] - times[t]);
	else if (from >= 0)
		offer(w, rule,
		      times[from] + (from == e->usual ? w->r->m.number[rule] : e->length[from]),
		      who, (enum why_time)from);
}

/* ---- times --------------------------------------------------------------------------------- */

static bool is_gone(const struct why_run *r, unsigned cause)
{
	return r->gone & WHY_BIT(cause) &&
	       (cause >= WHY_CAUSES || why_causes[cause].gone == WHY_GONE_RESIDUES);
}

ALWAYS void fetch(struct timing *w)
{
	const struct why_run *r = w->r;
	const uint32_t before = w->who ? (uint32_t)why_whole(r->c, w->who - 1) : w->who;
	const struct why_insn *branch = &r->c->insns.data[before];
	const bool behind = before < w->who && w->n->flags & WHY_FETCHED;

	if (behind && branch->flags & WHY_MISPREDICTED)
		offer_edge(w, WHY_RULE_REDIRECT, branch->op, before);
	else if (behind && branch->flags & WHY_MISFETCHED)
		offer_edge(w, WHY_RULE_MISFETCH, branch->op, before);
	offer_places(w);
	if (!w->observed && w->n->flags & WHY_LENT && r->gone & WHY_BIT(WHY_BRANCH) &&
	    !(r->gone & WHY_BIT(WHY_ICACHE)))
		w->a.at += r->m.miss;
}

ALWAYS void dispatch(struct timing *w)
{
	const int64_t depth = w->s->times[WHY_F] + w->r->m.number[WHY_RULE_DEPTH];

	offer_places(w);
	if (!(w->n->flags & WHY_FETCHED))
		return;
	/* last: where the stages before are full all of them hold, and the older is the cause */
	w->tied = w->a.at == depth;
	offer(w, WHY_RULE_DEPTH, depth, w->who, WHY_F);
}

/* From when it could issue on, the first cycle with a slot. */
ALWAYS void issue(struct timing *w)
{
	const struct why_run *r = w->r;
	const struct why_insn *n = w->n;
	const int64_t memory = n->flags & WHY_MEMORY ? r->m.number[WHY_RULE_MEMORY_WIDTH] : 0;
	int64_t slot;

	for (unsigned i = 0; i < n->producers; i++)
		offer_edge(w, WHY_RULE_OPERAND, n->op,
			   w->who - r->c->producers.data[n->producer + i]);
	offer_places(w);
	if (!(n->flags & WHY_ISSUED))
		return;
	slot = why_slots_free_from(r->slots, w->a.at, r->m.number[WHY_RULE_ISSUE_WIDTH], memory);
	if (slot > w->a.at)
		offer(w, memory ? WHY_RULE_MEMORY_WIDTH : WHY_RULE_ISSUE_WIDTH, slot, w->a.who,
		      (enum why_time)w->a.from);
}

ALWAYS void commit(struct timing *w)
{
	const struct why_run *r = w->r;

	if (w->n->flags & WHY_LAST && r->result.who != w->who && !r->learned)
		offer(w, WHY_RULE_PARTS, r->result.at + r->m.number[WHY_RULE_RETIRE],
		      r->result.who, WHY_W);
	offer_places(w);
}

/* The time from what arrived last and the residue; or, of the run as it was, the residue. */
ALWAYS void settle(struct timing *w)
{
	struct why_run *r = w->r;
	int64_t *residue = &w->s->residues[w->t], ready = w->a.at;

	if (w->observed) {
		w->s->by[w->t] = w->a;
		*residue = w->n->times[w->t] - ready;
		r->m.binding[w->a.rule] += *residue == 0 && !w->tied;
		r->m.alone[w->a.rule] += *residue == 0 && !w->tied && w->a.second < w->a.at;
	} else if (*residue && !is_gone(r, why_residue_cause(w->n, w->t))) {
		ready += *residue;
	}
	/* what a what-if saves before the span is not the span's */
	if (ready < r->from)
		ready = r->from;
	w->s->times[w->t] = w->observed || w->who < r->first ? w->n->times[w->t] : ready;
}

/* What others find behind it. */
ALWAYS void leave(struct timing *w)
{
	const unsigned flags = w->n->flags;
	const int64_t at = w->s->times[w->t];

#define PLACE(id, name, waits, taker, left_, leaver, turn, cause)                                  \
	if (WHY_##left_ == w->t && (flags & WHY_##leaver) == WHY_##leaver)                         \
		why_ring_put(&w->r->places[WHY_RULE_##id], at, w->who);
	WHY_SIZE_INFO(PLACE)
	WHY_ORDER_INFO(PLACE)
#undef PLACE
	if (w->t == WHY_X && flags & WHY_ISSUED)
		why_slots_take(w->r->slots, at, flags & WHY_MEMORY);
}

ALWAYS void work_out(struct why_run *r, const bool observed, uint32_t who, struct why_step *s,
		     enum why_time t)
{
	struct timing w = begin(r, observed, who, s, t);

	if (t == WHY_F)
		fetch(&w);
	else if (t == WHY_D)
		dispatch(&w);
	else if (t == WHY_X)
		issue(&w);
	else if (t == WHY_C)
		commit(&w);
	settle(&w);
	leave(&w);
}

/* Two halves commit when the last result of them is there. */
ALWAYS void evaluate(struct why_run *r, const bool observed, uint32_t who, struct why_step *s)
{
	work_out(r, observed, who, s, WHY_F);
	work_out(r, observed, who, s, WHY_D);
	work_out(r, observed, who, s, WHY_X);
	work_out(r, observed, who, s, WHY_W);
	memcpy(r->results[who % WHY_REACH], s->times, sizeof(s->times));
	if (r->c->insns.data[who].flags & WHY_WHOLE || s->times[WHY_W] > r->result.at)
		r->result = (struct why_left){s->times[WHY_W], who};
	work_out(r, observed, who, s, WHY_C);
}

void why_run_step(struct why_run *r, size_t index, struct why_step *step)
{
	if (r->observed)
		evaluate(r, true, (uint32_t)index, step);
	else
		evaluate(r, false, (uint32_t)index, step);
}
