#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>

#include "analysis/pipeline/program.h"
#include "base/bisect.h"

enum {
	ASTRAY = 4 * PROGRAM_WINDOW, /* at most, of a row from its place by number */
	DELAY_MOST = 1 << 12
};

/* Rows are nearly in program order. */
static bool find(const struct why_columns *c, uint64_t row, size_t *index)
{
	size_t lo = 0, hi = c->insns.count;

	bisect(lo, hi, i, c->row0 + c->insns.data[i].row < row);
	hi = lo + ASTRAY < c->insns.count ? lo + ASTRAY : c->insns.count;
	for (*index = lo > ASTRAY ? lo - ASTRAY : 0; *index < hi; ++*index)
		if (c->row0 + c->insns.data[*index].row == row)
			return true;
	return false;
}

/* ---- slack --------------------------------------------------------------------------------- */

/* Of a run with a delay. UNKNOWN: not within reach, or no memory. */
enum outcome { SAME, LONGER, UNKNOWN };

struct delaying {
	struct why_machine machine; /* without sizes that bound nothing */
	struct why_steps steps;     /* as it was, from the instruction on */
	struct why_span span;
	size_t memory; /* instructions that a run remembers */
	int64_t end;   /* of the run as it was */
};

/* What it has come to. */
struct coming {
	int64_t end;   /* the last commit */
	int64_t shift; /* of all times of the last `since` instructions */
	size_t since;
};

static void come(struct coming *to, const struct why_insn *n, const struct why_step *s)
{
	for (int t = 0; t < WHY_TIMES; t++) {
		const int64_t shift = s->times[t] - n->times[t];

		to->since = shift == to->shift ? to->since : 0;
		to->shift = shift;
	}
	to->since++;
	to->end = s->times[WHY_C] > to->end ? s->times[WHY_C] : to->end;
}

static enum outcome go_on(const struct delaying *d, struct why_run *run)
{
	const struct why_columns *c = d->steps.c;
	const size_t first = d->steps.first, end = first + d->steps.count;
	struct why_step before[WHY_GROUP];
	struct coming to = {.end = d->end};

	for (size_t i = why_columns_begin(c, first > d->memory ? first - d->memory : 0), next; i < end;
	     i = next) {
		struct why_step *steps = i < first ? before : &d->steps.of[i - first];

		if (i >= d->span.end)
			return to.end > d->end ? LONGER : SAME;
		next = why_run_group(run, i, steps);
		for (size_t k = i; k < next && i >= first; k++)
			come(&to, &c->insns.data[k], &steps[k - i]);
		if (to.since >= d->memory)
			return to.shift > 0 ? LONGER : SAME;
	}
	if (to.end > d->end)
		return LONGER;
	return end == c->insns.count ? SAME : UNKNOWN;
}

static enum outcome delay(const struct delaying *d, size_t index, enum why_time t, int64_t by)
{
	int64_t *residue = &d->steps.of[index - d->steps.first].residues[t];
	enum outcome out = UNKNOWN;
	struct why_run run;

	if (why_run_new(&run, d->steps.c, &d->machine, 0, false)) {
		run.span = d->span;
		run.span.first = d->steps.first; /* all before stay as they were */
		*residue += by;
		out = go_on(d, &run);
		*residue -= by;
	}
	why_run_free(&run);
	return out;
}

/* The most that leaves the run as long, with the sizes seen; with larger ones it may be more. */
static void find_slack(const struct delaying *seen, const struct delaying *largest, size_t index,
		       enum why_time t, struct why_reason *out)
{
	int64_t least = 1, most = 1; /* delays of which the least that is late is searched */

	for (; most <= DELAY_MOST && delay(seen, index, t, most) == SAME; most *= 2)
		least = most + 1;
	bisect(least, most, by, delay(seen, index, t, by) == SAME);
	out->slack = least - 1;
	out->at_least = delay(largest, index, t, least) != LONGER;
}

static bool begin(struct delaying *d, const struct why *w, size_t index, bool forget)
{
	const struct why_columns *c = &w->reading->columns;
	const size_t first = why_columns_begin(c, index), last = first + WHY_WALK;

	d->machine = w->reading->machine;
	d->span = w->span;
	d->end = w->span.from + w->cycles;
	if (forget)
		why_forget_unreached(&d->machine);
	d->memory = why_run_memory(&d->machine);
	d->steps = (struct why_steps){.c = c, .m = &d->machine};
	return why_steps_load(&d->steps, first,
			      last < c->insns.count ? why_columns_end(c, last) : c->insns.count);
}

/* ---- what arrived last --------------------------------------------------------------------- */

/* Marked misses are explained. */
static bool is_explained(unsigned cause)
{
	return cause == WHY_ICACHE || cause == WHY_DCACHE;
}

static void find_reason(const struct why *w, const struct why_step *s, size_t index,
			enum why_time t, struct why_reason *out)
{
	const struct why_columns *c = &w->reading->columns;
	struct why_arrival a = s->by[t];
	const unsigned residue = why_residue_cause(&c->insns.data[index], t);
	const struct why_insn *from;

	if (t == WHY_X && s->slot)
		a = (struct why_arrival){a.at + s->slot, a.at, (uint32_t)index,
					 WHY_RULE_ISSUE_WIDTH, WHY_D};
	*out = (struct why_reason){
	    .rule = why_rules[a.rule].name,
	    .margin = a.at - a.second,
	    .row = ROW_NONE,
	    .from = (enum why_time)a.from,
	    .residue = s->residues[t],
	    .residue_cause = why_cause_name(w, residue),
	    .explained = is_explained(residue)};
	if (a.who == WHY_NOBODY)
		return;
	from = &c->insns.data[a.who];
	out->row = c->row0 + from->row;
	out->tick = why_tick(w, from->times[a.from]);
}

static bool has_time(const struct why_insn *insn, enum why_time t)
{
	return (t != WHY_F || insn->flags & WHY_FETCHED) &&
	       (t != WHY_X || insn->flags & WHY_ISSUED);
}

static enum status explain(const struct why *w, size_t index, struct why_late *out, struct error *e)
{
	struct delaying largest = {.end = 0}, seen = largest;
	const bool ok = begin(&largest, w, index, true) && begin(&seen, w, index, false);

	for (int i = 0; ok && i < WHY_TIMES; i++) {
		const enum why_time t = (enum why_time)i;

		out->of[t] = (struct why_reason){.rule = NULL};
		if (!has_time(&w->reading->columns.insns.data[index], t))
			continue;
		find_reason(w, &largest.steps.of[index - largest.steps.first], index, t,
			    &out->of[t]);
		find_slack(&seen, &largest, index, t, &out->of[t]);
	}
	free(largest.steps.of);
	free(seen.steps.of);
	return ok ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

enum status why_late(const struct why *w, uint64_t row, struct why_late *out, struct error *e)
{
	const struct why_columns *c = &w->reading->columns;
	size_t index;

	if (!find(c, row, &index))
		return error_set(e, STATUS_NOT_FOUND, "it is left out of what was evaluated: see the notes of :why");
	if (!why_span_has(w->span, index))
		return error_set(e, STATUS_NOT_FOUND, "it was fetched outside of the part that was evaluated: without "
				 "a selection :why evaluates all of the run");
	return explain(w, index, out, e);
}
