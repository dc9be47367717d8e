#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <stdlib.h>
#include <string.h>

enum { NEVER_SEEN = 0x7f /* bytes of it: more than any cycles are */ };

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
	memset(out->length, NEVER_SEEN, sizeof(out->length));
	for (int op = 0; op <= WHY_OPS; op++) {
		int8_t from = -1;

		for (int t = first; t < WHY_C; t++)
			if (seen[op][t] >= 0 && seen[op][t] <= UINT32_MAX)
				from = (int8_t)t;
		out->from[op] = from;
		if (from >= 0)
			why_least(&out->length[from], seen[op][from]);
		out->usual = from > out->usual ? from : out->usual;
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

/* The run as it was: true if a rule broke, which then is out of use. */
static bool see(struct why_reading *r, struct why_run *run, const atomic_bool *stop)
{
	int64_t missed = 0, misses = 0; /* cycles of marked fetches that waited, and how many */
	const struct why_loan *loan = r->columns.loans.data;
	size_t loans = r->columns.loans.count;
	struct why_insn *insns = r->columns.insns.data;
	struct why_step step;
	bool broken = false;

	for (size_t i = 0; i < r->columns.insns.count && !(stop && *stop); i++) {
		why_run_step(run, i, &step);
		for (; loans && loan->before == i; loan++, loans--)
			if (loan->who != WHY_NOBODY &&
			    (loan->marked || (!step.residues[WHY_F] &&
					      why_rules[step.by[WHY_F].rule].cause == WHY_BRANCH)))
				insns[loan->who].flags |= WHY_LENT;
		if (insns[i].flags & WHY_FETCH_MISS && step.residues[WHY_F]) {
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
	int64_t learned[WHY_EDGES][WHY_OPS + 1][WHY_C];
	struct why_machine *m = &r->machine;
	bool ok = true, broken = true;

	memset(learned, NEVER_SEEN, sizeof(learned));
	memset(m->used, true, sizeof(m->used));
	for (int k = WHY_SIZES; k < WHY_NUMBERS; k++)
		m->number[k] = k < WHY_ORDERS || k >= WHY_RULES ? INT64_MAX : 1;
	for (int pass = 0; ok && broken; pass++) {
		struct why_run run = {.c = &r->columns, .m = *m, .observed = true,
				      .from = INT64_MIN, .learned = pass ? NULL : learned};

		memset(run.m.binding, 0, sizeof(run.m.binding));
		memset(run.m.alone, 0, sizeof(run.m.alone));
		ok = why_run_begin(&run);
		broken = ok && (see(r, &run, stop) || !pass);
		if (ok && !pass)
			end_learning(m, learned);
		why_run_free(&run);
	}
	forget_unreached(m);
	return status_of_work(ok, stop, e);
}

/* ---- what-ifs ------------------------------------------------------------------------------ */

static bool begin_run(struct why_run *run, const struct why_reading *r, struct why_span span,
		      const struct why_whatif *f)
{
	*run = (struct why_run){.c = &r->columns,
				.m = r->machine,
				.gone = f->gone,
				.first = span.first,
				.from = span.from};
	for (size_t i = 0; i < f->set_count; i++) {
		const struct why_setting s = f->set[i];

		/* larger than what never held anything up: as it was */
		if (s.of->number < WHY_RULES)
			run->m.used[s.of->number] |= s.value < run->m.number[s.of->number];
		run->m.number[s.of->number] = s.value;
	}
	return why_run_begin(run);
}

static void run_block(struct why_run *run, const struct why_steps *seen, struct why_whatif *f)
{
	for (size_t i = 0; i < seen->count; i++) {
		const int64_t *times = seen->of[i].times;

		why_run_step(run, seen->first + i, &seen->of[i]);
		if (times[WHY_C] - run->from > f->cycles)
			f->cycles = times[WHY_C] - run->from;
		for (int t = 0; t < WHY_TIMES; t++)
			f->differences += times[t] != run->c->insns.data[seen->first + i].times[t];
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
	struct why_steps seen = {.c = &r->columns, .m = &r->machine};
	struct why_run *runs = calloc(count, sizeof(*runs));
	bool ok = runs;

	for (size_t k = 0; runs && k < count; k++)
		ok = begin_run(&runs[k], r, span, &whatifs[k]) && ok;
	for (size_t at = span.first, end; ok && at < span.end && !(stop && *stop); at = end) {
		if (r->percent) /* to read took half of the time */
			*r->percent = (int)(50 + 50 * (at - span.first) / (span.end - span.first));
		end = at + WHY_WALK < span.end ? at + WHY_WALK : span.end;
		ok = why_steps_load(&seen, at, end);
		for (size_t k = 0; ok && k < count; k++)
			run_block(&runs[k], &seen, &whatifs[k]);
	}
	for (size_t k = 0; runs && k < count; k++) {
		whatifs[k].saved = span.to - span.from - whatifs[k].cycles;
		whatifs[k].bound = bound_of(&r->machine, &runs[k], whatifs[k].saved);
		why_run_free(&runs[k]);
	}
	free(runs);
	free(seen.of);
	return status_of_work(ok, stop, e);
}
