#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/num.h"

bool why_steps_load(struct why_steps *s, size_t first, size_t end)
{
	struct why_run run = {
	    .c = s->c, .m = *s->m, .observed = true, .first = first, .from = INT64_MIN};
	bool ok = why_run_begin(&run);

	s->of = s->of ? s->of : malloc(WHY_WALK * sizeof(*s->of));
	ok = ok && s->of;
	s->first = first;
	s->count = end - first;
	for (size_t i = first; ok && i < end; i++)
		why_run_step(&run, i, &s->of[i - first]);
	why_run_free(&run);
	return ok;
}

/* ---- the walk ------------------------------------------------------------------------------ */

struct walking {
	struct why_steps steps;
	struct why_span span;
	why_part_fn *fn;
	void *arg;
	bool no_memory;
	size_t index; /* where it is */
	enum why_time time;
};

static void tell(struct walking *w, size_t owner, unsigned cause, bool residue, int64_t from,
		 int64_t to)
{
	const int64_t least = w->span.from;
	const struct why_part p = {
	    w->index, w->time, owner, cause, residue, from > least ? from : least, to};

	if (!w->no_memory && to >= p.from)
		w->no_memory = !w->fn(w->arg, &p);
}

/* The parts of one time, latest first, and on to where it leads. False: it led to the start. */
static bool step_back(struct walking *w)
{
	const struct why_insn *insns = w->steps.c->insns.data;
	const struct why_step *s = &w->steps.of[w->index - w->steps.first];
	const struct why_arrival *a = &s->by[w->time];
	const int64_t at = s->times[w->time];
	const enum why_cause_id cause = why_rules[a->rule].cause;

	if (w->index < w->span.first || at <= w->span.from) {
		/* the path leaves the span: what is left of it */
		tell(w, w->index, WHY_START, false, w->span.from, at);
		return false;
	}
	if (at > a->at)
		tell(w, w->index, why_residue_cause(&insns[w->index], w->time), true, a->at, at);
	tell(w, cause == WHY_BRANCH || cause == WHY_TAKEN_BRANCH ? a->who : w->index, cause, false,
	     a->who == WHY_NOBODY ? 0 : insns[a->who].times[a->from], a->at);
	w->index = a->who;
	w->time = (enum why_time)a->from;
	return a->who != WHY_NOBODY;
}

enum status why_walk(const struct why_reading *r, struct why_span span, why_part_fn *fn, void *arg,
		     const atomic_bool *stop, struct error *e)
{
	struct walking w = {.steps = {.c = &r->columns, .m = &r->machine},
			    .span = span,
			    .fn = fn,
			    .arg = arg,
			    .index = span.end,
			    .time = WHY_C};
	bool more = true;

	do /* the last one to commit */
		w.index--;
	while (r->columns.insns.data[w.index].times[WHY_C] != span.to);
	while (!w.no_memory && more && !(stop && *stop)) {
		const size_t end = w.index + 1;

		if (w.index >= w.steps.first && w.index < w.steps.first + w.steps.count)
			more = step_back(&w);
		else
			w.no_memory = !why_steps_load(&w.steps,
						      end > WHY_WALK ? end - WHY_WALK : 0, end);
	}
	free(w.steps.of);
	return status_of_work(!w.no_memory, stop, e);
}

/* ---- the path as it is shown --------------------------------------------------------------- */

/* What took no cycles and stays in its row led nowhere. */
bool why_path_add(struct why *w, const struct why_part *part)
{
	const struct why_path_step step = {
	    .to = why_tick(w, part->to),
	    .row = w->reading->columns.insns.data[part->index].row,
	    .cause = (uint8_t)part->cause,
	    .time = (uint8_t)part->time};
	struct why_path *p = &w->path;

	if (p->steps.count && p->from == vec_last(&p->steps).to &&
	    vec_last(&p->steps).row == step.row)
		p->steps.count--;
	p->from = why_tick(w, part->from);
	return vec_push(&p->steps, step);
}

void why_path_end(struct why_path *p)
{
	for (size_t a = 0, b = p->steps.count; a + 1 < b; a++) {
		const struct why_path_step last = p->steps.data[--b];

		p->steps.data[b] = p->steps.data[a];
		p->steps.data[a] = last;
	}
}

size_t why_path_at(const struct why_path *p, int64_t tick)
{
	size_t lo = 0, hi = p->steps.count;

	bisect(lo, hi, i, p->steps.data[i].to <= tick);
	return lo;
}

void why_path_tell(const struct why *w, size_t i, struct sbuf *out)
{
	const struct why_path_step *steps = w->path.steps.data;
	/* a step without cycles led here */
	const size_t k = i && steps[i - 1].row == steps[i].row &&
				 why_path_from(&w->path, i - 1) == steps[i - 1].to
			     ? i - 1
			     : i;
	char number[32];

	sbuf_printf(out, " of %s until its %s", w->causes[steps[i].cause].name,
		    why_time_names[steps[i].time]);
	if (k == 0 || steps[k - 1].row == steps[i].row)
		return;
	sbuf_printf(out, "; waited for row %s", num_group(steps[k - 1].row, number));
	if (k != i)
		sbuf_printf(out, " (%s)", w->causes[steps[k].cause].name);
}
