#include "config.h"

#include "analysis/pipeline/why_walk.h"

#include <stdlib.h>

struct walking {
	struct why_steps steps;
	struct why_span span;
	why_part_fn *fn;
	void *arg;
	bool enough;
};

bool why_last(const struct why_columns *c, struct why_span span, size_t *index)
{
	struct why_node n;
	int64_t last = INT64_MIN;

	if (!c->insns.count)
		return false;
	why_columns_at(c, 0, &n);
	for (;; why_columns_next(c, &n)) {
		bool inside = n.times[WHY_F] >= span.from && n.times[WHY_F] < span.to;

		if (inside && n.times[WHY_C] >= last) {
			last = n.times[WHY_C];
			*index = n.index;
		}
		if (n.index + 1 == c->insns.count)
			return last > INT64_MIN;
	}
}

bool why_steps_new(struct why_steps *b, const struct why_columns *c, const struct why_machine *m)
{
	*b = (struct why_steps){.c = c, .m = m};
	b->of = malloc((WHY_WALK + 2 * WHY_GROUP) * sizeof(*b->of));
	return b->of;
}

void why_steps_free(struct why_steps *b)
{
	free(b->of);
}

bool why_steps_load(struct why_steps *b, size_t first, size_t end)
{
	const size_t memory = why_run_memory(b->m);
	struct why_node nodes[WHY_GROUP], n;
	struct why_step before[WHY_GROUP];
	struct why_run run;

	b->first = why_columns_begin(b->c, first);
	b->count = end - b->first;
	if (!why_run_new(&run, b->m, 0, true)) {
		why_run_free(&run);
		return false;
	}
	why_columns_at(b->c, why_columns_begin(b->c, b->first > memory ? b->first - memory : 0), &n);
	for (size_t at; n.index < end;) {
		at = n.index;
		why_run_group(&run, b->c, nodes, why_columns_take(b->c, &n, nodes),
			      at < b->first ? before : &b->of[at - b->first]);
	}
	why_run_free(&run);
	return true;
}

/* A block that ends with the group of an instruction. */
static enum status load_block(struct walking *w, size_t index, struct error *e)
{
	const size_t end = why_columns_end(w->steps.c, index);

	return why_steps_load(&w->steps, end > WHY_WALK ? end - WHY_WALK : 0, end)
		   ? STATUS_OK
		   : error_set(e, STATUS_NOMEM, "out of memory");
}

static void tell(struct walking *w, struct why_part p)
{
	if (p.from < w->span.from)
		p.from = w->span.from;
	if (!w->enough && p.to >= p.from)
		w->enough = !w->fn(w->arg, &p);
}

static int64_t time_of(const struct walking *w, size_t index, enum why_time t)
{
	struct why_node n;

	if (why_steps_has(&w->steps, index))
		return w->steps.of[index - w->steps.first].times[t];
	why_columns_at(w->steps.c, index, &n);
	return n.times[t];
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
	const int64_t source = starts ? 0 : time_of(w, a->who, (enum why_time)a->from);

	if (s->residues[*t])
		tell(w, (struct why_part){*index, *t, *index, why_residue_cause(insn, *t), true, -1,
					  a->at + slot, s->times[*t]});
	if (slot)
		tell(w, (struct why_part){*index, *t, *index, WHY_ISSUE, false,
					  WHY_RULE_ISSUE_WIDTH, a->at, a->at + slot});
	tell(w, (struct why_part){*index, *t, cause == WHY_BRANCH ? a->who : *index, cause, false,
				  a->rule, source, a->at});
	*index = a->who;
	*t = (enum why_time)a->from;
	return !starts;
}

/* The path leaves the span: what is left of it. */
static void end_at(struct walking *w, size_t index, enum why_time t, int64_t at)
{
	tell(w, (struct why_part){index, t, index, WHY_START, false, WHY_RULE_ORIGIN, w->span.from,
				  at});
}

enum status why_walk(const struct why_columns *c, const struct why_machine *m, struct why_span span,
		     why_part_fn *fn, void *arg, const atomic_bool *stop, struct error *e)
{
	struct walking w = {.span = span, .fn = fn, .arg = arg};
	enum why_time t = WHY_C;
	enum status status = STATUS_OK;
	size_t index;

	if (!why_last(c, span, &index))
		return STATUS_OK;
	if (!why_steps_new(&w.steps, c, m))
		return error_set(e, STATUS_NOMEM, "out of memory");
	while (!status && !w.enough) {
		const struct why_step *step;

		if (!why_steps_has(&w.steps, index)) {
			if (stop && *stop)
				status = error_set(e, STATUS_INTERRUPTED, "interrupted");
			else
				status = load_block(&w, index, e);
			continue;
		}
		step = &w.steps.of[index - w.steps.first];
		if (step->times[WHY_F] < span.from || step->times[t] <= span.from) {
			end_at(&w, index, t, step->times[t]);
			break;
		}
		if (!step_back(&w, &index, &t))
			break;
	}
	why_steps_free(&w.steps);
	return status;
}
