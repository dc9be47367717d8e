/*
 * Why one instruction was so late: for each of its times what arrived last, by how much, and how
 * many cycles later it could have come.
 *
 * Slack is found by trying: the run goes on from the instruction with a delay until it is again as
 * it was, or as it was but later, which is exact within the model of why_evaluate.h. A run that is
 * neither after WHY_WALK instructions leaves a bound.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_LATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_LATE_H

#include "analysis/pipeline/why.h"

struct why_reason {
	const char *rule; /* what arrived last; NULL: the row has no such time of its own */
	int64_t margin;   /* cycles from the second latest to it */
	uint64_t row;     /* whose time it counts from, which may be the row itself; ROW_NONE: the start */
	enum why_time from;
	int64_t tick;     /* of that time */
	int64_t residue;  /* cycles behind it that the trace does not explain */
	const char *residue_cause;
	int64_t slack; /* cycles; at_least: or more */
	bool at_least;
};

struct why_late {
	struct why_reason of[WHY_TIMES];
};

/*
 * STATUS_NOT_FOUND: the row did not commit, or is not one of those that were evaluated.
 * O(what waits for it), milliseconds at most.
 */
enum status why_late(const struct why *w, uint64_t row, struct why_late *out, struct error *e);

#endif
