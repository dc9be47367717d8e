/*
 * CPI0: the cycles an instruction takes at best on a machine, without caches, dependencies and
 * mispredictions, and which queue of the machine says so.
 *
 * After the growth-rate model of queues fed at mu instructions a cycle: p of them are queue x's,
 * which lets A_x go, so it grows by G_x = mu p_x - A_x. In the steady state
 *
 *     CPI0 = max( 1/mu, max over queues p_x / A_x, mean latency / K )
 *
 * whichever queue fills first and however fast the others grow. Where a queue has units that take
 * some classes only, A_x is the most that fits them: the least, over sets of units, of what they
 * do over the part of the queue that needs them (for one adder and one multiplier:
 * min(2, N_f / N_mul, N_f / N_add)). What limits, ties, the runner-up and which queue fills first
 * are decided in integers; the numbers that go with them are rounded.
 *
 * One more unit takes what its kind takes: the queue is bound anew for each kind with one more of
 * it, and the kind that lets A grow most is told, the first of several. (`ff_**` is helped by a
 * second multiplier, not by an adder.) O(queues * units * 2^units).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_H

#include "analysis/pipeline/cpi0_mix.h"
#include "analysis/pipeline/machine.h"

__extension__ typedef unsigned __int128 cpi0_wide;

/* Not negative; den is not 0. */
struct cpi0_ratio {
	cpi0_wide num, den;
};

/* < 0, 0, > 0 as a < b, a == b, a > b: exact, whatever the size of the terms. */
int cpi0_compare(struct cpi0_ratio a, struct cpi0_ratio b);
double cpi0_real(struct cpi0_ratio r);

/* What can limit: a queue by its number, or one of these. */
enum { CPI0_DISPATCH = MACHINE_QUEUES, CPI0_LATENCY, CPI0_LIMITS, CPI0_NOTHING = -1 };

struct cpi0_queue {
	uint64_t count;
	struct cpi0_ratio rate; /* A, for this mix */
	double p, growth, utilisation;
	double fills_at; /* cycles, had it the machine to itself; infinite: never */
	double more;     /* CPI0 with one more: of a unit, or of its own rate */
	int more_unit;   /* that unit; CPI0_NOTHING: the rate, or no unit alone lets A grow */
	unsigned units;  /* a set: those that bound A; 0: its own rate does */
};

struct cpi0 {
	uint64_t instructions;
	struct cpi0_ratio bounds[CPI0_LIMITS]; /* cycles an instruction; of no queue: 0 */
	struct cpi0_ratio cpi;
	unsigned limiting; /* a set of limits: all that reach the CPI */
	int runner_up;     /* the greatest bound below; CPI0_NOTHING: there is none */
	double margin;     /* runner-up over CPI0 */
	struct cpi0_queue queues[MACHINE_QUEUES];
	unsigned first_full; /* a set of queues; 0: none grows */
	double dispatch_utilisation, dispatch_more;
	double rates; /* sum of A */
	/*
	 * While more than one queue grows, K may be reached before any is full. Transient; of
	 * machines whose K counts what is queued.
	 */
	struct {
		bool reached;
		double at, cpi, until; /* until: +infinity when nothing ends it */
	} plateau;
};

/* STATUS_INPUT: there is no instruction, or there are too many to count exactly. */
enum status cpi0_model(struct cpi0 *out, const struct machine *m, const struct cpi0_mix *mix,
		       struct error *e);

/* "m", "dispatch", "latency". */
const char *cpi0_limit_name(const struct machine *m, int limit);

#endif
