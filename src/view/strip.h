/*
 * The resource strip: bands of curves under a view that has a time axis, on that axis.
 *
 * A heading with the tick under the cursor; then each curve has a label, the value under the
 * cursor (with ~ when it was interpolated between two samples or index entries), its own range
 * (from zero to the greatest on screen, rounded; of a counter its least and greatest on screen; or
 * as a scale says) and a band of one to three lines: the mean of each column. Any statistic of the trace and any derived metric can be chosen; each line can be
 * hidden. A frame costs O(lines * columns * log n). The same lines are drawn larger by
 * view/resource.h.
 */
#ifndef PIPEGLASS_VIEW_STRIP_H
#define PIPEGLASS_VIEW_STRIP_H

#include "view/resource.h"

enum { STRIP_MAX = RESOURCE_MAX, STRIP_LINES = 3 /* of a curve, at most */ };

struct strip {
	struct resource_line lines[STRIP_MAX];
	int count;
	char *component; /* whose they are, on the heap; NULL: of all of the trace */
	const struct resource_look *look; /* scales; of the app; NULL: all automatic */
	struct resource *graph;           /* what both ways of drawing them keep */
	const struct axis *axis;          /* that it hangs on beside another */
};

void strip_init(struct strip *s);
void strip_free(struct strip *s);
/* What the source has must outlive the line. False: the strip is full. */
bool strip_add(struct strip *s, const struct curve_source *source, const char *name);
/* Both are on the screen: lines of one name have one scale. NULL: it is alone again. */
void strip_beside(struct strip *s, const struct strip *other);
/* A heading and shown curves of as many lines as `most` holds, of one at least; 0 when none. */
int strip_height(const struct strip *s, int most);
/* Draw with the labels in the gutter and the columns of the axis behind it. */
enum status strip_draw(struct strip *s, const struct axis *axis, struct grid *g, struct rect area,
		       const struct palette *p, struct error *e);

#endif
