/*
 * The reduction of a tab's trace, made beside the screen.
 *
 * For another pipeline only the dearest dependencies and the simulation have to be made again: all
 * else is evaluated from the old result, which stays until the new one is there. O(rows of the
 * range) a reduction.
 */
#ifndef PIPEGLASS_APP_PIPELINE_REDUCING_H
#define PIPEGLASS_APP_PIPELINE_REDUCING_H

#include <stdatomic.h>

#include "analysis/pipeline/reduce_arcs.h"
#include "app/pipeline/analysing.h"
#include "view/pane.h"

struct app;
struct tab;
struct pane;

/* The arcs of the rows about the screen. */
struct arcs_job {
	struct background background; /* first */
	struct store *store;
	struct reduce_look look;
	uint64_t first, last, rows; /* of the window; rows there were */
	struct reduce_arcs *out;
	struct reduce_arcs *shown; /* NULL: none yet */
};

/* Of a tab. */
struct reducing {
	struct analysing of; /* first */
	struct reduce_look look; /* of the job */
	_Atomic uint64_t row;    /* that it has come to */
	struct reduced *out;
	struct reduced *result; /* when it is made */
	struct reduced *old;    /* that the pane still shows */
	struct arcs_job arcs;
};

void reducing_changed(struct app *a);   /* the look: what is shown is made again */
void reducing_again(struct app *a);     /* what was stopped may begin again */
void reducing_free(struct reducing *r); /* stops what goes on; NULL is fine */

/*
 * The view of the current tab, and no other, gets the arcs of its rows, if they are to be shown, as
 * soon as they are there: a thread of its own makes them, for more rows than the screen has, so
 * that few motions have to wait. Headless, they are there at once.
 */
void reducing_arcs(struct app *a);

struct pane *reducing_pane(struct app *a);

#endif
