/*
 * An analysis of a tab's trace that a pane shows, made beside the screen.
 *
 * The pane asks for it each time it is made, and is made again when something has come. What was
 * made of another wish stays until what is asked for now is there. A thread of its own makes it, that
 * ^C stops; what was stopped begins again when something else is asked for, or analysing_again(). A
 * trace that is still being read is analysed as far as it has come, and again when its end has.
 */
#ifndef PIPEGLASS_APP_PIPELINE_ANALYSING_H
#define PIPEGLASS_APP_PIPELINE_ANALYSING_H

#include "analysis/pipeline/range.h"
#include "app/background.h"
#include "view/place.h"

struct analysing;
struct app;
struct tab;

/* What it is of. */
struct analysis_wish {
	struct selection range;
	bool links;    /* dependencies are those of the trace's links */
	bool complete; /* the trace is read to its end */
	/* What is then made of it: a pipeline, or the number of a machine. */
	int64_t look[2];
};

struct analysis_kind {
	const char *pane;    /* that shows it, */
	const char *command; /* and begins it again; NULL: named as that */
	const char *doing; /* "reducing" */
	enum status (*work)(struct background *b);
	void (*prepare)(struct app *a, struct analysing *x); /* before that; NULL: nothing */
	/*
	 * What work made is what is shown from now on; then, when the pane has been made again and
	 * maybe another job has begun, what is not shown any more goes (NULL: nothing).
	 */
	void (*take)(struct analysing *x);
	void (*forget)(struct analysing *x);
	int (*percent)(const struct analysing *x); /* NULL: not known */
};

/* First in what its kind knows. */
struct analysing {
	struct background background; /* first, so that one is the other */
	const struct analysis_kind *kind;
	/* of the job */
	struct store *store;
	struct range rows;
	struct analysis_wish wish;
	int told; /* per cent */
	bool interrupted; /* by the user */
	/* what is shown, and what is to be */
	struct analysis_wish made, asked;
	bool is_made, is_asked, stopped; /* stopped: what was asked for, by the user */
	struct error error; /* why there is none */
};

/* Ask for it; begins what has to be made, or stops what is of no use any more. */
void analysing_want(struct app *a, struct tab *t, struct analysing *x,
		    const struct analysis_wish *wish);
/* What is shown is of the part of the trace that is asked for; and looked at in that way. */
bool analysing_has(const struct analysing *x);
bool analysing_is_over(const struct analysing *x);
/* "reducing: 12 %  (^C stops)", or why there is nothing; appends nothing when all is there. */
void analysing_say(const struct analysing *x, struct sbuf *out);
/* What was stopped may begin again, and a trace that grew is looked at anew. */
void analysing_again(struct analysing *x);
void analysing_stop(struct analysing *x); /* and waits for it */

#endif
