/*
 * What the panes share that count over a part of the trace: its rows and its name.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_PANE_RANGE_H
#define PIPEGLASS_VIEW_PIPELINE_PANE_RANGE_H

#include "analysis/pipeline/range.h"
#include "view/pane_list.h"
#include "view/pipeline/panes.h"

/* What analyses are asked for, with the bound of panes; off: the whole trace. */
struct range pane_range_part(const struct store *s, const struct selection *range);

/* Append ": rows 12..39, cycle 100..179", nothing when it is off; clipped: and that. */
void pane_range_title(const struct store *s, const struct selection *range, bool clipped,
		      struct sbuf *out);

/* What a list is about, and what goes on or is wrong; "": nothing. */
struct pane_part {
	const char *name;
	const struct store *store;
	const struct selection *range;
	const char *state;
};
/* "NAME: rows 12..39  STATE" above what write makes; NULL: there is nothing but the state. */
void pane_range_list(struct list_pane *p, const struct pane_ops *ops, const struct pane_part *part,
		     void (*write)(struct list_pane *p, int width));

#endif
