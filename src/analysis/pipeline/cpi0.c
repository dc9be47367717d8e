#include "config.h"

#include "analysis/pipeline/cpi0.h"

#include <math.h>
#include <string.h>

/* ---- exact ratios ------------------------------------------------------------------------ */

/* By the digits of their continued fractions: no product can overflow. */
int cpi0_compare(struct cpi0_ratio a, struct cpi0_ratio b)
{
	int sign = 1;

	for (;;) {
		cpi0_wide whole_a = a.num / a.den, whole_b = b.num / b.den;
		cpi0_wide rest_a = a.num % a.den, rest_b = b.num % b.den;

		if (whole_a != whole_b)
			return whole_a < whole_b ? -sign : sign;
		if (!rest_a || !rest_b)
			return rest_a ? sign : rest_b ? -sign : 0;
		a = (struct cpi0_ratio){a.den, rest_a};
		b = (struct cpi0_ratio){b.den, rest_b};
		sign = -sign;
	}
}

static struct cpi0_ratio ratio(cpi0_wide num, cpi0_wide den)
{
	cpi0_wide a = num, b = den;

	while (b) {
		cpi0_wide rest = a % b;

		a = b;
		b = rest;
	}
	return (struct cpi0_ratio){num / a, den / a};
}

double cpi0_real(struct cpi0_ratio r)
{
	return (double)r.num / (double)r.den;
}

const char *cpi0_limit_name(const struct machine *m, int limit)
{
	return limit == CPI0_DISPATCH  ? "dispatch"
	       : limit == CPI0_LATENCY ? "latency"
				       : m->queues[limit].name;
}

/* ---- bounds ------------------------------------------------------------------------------ */

/* Instructions of the queue that only units of the set take. */
static uint64_t bound_to(const struct machine_queue *q, const struct cpi0_mix *mix, unsigned set)
{
	class_set others = 0;
	uint64_t sum = 0;

	for (int u = 0; u < q->unit_count; u++)
		if (!(set >> u & 1))
			others |= q->units[u].classes;
	for (int c = 0; c < OP_CLASS_COUNT; c++)
		if (q->classes >> c & 1 && !(others >> c & 1))
			sum += mix->classes[c];
	return sum;
}

static uint64_t units_in(const struct machine_queue *q, unsigned set)
{
	uint64_t units = 0;

	for (int u = 0; u < q->unit_count; u++)
		units += set >> u & 1 ? (uint64_t)q->units[u].count : 0;
	return units;
}

/* Cycles an instruction of those `count` of q, and which units make them so: 0: its own rate. */
static struct cpi0_ratio bound_of(const struct machine_queue *q, const struct cpi0_mix *mix,
				  uint64_t count, unsigned *units)
{
	struct cpi0_ratio bound = {0, 1};
	unsigned all = (1u << q->unit_count) - 1;

	*units = 0;
	if (q->rate.den)
		bound = ratio((cpi0_wide)count * (uint64_t)q->rate.den,
			      (cpi0_wide)mix->total * (uint64_t)q->rate.num);
	for (unsigned set = all; set; set--) {
		uint64_t needs = set == all ? count : bound_to(q, mix, set);
		struct cpi0_ratio r = ratio(needs, (cpi0_wide)mix->total * units_in(q, set));

		if (cpi0_compare(r, bound) > 0) {
			bound = r;
			*units = set;
		}
	}
	return bound;
}

static void bound_queue(struct cpi0 *out, const struct machine *m, const struct cpi0_mix *mix,
			int at)
{
	const struct machine_queue *q = &m->queues[at];
	struct cpi0_queue *queue = &out->queues[at];
	struct cpi0_ratio *bound = &out->bounds[at];
	unsigned all = (1u << q->unit_count) - 1;

	queue->count = cpi0_mix_queue(mix, m, at);
	*bound = bound_of(q, mix, queue->count, &queue->units);
	if (queue->count)
		queue->rate =
		    ratio((cpi0_wide)queue->count * bound->den, (cpi0_wide)mix->total * bound->num);
	else if (q->rate.den)
		queue->rate = ratio((cpi0_wide)q->rate.num, (cpi0_wide)q->rate.den);
	else
		queue->rate = ratio(units_in(q, all), 1);
}

/* Cycles beyond the first that places of these classes are held; `counts`: how many of each. */
static cpi0_wide stay(const struct machine *m, const uint64_t counts[OP_CLASS_COUNT],
		      class_set classes)
{
	cpi0_wide sum = 0;

	for (int c = 0; c < OP_CLASS_COUNT; c++)
		if (classes >> c & 1 && m->queue_of[c] != MACHINE_NO_QUEUE)
			sum += (cpi0_wide)counts[c] *
			       (uint64_t)(m->queues[m->queue_of[c]].latency - 1);
	return sum;
}

/*
 * Of instructions with several places at least so many: each stays for the longest of them, which
 * a mix does not tell, so it is what one function alone asks for, the most.
 */
static cpi0_wide stay_beside(const struct machine *m, const struct cpi0_mix *mix)
{
	cpi0_wide most = 0;

	for (int f = 0; f < CPI0_FUNCTIONS; f++) {
		cpi0_wide alone = stay(m, mix->beside, cpi0_functions[f]);

		most = alone > most ? alone : most;
	}
	return most;
}

/* Little's law: whoever stays so long takes a place of K that long; out of queues a cycle. */
static struct cpi0_ratio latency_bound(const struct cpi0 *c, const struct machine *m,
				       const struct cpi0_mix *mix)
{
	cpi0_wide queued = 0, longer = 0;

	for (int q = 0; q < m->queue_count; q++) {
		queued += c->queues[q].count;
		longer += (cpi0_wide)c->queues[q].count * (uint64_t)(m->queues[q].latency - 1);
	}
	if (m->queued)
		return ratio(queued + longer, (cpi0_wide)c->instructions * (uint64_t)m->in_flight);
	longer -= stay(m, mix->beside, ~(class_set)0);
	return ratio(mix->total + longer + stay_beside(m, mix),
		     (cpi0_wide)c->instructions * (uint64_t)m->in_flight);
}

static struct cpi0_ratio greatest_bound(const struct cpi0 *c)
{
	struct cpi0_ratio most = c->bounds[0];

	for (int i = 1; i < CPI0_LIMITS; i++)
		if (cpi0_compare(c->bounds[i], most) > 0)
			most = c->bounds[i];
	return most;
}

static void find_limits(struct cpi0 *c)
{
	c->cpi = greatest_bound(c);
	c->runner_up = CPI0_NOTHING;
	for (int i = 0; i < CPI0_LIMITS; i++) {
		if (cpi0_compare(c->bounds[i], c->cpi) == 0)
			c->limiting |= 1u << i;
		else if (c->bounds[i].num &&
			 (c->runner_up == CPI0_NOTHING ||
			  cpi0_compare(c->bounds[i], c->bounds[c->runner_up]) > 0))
			c->runner_up = i;
	}
	c->margin = c->runner_up == CPI0_NOTHING
			? 0
			: cpi0_real(c->bounds[c->runner_up]) / cpi0_real(c->cpi);
}

/* ---- what goes with them ------------------------------------------------------------------- */

/* Rounded once: 1/3 is the double next to a third, and 16 / (1/3) is 48. */
static double growth_of(const struct cpi0 *c, const struct machine *m, const struct cpi0_queue *q)
{
	cpi0_wide in = (cpi0_wide)m->dispatch.num * q->count * q->rate.den;
	cpi0_wide out = q->rate.num * c->instructions * (uint64_t)m->dispatch.den;
	cpi0_wide den = q->rate.den * c->instructions * (uint64_t)m->dispatch.den;

	return in >= out ? cpi0_real(ratio(in - out, den)) : -cpi0_real(ratio(out - in, den));
}

/* With one more of whatever helps the queue most. */
static struct cpi0_ratio bound_with_more(struct cpi0_queue *queue, const struct machine_queue *of,
					 const struct cpi0_mix *mix, struct cpi0_ratio bound)
{
	struct machine_queue q = *of;
	unsigned units;

	queue->more_unit = CPI0_NOTHING;
	if (q.rate.den) {
		q.rate.num += q.rate.den;
		bound = bound_of(&q, mix, queue->count, &units);
		q.rate = of->rate;
	}
	for (int u = 0; u < q.unit_count; u++) {
		struct cpi0_ratio r;

		q.units[u].count++;
		r = bound_of(&q, mix, queue->count, &units);
		q.units[u].count--;
		if (cpi0_compare(r, bound) < 0) {
			bound = r;
			queue->more_unit = u;
		}
	}
	return bound;
}

static void measure_queue(struct cpi0 *c, const struct machine *m, const struct cpi0_mix *mix,
			  int at)
{
	struct cpi0_queue *q = &c->queues[at];
	double cpi = cpi0_real(c->cpi);
	struct cpi0_ratio more = bound_with_more(q, &m->queues[at], mix, c->bounds[at]);

	q->p = (double)q->count / (double)c->instructions;
	q->growth = growth_of(c, m, q);
	q->utilisation = cpi0_real(c->bounds[at]) / cpi;
	q->fills_at = INFINITY;
	if (cpi0_compare(c->bounds[at], c->bounds[CPI0_DISPATCH]) > 0)
		q->fills_at = m->queues[at].capacity / q->growth;
	for (int i = 0; i < CPI0_LIMITS; i++)
		if (i != at && cpi0_compare(c->bounds[i], more) > 0)
			more = c->bounds[i];
	q->more = cpi0_real(more);
	c->rates += cpi0_real(q->rate);
}

static void measure_dispatch(struct cpi0 *c, const struct machine *m)
{
	double others = cpi0_real(c->bounds[CPI0_LATENCY]);

	for (int q = 0; q < m->queue_count; q++)
		others = fmax(others, cpi0_real(c->bounds[q]));
	c->dispatch_utilisation = cpi0_real(c->bounds[CPI0_DISPATCH]) / cpi0_real(c->cpi);
	c->dispatch_more =
	    fmax(others, 1 / ((double)m->dispatch.num / (double)m->dispatch.den + 1));
}

/* Q / G without the total, which all queues have in common: G N = N_x (mu - 1 / bound). */
static struct cpi0_ratio time_to_fill(const struct cpi0 *c, const struct machine *m, int at)
{
	struct cpi0_ratio b = c->bounds[at];
	cpi0_wide mu_num = (cpi0_wide)m->dispatch.num, mu_den = (cpi0_wide)m->dispatch.den;
	struct cpi0_ratio growth = ratio(mu_num * b.num - b.den * mu_den, mu_den * b.num);

	return (struct cpi0_ratio){(cpi0_wide)m->queues[at].capacity * growth.den,
				   (cpi0_wide)c->queues[at].count * growth.num};
}

static void find_first_full(struct cpi0 *c, const struct machine *m)
{
	struct cpi0_ratio first = {0, 1};

	for (int q = 0; q < m->queue_count; q++) {
		struct cpi0_ratio time;
		int order;

		if (isinf(c->queues[q].fills_at))
			continue;
		time = time_to_fill(c, m, q);
		order = c->first_full ? cpi0_compare(time, first) : -1;
		if (order < 0) {
			first = time;
			c->first_full = 0;
		}
		if (order <= 0)
			c->first_full |= 1u << q;
	}
}

/* Then dispatch follows what all queues that hold something let go together. */
static void find_plateau(struct cpi0 *c, const struct machine *m)
{
	double growth = 0, p = 0, rates = 0, first = INFINITY;
	int growing = 0;

	for (int q = 0; q < m->queue_count; q++) {
		if (isinf(c->queues[q].fills_at))
			continue;
		growing++;
		growth += c->queues[q].growth;
		p += c->queues[q].p;
		rates += cpi0_real(c->queues[q].rate);
		first = fmin(first, c->queues[q].fills_at);
	}
	if (!m->queued || growing < 2 || m->in_flight / growth >= first)
		return;
	c->plateau.reached = true;
	c->plateau.at = m->in_flight / growth;
	c->plateau.cpi = p / rates;
	c->plateau.until = INFINITY;
	for (int q = 0; q < m->queue_count; q++) {
		const struct cpi0_queue *x = &c->queues[q];
		double held = x->growth * c->plateau.at;
		double change = x->p / c->plateau.cpi - cpi0_real(x->rate), left;

		if (isinf(x->fills_at) || fabs(change) < 1e-12)
			continue;
		left = change < 0 ? held / -change : (m->queues[q].capacity - held) / change;
		c->plateau.until = fmin(c->plateau.until, c->plateau.at + left);
	}
}

enum status cpi0_model(struct cpi0 *out, const struct machine *m, const struct cpi0_mix *mix,
		       struct error *e)
{
	memset(out, 0, sizeof(*out));
	out->instructions = mix->total;
	if (!mix->total)
		return error_set(e, STATUS_INPUT, "no instruction there is to diagnose");
	if (mix->total > CPI0_COUNT_MOST || mix->folded > CPI0_COUNT_MOST - mix->total)
		return error_set(e, STATUS_INPUT, "more than 10^15 instructions");
	for (int i = 0; i < CPI0_LIMITS; i++)
		out->bounds[i] = (struct cpi0_ratio){0, 1};
	for (int q = 0; q < m->queue_count; q++)
		bound_queue(out, m, mix, q);
	out->bounds[CPI0_DISPATCH] = ratio((cpi0_wide)m->dispatch.den, (cpi0_wide)m->dispatch.num);
	out->bounds[CPI0_LATENCY] = latency_bound(out, m, mix);
	find_limits(out);
	for (int q = 0; q < m->queue_count; q++)
		measure_queue(out, m, mix, q);
	measure_dispatch(out, m);
	find_first_full(out, m);
	find_plateau(out, m);
	return STATUS_OK;
}
