/*
 * A trace, or a range of it, reduced to be looked at: all that a view of it shows at once.
 *
 * The parts are in reduced_parts.h; this is for whoever only makes one and hands it on.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCED_H

#include <stdatomic.h>

#include "analysis/pipeline/range.h"
#include "analysis/pipeline/reduce_pipeline.h"
#include "base/status.h"
#include "pipeline/store.h"

enum { REDUCED_GRID = 12 }; /* N_E and N_S of the penalty grid are 1 to this */

/* What is looked at. */
struct reduce_look {
	struct pipeline at;        /* dearest dependencies, simulation */
	struct fraction es, gamma; /* of the family of pipelines in the plots */
	bool links;                /* arcs are the trace's own links, not those of its operands */
};

struct reduced;

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

#endif
