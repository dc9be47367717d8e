/*
 * A trace, or a range of it, reduced to be looked at: all that a view of it shows at once.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCED_H

#include <stdatomic.h>

#include "analysis/pipeline/depth.h"
#include "analysis/pipeline/reduce_trace.h"

enum { REDUCED_GRID = 12 }; /* N_E and N_S of the penalty grid are 1 to this */

/* What is looked at. */
struct reduce_look {
	struct pipeline at;        /* dearest dependencies, simulation */
	struct fraction es, gamma; /* of the family of pipelines that a length is chosen from */
	bool links;                /* arcs are the trace's own links, not those of its operands */
};

struct reduced {
	struct reduced_trace trace;
	struct pipeline at; /* of the charges and of the only simulation */
	struct reduce_cycles grid[REDUCED_GRID * REDUCED_GRID]; /* by execute, then setup */
	struct depth depth;
	struct fraction es, gamma; /* of depth */
};

/*
 * *row (may be NULL) is the row that it has come to. STATUS_INPUT: no instruction was committed
 * there; else errors of reduce_trace(), and STATUS_INTERRUPTED soon after *stop. O(rows), and the
 * evaluation of some 200 pipelines.
 */
enum status reduced_new(struct reduced **out, struct store *s, const struct range *rows,
			const struct reduce_look *look, _Atomic uint64_t *row,
			const atomic_bool *stop, struct error *e);
void reduced_free(struct reduced *r); /* NULL is fine */
/* For another es and gamma: O(32 evaluations), nothing if they are the same. */
enum status reduced_design(struct reduced *r, const struct reduce_look *look, struct error *e);
/* Cycles of any pipeline: O(1) on the grid. Errors of reduce_evaluate(). */
enum status reduced_at(const struct reduced *r, const struct pipeline *at,
		       struct reduce_cycles *out, struct error *e);

#endif
