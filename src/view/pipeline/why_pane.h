/*
 * Where the cycles of a run went and what each cause would save (analysis/pipeline/why.h), or why
 * one of two is faster: causes, the instructions that own them, what-ifs, the machine that the
 * trace shows, and notes. Enter on a cause lists the instructions that own it; Enter on one of
 * these goes to its dearest row. O(pcs) when it is made, of two O(instructions).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_WHY_PANE_H
#define PIPEGLASS_VIEW_PIPELINE_WHY_PANE_H

#include "analysis/pipeline/why_compare.h"
#include "view/pane.h"
#include "view/resource_curve.h"

struct why_subject {
	struct store *store;
	struct selection range;
	/* Borrowed; A NULL: not there yet; B NULL: it is of A alone */
	const struct why *of[ALIGN_SIDES];
	int focus;          /* the side that the keys work on */
	const char *opened; /* the cause whose instructions are listed; "": all are */
	const char *state;  /* copied: what goes on, or what is wrong; "": nothing */
};

/* How a cause looks, wherever it is drawn: what cannot be taken away is grey. */
struct curve_look why_look(const char *name, unsigned cause);

/* With its cursor on the first instruction of the opened cause. */
struct pane *why_pane(const struct why_subject *subject);

#endif
