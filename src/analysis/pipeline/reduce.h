/*
 * The reductions of Emma and Davidson (1987) in one pass over the executed instructions.
 *
 * Instructions are numbered from 0 and given in program order, each with all the instructions that
 * it depends on. What is collected is exact for every pipeline whose execution section is not
 * longer than the cap; the counts after each reduction are those of the paper's five passes. Two
 * things about the theory that its text leaves open: a delay between the resolvers of two arcs
 * counts for Reduction 3 from behind the older up to and with the younger one; and a branch that
 * computes its own condition holds up all that follows until it is resolved, so that every arc
 * across it or from it is redundant, but not the arc into it.
 *
 * Cost: O(1) amortised an instruction, O(resolvers) for its arcs, O(short branches under it) for
 * an arc that is kept with lengths. Memory: the delays and open chains of the last `cap`
 * instructions at most (few, as results are used soon), the open stack (reduce_stacks.h), and the
 * reduction itself.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_H

#include "analysis/pipeline/reduce_result.h"

/* One executed instruction. */
struct reduce_step {
	const int64_t *resolvers; /* distinct instructions before this one */
	size_t count;
	bool taken;    /* a taken branch: the next instruction is its target */
	bool self;     /* a branch that computes its own condition */
	int64_t ahead; /* of a taken branch: instructions on to its target; 0: backwards, unknown */
};

enum arc_fate { ARC_BEYOND, ARC_R1, ARC_R2, ARC_R3, ARC_KEPT };

/* What became of an arc. */
struct reduce_arc {
	int64_t dependent, resolver;
	enum arc_fate fate;
	/* Removed: the arc that made it redundant; by_resolver == by_dependent: a self branch. */
	int64_t by_dependent, by_resolver;
	/* Kept: its shape, and its chain: place 0 is the oldest, others make the chain a stack. */
	int32_t shape;
	uint64_t chain, place;
};

struct reduce_options {
	int64_t cap; /* 0: REDUCE_CAP; at most that */
	bool r3plus; /* Reduction 3+: a target between two resolvers keeps no arc by itself */
	bool shorts; /* shapes keep the lengths of short branches */
	/* May be NULL. In order of dependents, those removed by Reduction 1 first. */
	void (*arc)(void *arg, const struct reduce_arc *arc);
	bool kept_only; /* arc() is told of no others */
	void *arg;
};

struct reduce;

struct reduce *reduce_new(const struct reduce_options *options);   /* NULL: no memory */
bool reduce_add(struct reduce *r, const struct reduce_step *step); /* false: no memory, for good */
/* The reduction so far: shapes are good for what arc() was told. Complete after reduce_end(). */
const struct reduction *reduce_result(const struct reduce *r);
/* Frees r. *out is the caller's, and empty after an error. */
enum status reduce_end(struct reduce *r, struct reduction *out, struct error *e);

#endif
