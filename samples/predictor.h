/*
 * Branch prediction: gshare for directions, a direct-mapped branch target buffer for taken targets,
 * a return-address stack.  History and stack run ahead with fetch and are put back on a recovery;
 * the tables learn at commit only.  Fetch is assumed to know the kind of an instruction (predecoded
 * I-cache). Every call costs O(1).
 */
#ifndef SAMPLES_PREDICTOR_H
#define SAMPLES_PREDICTOR_H

#include "isa.h"

enum { PREDICTOR_COUNTERS_MAX = 1024, PREDICTOR_TARGETS_MAX = 64, PREDICTOR_RETURNS_MAX = 16 };

/* Entries of the three tables, and branches in the history. */
struct predictor_shape {
	unsigned counters, targets, returns, history;
};

/* The part that runs ahead; saved with each instruction. */
struct predictor_state {
	unsigned history;
	unsigned top;       /* of the stack */
	uint64_t top_value; /* restores what a wrong path's push overwrote */
};

struct predictor_target {
	uint64_t pc, next;
};

struct predictor {
	const struct predictor_shape *shape;
	unsigned history, top;
	uint64_t returns[PREDICTOR_RETURNS_MAX];
	uint8_t counter[PREDICTOR_COUNTERS_MAX]; /* two-bit: 2 and 3 predict taken */
	struct predictor_target target[PREDICTOR_TARGETS_MAX];
};

void predictor_init(struct predictor *p, const struct predictor_shape *shape);
struct predictor_state predictor_save(const struct predictor *p);

/* The next pc to fetch after insn at pc, and the predicted direction; history and stack move on. */
uint64_t predictor_next(struct predictor *p, const struct insn *insn, uint64_t pc, bool *taken);

/* Back to before insn at pc, then over it as it really went. */
void predictor_repair(struct predictor *p, struct predictor_state before, const struct insn *insn,
		      uint64_t pc, bool taken);

/* insn at pc, fetched in state before, has committed and went to next. */
void predictor_learn(struct predictor *p, struct predictor_state before, const struct insn *insn,
		     uint64_t pc, uint64_t next);

#endif
