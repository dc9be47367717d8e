/*
 * What goes on over many slices: one search, one filter or one chain being made, at a time.
 *
 * A search and a chain run in slices on the caller's thread, a filter on a thread of its own
 * (its pass over the rows cannot be cut); all stop at once when interrupted. New work replaces
 * old; of a chain what was found stays.
 */
#ifndef PIPEGLASS_APP_PIPELINE_WORK_H
#define PIPEGLASS_APP_PIPELINE_WORK_H

#include <pthread.h>
#include <stdatomic.h>

#include "app/tab.h"

struct app;

enum work_kind { WORK_NONE, WORK_SEEK, WORK_FILTER, WORK_CHAIN };

struct work {
	enum work_kind kind;
	struct tab *tab;
	atomic_bool stop;
	/* seek */
	struct seek seek;
	int64_t times; /* still to find, for counts */
	bool round;    /* it has come by the end of the trace: no second time */
	bool trial;    /* while a pattern is being typed: no jump, no message */
	struct place from;
	/* chain: the tab's */
	int64_t told_at; /* clock_ms() when its size was told last */
	/* filter */
	pthread_t thread;
	struct row_choice choice;
	struct filter *filter;
	enum status status;
	struct error error;
	atomic_bool done;
};

/* Look for the tab's target from the cursor. Reactions of what could be done at once. */
unsigned work_seek(struct app *a, int dir, int64_t times);
/* The same for a pattern being typed, from a place of the caller's. */
unsigned work_try(struct app *a, const struct target *target, struct place from, int dir);
/* Make the rows shown those of the tab's choice and of the hide options; takes choice over. */
unsigned work_filter(struct app *a, struct row_choice *choice);
/* The same choice again, after the options, the tab or the trace changed. */
unsigned work_refilter(struct app *a);

/* Find the rows of the tab's chain that are not found yet. */
unsigned work_chain(struct app *a);

unsigned work_slice(struct app *a, int64_t deadline); /* some of it */
unsigned work_finish(struct app *a);                  /* all of it */
void work_cancel(struct app *a);

#endif
