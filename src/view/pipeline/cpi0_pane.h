/*
 * The diagnosis of a trace by the growth-rate model (analysis/pipeline/cpi0_diagnosis.h): what
 * limits it in words, the queues with what they grow by and bound, the measured CPI as a sum, the
 * mix in the triangle of mixes, and how far the assumptions hold. Two runs stand side by side.
 *
 * The pane is given diagnoses that somebody made beforehand. What is of another range or machine
 * than the one asked for by now is dim; what is still being simulated is a dash, and the heading
 * says so. Limits have the colour of the metric of their number, and a letter. Lines are made for
 * the width of the pane: O(the triangle's cells) when that changes, O(lines on the screen) a frame.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_CPI0_PANE_H
#define PIPEGLASS_VIEW_PIPELINE_CPI0_PANE_H

#include "analysis/pipeline/cpi0_report.h"
#include "view/pane.h"

/* One run. */
struct cpi0_side {
	const char *name; /* of its trace; copied */
	enum isa isa;
	bool known;   /* d is: else nothing else counts */
	bool old;     /* d is what was asked for before */
	bool ranged;  /* of what is selected in its trace */
	bool matched; /* of the same instructions as what is selected in the other one */
	bool so_far;  /* the trace is still being read */
	bool pending; /* what is simulated is not there yet */
	struct cpi0_diagnosis d;
};

struct cpi0_subject {
	struct store *store; /* that has the focus, as has the range */
	struct selection range;
	struct machine machine;
	bool chosen; /* by the user */
	struct cpi0_side sides[CPI0_SIDES];
	int count; /* of sides, at least 1 */
	/* Copied: */
	const char *state;  /* what goes on, or what is wrong; "": nothing */
	const char *failed; /* of two: which one cannot be diagnosed, and why; or "" */
	const char *hint;   /* how to choose a machine */
};

struct pane *cpi0_pane(const struct cpi0_subject *subject);

#endif
