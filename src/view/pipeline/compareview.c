#include "config.h"

#include "view/pipeline/compareview.h"

#include "view/pipeline/pipeview_private.h"

const char *const compare_layout_names[COMPARE_LAYOUTS] = {
#define COMPARE_LAYOUT_NAME(layout, name, help) name,
    COMPARE_LAYOUT_INFO(COMPARE_LAYOUT_NAME)
#undef COMPARE_LAYOUT_NAME
};

enum { LEAST_LINES = 3 }; /* that a part of a stacked window needs */

void compareview_init(struct compareview *v, const struct aligned *al, struct differ *differ,
		      struct pipeview *const side[])
{
	*v = (struct compareview){.al = al, .differ = differ};
	for (int run = RUN_A; run < al->runs; run++)
		v->side[run] = side[run];
}

void compareview_free(struct compareview *v)
{
	for (int run = RUN_A; run < RUNS_MOST; run++)
		detail_free(&v->held[run]);
}

static struct pipeview *focused(const struct compareview *v)
{
	return v->side[v->focus];
}

int compareview_window(const struct compareview *v, int room, int *first)
{
	int shown = room < 1 ? 1 : room < v->al->runs ? room : v->al->runs;

	*first = v->focus < shown ? RUN_A : v->focus - shown + 1;
	return shown;
}

/* Heights of the parts of a stacked window; a low one shows those around the focused side alone. */
static void split(const struct compareview *v, int h, int part[RUNS_MOST])
{
	int first, shown = compareview_window(v, h / LEAST_LINES, &first);

	for (int run = RUN_A; run < v->al->runs; run++)
		part[run] = run >= first && run < first + shown ? h / shown : 0;
	part[v->focus] += h % shown;
}

void compareview_layout(struct compareview *v, int w, int h)
{
	const int runs = v->al->runs;
	int part[RUNS_MOST];

	if (v->layout == COMPARE_STACKED)
		split(v, h, part);
	for (int run = RUN_A; run < runs; run++) {
		if (v->layout != COMPARE_STACKED) {
			v->side[run]->row_zoom = 0;
			part[run] = h;
		}
		pipeview_layout(v->side[run], w - COMPARE_MARGIN, part[run]);
	}
	v->lines = h - pipeview_ruler_lines(focused(v));
	/* the motions of a side keep its cursor on the lines that are its own */
	for (int run = RUN_A; run < runs && v->layout == COMPARE_INTERLEAVED; run++)
		v->side[run]->lines = (v->lines + runs - 1) / runs;
	compareview_follow(v);
}

void compareview_set(struct compareview *v, enum compare_layout layout, int w, int h)
{
	v->layout = layout;
	compareview_layout(v, w, h);
}

/* The row under the cursor; ROW_NONE: there is none, or nothing beside it. */
static uint64_t cursor_row(const struct compareview *v)
{
	const struct pipeview *f = focused(v);

	for (int run = RUN_A; run < v->al->runs; run++)
		if (pipeview_count(v->side[run]) == 0)
			return ROW_NONE;
	return f->cursor < pipeview_count(f) ? pipeview_row(f, f->cursor) : ROW_NONE;
}

/* The births by which another run is laid beside the row of the cursor. */
static bool starts(const struct compareview *v, uint64_t row, int other, int64_t *here,
		   int64_t *there)
{
	uint64_t anchor[2];
	struct row r, o;

	aligned_anchor(v->al, v->focus, row, other, &anchor[0], &anchor[1]);
	if (!store_row(focused(v)->store, anchor[0], &r) ||
	    !store_row(v->side[other]->store, anchor[1], &o))
		return false;
	*here = r.start;
	*there = o.start;
	return true;
}

int64_t compareview_lag(const struct compareview *v, int run)
{
	int other = v->focus == RUN_A ? run : RUN_A;
	const struct align *pair = &v->al->with[run];
	uint64_t row = cursor_row(v);
	int64_t here, there, lag;

	if (row == ROW_NONE || !starts(v, row, other, &here, &there))
		return 0;
	here = align_time(pair, v->focus == RUN_A ? ALIGN_A : ALIGN_B, here);
	there = align_time(pair, v->focus == RUN_A ? ALIGN_B : ALIGN_A, there);
	lag = v->focus == RUN_A ? tick_sub(there, here) : tick_sub(here, there);
	return lag;
}

/*
 * Another side's window, so that its row of the cursor stands where the focused one does; beside
 * a row that did not commit, so that what committed before it does.
 */
static void follow_side(struct compareview *v, uint64_t row, int other)
{
	struct pipeview *f = focused(v), *o = v->side[other];
	int64_t here, there, away;
	uint64_t above = f->cursor > f->top ? f->cursor - f->top : 0;

	o->row_zoom = f->row_zoom;
	o->axis.zoom = f->axis.zoom;
	o->cursor = pipeview_index(o, aligned_near(v->al, v->focus, row, other));
	o->top = row_align(o->cursor > above ? o->cursor - above : 0, o->row_zoom);
	if (!starts(v, row, other, &here, &there))
		return;
	o->axis.left = tick_sub(there, axis_ticks_of(&o->axis, axis_column_of(&f->axis, here)));
	away = axis_column_of(&f->axis, f->axis.tick) - axis_column_of(&f->axis, here);
	o->axis.tick = tick_add(there, axis_ticks_of(&o->axis, away));
}

/* The list's window: from the focused window's first row on, but the cursor is in it. */
static void follow_list(struct compareview *v)
{
	const struct pipeview *f = focused(v);
	const uint64_t spare = (uint64_t)v->al->runs; /* lines that rows which match may take */
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t cursor = aligned_line_of(v->al, v->focus, pipeview_row(f, f->cursor));
	uint64_t top = aligned_line_of(v->al, v->focus, pipeview_row(f, f->top));
	struct aligned_cursor at;
	bool at_end;

	if (top > cursor)
		top = cursor;
	if (cursor - top + spare - 1 >= lines)
		top = cursor + spare > lines ? cursor + spare - lines : 0;
	/* what others have before its first row, and behind its last one */
	if (f->top == 0 && cursor < lines)
		top = 0;
	at_end = f->cursor + 1 == pipeview_count(f) && aligned_lines(v->al) > top + lines;
	if (at_end)
		top = aligned_lines(v->al) - lines;
	if (top > cursor)
		top = cursor;
	v->top = top;
	if (!aligned_seek(v->al, top, &at) || !at.matched)
		return;
	/* a list that is too low for the group shows a part of it */
	top = aligned_line_of(v->al, RUN_A, at.group.row[RUN_A]);
	if (v->layout == COMPARE_OVERLAID || (cursor - top < lines && !at_end))
		v->top = top;
}

void compareview_follow(struct compareview *v)
{
	uint64_t row = cursor_row(v);

	if (row == ROW_NONE)
		return;
	for (int run = RUN_A; run < v->al->runs; run++)
		if (run != v->focus)
			follow_side(v, row, run);
	if (v->layout != COMPARE_STACKED)
		follow_list(v);
}

void compareview_focus(struct compareview *v, int run)
{
	compareview_follow(v);
	v->focus = run;
	compareview_follow(v);
}

unsigned compareview_kinds(struct compareview *v, int run, uint64_t row, int other)
{
	const struct align *pair = &v->al->with[other];
	int side = run == RUN_A ? ALIGN_A : ALIGN_B;
	const struct path *path = pair->side[side].path;
	uint64_t number, index[ALIGN_SIDES];

	if (!path_has(path, row))
		return 0;
	if (!align_pair_of(pair, side, path_rank(path, row), &number))
		return 1U << (side == ALIGN_A ? DIFFERENCE_ONLY_A : DIFFERENCE_ONLY_B);
	align_pair(pair, number, index);
	return differ_pair(&v->differ[other], index, DIFFERENCE_ALL);
}

static bool hit_stacked(const struct compareview *v, int x, int y, int *run, uint64_t *index,
			int64_t *tick)
{
	for (*run = RUN_A; *run + 1 < v->al->runs && y >= v->side[*run]->height; (*run)++)
		y -= v->side[*run]->height;
	return pipeview_hit(v->side[*run], x - COMPARE_MARGIN, y, index, tick);
}

bool compareview_hit(const struct compareview *v, int x, int y, int *run, uint64_t *index,
		     int64_t *tick)
{
	const struct pipeview *f = focused(v);
	int line = y - pipeview_ruler_lines(f);
	int column = x - COMPARE_MARGIN - pipeview_gutter_width(f);
	struct aligned_cursor at;

	if (v->layout == COMPARE_STACKED)
		return hit_stacked(v, x, y, run, index, tick);
	if (line < 0 || line >= v->lines || column < 0 || column >= f->axis.columns ||
	    !aligned_seek(v->al, v->top, &at))
		return false;
	/* rows that match share a line if they are overlaid: it is A's */
	for (; line > 0; line -= v->layout != COMPARE_OVERLAID || !at.matched || at.run == RUN_A)
		if (!aligned_step(&at))
			return false;
	*run = at.run;
	*index = pipeview_index(v->side[*run], at.row);
	*tick = axis_tick_at(&v->side[*run]->axis, column);
	return true;
}
