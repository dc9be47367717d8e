/*
 * A trace reduced: the reduction, the machine itself, and what each dependency costs.
 *
 * The executed instructions (executed.h) of each thread are a program, which is reduced (reduce.h)
 * and simulated (reduce_simulate.h) by itself; programs are added up, each from an empty pipeline.
 * For one pipeline of the caller's choice every surviving arc is charged with the cycles that it
 * costs there, and summed up by the two static instructions it stands between: which dependency to
 * break. The sums are the data and stack cycles of that pipeline, to the cycle.
 *
 * Without addresses in the trace, dependencies through memory are missing, and operands that could
 * not be read are: counts says of how many instructions, and then the result is an estimate.
 * O(operands + simulated pipelines) an instruction; memory O(distinct code and pairs of it) and what
 * reduce.h says, for each program.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_TRACE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_TRACE_H

#include <stdatomic.h>

#include "analysis/pipeline/executed.h"
#include "analysis/pipeline/reduce.h"
#include "analysis/pipeline/reduce_evaluate.h"
#include "analysis/pipeline/reduce_slack.h"

/* What the arcs between two static instructions cost. */
struct arc_charge {
	uint32_t resolver, dependent; /* codes of the store */
	uint64_t count;               /* surviving arcs that cost something */
	int64_t cycles;
	uint64_t row, from; /* the rows of the dearest of them, dependent and resolver */
	int64_t most;       /* what it costs */
};

/* An arc between two rows, told while it is reduced. */
struct shown_arc {
	uint64_t row, from; /* dependent, resolver; ROW_NONE: more than REDUCE_LENGTH_MOST back */
	/* The reduction that takes it out (1, 2, 3), and the arc for whose sake; 0: it is kept. */
	unsigned removed;
	uint64_t by_row, by_from; /* equal: a branch that computes its own condition */
	uint32_t distance;        /* instructions from resolver to dependent */
	/* kept */
	uint32_t branches; /* targets that it spans */
	int64_t cycles;    /* what it costs at options.at */
};

struct reduce_trace_options {
	bool r3plus, shorts;
	struct pipeline at;              /* where arcs are charged; {0}: nowhere */
	const struct pipeline *simulate; /* and these are simulated */
	size_t simulate_count;
	/* Instructions that take times[their class] cycles (reduce_slack.h); NULL: not asked for. */
	const int64_t *times;
	const int64_t *setups; /* for these setup sections */
	size_t setup_count;
	/* Arcs between these two codes are not there: what the program would cost without. */
	bool without;
	uint32_t without_resolver, without_dependent;
	struct executed_options executed;
	enum isa isa; /* ISA_UNKNOWN: as the text is */
	/* Told of each arc that is shorter than the cap; NULL: nobody. */
	void (*arc)(void *arg, const struct shown_arc *arc);
	void *arg;
};

struct reduced_trace {
	struct reduction reduction;
	struct arc_charge *charges; /* dearest first; of equals, the most frequent */
	size_t charge_count;
	int64_t *simulated;        /* cycles, one for each of options.simulate */
	struct slack_result slack; /* where options.times were given */
	struct executed_counts counts;
	enum isa isa;
	bool links; /* its arcs are the trace's own */
};

/*
 * Errors of executed_walk(), simulation_new() and slack_new(). *stop may be NULL. *out is empty after
 * an error.
 */
enum status reduce_trace(struct reduced_trace *out, struct store *s, const struct range *range,
			 const struct reduce_trace_options *o, const atomic_bool *stop,
			 struct error *e);
void reduced_trace_free(struct reduced_trace *r);

/* Every dependency there was is in it. */
bool reduced_trace_exact(const struct reduced_trace *r);

#endif
