#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK = 512,     /* instructions that all runs go through in turn */
	SAMPLE = 1 << 15 /* whose rules are tried first */
};

/* One what-if on its way. */
struct one_run {
	struct why_machine machine;
	struct why_run run;
	int64_t end;
	bool same; /* nothing is taken away or set: as it was */
};

struct evaluating {
	struct why_reading *reading;
	struct why_span span;
	const atomic_bool *stop;
	struct error *e;
	struct one_run *runs; /* as it was, once more, what-ifs */
	size_t run_count;
	struct why_step *steps; /* of a block */
	size_t first, until;    /* instructions of the pass */
	struct why_evaluation *out;
};

/* ---- settings ------------------------------------------------------------------------------ */

/* "latency(ldq)" */
static int find_op(const struct why_reading *r, const char *name)
{
	char op[64];
	int len = 0;

	if (sscanf(name, "latency(%63[^)])%n", op, &len) != 1 || !len || name[len])
		return -1;
	return intern_find(r->ops, op, strlen(op));
}

bool why_setting_set(struct why_machine *m, const struct why_reading *r,
		     const struct why_setting *s)
{
	int op = find_op(r, s->name);

	if (op >= 0)
		m->latency[op] = s->value;
	for (int i = 0; i < WHY_SETTINGS; i++) {
		if (strcmp(why_rules[why_settings[i]].name, s->name) != 0)
			continue;
		m->number[why_settings[i]] = s->value;
		m->used[why_settings[i]] = true;
		return true;
	}
	return op >= 0;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static bool begin_run(struct evaluating *g, struct one_run *one, const struct why_whatif *whatif)
{
	one->machine = g->reading->machine;
	/* also of the run as it was: residues are of the rules that what-ifs have */
	if (g->run_count > 2)
		why_forget_unreached(&one->machine);
	for (size_t i = 0; whatif && i < whatif->set.count; i++)
		why_setting_set(&one->machine, g->reading, &whatif->set.data[i]);
	one->end = INT64_MIN;
	one->same = whatif && !whatif->gone && !whatif->set.count;
	if (one->same)
		return true;
	if (!why_run_new(&one->run, &g->reading->columns, &one->machine, whatif ? whatif->gone : 0,
			 one == g->runs))
		return false;
	one->run.span = g->span;
	return true;
}

/* Of the span: the last commit, and whether times come back where nothing is gone. */
static void evaluate_block(struct evaluating *g, struct one_run *one, size_t first, size_t end)
{
	const struct why_insn *insns = g->reading->columns.insns.data;

	for (size_t i = first; i < end;)
		i = why_run_group(&one->run, i, &g->steps[i - first]);
	for (size_t i = first; i < end; i++) {
		const int64_t *times = g->steps[i - first].times;

		if (why_span_has(g->span, i) && times[WHY_C] > one->end)
			one->end = times[WHY_C];
		for (int t = 0; one == &g->runs[1] && t < WHY_TIMES; t++)
			g->out->differences += times[t] != insns[i].times[t];
	}
}

static enum status evaluate(struct evaluating *g)
{
	const struct why_columns *c = &g->reading->columns;
	atomic_int *percent = g->run_count > 2 ? g->reading->percent : NULL;

	for (size_t at = g->first, end; at < g->until; at = end) {
		if (g->stop && *g->stop)
			return error_set(g->e, STATUS_INTERRUPTED, "interrupted");
		if (percent)
			*percent = (int)(50 + 50 * (at - g->first) / (g->until - g->first));
		end = at + BLOCK < g->until ? why_columns_end(c, at + BLOCK - 1) : g->until;
		for (size_t i = 0; i < g->run_count; i++)
			if (!g->runs[i].same)
				evaluate_block(g, &g->runs[i], at, end);
	}
	return STATUS_OK;
}

/* Structures that held only together with others were not full, if one of those held alone. */
static void let_go_companions(struct why_machine *m, const struct why_run *observed)
{
	bool alone[WHY_TIMES] = {false};

	for (unsigned p = 0; p < WHY_PLACES; p++)
		alone[why_rules[p].waits] |= why_is_structure(p) && observed->alone[p];
	for (unsigned p = 0; p < WHY_PLACES; p++)
		if (why_is_structure(p) && !observed->alone[p] && alone[why_rules[p].waits])
			m->binding[p] = 0;
}

/* True: a rule went out of use. */
static bool drop_broken(struct why_machine *m, const struct why_run *observed)
{
	bool dropped = false;

	m->lent = observed->misses ? observed->missed / observed->misses : 0;
	for (int r = 0; r < WHY_RULES; r++) {
		m->binding[r] = observed->binding[r];
		m->breaches[r] += observed->breaches[r];
		dropped = dropped || (m->used[r] && observed->breaches[r]);
		m->used[r] = m->used[r] && !observed->breaches[r];
	}
	let_go_companions(m, observed);
	return dropped;
}

/* Until no rule breaks any more: the run as it was, once more, and what-ifs. */
static enum status pass(struct evaluating *g, const struct why_whatif *whatifs, size_t count)
{
	struct why_reading *r = g->reading;
	enum status status = STATUS_OK;
	bool ok, again = true;

	g->run_count = count + 2;
	while (!status && again) {
		*g->out = (struct why_evaluation){.end = INT64_MIN};
		ok = true;
		for (size_t i = 0; i < g->run_count; i++)
			ok = begin_run(g, &g->runs[i], i < 2 ? NULL : &whatifs[i - 2]) && ok;
		status = ok ? evaluate(g) : error_set(g->e, STATUS_NOMEM, "out of memory");
		g->out->end = g->runs[0].end;
		again = !status && !r->settled && drop_broken(&r->machine, &g->runs[0].run);
		for (size_t i = 0; i < g->run_count; i++)
			if (!g->runs[i].same)
				why_run_free(&g->runs[i].run);
	}
	return status;
}

/* Rules break early if at all; what was reached is known behind the whole run only. */
static enum status settle(struct evaluating *g)
{
	const struct why_columns *c = &g->reading->columns;
	enum status status;

	g->until = c->insns.count > SAMPLE ? why_columns_end(c, SAMPLE) : c->insns.count;
	status = pass(g, NULL, 0);
	g->until = c->insns.count;
	if (!status)
		status = pass(g, NULL, 0);
	g->reading->settled = !status;
	return status;
}

enum status why_evaluate(struct why_reading *r, struct why_span span, struct why_whatif *whatifs,
			 size_t count, struct why_evaluation *out, const atomic_bool *stop,
			 struct error *e)
{
	struct evaluating g = {.reading = r, .span = span, .stop = stop, .e = e, .out = out};
	enum status status = STATUS_OK;
	size_t memory;

	g.runs = calloc(count + 2, sizeof(*g.runs));
	g.steps = calloc(BLOCK + WHY_GROUP, sizeof(*g.steps));
	if (!g.runs || !g.steps)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (!status && !r->settled)
		status = settle(&g);
	/* what-ifs change nothing but the span, and need no more than what holds it up */
	memory = why_run_memory(&r->machine) + WHY_REACH;
	g.first = why_columns_begin(&r->columns, span.first > memory ? span.first - memory : 0);
	g.until = span.end;
	if (!status && count)
		status = pass(&g, whatifs, count);
	for (size_t i = 0; !status && i < count; i++) {
		const struct one_run *one = &g.runs[i + 2];

		whatifs[i].saved = one->same ? 0 : out->end - one->end;
		whatifs[i].cycles = out->end - whatifs[i].saved - span.from;
	}
	free(g.runs);
	free(g.steps);
	return status;
}
