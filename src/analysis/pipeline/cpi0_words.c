#include "config.h"

#include "analysis/pipeline/cpi0_words.h"

#include <ctype.h>
#include <math.h>

#include "analysis/pipeline/cpi0_counts.h"
#include "analysis/pipeline/cpi0_kinds.h"
#include "base/num.h"

static const class_set kind_classes[CPI0_KIND_MIXED] = {
#define KIND_CLASSES(id, word, classes) classes,
    CPI0_KINDS_INFO(KIND_CLASSES)
#undef KIND_CLASSES
};

const char *const cpi0_kind_words[CPI0_KINDS] = {
#define KIND_WORD(id, word, classes) word,
    CPI0_KINDS_INFO(KIND_WORD)
#undef KIND_WORD
};

enum cpi0_kind cpi0_kind_of(const struct machine_queue *q)
{
	int kind = 0;

	while (kind < CPI0_KIND_MIXED && q->classes & ~kind_classes[kind])
		kind++;
	return (enum cpi0_kind)kind;
}

static double mu(const struct machine *m)
{
	return (double)m->dispatch.num / (double)m->dispatch.den;
}

void cpi0_say_machine(const struct machine *m, struct sbuf *out)
{
	sbuf_printf(out, "%s: %g dispatched a cycle, %d in flight%s", m->name, mu(m), m->in_flight,
		    m->queued ? " (in queues)" : "");
}

void cpi0_say_limits(const struct machine *m, unsigned set, struct sbuf *out)
{
	for (int i = 0; i < CPI0_LIMITS; i++) {
		if (!(set >> i & 1))
			continue;
		sbuf_puts(out, cpi0_limit_name(m, i));
		set &= ~(1u << i);
		sbuf_puts(out, !set ? "" : set & (set - 1) ? ", " : " and ");
	}
}

static char initial(const struct machine *m, int queue)
{
	return (char)tolower((unsigned char)m->queues[queue].name[0]);
}

char cpi0_limit_letter(const struct machine *m, int limit)
{
	if (limit == CPI0_DISPATCH)
		return 'D';
	if (limit == CPI0_LATENCY)
		return 'L';
	for (int q = 0; q < limit; q++)
		if (initial(m, q) == initial(m, limit))
			return (char)('1' + limit);
	return initial(m, limit);
}

static void say_limiting(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	int first = __builtin_ctz(c->limiting);
	enum cpi0_kind kind =
	    first < MACHINE_QUEUES ? cpi0_kind_of(&m->queues[first]) : CPI0_KIND_MIXED;

	sbuf_puts(out, "limited by ");
	cpi0_say_limits(m, c->limiting, out);
	if (c->limiting & (c->limiting - 1))
		sbuf_puts(out, " alike");
	else if (kind != CPI0_KIND_MIXED)
		sbuf_printf(out, ", the %s queue", cpi0_kind_words[kind]);
}

/* The units of a queue that bound it, where it has several. */
static void say_units(const struct machine_queue *q, unsigned set, struct sbuf *out)
{
	const char *before = " through ";

	for (int u = 0; set && q->unit_count > 1 && u < q->unit_count; u++) {
		if (!(set >> u & 1))
			continue;
		sbuf_printf(out, "%s%s", before, q->units[u].name);
		before = " and ";
	}
}

static void say_why(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	int first = __builtin_ctz(c->limiting);

	if (first == CPI0_DISPATCH) {
		sbuf_printf(out, "%g a cycle, and no queue grows", mu(m));
	} else if (first == CPI0_LATENCY) {
		sbuf_printf(out, "instructions stay %.1f cycles, and %d are in flight",
			    cpi0_real(c->cpi) * m->in_flight, m->in_flight);
	} else {
		const struct cpi0_queue *q = &c->queues[first];
		double rate = cpi0_real(q->rate);

		sbuf_printf(out, "%.4f of the instructions, %.4g a cycle leave%s it", q->p, rate,
			    rate == 1 ? "s" : "");
		say_units(&m->queues[first], q->units, out);
	}
}

static void say_next(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	if (c->runner_up != CPI0_NOTHING)
		sbuf_printf(out, "; next: %s at %.0f %%", cpi0_limit_name(m, c->runner_up),
			    100 * c->margin);
}

static void say_more(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	int first = __builtin_ctz(c->limiting);
	const struct cpi0_queue *q = &c->queues[first < MACHINE_QUEUES ? first : 0];
	double more = first == CPI0_DISPATCH ? c->dispatch_more : q->more;

	if (c->limiting & (c->limiting - 1) || first == CPI0_LATENCY)
		return;
	if (first < MACHINE_QUEUES && q->more_unit != CPI0_NOTHING)
		sbuf_printf(out, "; with one more %s: %.4f",
			    m->queues[first].units[q->more_unit].name, more);
	else if (more < cpi0_real(c->cpi))
		sbuf_printf(out, "; with one more a cycle: %.4f", more);
	else
		sbuf_puts(out, "; one more unit alone would not help");
}

void cpi0_say_verdict(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	say_limiting(m, c, out);
	sbuf_puts(out, ": ");
	say_why(m, c, out);
	say_next(m, c, out);
	say_more(m, c, out);
}

void cpi0_say_filling(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	if (c->first_full) {
		sbuf_puts(out, "first to fill: ");
		cpi0_say_limits(m, c->first_full, out);
		sbuf_printf(out, ", in cycle %.0f%s",
			    ceil(c->queues[__builtin_ctz(c->first_full)].fills_at),
			    c->first_full & ~c->limiting ? " (which does not decide)" : "");
	}
	if (c->plateau.reached)
		sbuf_printf(out, "; transient: %d in flight in cycle %.0f, then %.4f until cycle %.0f",
			    m->in_flight, ceil(c->plateau.at), c->plateau.cpi,
			    ceil(c->plateau.until));
}

/* ---- what is not known --------------------------------------------------------------------- */

static void say_estimate(const struct cpi0_mix *mix, struct sbuf *out)
{
	uint64_t known = cpi0_mix_known(mix);
	char n[32];

	if (known < mix->total)
		sbuf_printf(out, "an estimate: the class of %s is not known",
			    num_group((int64_t)(mix->total - known), n));
}

static void say_folded(const struct cpi0_mix *mix, struct sbuf *out)
{
	char n[32], all[32];

	if (mix->folded && mix->claimed)
		sbuf_printf(out, "classes add up to %s, more than the %s instructions counted",
			    num_group((int64_t)(mix->claimed + mix->folded), n),
			    num_group((int64_t)mix->claimed, all));
	else if (mix->folded)
		sbuf_printf(out, "%s micro-op%s to other units than the rest of the instruction",
			    num_group((int64_t)mix->folded, n),
			    mix->folded == 1 ? " goes" : "s go");
}

static void say_rest(const struct cpi0_mix *mix, struct sbuf *out)
{
	static const struct {
		enum op_class class;
		const char *word;
	} kinds[] = {{OP_LOAD, "loads"}, {OP_STORE, "stores"}, {OP_BRANCH, "branches"}};
	const char *before = " is the rest: ";

	if (mix->rest == OP_CLASS_COUNT || !mix->uncounted)
		return;
	sbuf_puts(out, isa_class_name(mix->rest));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (mix->uncounted >> kinds[i].class & 1) {
			sbuf_printf(out, "%s%s", before, kinds[i].word);
			before = ", ";
		}
	sbuf_puts(out, " not counted");
}

/* Of some it is right, as of kinds of floating-point instructions; of others it counts twice. */
static void say_summed(const struct cpi0_mix *mix, struct sbuf *out)
{
	const char *name;

	for (int i = 0; (name = cpi0_summed_name(mix, i)) != NULL; i++)
		sbuf_printf(out, "%s%s", i ? ", " : "", name);
	if (mix->summed)
		sbuf_puts(out, mix->summed & (mix->summed - 1) ? ": each of several counters, added up"
							       : ": several counters, added up");
}

static void say_nameless(const struct cpi0_mix *mix, struct sbuf *out)
{
	char n[32];

	if (mix->nameless)
		sbuf_printf(out, "%s row%s without address and text left out",
			    num_group((int64_t)mix->nameless, n), mix->nameless == 1 ? "" : "s");
}

static void say_cycles(const struct cpi0_mix *mix, struct sbuf *out)
{
	if (mix->cycles_uncounted)
		sbuf_puts(out, "cycles were not counted: nothing is measured");
}

static void say_skipped(const struct cpi0_mix *mix, struct sbuf *out)
{
	if (mix->skipped)
		sbuf_printf(out, "%d counter%s that the mapping does not name", (int)mix->skipped,
			    mix->skipped == 1 ? "" : "s");
}

bool cpi0_say_unknown(const struct cpi0_mix *mix, int i, struct sbuf *out)
{
	static void (*const says[])(const struct cpi0_mix *mix, struct sbuf *out) = {
	    say_estimate, say_folded, say_rest, say_summed, say_nameless, say_cycles, say_skipped};

	if (i >= (int)(sizeof(says) / sizeof(says[0])))
		return false;
	says[i](mix, out);
	return true;
}
