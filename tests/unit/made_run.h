/*
 * Runs made by hand for tests of what compares two: rows that are fetched, executed and committed,
 * or squashed. A pc is one static instruction, and its text is one of seven.
 */
#ifndef TESTS_UNIT_MADE_RUN_H
#define TESTS_UNIT_MADE_RUN_H

#include "base/vec.h"
#include "pipeline/store.h"

/* The stages of a run as a pipetrace has them. */
enum { RUN_IF = 0, RUN_EX = 2, RUN_CT = 4 };

struct run_row {
	int64_t born, end;
	uint64_t pc;
	bool squashed;
};

struct made_run {
	VEC(struct run_row) rows;
	int64_t last;     /* tick; at least that of the last end */
	int64_t executes; /* so many ticks after birth */
};

/* In the order of their births. */
void run_put(struct made_run *r, int64_t born, int64_t end, uint64_t pc, bool squashed);

/* As a pipetrace; the run is as new then. */
struct store *run_store(struct made_run *r);
/*
 * As an O3PipeView log with so many ticks a cycle, from tick 1 on; the last one is that of a
 * squashed row.
 */
struct store *run_store_in_ticks(struct made_run *r, int64_t clock);

#endif
