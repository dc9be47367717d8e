/*
 * A part of one run as the other run has it: the same instructions.
 *
 * Of rows those from the match of the first to the match of the first behind them. Of cycles (all
 * rows of them) those from behind the commit before the first instruction that commits there to
 * the commit of the last one, so that a cycle in which several commit is not cut; aligned by
 * cycle: the same time. Commits are taken to be in order. O(log(steps) * PATH_REACH).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_STRETCH_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_STRETCH_H

#include "analysis/pipeline/align.h"
#include "analysis/pipeline/range.h"

/* What is open is INT64_MIN, TICK_NONE; where nothing of it is there, no ticks. */
struct range align_stretch(const struct align *al, int side, const struct range *r);

#endif
