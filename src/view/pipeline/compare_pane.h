/*
 * Where one run of a program lost the cycles that the other did not: the stages of both, then the
 * static instructions, those that lost most in B first (where B is the faster one, those that
 * gained most). Enter goes to the execution of an instruction that lost (or gained) most.
 *
 * Made once, O(static instructions * (stages + log)); sorting is O(n log n), a frame O(lines).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_COMPARE_PANE_H
#define PIPEGLASS_VIEW_PIPELINE_COMPARE_PANE_H

#include "analysis/pipeline/compare_table.h"
#include "view/pipeline/compareview.h"
#include "view/pane.h"

/* All borrowed, and they must outlive the pane. */
struct compare_pane_source {
	const struct compareview *view;
	const struct compare *costs; /* NULL: there is only `instead` */
	const struct align_ticks *range; /* that they are of; NULL: the whole runs */
	const char *names[ALIGN_SIDES];    /* of the traces, harmless */
	const char *instead;               /* why there are no costs */
	const char *to_other;              /* command that gives the other side the focus */
};

struct pane *compare_pane(const struct compare_pane_source *source);

#endif
