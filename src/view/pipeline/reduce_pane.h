/*
 * What a trace reduces to (analysis/pipeline/reduce_trace.h), and what a pipeline of N_E execution
 * and N_S setup segments makes of it: the header, the split of its cycles with the check by
 * simulation, the dearest dependencies (Enter goes to the dearest instance of one), the paper's
 * Tables I to IV, and the table with bars from which the length of a pipeline is chosen.
 *
 * The pane is given a reduction that somebody made beforehand, for one pipeline of which the
 * dearest dependencies are known; every other number is evaluated from it, at once, for whatever
 * pipeline is looked at. Lines are made for the width of the pane: O(32 evaluations) when that or
 * the pipeline changes, O(lines on the screen) a frame.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_REDUCE_PANE_H
#define PIPEGLASS_VIEW_PIPELINE_REDUCE_PANE_H

#include "analysis/pipeline/reduced.h"
#include "view/pane.h"

/* What there is to be shown. */
struct reduce_subject {
	struct store *store;
	struct selection range;
	struct reduce_look look;
	bool so_far;                   /* the trace is still being read */
	const struct reduced *reduced; /* borrowed, designed for the look; NULL: not there yet */
	/* Copied: */
	const char *state; /* what goes on, or what is wrong; "": nothing */
	const char *hint;  /* the keys that change the pipeline */
};

struct pane *reduce_pane(const struct reduce_subject *subject);

#endif
