/*
 * What the exporters of the grid share: runs of equal style and the look of the default
 * colours where there is no terminal to have any. O(cells).
 */
#ifndef PIPEGLASS_VIEW_GRID_PRIVATE_H
#define PIPEGLASS_VIEW_GRID_PRIVATE_H

#include "view/grid.h"

/* A stretch of one line in one style: cells [x, x + w). */
struct grid_run {
	int x, w;
	struct style style;
};

/* The next run of line y after r (start with r zeroed); false at the end of the line. */
bool grid_run_next(const struct grid *g, int y, struct grid_run *r);

/* Append the text of a run as UTF-8. */
void grid_run_text(const struct grid *g, int y, const struct grid_run *r, struct sbuf *out);

void grid_export_html(const struct grid *g, struct sbuf *out);
void grid_export_svg(const struct grid *g, struct sbuf *out);

#endif
