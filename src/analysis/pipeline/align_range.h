/*
 * A part of one run as the other run has it: the same instructions.
 *
 * A cut divides both: what commits up to a tick of one side, and what of the other is the same.
 * Where it lies inside of what a matched step waits for (the ticks from the commit before it to its
 * own), it is cut as many cycles behind its beginning in the other, or at its end, if it is
 * shorter; what only the other has in that place is before the cut. Aligned by time it is the same
 * time. O(steps).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_RANGE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_RANGE_H

#include "analysis/pipeline/align.h"
#include "analysis/pipeline/range.h"

/* Ticks [from, to). */
struct align_ticks {
	int64_t from, to;
};

/* The first tick of a side, and the one behind the last. */
struct align_ticks align_whole(const struct align_side *side);
/* Cycles from that of a tick to that of another. */
int64_t align_cycles(const struct align_side *side, int64_t from, int64_t to);

/*
 * Where the other side is cut where a side is behind what commits at a tick. Before the first tick
 * and behind the last one: INT64_MIN and INT64_MAX. False: no memory.
 */
bool align_cut(const struct align *al, int side, int64_t tick, int64_t *out,
	       const atomic_bool *stop);

/*
 * Of rows those from the match of the first to the match of the first behind them. Of cycles (all
 * rows of them) those from behind the commit before the first instruction that commits there to
 * the commit of the last one. What is open stays INT64_MIN, TICK_NONE; where nothing of it is
 * there, no ticks. It is all without memory.
 */
struct range align_range(const struct align *al, int side, const struct range *r);

#endif
