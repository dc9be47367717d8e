/*
 * Where any of several aligned runs differs from the first one: the next place of all, in the
 * order of their list (aligned.h).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_DIFFER_RUNS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_DIFFER_RUNS_H

#include "analysis/pipeline/aligned.h"
#include "analysis/pipeline/differ.h"

/*
 * The nearest place with a difference of `kinds` behind (dir > 0) or before a row of a run,
 * ROW_NONE: of all; differ[k], k > 0, are of the alignments al->with[k]. What differ_next() says of
 * A and run k is in out[k], kinds 0 where they do not differ there; *other is the first run that
 * does (RUN_A: there is no such place). O(steps passed) for each run, whichever of them differs
 * first.
 */
enum status differ_runs_next(const struct aligned *al, struct differ differ[], int run,
			     uint64_t row, int dir, unsigned kinds, struct difference out[],
			     int *other, struct error *e);

#endif
