/*
 * The theory of reduced traces, written down a second time as plainly as can be: arrays, all pairs,
 * five passes; and with every wrong reading of it that a reader of the paper could choose.
 *
 * Nodes are numbered from 1. Nothing of the program is used.
 */
#ifndef PIPEGLASS_TESTS_REDUCE_MODEL_H
#define PIPEGLASS_TESTS_REDUCE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_NODES = 400, MODEL_ARCS = 4 * MODEL_NODES, MODEL_STAGES = 4 };

/* A taken reading of the theory: the right one, and those that must be found out. */
enum reading {
	READING_RIGHT,
	R3_LEAVES_OUT_J0, /* only nodes between the two resolvers are looked at */
	R3_IGNORES_TARGETS,
	R3_IGNORES_DEPENDENTS,
	R3_ANY_DISTANCE,
	R3_REVERSED, /* the longer one in place of the shorter */
	J_WITHOUT_DEPENDENT,
	J_WITH_RESOLVER,
	J_COUNTS_BRANCHES,  /* in place of their targets */
	STACK_OWN_DISTANCE, /* no step 6 */
	STACK_OLDEST_ONLY,
	STEP6_TOUCHING, /* an arc counts whose dependent is the resolver */
	STEP6_NO_SPAN,  /* every arc before counts */
	STEP6_WITH_FLUSH,
	SINGLES_AFTER_R2,
	SUPERPOSED,      /* section II */
	SELF_IS_CLOSEST, /* a self branch loses the arc into it */
	READINGS
};

struct model_arc {
	int dependent, resolver;
	int branches; /* as the reading counts them */
	int chain, place;
};

struct model_trace {
	int nodes;
	bool target[MODEL_NODES + 2], self[MODEL_NODES + 2];
	int ahead[MODEL_NODES + 2]; /* of the branch before a target: 0 in full */
	int arc_count;
	struct model_arc arcs[MODEL_ARCS]; /* distinct */
};

struct model_stats {
	int targets, self;
	int arcs[MODEL_STAGES];
	int chains[MODEL_STAGES][MODEL_NODES + 2]; /* by length */
	int kept_count;
	struct model_arc kept[MODEL_NODES + 2]; /* by dependent */
};

/* "1; 2*; 3<-1; 4*<-2,1; 5s": a star is a target, s (or an arc to itself) a self branch. */
void model_parse(struct model_trace *t, const char *text);
bool model_add_arc(struct model_trace *t, int dependent, int resolver); /* false: it was there */

void model_reduce(const struct model_trace *t, enum reading reading, bool r3plus,
		  struct model_stats *out);
/* Cycles by the formula; shorts: a short branch flushes no more than its length. */
int64_t model_formula(const struct model_trace *t, const struct model_stats *s,
		      enum reading reading, int execute, int setup, bool shorts);
/* Cycles by the recurrence. */
int64_t model_simulate(const struct model_trace *t, int execute, int setup, bool shorts);

#endif
