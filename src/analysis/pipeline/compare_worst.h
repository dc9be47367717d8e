/*
 * For each static instruction of a comparison the one execution to look at: where B lost most
 * of the cycles that the instruction lost, or gained most of those it gained.
 *
 * Executions are weighed by what compare.h charges a step: a matched pair by the difference of
 * its two charges, a step that only one run has by its own. O(steps) from the row index alone;
 * memory O(static instructions).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_WORST_H
#define PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_WORST_H

#include <stdatomic.h>

#include "analysis/pipeline/compare.h"

struct compare_worst {
	uint64_t row[ALIGN_SIDES]; /* ROW_NONE: the side has no such step; both: none of either */
	int64_t delta;             /* charge in B less that in A */
};

/*
 * One for each of r->codes, in that order, the first of equals; free() ends them. The range must
 * be that of the comparison (NULL: all): steps outside it are none, and of those that lie across
 * its ends only the ticks inside count.
 */
enum status compare_worst_new(struct compare_worst **out, const struct compare *r,
			      const struct compare_range *range, const atomic_bool *stop,
			      struct error *e);

#endif
