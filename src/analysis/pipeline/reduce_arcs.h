/*
 * The arcs of a window of rows: who waits for whom, what each reduction makes of it, and the
 * cycles that it costs in the pipeline looked at.
 *
 * Rows are reduced from REDUCE_ARCS_BEFORE rows before the window on, so that neither the place in
 * the trace nor its length matters. Missing are arcs from farther back, which cost nothing in a
 * pipeline shorter than that. Fates and cycles are those of the whole trace where a taken branch
 * and a break between two chains of arcs stand in what is looked at before the window, as they do
 * in any trace that is not one stack from end to end; there the first ones may be dearer than told.
 * O(rows of the window, and before it, and distinct code); from the index, no text (with links:
 * the text of those rows).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_ARCS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_ARCS_H

#include <stdatomic.h>
#include <stddef.h>

#include "analysis/pipeline/reduced.h"

enum { REDUCE_ARCS_BEFORE = 8192 };

/* after which reduction, name, what is drawn of all arcs */
#define ARCS_INFO(_)                                                                               \
	_(OFF, "off", "none")                                                                      \
	_(RAW, "raw", "all")                                                                       \
	_(R1, "r1", "the closest resolver of each instruction")                                    \
	_(R2, "r2", "those around no other")                                                       \
	_(R3, "r3", "those that can cost cycles")

enum arcs_shown {
#define ARCS_ENUM(shown, name, help) ARCS_##shown,
	ARCS_INFO(ARCS_ENUM)
#undef ARCS_ENUM
	    ARCS_COUNT
};

extern const char *const arcs_names[ARCS_COUNT], *const arcs_help[ARCS_COUNT];

struct reduce_arcs {
	uint64_t first, last; /* rows [first, last) */
	struct shown_arc *arcs; /* by row; of a row, those kept first */
	size_t count;
};

/* Errors of reduce_trace(). */
enum status reduce_arcs_new(struct reduce_arcs **out, struct store *s, uint64_t first,
			    uint64_t last, const struct reduce_look *look,
			    const atomic_bool *stop, struct error *e);
void reduce_arcs_free(struct reduce_arcs *a); /* NULL is fine */

/* The arcs into a row; *count of them. O(log arcs). */
const struct shown_arc *reduce_arcs_of(const struct reduce_arcs *a, uint64_t row, size_t *count);

/* It is still there after the reduction that is shown. */
bool arc_survives(const struct shown_arc *arc, enum arcs_shown shown);

#endif
