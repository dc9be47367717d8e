/*
 * Chains of more than one arc, each different one kept once.
 *
 * What the later arcs of such a chain cost depends on the pipeline (Emma and Davidson, step 6),
 * so the chain itself is kept: a stack of (resolver, shape), positions relative to each other.
 * There may be many alike, and a loop whose rounds depend on each other is one stack of millions
 * of arcs. So a stack is a tree of blocks of STACK_FAN, and equal blocks are one block: equal
 * stacks have the same root, and a loop of p instructions takes O(p log n) blocks. Adding an arc
 * costs O(1) amortised; memory is some 4 bytes for each arc of a distinct block.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_STACKS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

enum { STACK_FAN = 64, STACK_LEVELS = 10, STACK_ARC_BYTES = 15 };

struct stack {
	int32_t root;
	uint64_t arcs; /* of one of them */
	uint64_t count;
};

struct stack_arc {
	uint64_t resolver; /* instructions behind the resolver of the stack's first arc */
	int32_t shape;
};

struct stacks {
	VEC(struct stack) list; /* in order of first appearance */
	/* private */
	struct intern *blocks;
	VEC(uint32_t) index; /* of a block: its place in list + 1; 0: it is no whole stack */
	uint64_t last, arcs; /* of the open stack: resolver of the last arc, arcs */
	uint8_t leaf[1 + STACK_FAN * STACK_ARC_BYTES];
	size_t leaf_used;
	int32_t child[STACK_LEVELS][STACK_FAN]; /* [0] is not used: that is the leaf */
	size_t children[STACK_LEVELS];
};

bool stacks_init(struct stacks *s);
void stacks_free(struct stacks *s);

/* One stack is open at a time: its arcs, resolvers ascending, then how often it occurred. */
bool stacks_push(struct stacks *s, uint64_t resolver, int32_t shape); /* false: no memory */
bool stacks_close(struct stacks *s, uint64_t count);

/* The arcs of a stack in order; false as soon as visit says so. O(arcs). */
bool stacks_visit(const struct stacks *s, const struct stack *stack,
		  bool (*visit)(void *arg, const struct stack_arc *arc), void *arg);

#endif
