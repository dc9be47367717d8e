/*
 * What a reduced trace to be looked at holds, for the view that shows it.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCED_PARTS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCED_PARTS_H

#include "analysis/pipeline/depth.h"
#include "analysis/pipeline/reduce_trace.h"
#include "analysis/pipeline/reduced.h"

struct reduced {
	struct reduced_trace trace;
	struct pipeline at; /* of the charges and of the only simulation */
	struct reduce_cycles grid[REDUCED_GRID * REDUCED_GRID]; /* by execute, then setup */
	struct depth depth;
	struct fraction es, gamma; /* of depth */
};

/* Cycles of any pipeline: O(1) on the grid. Errors of reduce_evaluate(). */
enum status reduced_at(const struct reduced *r, const struct pipeline *at,
		       struct reduce_cycles *out, struct error *e);

#endif
