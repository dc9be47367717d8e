#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>

#include "analysis/pipeline/program.h"
#include "base/bisect.h"

enum {
	ASTRAY = 4 * PROGRAM_WINDOW, /* at most, of a row from its place by number */
	DELAY_MOST = 1 << 12
};

/* ---- slack --------------------------------------------------------------------------------- */

/* Of a run with a delay. UNKNOWN: not within reach, or no memory. */
enum outcome { SAME, LONGER, UNKNOWN };

/* Until all that the run remembers is as it was, or as it was but later. */
static enum outcome go_on(const struct why *w, struct why_run *run, const struct why_steps *s)
{
	int64_t end = w->span.to, shift = 0; /* of all times of the last `since` instructions */
	size_t i = s->first, since = 0;

	for (; i < s->first + s->count && i < w->span.end && since < run->memory; i++, since++) {
		struct why_step *step = &s->of[i - s->first];

		why_run_step(run, i, step);
		for (int t = 0; t < WHY_TIMES; t++) {
			const int64_t later = step->times[t] - s->c->insns.data[i].times[t];

			since = later == shift ? since : 0;
			shift = later;
		}
		end = step->times[WHY_C] > end ? step->times[WHY_C] : end;
	}
	if (end > w->span.to || (since >= run->memory && shift > 0))
		return LONGER;
	return since >= run->memory || i == w->span.end ? SAME : UNKNOWN;
}

static enum outcome delay(const struct why *w, const struct why_steps *s, size_t index,
			  enum why_time t, int64_t by)
{
	int64_t *residue = &s->of[index - s->first].residues[t];
	struct why_run run = {.c = s->c,
			      .m = *s->m,
			      .first = s->first, /* all before stay as they were */
			      .from = w->span.from};
	enum outcome out = UNKNOWN;

	if (why_run_begin(&run)) {
		*residue += by;
		out = go_on(w, &run, s);
		*residue -= by;
	}
	why_run_free(&run);
	return out;
}

/* The most that leaves the run as long, with the sizes seen; with larger ones it may be more. */
static void find_slack(const struct why *w, const struct why_steps *seen,
		       const struct why_steps *largest, size_t index, enum why_time t,
		       struct why_reason *out)
{
	int64_t least = 1, most = 1; /* delays of which the least that is late is searched */

	for (; most <= DELAY_MOST && delay(w, seen, index, t, most) == SAME; most *= 2)
		least = most + 1;
	bisect(least, most, by, delay(w, seen, index, t, by) == SAME);
	out->slack = least - 1;
	out->at_least = delay(w, largest, index, t, least) != LONGER;
}

/* ---- what arrived last --------------------------------------------------------------------- */

static void find_reason(const struct why *w, const struct why_step *s, size_t index,
			enum why_time t, struct why_reason *out)
{
	const struct why_columns *c = &w->reading->columns;
	const struct why_arrival a = s->by[t];
	const unsigned residue = why_residue_cause(&c->insns.data[index], t);
	const struct why_insn *from = a.who == WHY_NOBODY ? NULL : &c->insns.data[a.who];

	*out = (struct why_reason){
	    .rule = why_rules[a.rule].name,
	    .margin = a.at - a.second,
	    .row = from ? from->row : ROW_NONE,
	    .from = (enum why_time)a.from,
	    .tick = from ? why_tick(w, from->times[a.from]) : 0,
	    .residue = s->residues[t],
	    .residue_cause = w->causes[residue].name,
	    .explained = why_is_marked(residue)};
}

static bool has_time(const struct why_insn *insn, enum why_time t)
{
	return (t != WHY_F || insn->flags & WHY_FETCHED) &&
	       (t != WHY_X || insn->flags & WHY_ISSUED);
}

/* Its second half commits for it. */
static size_t last_of(const struct why_columns *c, size_t index)
{
	while (!(c->insns.data[index].flags & WHY_LAST))
		index++;
	return index;
}

/* Rows are nearly in program order. The end of the span: it is not there. */
static size_t find(const struct why *w, uint64_t row)
{
	const struct why_insn *insns = w->reading->columns.insns.data;
	const struct why_span *s = &w->span;
	size_t lo = s->first, hi = s->end;

	bisect(lo, hi, i, insns[i].row < row);
	hi = s->end - lo > ASTRAY ? lo + ASTRAY : s->end;
	for (lo = lo - s->first > ASTRAY ? lo - ASTRAY : s->first; lo < hi; lo++)
		if (insns[lo].row == row)
			return lo;
	return s->end;
}

enum status why_late(const struct why *w, uint64_t row, struct why_late *out, struct error *e)
{
	const struct why_columns *c = &w->reading->columns;
	struct why_machine machine = w->reading->machine;
	struct why_steps largest = {.c = c, .m = &w->reading->machine}, seen = {.c = c, .m = &machine};
	const size_t index = find(w, row);
	size_t end;
	bool ok;

	*out = (struct why_late){.of[0].rule = NULL};
	if (index == w->span.end)
		return error_set(e, STATUS_NOT_FOUND,
				 "it is not in what was evaluated: without a selection :why "
				 "evaluates all but the rows that its notes leave out");
	for (int k = 0; k < WHY_SIZES; k++)
		machine.used[k] = !machine.breaches[k];
	end = index + WHY_WALK < c->insns.count ? index + WHY_WALK : c->insns.count;
	ok = why_steps_load(&largest, index, end) && why_steps_load(&seen, index, end);
	for (int i = 0; ok && i < WHY_TIMES; i++) {
		const enum why_time t = (enum why_time)i;
		const size_t of = t == WHY_C ? last_of(c, index) : index;

		if (!has_time(&c->insns.data[of], t))
			continue;
		find_reason(w, &largest.of[of - index], of, t, &out->of[t]);
		find_slack(w, &seen, &largest, of, t, &out->of[t]);
	}
	free(largest.of);
	free(seen.of);
	return status_of_work(ok, NULL, e);
}
