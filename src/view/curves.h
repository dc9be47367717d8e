/*
 * Curves as a view of their own: a bare time axis over a trace, for the lines of a strip drawn large
 * on it (view/resource.h). For traces that have metrics and no items to list; where there are items
 * the view that lists them brings the axis.
 *
 * Plain state: motions are those of the axis (view/axis.h).
 */
#ifndef PIPEGLASS_VIEW_CURVES_H
#define PIPEGLASS_VIEW_CURVES_H

#include "trace/trace.h"
#include "view/axis.h"

struct curves {
	struct trace *trace;
	struct axis axis;
	struct axis fitted; /* as it was when all of it was shown last */
	int width, height; /* of the whole view, set by curves_layout() */
};

void curves_init(struct curves *v, struct trace *t);
/* Take note of what the trace has by now. True: the axis became another one. */
bool curves_progress(struct curves *v);
/* The same; whoever saw all of it, and has neither zoomed nor moved since, sees all that comes, too. */
bool curves_follow(struct curves *v);
void curves_fit(struct curves *v);
/* Another trace, that is the same file read again; looked at the same way. */
void curves_reopen(struct curves *v, struct trace *t);
/* Tell the size of the whole view; clamps the state to what exists. */
void curves_layout(struct curves *v, int w, int h);

/* The cell (x, y) of the area last drawn -> tick; false outside the time area. */
bool curves_hit(const struct curves *v, int x, int y, int64_t *tick);

/* For the title: the time under the cursor and the zoom. */
void curves_status(const struct curves *v, struct sbuf *out);

#endif
