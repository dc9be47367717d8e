/*
 * Where the runs of a program lost the cycles that the first one did not: the stages of all, then
 * the static instructions, of two runs those that lost most in B first (where B is the faster one,
 * those that gained most), of more those that changed most. Enter goes to the execution of an
 * instruction that lost (or gained) most, in A and the run that has the focus (of more, beside A:
 * the one in which it changed most).
 *
 * Made once, O(static instructions * (stages + log)); sorting is O(n log n), a frame O(lines).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_COMPARE_PANE_H
#define PIPEGLASS_VIEW_PIPELINE_COMPARE_PANE_H

#include "analysis/pipeline/compare_table.h"
#include "analysis/pipeline/compare_worst.h"
#include "view/pipeline/compareview.h"
#include "view/pane.h"

/* All borrowed, and they must outlive the pane. */
struct compare_pane_source {
	const struct compareview *view;         /* NULL: there is only `instead` */
	const struct compare *costs[RUNS_MOST]; /* [k], k > 0: of A and run k, as is the next */
	const struct compare_worst *worst[RUNS_MOST];
	const struct compare_range *range; /* that they are of; NULL: the whole runs */
	const char *names[RUNS_MOST];      /* of the traces, harmless */
	const char *instead;               /* why there are no costs */
	const char *to_other;              /* command that gives another run, named by its letter,
					      the focus */
};

struct pane *compare_pane(const struct compare_pane_source *source);

#endif
