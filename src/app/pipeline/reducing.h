/*
 * The reduction of a tab's trace, made beside the screen.
 *
 * The pane that shows it asks for it, and is made again when it has come.
 * For another pipeline only the dearest dependencies and the simulation have to be made again: all
 * else is evaluated from the old result, which stays until the new one is there. The trace is
 * read on a thread of its own, that ^C stops; what was stopped begins again when something else is
 * asked for, or reducing_again(). A trace that is still being read is reduced as far as it has
 * come, and again when its end has. O(rows of the range) a reduction.
 */
#ifndef PIPEGLASS_APP_PIPELINE_REDUCING_H
#define PIPEGLASS_APP_PIPELINE_REDUCING_H

#include <stdatomic.h>

#include "analysis/pipeline/reduce_arcs.h"
#include "app/background.h"
#include "view/pane.h"

struct app;
struct tab;
struct pane;

/* What a reduction is of. */
struct reduce_wish {
	struct selection range;
	struct reduce_look look;
	bool complete; /* the trace is read to its end */
};

/* The whole of a trace, or a range. */
struct reduce_job {
	struct background background; /* first, so that one is the other */
	struct store *store;
	struct reduce_wish wish;
	struct range rows;
	struct reduced *out;
	_Atomic uint64_t row; /* that it has come to */
	int percent;          /* that was told */
};

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
	struct reduce_job job; /* first */
	struct arcs_job arcs;
	struct reduced *result; /* NULL: none yet */
	struct reduce_wish made; /* what that is of */
	struct reduce_wish asked;
	bool has_asked, stopped;   /* stopped: what was asked for, by the user */
	atomic_bool interrupted; /* the user stops the job */
	struct error error;      /* why there is none */
};

void reduce_look_init(struct reduce_look *look);

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
