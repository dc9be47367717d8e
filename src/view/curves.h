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
	int width, height; /* of the whole view, set by curves_layout() */
};

void curves_init(struct curves *v, struct trace *t);
/* Another trace, that is the same file read again; looked at the same way. */
void curves_reopen(struct curves *v, struct trace *t);
/* Tell the size of the whole view and the columns of labels in it. */
void curves_layout(struct curves *v, int w, int h, int gutter);
int curves_gutter(int w); /* of a view of w columns that has nothing but curves */

/* The cell (x, y) of the area last drawn -> tick; false outside the time area. */
bool curves_hit(const struct curves *v, int x, int y, int64_t *tick);

#endif
