/*
 * What goes on over many slices: one search, one filter or one chain being made, at a time.
 *
 * Each is a job (app/job.h): a search on the thread of the loop, a filter and a chain on one of their
 * own. New work replaces old; of a chain what was found stays.
 */
#ifndef PIPEGLASS_APP_PIPELINE_WORK_H
#define PIPEGLASS_APP_PIPELINE_WORK_H

#include "app/background.h"
#include "app/pipeline/seek.h"
#include "app/tab.h"

struct app;

enum work_kind { WORK_NONE, WORK_SEEK, WORK_FILTER, WORK_CHAIN };

/* Which rows are shown: what the filter in force was made from. */
struct row_choice {
	struct regex *text; /* owned; NULL: any */
	bool invert;
	unsigned fates; /* to keep; 0: all */
	bool no_micro_ops;
	bool *threads; /* owned; to keep, by row.thread; NULL: all */
	size_t thread_count;
};

struct work {
	struct background background; /* first, of a filter or chain; its job is that of all */
	enum work_kind kind;
	struct tab *tab;
	/* seek */
	struct seek seek;
	int64_t times; /* still to find, for counts */
	bool round;    /* it has come by the end of the trace: no second time */
	bool trial;    /* while a pattern is being typed: no jump, no message */
	struct place from;
	/* filter */
	struct row_choice choice;
	struct filter *filter;
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

void work_cancel(struct app *a);

void row_choice_free(struct row_choice *c);
enum status row_choice_copy(struct row_choice *out, const struct row_choice *from, struct error *e);

#endif
