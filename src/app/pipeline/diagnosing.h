/*
 * The diagnoses of the tabs' traces by the growth-rate model, made beside the screen.
 *
 * For another machine only the simulation is made anew: the model answers from the mix at once. What
 * was asked for before stays, dim, until there is something new. Two traces stand side by side when
 * they are compared, or when there are just two tabs. O(rows of the range).
 */
#ifndef PIPEGLASS_APP_PIPELINE_DIAGNOSING_H
#define PIPEGLASS_APP_PIPELINE_DIAGNOSING_H

#include "analysis/pipeline/cpi0_diagnosis.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "app/pipeline/analysing.h"
#include "view/pane.h"

struct app;
struct tab;
struct pane;

/* The machine that all traces are diagnosed on. */
struct diagnosing_machine {
	struct machine machine;
	bool chosen;     /* by the user */
	unsigned number; /* another one with each choice */
};

/* Of a tab. */
struct diagnosing {
	struct analysing of; /* first */
	/* of the job */
	struct machine machine;
	struct codemap map;
	bool has_mix; /* counted is of the same rows: only the simulation is made */
	struct cpi0_trace counted;
	double cycles;
	/* when it is made */
	struct cpi0_trace trace;
	enum isa isa;
	double simulated; /* on the machine that it was made for */
};

void diagnosing_choose(struct app *a, const struct machine *m);

void diagnosing_again(struct app *a);
void diagnosing_free(struct diagnosing *d); /* stops what goes on; NULL is fine */

struct pane *diagnosing_pane(struct app *a);

#endif
