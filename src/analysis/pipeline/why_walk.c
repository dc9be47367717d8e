#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/num.h"

/* The one that commits last of the span. */
static size_t last_of(const struct why_columns *c, struct why_span span)
{
	size_t last = span.first;

	for (size_t i = span.first; i < span.end; i++)
		if (c->insns.data[i].times[WHY_C] >= c->insns.data[last].times[WHY_C])
			last = i;
	return last;
}

/* ---- blocks -------------------------------------------------------------------------------- */

bool why_steps_load(struct why_steps *s, size_t first, size_t end)
{
	const size_t memory = why_run_memory(s->m);
	struct why_step before[WHY_GROUP];
	struct why_run run;
	bool ok = why_run_new(&run, s->c, s->m, 0, true);

	s->of = s->of ? s->of : malloc((WHY_WALK + 2 * WHY_GROUP) * sizeof(*s->of));
	ok = ok && s->of;
	s->first = why_columns_begin(s->c, first);
	s->count = end - s->first;
	first = why_columns_begin(s->c, s->first > memory ? s->first - memory : 0);
	for (size_t i = first; ok && i < end;)
		i = why_run_group(&run, i, i < s->first ? before : &s->of[i - s->first]);
	why_run_free(&run);
	return ok;
}

/* ---- the walk ------------------------------------------------------------------------------ */

struct walking {
	struct why_steps steps;
	struct why_span span;
	why_part_fn *fn;
	void *arg;
	bool enough;
};

/* A block that ends with the group of an instruction. */
static enum status load_block(struct walking *w, size_t index, const atomic_bool *stop,
			      struct error *e)
{
	const size_t end = why_columns_end(w->steps.c, index);

	if (stop && *stop)
		return error_set(e, STATUS_INTERRUPTED, "interrupted");
	if (!why_steps_load(&w->steps, end > WHY_WALK ? end - WHY_WALK : 0, end))
		return error_set(e, STATUS_NOMEM, "out of memory");
	return STATUS_OK;
}

static void tell(struct walking *w, struct why_part p)
{
	if (p.from < w->span.from)
		p.from = w->span.from;
	if (!w->enough && p.to >= p.from)
		w->enough = !w->fn(w->arg, &p);
}

/* The parts of one time, latest first; where it leads to. False: to the start. */
static bool step_back(struct walking *w, size_t *index, enum why_time *t)
{
	const struct why_step *s = &w->steps.of[*index - w->steps.first];
	const struct why_arrival *a = &s->by[*t];
	const struct why_insn *insn = &w->steps.c->insns.data[*index];
	const int64_t slot = *t == WHY_X ? s->slot : 0;
	const enum why_cause_id cause = why_rules[a->rule].cause;
	const bool starts = a->who == WHY_NOBODY;
	const int64_t source = starts ? 0 : w->steps.c->insns.data[a->who].times[a->from];

	if (s->residues[*t])
		tell(w, (struct why_part){*index, *t, *index, why_residue_cause(insn, *t), true,
					  a->at + slot, s->times[*t]});
	if (slot)
		tell(w,
		     (struct why_part){*index, *t, *index, WHY_ISSUE, false, a->at, a->at + slot});
	tell(w, (struct why_part){*index, *t, cause == WHY_BRANCH ? a->who : *index, cause, false,
				  source, a->at});
	*index = a->who;
	*t = (enum why_time)a->from;
	return !starts;
}

/* The path leaves the span: what is left of it. */
static void end_at(struct walking *w, size_t index, enum why_time t, int64_t at)
{
	tell(w, (struct why_part){index, t, index, WHY_START, false, w->span.from, at});
}

enum status why_walk(const struct why_reading *r, struct why_span span, why_part_fn *fn, void *arg,
		     const atomic_bool *stop, struct error *e)
{
	struct walking w = {
	    .steps = {.c = &r->columns, .m = &r->machine}, .span = span, .fn = fn, .arg = arg};
	enum why_time t = WHY_C;
	enum status status = STATUS_OK;
	size_t index = last_of(&r->columns, span);

	if (span.first == span.end)
		return STATUS_OK;
	while (!status && !w.enough) {
		const struct why_step *step;

		if (index < w.steps.first || index >= w.steps.first + w.steps.count) {
			status = load_block(&w, index, stop, e);
			continue;
		}
		step = &w.steps.of[index - w.steps.first];
		if (index < span.first || step->times[t] <= span.from) {
			end_at(&w, index, t, step->times[t]);
			break;
		}
		if (!step_back(&w, &index, &t))
			break;
	}
	free(w.steps.of);
	return status;
}

/* ---- the path as it is shown --------------------------------------------------------------- */

struct making {
	struct why_path *out;
	const struct why *why;
	bool no_memory;
};

/* Told latest first. What took no cycles and stays in its row led nowhere. */
static bool add_step(void *arg, const struct why_part *part)
{
	struct making *m = arg;
	const struct why_insn *insn = &m->why->reading->columns.insns.data[part->index];
	const struct why_path_step step = {.to = why_tick(m->why, part->to),
					   .row = insn->row,
					   .cause = (uint8_t)part->cause,
					   .time = (uint8_t)part->time};
	struct why_path *p = m->out;

	if (p->steps.count && p->from == vec_last(&p->steps).to &&
	    vec_last(&p->steps).row == step.row)
		p->steps.count--;
	p->from = why_tick(m->why, part->from);
	m->no_memory = !vec_push(&p->steps, step);
	return !m->no_memory;
}

enum status why_path_new(struct why_path *out, const struct why *w, const atomic_bool *stop,
			 struct error *e)
{
	struct making m = {.out = out, .why = w};
	enum status status;

	*out = (struct why_path){.row0 = w->reading->columns.row0};
	for (unsigned i = 0; i < WHY_CAUSES + w->front_count; i++)
		snprintf(out->causes[i], sizeof(out->causes[i]), "%s", why_cause_name(w, i));
	status = why_walk(w->reading, w->span, add_step, &m, stop, e);
	if (!status && m.no_memory)
		return error_set(e, STATUS_NOMEM, "out of memory");
	if (!status && !out->steps.count)
		return error_set(e, STATUS_NOT_FOUND, "no instruction committed: no critical path");
	for (size_t a = 0, b = out->steps.count; a + 1 < b; a++) {
		const struct why_path_step last = out->steps.data[--b];

		out->steps.data[b] = out->steps.data[a];
		out->steps.data[a] = last;
	}
	return status;
}

void why_path_free(struct why_path *p)
{
	vec_free(&p->steps);
}

size_t why_path_at(const struct why_path *p, int64_t tick)
{
	size_t lo = 0, hi = p->steps.count;

	bisect(lo, hi, i, p->steps.data[i].to <= tick);
	return lo;
}

void why_path_tell(const struct why_path *p, size_t i, const char *length, struct sbuf *out)
{
	const struct why_path_step *steps = p->steps.data;
	char number[32];
	size_t k = i;

	sbuf_printf(out, "%s, %s until its %s", p->causes[steps[i].cause], length,
		    why_time_names[steps[i].time]);
	while (k > 0 && steps[k - 1].row == steps[k].row)
		k--;
	if (k == 0)
		return;
	sbuf_printf(out, "; waited for row %s", num_group((int64_t)why_path_row(p, k - 1), number));
	if (k != i)
		sbuf_printf(out, " (%s)", p->causes[steps[k].cause]);
}
