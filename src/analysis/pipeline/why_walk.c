#include "config.h"

#include "analysis/pipeline/why_walk.h"

#include <stdlib.h>

/* Instructions before a block that its constraints look at, for those of four full structures. */
enum { WARM_LEAST = 256 };

struct walking {
	const struct why_columns *c;
	const struct why_machine *m;
	struct why_span span;
	why_part_fn *fn;
	void *arg;
	size_t first, count; /* of the block */
	size_t warm; /* instructions before it that are evaluated as well */
	struct why_step *steps;
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

static size_t warm_of(const struct why_machine *m)
{
	int64_t most = WARM_LEAST / 4;

	for (int p = 0; p < WHY_PLACES; p++)
		most = m->size[p] > most ? m->size[p] : most;
	return (size_t)most * 4;
}

/* Instruction `index` is in the last group of the block, which begins with a whole one. */
static enum status load_block(struct walking *w, size_t index, struct error *e)
{
	struct why_node nodes[WHY_GROUP];
	struct why_step steps[WHY_GROUP];
	struct why_run run;
	struct why_node n;
	size_t end = why_columns_group(w->c, index);
	size_t from;

	w->first = end > WHY_WALK ? end - WHY_WALK : 0;
	while (w->first > 0 && !(w->c->insns.data[w->first].flags & WHY_WHOLE))
		w->first--;
	w->count = end - w->first;
	from = w->first > w->warm ? w->first - w->warm : 0;
	while (from > 0 && !(w->c->insns.data[from].flags & WHY_WHOLE))
		from--;
	if (!why_run_new(&run, w->m, 0, true)) {
		why_run_free(&run);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	why_columns_at(w->c, from, &n);
	for (size_t next; from < end; from = next) {
		next = why_columns_group(w->c, from);
		for (size_t k = 0; k < next - from; k++) {
			nodes[k] = n;
			if (n.index + 1 < w->c->insns.count)
				why_columns_next(w->c, &n);
		}
		why_run_group(&run, w->c, nodes, next - from,
			      from >= w->first ? w->steps + (from - w->first) : steps);
	}
	why_run_free(&run);
	return STATUS_OK;
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

	if (index >= w->first && index < w->first + w->count)
		return w->steps[index - w->first].times[t];
	why_columns_at(w->c, index, &n);
	return n.times[t];
}

/* The parts of one time, latest first; where it leads to. False: to the start. */
static bool step_back(struct walking *w, size_t *index, enum why_time *t)
{
	const struct why_step *s = &w->steps[*index - w->first];
	const struct why_arrival *a = &s->by[*t];
	const struct why_insn *insn = &w->c->insns.data[*index];
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
	struct walking w = {.c = c, .m = m, .span = span, .fn = fn, .arg = arg, .warm = warm_of(m)};
	enum why_time t = WHY_C;
	enum status status = STATUS_OK;
	size_t index;

	if (!why_last(c, span, &index))
		return STATUS_OK;
	w.steps = malloc((WHY_WALK + 2 * WHY_GROUP) * sizeof(*w.steps));
	if (!w.steps)
		return error_set(e, STATUS_NOMEM, "out of memory");
	while (!status && !w.enough) {
		int64_t at;

		if (index < w.first || index >= w.first + w.count) {
			if (stop && *stop)
				status = error_set(e, STATUS_INTERRUPTED, "interrupted");
			else
				status = load_block(&w, index, e);
			continue;
		}
		at = w.steps[index - w.first].times[t];
		if (w.steps[index - w.first].times[WHY_F] < span.from || at <= span.from) {
			end_at(&w, index, t, at);
			break;
		}
		if (!step_back(&w, &index, &t))
			break;
	}
	free(w.steps);
	return status;
}
