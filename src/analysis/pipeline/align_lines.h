/*
 * Both aligned traces as one list of lines: the row of A and the row of B that match one below the
 * other, and in the gaps between them the rows of both by their births, counted from those of the
 * pair before (in the first gap, of the pair behind); at the same time, or where nothing matches,
 * those of A first.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_LINES_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_LINES_H

#include "analysis/pipeline/align.h"

struct align_line {
	int side;
	uint64_t row;
	uint64_t partner; /* row of the other side that stands beside it; ROW_NONE: none */
	/* private */
	const struct align *al;
	uint64_t before[ALIGN_SIDES]; /* rows of both that stand before it */
};

uint64_t align_lines(const struct align *al);
/* The row that matches one that is no micro-op; ROW_NONE: none, or it is one. */
uint64_t align_partner(const struct align *al, int side, uint64_t row);
/* The line of a row: O(log^2 n), and in a gap O(log n) rows are looked up. */
uint64_t align_line_of(const struct align *al, int side, uint64_t row);
/* To a line, O(log^3 n); to the next one. False: it is behind the last one. */
bool align_line_at(const struct align *al, uint64_t line, struct align_line *out);
bool align_line_next(struct align_line *l);

#endif
