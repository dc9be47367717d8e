#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK = 512,      /* instructions that all runs go through in turn */
	NEVER_SEEN = 0x7f /* bytes of it: more than any cycles are */
};

static struct why_run run_of(const struct why_reading *r, size_t first, int64_t from, bool observed)
{
	return (struct why_run){.c = &r->columns,
				.m = r->machine,
				.observed = observed,
				.first = first,
				.from = from};
}

/* ---- the machine --------------------------------------------------------------------------- */

/*
 * Structures that held only together with others were not full, if one of those held alone. A size
 * that nothing ever waited for may be any larger one: then it bounds nothing.
 */
static void forget_unreached(struct why_machine *m)
{
	bool alone[WHY_TIMES] = {false};

	for (unsigned p = 0; p < WHY_PLACES; p++)
		alone[why_rules[p].waits] |= why_is_structure(p) && m->alone[p];
	for (unsigned p = 0; p < WHY_SIZES; p++) {
		if (why_is_structure(p) && !m->alone[p] && alone[why_rules[p].waits])
			m->binding[p] = 0;
		m->used[p] = m->used[p] && m->binding[p];
	}
}

/* The latest of the source's times, not before `first`, that is never after its target. */
static void end_edges(int64_t (*seen)[WHY_C], enum why_time first, struct why_edges *out)
{
	out->usual = -1;
	for (int t = 0; t < WHY_C; t++)
		out->length[t] = INT64_MAX;
	for (int op = 0; op <= WHY_OPS; op++) {
		int t = WHY_C - 1;

		while (t >= (int)first && (seen[op][t] < 0 || seen[op][t] > UINT32_MAX))
			t--;
		out->from[op] = (int8_t)(t < (int)first ? -1 : t);
		if (out->from[op] < 0)
			continue;
		why_least(&out->length[t], seen[op][t]);
		out->usual = out->from[op] > out->usual ? out->from[op] : out->usual;
	}
}

static void end_learning(struct why_machine *m, int64_t (*learned)[WHY_OPS + 1][WHY_C])
{
	for (int i = 0; i < WHY_EDGES; i++) {
		struct why_edges *e = &m->edges[i];
		const enum why_rule rule = WHY_RULE_REDIRECT + (enum why_rule)i;

		end_edges(learned[i], rule == WHY_RULE_OPERAND ? WHY_X : WHY_F, e);
		m->number[rule] = e->usual < 0 ? 0 : e->length[e->usual];
	}
	for (int r = 0; r < WHY_RULES; r++)
		if (m->number[r] > WHY_SIZE_MOST) /* or none was seen */
			m->number[r] = 0;
}

static void lend(struct why_reading *r, const struct why_loan *loan, const struct why_step *before)
{
	if (loan->who == WHY_NOBODY)
		return;
	r->columns.insns.data[loan->who].flags &= ~WHY_LENT & 0x1ffff;
	if (loan->marked || (!before->residues[WHY_F] &&
			     why_rules[before->by[WHY_F].rule].cause == WHY_BRANCH))
		r->columns.insns.data[loan->who].flags |= WHY_LENT;
}

/* The run as it was: true if a rule broke, which then is out of use. */
static bool see(struct why_reading *r, struct why_run *run, const atomic_bool *stop)
{
	int64_t missed = 0, misses = 0; /* cycles of marked fetches that waited, and how many */
	const struct why_loan *loan = r->columns.loans.data;
	const struct why_loan *end = loan + r->columns.loans.count;
	struct why_step step;
	bool broken = false;

	for (size_t i = 0; i < r->columns.insns.count && !(stop && *stop); i++) {
		why_run_step(run, i, &step);
		for (; loan < end && loan->before == i; loan++)
			lend(r, loan, &step);
		if (r->columns.insns.data[i].flags & WHY_FETCH_MISS && step.residues[WHY_F]) {
			missed += step.residues[WHY_F];
			misses++;
		}
	}
	for (int k = 0; k < WHY_RULES; k++) {
		broken = broken || (run->m.used[k] && run->m.breaches[k]);
		run->m.used[k] = run->m.used[k] && !run->m.breaches[k];
	}
	r->machine = run->m;
	r->machine.miss = misses ? missed / misses : 0;
	return broken;
}

enum status why_settle(struct why_reading *r, const atomic_bool *stop, struct error *e)
{
	int64_t (*learned)[WHY_OPS + 1][WHY_C] = malloc(WHY_EDGES * sizeof(*learned));
	bool ok = learned, broken = true;

	if (ok)
		memset(learned, NEVER_SEEN, WHY_EDGES * sizeof(*learned));
	for (int pass = 0; ok && broken; pass++) {
		struct why_run run = run_of(r, 0, INT64_MIN, true);

		run.learned = pass ? NULL : learned;
		memset(run.m.binding, 0, sizeof(run.m.binding));
		memset(run.m.alone, 0, sizeof(run.m.alone));
		ok = why_run_begin(&run);
		broken = ok && (see(r, &run, stop) || !pass);
		if (ok && !pass)
			end_learning(&r->machine, learned);
		why_run_free(&run);
	}
	free(learned);
	forget_unreached(&r->machine);
	return status_of_work(ok, stop, e);
}

/* ---- what-ifs ------------------------------------------------------------------------------ */

static bool begin_run(struct why_run *run, const struct why_whatif *f)
{
	for (size_t i = 0; i < f->set.count; i++) {
		const unsigned number = f->set.data[i].of->number;

		if (number < WHY_RULES) {
			/* larger than what never held anything up: as it was */
			run->m.used[number] |= f->set.data[i].value < run->m.number[number];
			run->m.number[number] = f->set.data[i].value;
		} else {
			run->m.latency[number - WHY_RULES] = f->set.data[i].value;
		}
	}
	run->gone = f->gone;
	return why_run_begin(run);
}

static void run_block(struct why_run *run, struct why_step *steps, size_t first, size_t end,
		      struct why_whatif *f)
{
	for (size_t i = first; i < end; i++) {
		const int64_t *times = steps[i - first].times;

		why_run_step(run, i, &steps[i - first]);
		if (times[WHY_C] - run->from > f->cycles)
			f->cycles = times[WHY_C] - run->from;
		for (int t = 0; t < WHY_TIMES; t++)
			f->differences += times[t] != run->c->insns.data[i].times[t];
	}
}

/*
 * Where one structure is larger, another one that was never seen full may fill up, whose size is
 * not known. Not the fetch buffer: it empties the faster.
 */
static const char *bound_of(const struct why_machine *m, const struct why_run *run, int64_t saved)
{
	bool larger = false, unknown = false;

	for (unsigned c = 0; c < WHY_CAUSES; c++)
		if (run->gone & WHY_BIT(c) && why_causes[c].bound)
			return why_causes[c].bound;
	for (unsigned p = 0; p < WHY_PLACES; p++) {
		const bool grows = run->gone & WHY_BIT(why_rules[p].cause) ||
				   run->m.number[p] > m->number[p];

		larger |= why_is_structure(p) && grows;
		unknown |= why_is_structure(p) && !grows && p != WHY_RULE_BUFFER && m->number[p] &&
			   !m->binding[p];
	}
	return larger && unknown && saved > 0 ? "upper" : NULL;
}

enum status why_evaluate(const struct why_reading *r, struct why_span span,
			 struct why_whatif *whatifs, size_t count, const atomic_bool *stop,
			 struct error *e)
{
	struct why_run observed = run_of(r, span.first, span.from, true);
	struct why_run *runs = calloc(count, sizeof(*runs));
	struct why_step *steps = calloc(BLOCK, sizeof(*steps));
	bool ok = why_run_begin(&observed) && runs && steps;

	for (size_t k = 0; runs && k < count; k++) {
		runs[k] = run_of(r, span.first, span.from, false);
		ok = begin_run(&runs[k], &whatifs[k]) && ok;
	}
	for (size_t at = span.first, end; ok && at < span.end && !(stop && *stop); at = end) {
		if (r->percent) /* to read took half of the time */
			*r->percent = (int)(50 + 50 * (at - span.first) / (span.end - span.first));
		end = at + BLOCK < span.end ? at + BLOCK : span.end;
		for (size_t i = at; i < end; i++)
			why_run_step(&observed, i, &steps[i - at]);
		for (size_t k = 0; k < count; k++)
			run_block(&runs[k], steps, at, end, &whatifs[k]);
	}
	for (size_t k = 0; runs && k < count; k++) {
		whatifs[k].saved = span.to - span.from - whatifs[k].cycles;
		whatifs[k].bound = bound_of(&r->machine, &runs[k], whatifs[k].saved);
		why_run_free(&runs[k]);
	}
	why_run_free(&observed);
	free(runs);
	free(steps);
	return status_of_work(ok, stop, e);
}
