/*
 * Which stages of a trace are the five times of why_model.h.
 *
 * Formats with stages of known names have them. Of others the order of starts tells: stages that
 * the committed rows of a sample enter in program order come before the window and behind it,
 * those between are in it. What a row lacks is left to the caller.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_STAGES_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_STAGES_H

#include "analysis/pipeline/walk.h"
#include "analysis/pipeline/why_model.h"
#include "base/status.h"

struct why_stages {
	int8_t of[WHY_TIMES]; /* the stage whose start it is; -1: the end of the row (C), or none */
	uint8_t time[STAGE_MAX]; /* the other way round; several may be one; WHY_TIMES: none */
	bool learned; /* from the order of starts */
	/* learned: stages between F and D, in order, and the least stay in each */
	uint8_t fronts[WHY_FRONTS];
	size_t front_count;
	int64_t least[WHY_FRONTS];
	uint8_t front_of[STAGE_MAX]; /* 1 + number in fronts; 0: none */
};

/* Reads some rows [first, last), of a thread or (0) of all, where names say nothing. Errors of walk_rows(). */
enum status why_stages_new(struct why_stages *out, struct store *s, uint64_t first, uint64_t last,
			   uint16_t thread, struct error *e);

/*
 * Ticks of a row; those that are not there stay. The set of times found, and *front: 1 + the
 * front it stayed in longer than most need, the longest; or 0.
 */
unsigned why_stages_times(const struct why_stages *g, const struct walk_row *row,
			  int64_t ticks[WHY_TIMES], unsigned *front);

#endif
