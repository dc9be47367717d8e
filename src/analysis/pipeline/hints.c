#include "config.h"

#include "analysis/pipeline/hints.h"

#include <inttypes.h>

#include "analysis/hints.h"
#include "analysis/pipeline/codemap.h"
#include "analysis/pipeline/why.h"
#include "base/num.h"
#include "pipeline/kind.h"

static const double saved_least = 0.02;  /* of the run: less is not worth a hint */
static const double residue_least = 0.3; /* more is a question, not an answer */

enum { ORDER_CAUSE, ORDER_UNEXPLAINED };

static const char *const advice[WHY_CAUSES] = {
    [WHY_BRANCH] = "a better branch predictor; conditional moves or sorted data where a branch depends "
		   "on data",
    [WHY_ICACHE] = "a larger instruction cache or prefetch; lay out code so that what runs together "
		   "lies together",
    [WHY_DCACHE] = "use data again while they are cached (blocking), prefetch them, or try a larger "
		   "cache",
    [WHY_DATA] = "break chains of dependent instructions: several accumulators, unrolled loops, shorter "
		 "latencies",
    [WHY_WINDOW] = "fewer of the long waits that fill it",
    [WHY_QUEUE] = "fewer of the long waits that fill it",
    [WHY_WIDTH] = "a wider machine; or fewer instructions for the same work (vectors)",
    [WHY_ISSUE] = "more units or memory ports; or fewer instructions of the kind that waits",
    [WHY_MEMORY_ORDER] = "compute store addresses earlier; or a machine whose loads pass stores",
    [WHY_TAKEN_BRANCH] = "unroll loops, or lay out code so that branches fall through",
    [WHY_DISPATCH] = "look at the rows that wait between fetch and issue",
    [WHY_FETCH] = "look at the gaps between fetches; instruction-cache misses leave no mark in some "
		  "traces",
    [WHY_CONTENTION] = "look at the rows that wait for issue: ports, units and banks are not in the "
		       "trace"};

/* The instruction that owns most of a cause; NULL: it owns no cycles. */
static const struct why_pc *owner_of(const struct why *w, unsigned cause)
{
	const struct why_pc *most = NULL;

	for (size_t i = 0; i < w->pcs.count; i++)
		if (w->pcs.data[i].causes[cause] > (most ? most->causes[cause] : 0))
			most = &w->pcs.data[i];
	return most;
}

static const char *place_of(struct hints *h, const struct why *w, const struct why_pc *pc)
{
	uint64_t address = 0;
	bool has_pc = false;
	const char *text;
	size_t len;

	if (!pc)
		return "the run";
	store_code(w->store, pc->code, &address, &has_pc, &text, &len);
	return has_pc ? hints_keep(h, "%" PRIx64 " %.*s", address, (int)len, text)
		      : hints_keep(h, "%.*s", (int)len, text);
}

/* What is tried: the structures that were full, of twice the size. */
struct larger {
	const char *words;
	struct why_whatif whatif;
};

static void try_larger(const struct why *w, const char *words, struct larger *best)
{
	struct why_whatif f;

	if (!words || why_try(w, &(struct why_asked){.words = words}, &f, NULL, NULL))
		return;
	if (f.saved > best->whatif.saved)
		*best = (struct larger){words, f};
}

/* Each of the cause's that was full, then all of them; words NULL: none saves anything. */
static struct larger find_larger(struct hints *h, const struct why *w, unsigned cause)
{
	struct larger best = {.words = NULL};
	const char *all = NULL;

	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];
		const char *one;

		if (p->cause != cause || !p->reached)
			continue;
		one = hints_keep(h, "%s=%" PRId64, p->name, 2 * p->value);
		try_larger(w, one, &best);
		if (all)
			all = hints_keep(h, "%s,%s", all, one);
		else
			all = one;
	}
	try_larger(w, all, &best);
	return best;
}

/* What a larger structure would do; else what to try at all. */
static const char *say_advice(struct hints *h, const struct why *w, unsigned cause)
{
	struct larger larger;
	char saved[32];

	if (cause >= WHY_CAUSES)
		return "look at the rows that stay in this stage longer than they have to";
	larger = find_larger(h, w, cause);
	if (!larger.words)
		return advice[cause];
	return hints_keep(h, "%s would save %s%s cycles%s; or %s", larger.words,
			  larger.whatif.bound ? "at most " : "",
			  num_group(larger.whatif.saved, saved),
			  larger.whatif.bound ? ", if nothing else fills up" : "", advice[cause]);
}

/* "window, lsq": which of the cause's structures were full; NULL: it is not about structures. */
static const char *full_of(struct hints *h, const struct why *w, unsigned cause)
{
	const char *names = NULL;

	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];

		if (p->cause == cause && p->reached)
			names = hints_keep(h, "%s%s%s", names ? names : "", names ? ", " : "",
					   p->name);
	}
	return names;
}

/* Rows are squashed behind other instructions too. False: its text tells nothing. */
static bool is_no_branch(const struct why *w, uint32_t code)
{
	const struct code_insn *c;
	struct codemap map;
	struct error e;
	bool other = false;

	if (codemap_new(&map, w->store, ISA_UNKNOWN, &e) == STATUS_OK) {
		c = codemap_at(&map, code);
		other = c && c->read && !(c->insn.class >= OP_BRANCH && c->insn.class <= OP_RETURN);
	}
	codemap_free(&map);
	return other;
}

/* Without cycles of its own it makes others wait: what that is worth is all there is to say. */
static void add_cause(struct hints *h, const struct why *w, const struct why_cause *c)
{
	const struct why_pc *pc = owner_of(w, c->number);
	const double run = (double)w->cycles, gain = (double)c->saved / run;
	const char *full = full_of(h, w, c->number), *cost;
	char cycles[32], saved[32];
	struct hint hint = {.kind = hints_keep(h, "%s", c->name),
			    .where = place_of(h, w, pc),
			    .bound = c->bound,
			    .item = ITEM_NONE,
			    .weight = gain,
			    .evidence = {{"cycles", NULL, (double)c->cycles},
					 {"share", UNIT_SHARE, c->share},
					 {"saved", NULL, (double)c->saved},
					 {"gain", UNIT_SHARE, gain}}};

	if (pc) {
		hint.item = pc->dearest[c->number].row;
		hint.tick = pc->dearest[c->number].tick;
		hint.evidence[4] =
		    (struct hint_number){"here", NULL, (double)pc->causes[c->number]};
	}
	if (c->cycles)
		cost = hints_keep(h, "%s cycles of the critical path (%.1f %%)",
				  num_group(c->cycles, cycles), 100 * c->share);
	else
		cost = "no cycles of the critical path, but others wait longer because of it";
	hint.text = hints_keep(h, "%s%s%s; without it the run would be %s%s cycles shorter (%.1f %%)%s",
			       cost, full ? "; full: " : "", full ? full : "",
			       c->bound ? "at most " : "", num_group(c->saved, saved), 100 * gain,
			       c->bound && full ? ", if nothing else fills up" : "");
	hint.advice = say_advice(h, w, c->number);
	if (c->number == WHY_BRANCH && pc && is_no_branch(w, pc->code))
		hint.advice = "look at the rows squashed behind it, which is no branch: a trap or a "
			      "replay; where branches are, a better branch predictor";
	hints_add(h, &hint);
}

static void add_unexplained(struct hints *h, const struct why *w)
{
	struct hint hint = {.kind = "not-explained",
			    .where = "the run",
			    .item = ITEM_NONE,
			    .order = ORDER_UNEXPLAINED,
			    .evidence = {{"residue", UNIT_SHARE, w->residue_share}}};

	hint.text = hints_keep(h, "the trace does not explain %.1f %% of the cycles: what stands "
				  "above is no more than a part of the answer",
			       100 * w->residue_share);
	hint.advice = ":why lists what the trace lacks; a log with more stages or marks says more";
	hints_add(h, &hint);
}

static enum status make_hints(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	struct hints *h = result;
	enum status status;
	struct why w;

	hints_begin(h);
	status = why_new(&w, store_of_trace(t),
			 &(struct why_question){.stop = q->stop, .percent = q->percent}, e);
	if (status)
		return status;
	for (unsigned c = 0; c < w.cause_count; c++)
		if (w.causes[c].saved > 0 &&
		    (double)w.causes[c].saved >= saved_least * (double)w.cycles)
			add_cause(h, &w, &w.causes[c]);
	if (w.residue_share >= residue_least)
		add_unexplained(h, &w);
	why_free(&w);
	return hints_end(h, e);
}

const struct answer pipeline_hints_answer = {
    "hints", &pipeline_kind, hint_sections, sizeof(struct hints), make_hints, hints_free};
