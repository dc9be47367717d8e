/*
 * From a reduction and the lengths of a pipeline to cycles, exactly.
 *
 *     cycles = instructions + flush + data + stack + self
 *
 * flush: setup - 1 for every target. data: (execute - D - j (setup - 1))+ for every arc of the
 * histogram, of distance D over j targets. stack: what the further arcs of the stacks cost, each
 * less what the arcs before it already did (Emma and Davidson, step 6). self: `execute` for every
 * branch that computes its own condition. Cost: O(shapes + arcs of distinct stacks) for
 * STACK_LANES points.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_EVALUATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_EVALUATE_H

#include <stdatomic.h>

#include "analysis/pipeline/reduce_result.h"

struct reduce_cycles {
	struct pipeline at;
	int64_t instructions;
	int64_t cycles, flush, data, stack, self;
	/* The paper's section II: all arcs at their own distance, as if nothing overlapped. */
	int64_t naive; /* -1: the raw arcs are not known, or not so far */
	bool exact;    /* execute is not above the cap, and all operands were read */
};

/* What the pane and the batch command show of it: key, unit, help. */
#define REDUCE_CYCLES_INFO(_)                                                                      \
	_(instructions, "one cycle for each instruction")                                          \
	_(flush, "taken branches empty the setup segments")                                                \
	_(data, "waits for a result")                                           \
	_(stack, "what overlapping waits add to the oldest one")                                             \
	_(self, "branches that compute their own condition")

/*
 * n points, lengths from 1 to REDUCE_CAP (shorts: to REDUCE_LENGTH_MOST). shorts: the flush of a
 * short forward branch of length d is min(setup, d) - 1, if the reduction knows them. STATUS_USAGE:
 * it does not, or a point is out of range.
 */
enum status reduce_evaluate(const struct reduction *r, const struct pipeline *points, size_t n,
			    bool shorts, struct reduce_cycles *out, struct error *e);
/* The same; STATUS_INTERRUPTED soon after *stop (NULL: nobody stops it): out is no good then. */
enum status reduce_evaluate_until(const struct reduction *r, const struct pipeline *points,
				  size_t n, bool shorts, const atomic_bool *stop,
				  struct reduce_cycles *out, struct error *e);

/* ---- the cycles that one arc costs --------------------------------------------------------- */

/*
 * Cycles that an arc of the shape would cost if nothing else were late on its way: execute - D -
 * flushes under it. Not cut off at 0, as the further arcs of a stack add up.
 */
int64_t shape_cost(const struct shape *s, const struct pipeline *at, bool shorts);

enum { STACK_LANES = 8 };

struct stack_entry {
	uint64_t dependent;
	int64_t lost[STACK_LANES]; /* by the stack's arcs up to this one */
};

/* A stack while its arcs pass by, in order: for as many pipelines at once as there are lanes. */
struct stack_clock {
	struct stack_entry *ring; /* arcs whose dependents later arcs may still span */
	size_t size, head, count;
	int64_t before[STACK_LANES]; /* lost up to the last arc that left the ring */
	int64_t lost[STACK_LANES];   /* up to the last arc */
};

void stack_clock_restart(struct stack_clock *c); /* before each stack, and the first time: zeroed */
/* cost: of the arc's shape, for each lane. False: no memory. */
bool stack_clock_step(struct stack_clock *c, uint64_t resolver, uint64_t dependent,
		      const int64_t *cost);
void stack_clock_free(struct stack_clock *c);

#endif
