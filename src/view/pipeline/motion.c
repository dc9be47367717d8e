#include "config.h"

#include "view/pipeline/pipeview.h"

#include <stddef.h>

#include "view/pipeline/pipeview_private.h"

/* Rows looked at to find one that is really alive at a tick; beyond it any will do. */
enum { ALIVE_SCAN = 4096 };

/* Lives that decide where the window has to be. */
struct lives {
	int64_t top, top_end; /* first visible line */
	int64_t bottom;       /* last one's start */
	int64_t cursor, cursor_end;
};

static void look_at_lives(const struct pipeview *v, struct lives *l)
{
	uint64_t count = pipeview_count(v);
	uint64_t bottom = v->top + ((uint64_t)(v->lines > 0 ? v->lines - 1 : 0) << v->row_zoom);
	int64_t end;

	if (bottom >= count)
		bottom = count ? count - 1 : 0;
	pipeview_life(v, v->top, &l->top, &l->top_end);
	pipeview_life(v, bottom, &l->bottom, &end);
	pipeview_life(v, v->cursor, &l->cursor, &l->cursor_end);
}

/*
 * Put the window where the visible lives are. When they fit, the first one's start comes to
 * the left (going down) or further in (going up), so that many more lines can be scrolled
 * before the next jump: a terminal pays much less for rare jumps than for creeping.
 */
static void place(struct pipeview *v, const struct lives *l, int dir)
{
	int64_t window = axis_ticks_of(&v->axis, v->axis.columns), margin = window / 8;
	int64_t span = tick_sub(l->bottom, l->top), room = tick_sub(window - margin, span);
	int64_t before = dir < 0 ? window / 3 : margin;

	if (room >= margin / 2)
		v->axis.left = tick_sub(l->top, before < room ? before : room);
	else if (tick_sub(l->cursor, l->top) < window - 2 * margin)
		v->axis.left = tick_sub(l->top, margin);
	else
		v->axis.left = tick_sub(l->cursor, dir < 0 ? window / 2 : window / 4);
	pipeview_clamp_window(v);
}

static bool lives_fit(const struct pipeview *v, const struct lives *l)
{
	int64_t window = axis_ticks_of(&v->axis, v->axis.columns);

	return tick_sub(l->bottom, l->top) < window - window / 8;
}

/*
 * The diagonal: after a vertical motion the visible rows' lives must still be in the window.
 * was_left: the first line's start was left of the window before, by the user's own wish.
 */
static void follow(struct pipeview *v, int dir, bool was_left)
{
	int64_t right = axis_right(&v->axis);
	int64_t margin = axis_ticks_of(&v->axis, v->axis.columns) / 8;
	struct lives l;
	bool lost;

	if (v->pinned || v->axis.columns <= 0)
		return;
	look_at_lives(v, &l);
	lost = l.cursor_end < v->axis.left || l.cursor >= right - margin;
	if (lives_fit(v, &l)) {
		lost = lost || l.bottom >= right - margin;
		if (dir < 0)
			lost = lost || (l.top < v->axis.left && !was_left);
	}
	if (lost)
		place(v, &l, dir);
}

/* After the cursor came to another row; the edge of a selection stays where it was put. */
static void keep_in_life(struct pipeview *v)
{
	int64_t start, end;

	if (v->pinned || v->selection.on)
		return;
	pipeview_life(v, v->cursor, &start, &end);
	/* a cell of several rows that holds but the end of this one shows nothing of it */
	if (v->row_zoom > 0 && end > start)
		end--;
	v->axis.tick = tick_clamp(v->axis.tick, start, end);
}

/* After the window moved: a tick that fell off goes to the nearest of the row's life. */
static void bring_tick(struct pipeview *v)
{
	int64_t start, end;

	if (!axis_shows(&v->axis, v->axis.tick)) {
		pipeview_life(v, v->cursor, &start, &end);
		v->axis.tick = tick_clamp(v->axis.tick, start, end);
	}
	pipeview_cursor_to_window(v);
}

static bool top_is_left(const struct pipeview *v)
{
	int64_t start, end;

	pipeview_life(v, v->top, &start, &end);
	return start < v->axis.left;
}

/* index + lines of 2^row_zoom rows, saturating at both ends. */
static uint64_t add_lines(const struct pipeview *v, uint64_t index, int64_t lines)
{
	uint64_t count = pipeview_count(v), last = count ? count - 1 : 0;
	uint64_t n = lines < 0 ? -(uint64_t)lines : (uint64_t)lines;
	uint64_t rows = n > UINT64_MAX >> v->row_zoom ? UINT64_MAX : n << v->row_zoom;

	if (lines < 0)
		return rows > index ? 0 : index - rows;
	return index >= last || rows > last - index ? last : index + rows;
}

/* Some lines beyond the cursor stay in sight, as far as there are rows. */
static void keep_margin(struct pipeview *v)
{
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t margin = v->margin > 0 ? (uint64_t)v->margin : 0;
	uint64_t line = v->cursor >> v->row_zoom, top = v->top >> v->row_zoom;

	if (margin > (lines - 1) / 2)
		margin = (lines - 1) / 2;
	if (line < top + margin)
		v->top = (line > margin ? line - margin : 0) << v->row_zoom;
	else if (line + margin >= top + lines)
		v->top = (line + margin - lines + 1) << v->row_zoom;
	pipeview_clamp_window(v);
}

static void move_cursor_row(struct pipeview *v, uint64_t index, int dir)
{
	bool was_left = top_is_left(v);

	v->cursor = index;
	pipeview_window_to_cursor(v);
	keep_margin(v);
	follow(v, dir, was_left);
	keep_in_life(v);
	bring_tick(v);
}

void pipeview_move_rows(struct pipeview *v, int64_t lines)
{
	viewcache_refresh(v);
	move_cursor_row(v, add_lines(v, v->cursor, lines), lines < 0 ? -1 : 1);
}

void pipeview_move_columns(struct pipeview *v, int64_t columns)
{
	viewcache_refresh(v);
	axis_move(&v->axis, columns);
	pipeview_window_to_cursor(v);
}

/* Down or up; a page takes the cursor along, a line or two only pushes it. */
static void scroll_rows(struct pipeview *v, int64_t lines)
{
	bool was_left = top_is_left(v), page = lines > v->lines / 4 || lines < -(v->lines / 4);
	uint64_t top = v->top, cursor = v->cursor;

	v->top = add_lines(v, v->top, lines);
	pipeview_clamp_window(v);
	if (v->top == top)
		v->cursor = add_lines(v, v->cursor, lines);
	else if (page)
		v->cursor += v->top - top;
	pipeview_cursor_to_window(v);
	follow(v, lines < 0 ? -1 : 1, was_left);
	if (v->cursor != cursor)
		keep_in_life(v);
	bring_tick(v);
}

void pipeview_center(struct pipeview *v)
{
	uint64_t half = v->lines > 0 ? (uint64_t)v->lines / 2 : 0, line = v->cursor >> v->row_zoom;
	uint64_t top = v->top;
	bool was_left;

	viewcache_refresh(v);
	was_left = top_is_left(v);
	v->top = (line > half ? line - half : 0) << v->row_zoom;
	pipeview_clamp_window(v);
	follow(v, v->top < top ? -1 : 1, was_left);
	bring_tick(v);
}

void pipeview_scroll(struct pipeview *v, int64_t lines, int64_t columns)
{
	viewcache_refresh(v);
	if (lines)
		scroll_rows(v, lines);
	if (columns)
		axis_scroll(&v->axis, columns);
}

/* Put the row a third down unless it is visible already. */
static void show_row(struct pipeview *v, uint64_t index)
{
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t line = index >> v->row_zoom, top = v->top >> v->row_zoom;

	v->cursor = index;
	if (line < top || line - top >= lines)
		v->top = (line > lines / 3 ? line - lines / 3 : 0) << v->row_zoom;
	pipeview_clamp_window(v);
	keep_margin(v);
}

/* Put the tick on screen, with as much of the visible rows' lives as goes. */
static void show_tick(struct pipeview *v, int64_t tick)
{
	int64_t column = axis_column_of(&v->axis, tick), margin = v->axis.columns / 8;
	struct lives l;

	v->axis.tick = tick;
	if (column >= 0 && column < v->axis.columns - margin)
		return;
	if (!v->pinned) {
		look_at_lives(v, &l);
		place(v, &l, 1);
	}
	column = axis_column_of(&v->axis, tick);
	if (column < 0 || column >= v->axis.columns - margin)
		v->axis.left = tick_sub(tick, axis_ticks_of(&v->axis, v->axis.columns / 4));
	pipeview_clamp_window(v);
}

void pipeview_home(struct pipeview *v)
{
	int64_t start, end;

	viewcache_refresh(v);
	pipeview_life(v, 0, &start, &end);
	v->top = v->cursor = 0;
	v->axis.tick = start;
	v->axis.left = v->axis.first;
	if (axis_column_of(&v->axis, start) >= v->axis.columns - v->axis.columns / 8)
		v->axis.left = tick_sub(start, axis_ticks_of(&v->axis, v->axis.columns) / 8);
	pipeview_clamp_window(v);
	pipeview_window_to_cursor(v);
}

void pipeview_goto(struct pipeview *v, uint64_t row, int64_t tick)
{
	uint64_t index = pipeview_index(v, row);
	int64_t start, end;

	viewcache_refresh(v);
	pipeview_life(v, index, &start, &end);
	show_row(v, index);
	show_tick(v, tick == TICK_NONE ? start : tick);
	pipeview_window_to_cursor(v);
}

uint64_t pipeview_oldest_alive(const struct pipeview *v, int64_t t0, int64_t t1, uint64_t row0,
			       uint64_t row1)
{
	uint64_t from, to;

	store_rows_alive(v->store, t0, t1, &from, &to);
	if (from < row0)
		from = row0;
	if (to > row1)
		to = row1;
	for (uint64_t row = from; row < to && row - from < ALIVE_SCAN;) {
		struct row batch[64];
		size_t want = to - row < 64 ? (size_t)(to - row) : 64;
		size_t n = store_rows(v->store, row, want, batch);

		for (size_t i = 0; i < n; i++)
			if (batch[i].start < t1 && batch[i].end >= t0 &&
			    (!v->filter || filter_has(v->filter, batch[i].row)))
				return batch[i].row;
		if (n == 0)
			break;
		row += n;
	}
	return ROW_NONE;
}

void pipeview_goto_tick(struct pipeview *v, int64_t tick)
{
	uint64_t row, youngest;

	viewcache_refresh(v);
	tick = tick_clamp(tick, v->axis.first, v->axis.last);
	row = pipeview_oldest_alive(v, tick, tick_add(tick, v->axis.step), 0, ROW_NONE);
	youngest = store_row_born_at(v->store, tick_add(tick, v->axis.step));
	if (row == ROW_NONE)
		row = store_row_born_at(v->store, tick);
	if (youngest > row) /* both ends of what is in flight, if a screen can hold it */
		show_row(v, pipeview_index(v, youngest - 1));
	show_row(v, pipeview_index(v, row));
	show_tick(v, tick);
	pipeview_window_to_cursor(v);
}

void pipeview_adjust(struct pipeview *v)
{
	struct lives l;

	viewcache_refresh(v);
	if (v->axis.columns <= 0)
		return;
	look_at_lives(v, &l);
	place(v, &l, 1);
	bring_tick(v);
}

/* Zooming into a cell goes to a row that lives in it: the first of its line may be long dead. */
static void enter_cell(struct pipeview *v)
{
	uint64_t row0, row1, row;
	int64_t t0, t1, start, end;

	pipeview_under_cursor(v, &row0, &row1, &t0, &t1);
	pipeview_life(v, v->cursor, &start, &end);
	if (start < t1 && end >= t0)
		return;
	row = pipeview_oldest_alive(v, t0, t1, row0, row1);
	if (row != ROW_NONE)
		v->cursor = pipeview_index(v, row);
}

/* The zoom at which all of it is on one screen. */
static int row_fit(const struct pipeview *v)
{
	uint64_t count = pipeview_count(v), lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	int zoom = 0;

	while (zoom < ROW_ZOOM_MAX && count && (count - 1) >> zoom >= lines)
		zoom++;
	return zoom;
}

void pipeview_zoom(struct pipeview *v, int rows, int ticks)
{
	uint64_t y = v->cursor > v->top ? (v->cursor - v->top) >> v->row_zoom : 0;
	bool in = rows < 0 || ticks < 0;
	uint64_t line;

	viewcache_refresh(v);
	if (in && pipeview_is_aggregate(v))
		enter_cell(v);
	/* a step beyond the whole trace there is nothing more to see */
	v->row_zoom = zoom_by(v->row_zoom, rows, row_fit(v) + 1);
	axis_zoom(&v->axis, ticks);
	pipeview_clamp_zoom(v);
	pipeview_set_lines(v);
	line = v->cursor >> v->row_zoom;
	v->top = (line > y ? line - y : 0) << v->row_zoom;
	pipeview_clamp_window(v);
	pipeview_window_to_cursor(v);
	if (in)
		follow(v, 1, true);
	bring_tick(v);
}

void pipeview_fit(struct pipeview *v)
{
	viewcache_refresh(v);
	v->row_zoom = row_fit(v);
	pipeview_set_lines(v);
	v->top = 0;
	axis_fit(&v->axis);
	pipeview_window_to_cursor(v);
}
