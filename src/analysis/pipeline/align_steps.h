/*
 * The ways of matching the steps of two paths: as a diff would, by their births, or one by one
 * from a chosen pair on.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_STEPS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_STEPS_H

#include <stdatomic.h>

#include "analysis/pipeline/align.h"

/*
 * Fill al->diff; all but that is there. By births: what diff.h finds among the steps that both
 * bore at one time. Near linear in the steps; memory as diff.h says.
 */
enum status align_steps(struct align *al, const struct align_options *options,
			const atomic_bool *stop, struct error *e);

#endif
