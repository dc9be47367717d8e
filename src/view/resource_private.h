/*
 * What the files of the resource view share: one frame under construction.
 */
#ifndef PIPEGLASS_VIEW_RESOURCE_PRIVATE_H
#define PIPEGLASS_VIEW_RESOURCE_PRIVATE_H

#include "view/strip.h"

enum {
	RESOURCE_AXIS = 7,    /* columns of an axis: a tick's label and the line */
	RESOURCE_LEGEND = 18, /* least room for the legend beside axes */
	RESOURCE_HEADING = 2  /* lines */
};

struct resource {
	struct curve curves[RESOURCE_MAX];
	const struct strip *beside; /* strip_beside() */
};

/* The part of the picture that a curve has to itself, or several that share a scale. */
struct band {
	struct rect time; /* its cells */
	int line[RESOURCE_MAX], n;
};

/* One frame under construction. */
struct plot {
	struct resource *r;
	const struct resource_look *look;
	const struct resource_line *lines;
	int n, selected;
	const struct resource_frame *frame;
	const struct axis *axis;
	struct grid *g;
	const struct palette *p;
	struct rect heading, time;
	struct band band[RESOURCE_MAX]; /* [first, first + bands) are shown */
	int first, bands, groups;
	struct scale_range range[RESOURCE_MAX];
	struct curve_reading rise[2]; /* of the selected curve over the slope, from and to */
};

/*
 * Bring the curves of the lines that are shown up to date, with what their columns are between where
 * parted and no scale is shared, and tell what each is drawn in.
 */
enum status resource_fetch(struct resource *r, const struct resource_look *look,
			   const struct resource_line *lines, int n, const struct axis *axis,
			   bool parted, struct scale_range *range, struct error *e);
/* What a line is called, abbreviated to so many columns. */
void resource_put_name(const struct axis *a, const struct resource_line *line, struct grid *g,
		       struct rect r, int x, int y, int width, struct style style);

struct style curve_style(const struct plot *t, int line);
struct style line_style(const struct plot *t, int line); /* in the legend, at the axes */
/* Of the column that the cursor is in. */
struct curve_reading curve_reading_of(const struct plot *t, int line);

/* resource_bands.c: the curves of a band. */
void resource_draw_band(const struct resource *r, const struct band *b,
			const struct scale_range *range, struct grid *g, const struct palette *p);
/* The cursor, at the end of the bar of one of its curves. */
void resource_draw_cursor(const struct resource *r, const struct band *b, int line,
			  const struct scale_range *range, const struct axis *a, struct grid *g,
			  const struct palette *p);
/* The line of the grid in which a bar of that value ends; of a curve of the band. */
int resource_bar_y(const struct band *b, const struct scale_range *range, double value);

/* resource_gutter.c: heading, legend and axes. */
void resource_draw_gutter(const struct plot *t);

#endif
