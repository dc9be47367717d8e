#include "config.h"

#include "view/pipeline/compareview.h"

#include "view/pipeline/pipeview_private.h"

const char *const compare_layout_names[COMPARE_LAYOUTS] = {
#define COMPARE_LAYOUT_NAME(layout, name, help) name,
    COMPARE_LAYOUT_INFO(COMPARE_LAYOUT_NAME)
#undef COMPARE_LAYOUT_NAME
};

enum { LEAST_LINES = 3 }; /* that a part of a stacked window needs */

void compareview_init(struct compareview *v, const struct align *al, struct differ *differ,
		      struct pipeview *a, struct pipeview *b)
{
	*v = (struct compareview){.al = al, .differ = differ, .side = {a, b}};
}

void compareview_free(struct compareview *v)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		detail_free(&v->held[s]);
}

static struct pipeview *focused(const struct compareview *v)
{
	return v->side[v->focus];
}

void compareview_layout(struct compareview *v, int w, int h)
{
	const bool stacked = v->layout == COMPARE_STACKED;
	const int half = h < ALIGN_SIDES * LEAST_LINES ? 0 : h / ALIGN_SIDES;

	const int wanted[] = {v->side[ALIGN_A]->text_wanted, v->side[ALIGN_B]->text_wanted};

	for (int s = 0; s < ALIGN_SIDES; s++) {
		/* their columns stand below each other */
		v->side[s]->text_wanted =
		    wanted[ALIGN_A] > wanted[ALIGN_B] ? wanted[ALIGN_A] : wanted[ALIGN_B];
		if (!stacked)
			v->side[s]->row_zoom = 0;
		pipeview_layout(v->side[s], w - COMPARE_MARGIN,
				!stacked        ? h
				: s == v->focus ? h - half
						: half);
	}
	v->lines = h - pipeview_ruler_lines(focused(v));
	/* the motions of a side keep its cursor on the lines that are its own */
	for (int s = 0; s < ALIGN_SIDES && v->layout == COMPARE_INTERLEAVED; s++)
		v->side[s]->lines = (v->lines + ALIGN_SIDES - 1) / ALIGN_SIDES;
	compareview_follow(v);
}

/* The row under the cursor; ROW_NONE: there is none, or nothing beside it. */
static uint64_t cursor_row(const struct compareview *v)
{
	const struct pipeview *f = focused(v);

	if (pipeview_count(v->side[!v->focus]) == 0)
		return ROW_NONE;
	return f->cursor < pipeview_count(f) ? pipeview_row(f, f->cursor) : ROW_NONE;
}

/* The births by which the other side is laid beside the row of the cursor. */
static bool starts(const struct compareview *v, uint64_t row, int64_t start[ALIGN_SIDES])
{
	uint64_t anchor[ALIGN_SIDES];

	align_anchor(v->al, v->focus, row, anchor);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct row r;

		if (!store_row(v->side[s]->store, anchor[s], &r))
			return false;
		start[s] = r.start;
	}
	return true;
}

int64_t compareview_lag(const struct compareview *v)
{
	uint64_t row = cursor_row(v);
	int64_t start[ALIGN_SIDES];

	if (row == ROW_NONE || !starts(v, row, start))
		return 0;
	return tick_sub(align_time(v->al, ALIGN_B, start[ALIGN_B]),
			align_time(v->al, ALIGN_A, start[ALIGN_A]));
}

/*
 * The other side's window, so that its row of the cursor stands where the focused one does; beside
 * a row that did not commit, so that what committed before it does.
 */
static void follow_side(struct compareview *v, uint64_t row)
{
	struct pipeview *f = focused(v), *o = v->side[!v->focus];
	uint64_t above = f->cursor > f->top ? f->cursor - f->top : 0;
	int64_t start[ALIGN_SIDES], column;

	o->row_zoom = f->row_zoom;
	o->axis.zoom = f->axis.zoom;
	o->cursor = pipeview_index(o, align_near(v->al, v->focus, row));
	o->top = row_align(o->cursor > above ? o->cursor - above : 0, o->row_zoom);
	if (!starts(v, row, start))
		return;
	column = axis_column_of(&f->axis, start[v->focus]);
	o->axis.left = tick_sub(start[!v->focus], axis_ticks_of(&o->axis, column));
	column = axis_column_of(&f->axis, f->axis.tick) - column;
	o->axis.tick = tick_add(start[!v->focus], axis_ticks_of(&o->axis, column));
}

/* The list's window: from the focused window's first row on, but the cursor is in it. */
static void follow_list(struct compareview *v)
{
	const struct pipeview *f = focused(v);
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1, all = align_lines(v->al);
	uint64_t cursor = align_line_of(v->al, v->focus, pipeview_row(f, f->cursor));
	uint64_t top = align_line_of(v->al, v->focus, pipeview_row(f, f->top));
	struct align_line first;
	bool at_end;

	if (top > cursor)
		top = cursor;
	if (cursor - top + 1 >= lines) /* with the line of the row that matches */
		top = cursor + ALIGN_SIDES > lines ? cursor + ALIGN_SIDES - lines : 0;
	/* what the other has before its first row, and behind its last one */
	if (f->top == 0 && cursor < lines)
		top = 0;
	at_end = f->cursor + 1 == pipeview_count(f) && all > top + lines;
	if (at_end)
		top = all - lines;
	if (top > cursor)
		top = cursor;
	v->top = top;
	if (!align_line_at(v->al, top, &first) || first.side == ALIGN_A ||
	    first.partner == ROW_NONE)
		return;
	/* a list that is too low for both rows of a pair shows one of them */
	if (v->layout == COMPARE_OVERLAID || (cursor - (top - 1) < lines && !at_end))
		v->top = top - 1;
}

void compareview_follow(struct compareview *v)
{
	uint64_t row = cursor_row(v);

	if (row == ROW_NONE)
		return;
	follow_side(v, row);
	if (v->layout != COMPARE_STACKED)
		follow_list(v);
}

unsigned compareview_kinds(struct compareview *v, int side, uint64_t row)
{
	const struct path *path = v->al->side[side].path;
	uint64_t pair, index[ALIGN_SIDES];

	if (!path_has(path, row))
		return 0;
	if (!align_pair_of(v->al, side, path_rank(path, row), &pair))
		return 1U << (side == ALIGN_A ? DIFFERENCE_ONLY_A : DIFFERENCE_ONLY_B);
	align_pair(v->al, pair, index);
	return differ_pair(v->differ, index, DIFFERENCE_ALL);
}

static bool hit_stacked(const struct compareview *v, int x, int y, int *side, uint64_t *index,
			int64_t *tick)
{
	const int height = v->side[ALIGN_A]->height;

	*side = y < height ? ALIGN_A : ALIGN_B;
	return pipeview_hit(v->side[*side], x - COMPARE_MARGIN, *side == ALIGN_A ? y : y - height,
			    index, tick);
}

/* Rows that match share a line if they are overlaid: it is A's. */
static bool is_shared(const struct compareview *v, const struct align_line *l)
{
	return v->layout == COMPARE_OVERLAID && l->side == ALIGN_B && l->partner != ROW_NONE;
}

bool compareview_hit(const struct compareview *v, int x, int y, int *side, uint64_t *index,
		     int64_t *tick)
{
	const struct pipeview *f = focused(v);
	int line = y - pipeview_ruler_lines(f);
	int column = x - COMPARE_MARGIN - pipeview_gutter_width(f);
	struct align_line at;

	if (v->layout == COMPARE_STACKED)
		return hit_stacked(v, x, y, side, index, tick);
	if (line < 0 || line >= v->lines || column < 0 || column >= f->axis.columns ||
	    !align_line_at(v->al, v->top, &at))
		return false;
	while (line > 0) {
		if (!align_line_next(&at))
			return false;
		line -= !is_shared(v, &at);
	}
	*side = at.side;
	*index = pipeview_index(v->side[*side], at.row);
	*tick = axis_tick_at(&v->side[*side]->axis, column);
	return true;
}
