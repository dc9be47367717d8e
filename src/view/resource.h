/*
 * The resource view: curves as filled areas on a time axis, one below the other, under the view that
 * has the axis or alone in the window.
 *
 * Lines have numbers (their keys: 1 to 9, then 0), colours and axes of their own; each can be
 * hidden. A line may come from any trace, moved along the axis: two runs can share one. Each has a
 * band of the height, with its name, the value under the cursor and its axis in the gutter; those
 * that share a scale share a band, the lower one in front. There are as many bands as the height
 * can tell apart, the selected line's among them; the others are listed below. An area is filled up
 * to the mean of its column and, where no scale is shared, shaded up to the column's peak. Between the
 * samples of a statistic it is shaded and a value there is marked with ~, as one is that the index only
 * gives about. What lies beyond a given scale is marked with an arrow at that edge, and what the parts
 * of a column are means of is told below. A frame costs O(lines * parts * log n) when the window changed
 * (resource_curve.h), else O(lines * cells).
 */
#ifndef PIPEGLASS_VIEW_RESOURCE_H
#define PIPEGLASS_VIEW_RESOURCE_H

#include "view/axis.h"
#include "view/grid.h"
#include "view/palette.h"
#include "view/place.h"
#include "view/resource_curve.h"
#include "view/resource_scale.h"

enum { RESOURCE_MAX = 10, RESOURCE_NAME = 160, RESOURCE_VALUE = 6 /* columns of a value */ };

/* How the user wants to see them: of the program, not of a trace. */
struct resource_look {
	struct scale scale; /* of lines without their own */
	struct {
		char name[RESOURCE_NAME];
		struct scale scale;
	} own[RESOURCE_MAX];
	int own_count;
	char selected[RESOURCE_NAME]; /* name of a line; "" or hidden: the first that is shown */
};

struct resource_line {
	struct curve_source source;
	char name[RESOURCE_NAME]; /* as typed: "occupancy IF" */
	bool hidden;
};

/* A straight line between two ticks of the selected curve. */
struct resource_slope {
	bool on;
	int64_t tick[2];
	const char *text; /* what lies between them; the curve's own rise is added */
};

/* What curves hang on. */
struct resource_frame {
	const struct axis *axis;  /* names, values and axes of lines stand in its gutter */
	bool alone;               /* no view above tells the time: a ruler does */
	const char *component;    /* what all curves are of, told above them; NULL: of all of the trace */
	const struct marks *marks; /* shown at their ticks; NULL: none */
	struct resource_slope slope;
};

struct resource; /* the curves of one frame, kept for the next */

struct resource *resource_new(void);
void resource_free(struct resource *r);

/* The scale of a line; name NULL: of lines without their own. False: no room for one more. */
const struct scale *resource_scale(const struct resource_look *look, const char *name);
bool resource_set_scale(struct resource_look *look, const char *name, const struct scale *scale);
/* Index of the selected line; -1: none is shown. */
int resource_selected(const struct resource_look *look, const struct resource_line *lines, int n);
/* Select the next (dir < 0: the previous) line that is shown; round and round. */
void resource_select_next(struct resource_look *look, const struct resource_line *lines, int n,
			  int dir);

/* What a line is called beside a value: rates say by what they are counted if not by the tick. */
void resource_label(const struct axis *a, const struct resource_line *line, struct sbuf *out);
/* What happens less than once a cycle is read per thousand cycles, as misses are. */
bool resource_per_thousand(const struct resource_line *line);
/* Of a line: "0.75", "12.5us", "16.6%" of a share in at most width (>= 5) columns. */
const char *resource_number(const struct resource_line *line, double value, int width, char buf[32]);
/* Of a line: "0.75", "~0.75", "12.5us" in at most width (>= 6) columns; "": not known. */
const char *resource_value(const struct resource_line *line, const struct curve_reading *r,
			   int width, char buf[40]);
/* "0..20us"; of rates "0..400G/s", "0..200/kcycle" if that has at most width (<= 71) columns. */
const char *resource_range(const struct resource_line *line, struct scale_range range, int width,
			   char buf[72]);
/* "cycle 48 312 907" of the cursor; without the unit, or "", when it would be cut. */
const char *resource_time(const struct axis *a, int width, char buf[64]);
/* Key of a line: '1'..'9', '0'. */
char resource_key(int line);

/*
 * Draw into area, whose first column is the gutter's and whose columns behind it are the axis'.
 * n <= RESOURCE_MAX.
 */
enum status resource_draw(struct resource *r, const struct resource_look *look,
			  const struct resource_line *lines, int n,
			  const struct resource_frame *frame, struct grid *g, struct rect area,
			  const struct palette *p, struct error *e);

#endif
