/*
 * What batch commands say of a trace as a whole (analysis/answer.h), as panes.
 *
 * An answer takes passes over all that the trace has: it is made beside the screen, and its pane says
 * how far it has come until it takes the result over.
 */
#ifndef PIPEGLASS_APP_ANSWERS_H
#define PIPEGLASS_APP_ANSWERS_H

#include "analysis/answer.h"
#include "view/pane.h"

struct app;
struct tab;

/* An answer as a pane shows it: a table, or, with ops of a list pane, hints. */
struct answer_shown {
	const struct answer *of;
	const char *title, *none;
	const char *key; /* of the section; NULL: the first */
	bool (*command)(const void *result, size_t row, struct sbuf *out); /* of Enter; NULL: none */
	const struct pane_ops *hints;
	bool compares; /* the two that share the window: A is the trace, B the one beside it */
};

/* Of the current tab; name: of the pane, to be made again when more is known. */
struct pane *answer_pane(struct app *a, const struct answer_shown *s, const char *name);
/* What a tab has asked, none of which is under way. */
void answers_free(struct tab *t);

#endif
