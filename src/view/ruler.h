/*
 * The ruler over a time axis: labelled strokes at round times, unlabelled ones between them. What
 * is counted is what the axis tells. O(columns).
 */
#ifndef PIPEGLASS_VIEW_RULER_H
#define PIPEGLASS_VIEW_RULER_H

#include "view/axis.h"
#include "view/grid.h"
#include "view/palette.h"
#include "view/place.h"

/* How many lines of a view of that height are its ruler: 0 to 2. */
int ruler_lines(int height);
/* Units between labelled strokes and between unlabelled ones (0: none). */
void ruler_steps(const struct axis *a, int64_t *major, int64_t *minor);
/* Draw it into the lines of `time`, whose columns are those of the axis. */
void ruler_draw(const struct axis *a, struct grid *g, struct rect time, const struct palette *p);
/* The letters of marks at their ticks, in the last line of `time`; NULL: none. */
void ruler_marks(const struct axis *a, struct grid *g, struct rect time, const struct marks *marks,
		 const struct palette *p);
/* What is selected, over all lines of `time`; what is filled with a colour keeps it. */
void ruler_selection(const struct axis *a, struct grid *g, struct rect time, const struct palette *p);
/* Blank cells of columns of which nothing was traced are hatched. */
void ruler_untraced(const struct axis *a, struct trace *t, struct grid *g, struct rect time,
		    const struct palette *p);

#endif
