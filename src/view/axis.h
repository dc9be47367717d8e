/*
 * The time axis: which ticks the columns of a window show, and where the cursor is in time.
 *
 * Whatever is drawn over time hangs on one: a view with an axis shares it with the ruler, the strip
 * and the curves below it, and curves alone have a bare one. An axis that was opened over a trace has
 * a window of its own and sees by axis_follow() what came; others are told by axis_set_extent().
 *
 * Zoom is a power of two: zoom z >= 0 shows 2^z cycles a column, z < 0 gives a cycle 2^-z columns.
 * A cycle is a tick where the trace's unit is the cycle, else `step` ticks. Ticks saturate
 * (trace/tick.h). All is O(1).
 */
#ifndef PIPEGLASS_VIEW_AXIS_H
#define PIPEGLASS_VIEW_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "trace/tick.h"
#include "view/place.h"

enum { TICK_ZOOM_MIN = -3, TICK_ZOOM_MAX = 60 };

struct axis {
	int64_t left; /* tick of the first column; multiple of 2^zoom cycles, of one if zoom < 0 */
	int64_t tick; /* under the cursor */
	int zoom;
	int columns;
	int gutter; /* columns of the window left of the first: labels */
	bool raw_ticks; /* tell ticks also where cycles are known */
	enum select_kind selecting; /* what is between the anchor and the cursor */
	struct place anchor;
	/* of the trace */
	int64_t first, last; /* its ticks, both included; an empty one has tick 0 */
	int64_t step, phase; /* ticks a cycle; where in one the first tick is */
	const char *unit;    /* of a tick */
	/* of one that was opened: */
	struct trace *trace;
	int width, height; /* of the whole window, with the gutter */
	struct {
		int64_t left, first, last;
		int zoom;
	} fitted; /* as it was when all was shown last */
};

struct interval; /* analysis/interval.h */
struct progress;
struct trace;

void axis_init(struct axis *a, const char *unit);
/* What the trace has: ticks [first, last], none if last < first; step <= 0: no cycles. */
void axis_set_extent(struct axis *a, int64_t first, int64_t last, int64_t step);

/* Over a trace, at its beginning. */
void axis_open(struct axis *a, struct trace *t);
/* Another trace, that is the same file read again; looked at the same way. */
void axis_reopen(struct axis *a, struct trace *t);
/* What the trace has, as far as it is read; p NULL: by now. True: that is not what it was. */
bool axis_follow(struct axis *a, const struct progress *p);
/* The size of the window and the columns of labels in it; all goes to what exists by now. */
void axis_layout(struct axis *a, int w, int h, int gutter);
/* The cell (x, y) of the window -> tick; false: outside of its time. */
bool axis_hit(const struct axis *a, int x, int y, int64_t *tick);

/* Ticks of a cell: a column's, or a cycle's where a cycle has several columns. */
int64_t axis_cell(const struct axis *a, int zoom);
/* The beginning of the cell that a tick is in at a zoom. */
int64_t axis_align(const struct axis *a, int64_t tick, int zoom);
/* How many ticks n columns are (rounded towards the past), and the other way. */
int64_t axis_ticks_of(const struct axis *a, int64_t columns);
int64_t axis_column_of(const struct axis *a, int64_t tick); /* may be off screen */
int64_t axis_tick_at(const struct axis *a, int64_t column);
int64_t axis_right(const struct axis *a); /* first tick right of the window */
bool axis_shows(const struct axis *a, int64_t tick);

/* The ticks [from,to) from the anchor to the cursor, both with the cycle or cell they are in. */
void axis_selected(const struct axis *a, int64_t *from, int64_t *to);
/* The same as columns of the window, both included; false: none of it is selected and shown. */
bool axis_selected_columns(const struct axis *a, int *from, int *to);

/*
 * Time as it is told to people: in cycles where the trace has ticks and the view knows how many
 * make a cycle, unless raw_ticks. Lengths are rounded to the nearest cycle.
 */
bool axis_has_cycles(const struct axis *a);
const char *axis_unit(const struct axis *a); /* "cycle", or the trace's */
const char *axis_step_unit(const struct axis *a); /* of `step` ticks, however time is told */
const char *unit_plural(const char *unit);        /* "cycles"; symbols have none: "ns" */
bool unit_is_symbol(const char *unit);
int64_t axis_time(const struct axis *a, int64_t tick);
int64_t axis_tick_of(const struct axis *a, int64_t time);
int64_t axis_length(const struct axis *a, int64_t ticks);
int64_t axis_length_of(const struct axis *a, const struct interval *i); /* cycles begun */
/* What axis_time() or axis_length() say: "48 312 907", "26.932 us". */
const char *axis_text(const struct axis *a, int64_t time, char buf[40]);
/* "cycle 48 312 907", "26.932 us" */
void axis_tell(const struct axis *a, int64_t tick, struct sbuf *out);
/* "20 cycles", "1.5 ns" */
void axis_tell_length(const struct axis *a, int64_t ticks, struct sbuf *out);
/* What people type, as axis_time() has it: a number, or 26.932us. */
bool axis_parse(const struct axis *a, const char *text, int64_t *time);
void axis_tell_tick(const struct axis *a, struct sbuf *out); /* the cursor's */
void axis_tell_zoom(const struct axis *a, struct sbuf *out); /* cycles a column: "1024", "1/4" */
/* For the title: the cursor, and "1024 cycles per column", "1.024 ns per column". */
void axis_status(const struct axis *a, struct sbuf *out);

/* The zoom, the window and the cursor to what exists. */
void axis_clamp_zoom(struct axis *a);
void axis_clamp_window(struct axis *a);
void axis_clamp_cursor(struct axis *a);
void axis_cursor_to_window(struct axis *a);
void axis_window_to_cursor(struct axis *a);

/* Motions. All saturate at the ends and keep the cursor on the screen. */
void axis_move(struct axis *a, int64_t columns); /* the cursor; magnified: by cycles */
/* The window; a page takes the cursor along, a column or two only push it. */
void axis_scroll(struct axis *a, int64_t columns);
void axis_goto(struct axis *a, int64_t tick); /* a quarter into the window, if not in it yet */
void axis_zoom(struct axis *a, int steps); /* positive: out; around the cursor's cell */
void axis_center(struct axis *a); /* the window around the cursor, if it does not show all */
void axis_fit(struct axis *a);
void axis_fit_selected(struct axis *a); /* all that is selected, not closer than a cell a column */
bool axis_is_fitted(const struct axis *a); /* neither moved nor zoomed since */
bool axis_has_grown(const struct axis *a); /* since then */

/* A zoom out by steps, to limit; one that is beyond it already (the window grew) stays. */
int zoom_by(int zoom, int steps, int limit);

#endif
