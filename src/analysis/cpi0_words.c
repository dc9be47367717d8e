#include "config.h"

#include "analysis/cpi0_words.h"

#include <math.h>

const char *const cpi0_part_names[CPI0_PARTS] = {
#define PART_NAME(id, name, help, negative) name,
    CPI0_PARTS_INFO(PART_NAME)
#undef PART_NAME
};

const char *const cpi0_part_helps[CPI0_PARTS] = {
#define PART_HELP(id, name, help, negative) help,
    CPI0_PARTS_INFO(PART_HELP)
#undef PART_HELP
};

const char *const cpi0_part_negatives[CPI0_PARTS] = {
#define PART_NEGATIVE(id, name, help, negative) negative,
    CPI0_PARTS_INFO(PART_NEGATIVE)
#undef PART_NEGATIVE
};

void cpi0_split(double parts[CPI0_PARTS], const struct cpi0 *c, double measured, double simulated)
{
	double least = cpi0_real(c->bounds[CPI0_DISPATCH]), cpi = cpi0_real(c->cpi);

	parts[CPI0_PART_DISPATCH] = least;
	parts[CPI0_PART_QUEUE] = cpi - least;
	parts[CPI0_PART_ORDER] = simulated < 0 ? NAN : simulated - cpi;
	parts[CPI0_PART_REST] = measured < 0 || simulated < 0 ? NAN : measured - simulated;
}

/* ---- words ----------------------------------------------------------------------------------- */

#define BIT(class) ((class_set)1 << OP_##class)
#define MEMORY (BIT(LOAD) | BIT(STORE))
#define FLOATS (BIT(FP_ADD) | BIT(FP_MUL) | BIT(FP_DIV) | BIT(FP_OTHER))
#define FLOWS (BIT(BRANCH) | BIT(JUMP) | BIT(CALL) | BIT(RETURN))
#define INTEGERS (BIT(INT_ALU) | BIT(INT_MUL) | BIT(INT_DIV))
#define ODDS (BIT(NOP) | BIT(SYSTEM) | BIT(OTHER) | BIT(PART) | BIT(UNKNOWN))

/* A queue that takes no more than that is called so; the first of them. */
static const struct {
	const char *word;
	class_set classes;
} kinds[] = {
    {"load", BIT(LOAD)},
    {"store", BIT(STORE)},
    {"memory", MEMORY},
    {"floating-point", FLOATS},
    {"branch", FLOWS},
    {"integer", INTEGERS | FLOWS | ODDS},
};

/* NULL: it takes instructions of several kinds */
static const char *kind_of(const struct machine_queue *q)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!(q->classes & ~kinds[i].classes))
			return kinds[i].word;
	return NULL;
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

void cpi0_say_limiting(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	int first = __builtin_ctz(c->limiting);
	const char *kind = first < MACHINE_QUEUES ? kind_of(&m->queues[first]) : NULL;

	sbuf_puts(out, "limited by ");
	cpi0_say_limits(m, c->limiting, out);
	if (c->limiting & (c->limiting - 1))
		sbuf_puts(out, " alike");
	else if (kind)
		sbuf_printf(out, ", the %s queue", kind);
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

void cpi0_say_why(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
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

void cpi0_say_next(const struct machine *m, const struct cpi0 *c, struct sbuf *out)
{
	if (c->runner_up != CPI0_NOTHING)
		sbuf_printf(out, "next: %s at %.0f %%", cpi0_limit_name(m, c->runner_up),
			    100 * c->margin);
}
