/*
 * Where the cycles of a run went and what each cause would save (analysis/pipeline/why.h): causes,
 * what-ifs, the machine that the trace shows, and notes; of two runs why one is faster
 * (why_compare.h). Enter on a cause lists the instructions that own it, of two runs those that
 * changed for it; Enter on an instruction goes to its dearest row. O(pcs) when it is made, of two
 * O(instructions).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_WHY_PANE_H
#define PIPEGLASS_VIEW_PIPELINE_WHY_PANE_H

#include "analysis/pipeline/why_compare.h"
#include "view/pane.h"
#include "view/resource_curve.h"

struct why_subject {
	struct store *store;
	struct selection range;
	/* borrowed */
	const struct why *why;   /* NULL: not there yet */
	const struct why *other; /* B of two that share the window, whose A is `why`; NULL: alone */
	int focus;               /* of two: the side that the keys work on */
	const char *opened;      /* the cause whose instructions are listed; NULL: none */
	const char *state; /* copied: what goes on, or what is wrong; "": nothing */
};

/* How a cause looks, wherever it is drawn: what cannot be taken away is grey. */
struct curve_look why_look(const char *name, unsigned cause);

/* With its cursor on the opened cause. */
struct pane *why_pane(const struct why_subject *subject);
/* Its cursor goes to the what-if that came last; of two runs it stays. */
void why_pane_to_whatif(struct pane *p);

#endif
