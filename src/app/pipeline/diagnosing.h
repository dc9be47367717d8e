/*
 * The diagnoses of the tabs' traces by the growth-rate model, made beside the screen.
 *
 * The pane that shows one asks for it, and is made again when something has come: the mix first,
 * with which everything but the simulation is known, then that. For another machine only the
 * simulation is made anew. What was asked for before stays, dim, until there is something new. Two
 * traces stand side by side when they are compared, or when there are just two tabs. A thread a
 * trace, that ^C stops; what was stopped begins again when something else is asked for, or
 * diagnosing_again(). What is of a trace that grows is made anew when the pane is opened, for another
 * machine, when it has grown by a tenth, and at its end. O(rows of the range).
 */
#ifndef PIPEGLASS_APP_PIPELINE_DIAGNOSING_H
#define PIPEGLASS_APP_PIPELINE_DIAGNOSING_H

#include <stdatomic.h>

#include "analysis/pipeline/cpi0_diagnosis.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "app/background.h"
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

/* What a diagnosis is of. */
struct diagnose_wish {
	struct selection range;
	unsigned machine; /* its number */
	bool complete;    /* the trace is read to its end */
	uint64_t rows;    /* that the trace had then; of one that grows not each row counts */
};

struct diagnose_job {
	struct background background; /* first, so that one is the other */
	struct store *store;
	struct diagnose_wish wish;
	struct range rows;
	struct machine machine;
	struct codemap map;  /* of the thread while it runs */
	bool has_mix;        /* from before: only the simulation is made */
	atomic_bool counted; /* trace is there, and will not change any more */
	struct cpi0_trace trace;
	enum isa isa; /* likewise */
	double simulated;
};

/* Of a tab. */
struct diagnosing {
	struct diagnose_job job; /* first */
	struct cpi0_trace trace;    /* good when has_trace is set, as is the next */
	struct diagnose_wish mixed; /* what that is of */
	enum isa isa;
	struct cpi0_diagnosis d; /* good when known is set, as is the next */
	struct diagnose_wish made;
	bool has_trace, known, simulated;
	struct diagnose_wish asked;
	bool has_asked, stopped;   /* stopped: what was asked for, by the user */
	bool anew;                 /* of the trace as it is by now */
	atomic_bool interrupted; /* the user stops the job */
	struct error error;        /* why there is none */
};

/* r10000, of the paper. */
void diagnosing_machine_init(struct diagnosing_machine *m);
void diagnosing_choose(struct app *a, const struct machine *m);

void diagnosing_again(struct app *a);       /* what was stopped may, and what grew is counted */
void diagnosing_free(struct diagnosing *d); /* stops what goes on; NULL is fine */

bool diagnosing_is_behind(const struct app *a); /* the pane: the trace has outgrown it */

struct pane *diagnosing_pane(struct app *a);

#endif
