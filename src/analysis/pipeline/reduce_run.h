/*
 * A trace while it is reduced: the reduction, the machine itself, and what each dependency costs.
 *
 * Executed instructions come in program order, several programs (threads) interleaved; each is
 * reduced (reduce.h) and simulated (reduce_simulate.h) by itself, and they are added up, each
 * from an empty pipeline. For one pipeline of the caller's choice every surviving arc is charged
 * with the cycles that it costs there, and summed up by the two static instructions it stands
 * between: which dependency to break. The sums are the data and stack cycles of that pipeline, to
 * the cycle.
 *
 * O(operands + simulated pipelines) an instruction; memory O(distinct code pairs) and what reduce.h
 * says, for each program.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_RUN_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_RUN_H

#include "analysis/pipeline/reduce.h"
#include "analysis/pipeline/reduce_evaluate.h"
#include "analysis/pipeline/reduce_slack.h"

#define RUN_ROW_NONE UINT64_MAX

/* What the arcs between two static instructions cost. */
struct arc_charge {
	uint32_t resolver, dependent; /* codes */
	uint64_t count;               /* surviving arcs that cost something */
	int64_t cycles;
	uint64_t row, from; /* the rows of the dearest of them, dependent and resolver */
	int64_t most;       /* what it costs */
};

/* An arc between two rows, told while it is reduced. */
struct row_arc {
	uint64_t row, from; /* dependent, resolver; RUN_ROW_NONE: more than REDUCE_LENGTH_MOST back */
	enum arc_fate fate;
	uint32_t distance;        /* instructions from resolver to dependent */
	uint64_t by_row, by_from; /* removed: the arc that made it redundant */
	uint32_t branches;        /* kept: targets that it spans */
	int64_t cycles;           /* kept: what it costs at options.at */
};

struct run_options {
	bool r3plus, shorts;
	int64_t cap;
	struct pipeline at;              /* where arcs are charged; {0}: nowhere */
	const struct pipeline *simulate; /* and these are simulated */
	size_t simulate_count;
	/* Instructions that take step.execute cycles (reduce_slack.h), for these setup sections. */
	const int64_t *setups;
	size_t setup_count; /* 0: not asked for */
	int64_t longest;
	/* Arcs between these two codes are not there: what the program would cost without. */
	bool without;
	uint32_t without_resolver, without_dependent;
	void (*arc)(void *arg, const struct row_arc *arc); /* may be NULL */
	void *arg;
};

/* An instruction; what it depends on is told by operands or, where from is given, by rows. */
struct run_step {
	uint64_t row;
	uint32_t code;
	uint16_t program;
	bool taken, self;
	int64_t ahead; /* see struct reduce_step */
	int64_t execute; /* cycles, where options.setups are given */
	const uint32_t *sources, *sinks;
	size_t source_count, sink_count;
	const uint64_t *from; /* rows that came before in this program; NULL: operands */
	size_t from_count;
};

struct run_result {
	struct reduction reduction;
	struct arc_charge *charges; /* dearest first; of equals, the most frequent */
	size_t charge_count;
	int64_t *simulated; /* cycles, one for each of options.simulate */
	struct slack_result slack; /* where options.setups were given */
};

struct reduce_run;

/* options are borrowed. Errors: no memory, and those of simulation_new(). */
enum status run_new(struct reduce_run **out, const struct run_options *options, struct error *e);
bool run_add(struct reduce_run *run, const struct run_step *step); /* false: failed, for good */
/* Frees run. *out is the caller's, and empty after an error. */
enum status run_end(struct reduce_run *run, struct run_result *out, struct error *e);
void run_free(struct reduce_run *run); /* instead of run_end() */
void run_result_free(struct run_result *r);

#endif
