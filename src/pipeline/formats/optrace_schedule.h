/*
 * When each instruction of an optrace goes through the two sections of a pipeline.
 *
 * The model is that of Emma and Davidson (1987), figure 2. Instruction i enters the execution
 * section in cycle
 *
 *     t[i] = max(resolved[i-1] + (i is a branch's target ? setup : 1), t[r] + execute)
 *
 * for all r that wrote what it reads, where resolved[i] is t[i], and `execute` later when i
 * computes its own condition. It enters the setup section as soon as the first segment is free,
 * a target when its branch leaves setup; the first instruction in cycle 0. Cycles are those of
 * analysis/pipeline/reduce_simulate.h. O(operands) an instruction; memory O(distinct operands + setup).
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_OPTRACE_SCHEDULE_H
#define PIPEGLASS_PIPELINE_FORMATS_OPTRACE_SCHEDULE_H

#include "pipeline/formats/optrace.h"
#include "pipeline/formats/reader.h"

struct optrace_schedule {
	struct segments at;
	VEC(int64_t) results;    /* by operand: the cycle in which it can be read */
	int64_t *entered;        /* t of the last `setup` instructions, by number modulo setup */
	int64_t next;            /* its place */
	int64_t start, resolved; /* of the instruction before */
	bool target;             /* of it: the next one is */
};

/* at: both at least 1. False: no memory. */
bool schedule_init(struct optrace_schedule *s, struct segments at);
void schedule_free(struct optrace_schedule *s);
/* The next instruction: in setup from *start on, out of execution at *end. False: no memory. */
bool schedule_add(struct optrace_schedule *s, const struct optrace_op *op, int64_t *start,
		  int64_t *end);

#endif
