/*
 * How many segments to cut a pipeline into: Emma and Davidson (1987), section V.
 *
 * A family of pipelines has nE execution and nS setup segments, n = 1, 2, ... More segments make
 * the clock faster, by no more than latches allow (gamma: the delay of all logic over that of one
 * latch), and dependencies and branches dearer. Cycles are those of the whole reduction, so
 * gamma_n (the gamma at which n and n + 1 segments are equally fast), speedups and the best n are
 * exact; the best n is compared in integers. alpha, n_opt and the coefficient are the paper's
 * estimators: they look at one k, or leave stacks out, and miss the best n often, if by little.
 *
 * Cost: O(32 evaluations), more by bisection if the best n lies beyond (with short branches: all
 * n).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_DEPTH_H
#define PIPEGLASS_ANALYSIS_PIPELINE_DEPTH_H

#include <stdatomic.h>

#include "analysis/pipeline/reduce_evaluate.h"
#include "trace/result.h"

enum {
	DEPTH_POINTS = 32,      /* n of which all is told */
	DEPTH_MOST = 4096,      /* n among which the best is looked for */
	DEPTH_K = 2
};

/* state, what to say where there is no number */
#define DEPTH_STATE_INFO(_)                                                                        \
	_(FOUND, "")                                                                               \
	_(GROWS, "no optimum: longer is always faster")                                            \
	_(BEYOND, "longer than any pipeline examined")                                            \
	_(K_SHORT, "k times E must be above 1")                                                    \
	_(K_FREE, "no dependency costs a cycle at this k: choose a larger one")                    \
	_(ONE, "alpha is not positive: one segment each is best")

enum depth_state {
#define DEPTH_STATE_ENUM(state, text) DEPTH_##state,
	DEPTH_STATE_INFO(DEPTH_STATE_ENUM)
#undef DEPTH_STATE_ENUM
	    DEPTH_STATES
};

extern const char *const depth_states[DEPTH_STATES];

struct depth_options {
	struct fraction es;    /* E/S */
	struct fraction gamma; /* not negative */
	int64_t k;             /* of the estimators; 0: DEPTH_K */
	bool shorts;
	const atomic_bool *stop; /* NULL: nobody stops it */
};

struct depth_point {
	int64_t n;
	struct reduce_cycles cycles;
	double penalty; /* D(n): cycles that dependencies cost an instruction */
	double inverse_bandwidth;
	double gamma;   /* gamma_n; infinite: n + 1 is never better */
	double speedup; /* over one unpipelined segment, at the gamma asked for */
	double growth;  /* of the penalty, from the n before, over it; NAN: there is none */
};

struct depth {
	uint64_t instructions;
	double gamma; /* that was asked for */
	bool estimate; /* the caller's to say */
	int64_t e, s, k;
	struct depth_point at[DEPTH_POINTS]; /* n = 1, 2, ... */
	/* exact: the smallest n that no longer pipeline beats */
	enum depth_state best_state; /* FOUND, GROWS, BEYOND */
	int64_t best_n;
	double best_speedup;
	/* The growth of D(n) with n, per instruction, once n is at least `steady`; without stacks.
	 */
	double growth;
	int64_t steady;
	bool stacks;        /* there are some that it leaves out */
	double coefficient; /* gamma_n = coefficient * n (n + 1) from there on; may be infinite */
	/* the paper's estimators at k */
	enum depth_state alpha_state;
	double alpha; /* FOUND, or ONE */
	double n_opt; /* sqrt(gamma * alpha); 1 if ONE */
};

/*
 * STATUS_USAGE: a ratio or k out of range; STATUS_INPUT: no instructions; STATUS_INTERRUPTED soon
 * after *stop.
 */
enum status depth_design(struct depth *out, const struct reduction *r,
			 const struct depth_options *options, struct error *e);

bool depth_has_best(const struct depth *d);

enum depth_section { DEPTH_PIPELINES, DEPTH_TABLE };
extern const struct section depth_sections[]; /* of a struct depth */

/*
 * The latency of a flushed setup section, in cycles: fetch of the target, decode, register and
 * memory operands (section VI), and the segments it amounts to at a bandwidth of instructions per
 * cycle without branches: N_S = L_F * bandwidth, to the nearest, at least 1.
 */
struct setup_parts {
	double fetch, decode;              /* T_f, T_D: cycles */
	double registers, register_cycles; /* p_r: an instruction has so many; T_R */
	double operands, operand_cycles;   /* p_m, T_m */
};

double setup_latency(const struct setup_parts *p);
int64_t setup_segments(double latency, double bandwidth);

#endif
