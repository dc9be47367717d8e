/*
 * What blocks of stacks did to a stack clock, so that they need not be walked again.
 *
 * A loop that became one stack is a few blocks, repeated (reduce_stacks.h). What a block does
 * depends on the arcs that it may still find open: how far behind the last resolver their
 * dependents are and what was lost since. After some rounds of a loop those are always the same,
 * and blocks of blocks are recalled in one step: O(block log n) in place of O(n). It is a memory of
 * a fixed size, which never changes what comes out.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_RECALL_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_RECALL_H

#include "analysis/pipeline/reduce_evaluate.h"

struct recall;

struct recall *recall_new(void); /* NULL: no memory */
void recall_free(struct recall *r);
void recall_clear(struct recall *r); /* blocks do other things from here on: other costs */

/*
 * For a struct stack_visitor: before a block (which has to be walked if `walk`), and behind it if
 * it was. After recall_new() comes recall_clear(), as after a walk that was not finished.
 */
bool recall_skip(struct recall *r, struct stack_clock *c, int32_t block, bool walk,
		 uint64_t *resolver);
void recall_left(struct recall *r, const struct stack_clock *c, int32_t block, uint64_t resolver);

#endif
