/*
 * What the wrong path brought in for the right one.
 *
 * Without mispredictions, the instruction cache would miss the lines that wrong paths fetched: a
 * miss marked on a squashed row, or on the first fetch behind a redirect that did not wait for it
 * (the miss of the wrong path was still under way). The first later fetch of such a line that hit
 * owes it a miss, which what-ifs without branches give back. Part of it: lines that squashed rows hide stay unknown.
 *
 * O(instructions); memory O(marked wrong-path rows).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_LENT_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_LENT_H

#include "analysis/pipeline/codemap.h"
#include "analysis/pipeline/why_columns.h"

struct why_lent {
	uint32_t index; /* the next instruction on the right path */
	bool under_way; /* it has the mark itself, which counts if it did not wait */
	uint64_t pc;    /* in the line */
};

/* How marked fetches that follow the one before in memory are aligned. */
struct why_lines {
	uint64_t aligned[16]; /* by the power of two that divides their pc, and more in the last */
};

void why_lines_add(struct why_lines *l, uint64_t pc);

/* Flags WHY_LENT in the columns. The list is in the order of its indexes. */
void why_lend(struct why_columns *c, const struct codemap *map, const struct why_machine *m,
	      const struct why_lines *lines, const struct why_lent *list, size_t count);

#endif
