/*
 * The pane of what a trace has that was not understood, of any kind: the warnings that were kept,
 * how many were only counted, or that there are none.
 */
#ifndef PIPEGLASS_VIEW_WARNINGS_PANE_H
#define PIPEGLASS_VIEW_WARNINGS_PANE_H

#include "trace/trace.h"
#include "view/pane.h"

/* Some of the warnings, chosen when the pane is made. */
struct warnings_part {
	bool (*has)(const void *arg, const struct warning *w);
	const void *arg;
	const char *name; /* for the title, ": rows 12..39" */
};

/* part NULL: all. */
struct pane *warnings_pane(struct trace *t, const struct warnings_part *part);

#endif
