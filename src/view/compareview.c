#include "config.h"

#include "view/compareview.h"

#include "view/pipeview_private.h"

const char *const compare_layout_names[COMPARE_LAYOUTS] = {
#define COMPARE_LAYOUT_NAME(layout, name, help) name,
    COMPARE_LAYOUT_INFO(COMPARE_LAYOUT_NAME)
#undef COMPARE_LAYOUT_NAME
};

enum { LEAST_STACKED = 6 }; /* lines that two parts need */

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

/* Heights of the two parts of a stacked window; a low one shows the focused side alone. */
static void split(const struct compareview *v, int h, int part[ALIGN_SIDES])
{
	part[!v->focus] = h >= LEAST_STACKED ? h / 2 : 0;
	part[v->focus] = h - part[!v->focus];
}

void compareview_layout(struct compareview *v, int w, int h)
{
	int part[ALIGN_SIDES] = {h, h};

	if (v->layout == COMPARE_STACKED)
		split(v, h, part);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		if (v->layout != COMPARE_STACKED)
			v->side[s]->row_zoom = 0;
		pipeview_layout(v->side[s], w - COMPARE_MARGIN, part[s]);
	}
	v->lines = h - pipeview_ruler_lines(focused(v));
	/* the motions of a side keep its cursor on the lines that are its own */
	for (int s = 0; s < ALIGN_SIDES && v->layout == COMPARE_INTERLEAVED; s++)
		v->side[s]->lines = (v->lines + 1) / 2;
	compareview_follow(v);
}

void compareview_set(struct compareview *v, enum compare_layout layout, int w, int h)
{
	v->layout = layout;
	compareview_layout(v, w, h);
}

/* The rows under the cursor: the focused one, and where the other side has it. */
static bool cursor_rows(const struct compareview *v, uint64_t rows[ALIGN_SIDES])
{
	const struct pipeview *f = focused(v);

	if (f->cursor >= pipeview_count(f) || pipeview_count(v->side[!v->focus]) == 0)
		return false;
	rows[v->focus] = pipeview_row(f, f->cursor);
	rows[!v->focus] = align_near(v->al, v->focus, rows[v->focus]);
	return true;
}

static bool starts(const struct compareview *v, const uint64_t rows[ALIGN_SIDES],
		   int64_t start[ALIGN_SIDES])
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct row r;

		if (!store_row(v->side[s]->store, rows[s], &r))
			return false;
		start[s] = r.start;
	}
	return true;
}

int64_t compareview_lag(const struct compareview *v)
{
	uint64_t rows[ALIGN_SIDES];
	int64_t start[ALIGN_SIDES];

	if (!cursor_rows(v, rows))
		return 0;
	align_anchor(v->al, v->focus, rows[v->focus], rows);
	if (!starts(v, rows, start))
		return 0;
	return tick_sub(align_time(v->al, ALIGN_B, start[ALIGN_B]),
			align_time(v->al, ALIGN_A, start[ALIGN_A]));
}

/*
 * The other side's window, so that its row of the cursor stands where the focused one does; beside
 * a row that did not commit, so that what committed before it does.
 */
static void follow_side(struct compareview *v, const uint64_t rows[ALIGN_SIDES])
{
	struct pipeview *f = focused(v), *o = v->side[!v->focus];
	uint64_t anchor[ALIGN_SIDES];
	int64_t start[ALIGN_SIDES], tick;
	uint64_t above = f->cursor > f->top ? f->cursor - f->top : 0;

	o->row_zoom = f->row_zoom;
	o->tick_zoom = f->tick_zoom;
	o->cursor = pipeview_index(o, rows[!v->focus]);
	o->top = row_align(o->cursor > above ? o->cursor - above : 0, o->row_zoom);
	align_anchor(v->al, v->focus, rows[v->focus], anchor);
	if (!starts(v, anchor, start))
		return;
	tick = start[!v->focus];
	o->left = tick_sub(tick, pipeview_ticks_of(o, pipeview_column_of(f, start[v->focus])));
	o->tick = tick_add(tick, pipeview_ticks_of(o, pipeview_column_of(f, f->tick) -
							  pipeview_column_of(f, start[v->focus])));
}

/* The row that shares the line, or the pair of lines, with a row; a micro-op has its own. */
uint64_t compareview_partner(const struct compareview *v, int side, uint64_t row)
{
	return path_has(v->al->side[side].path, row) ? align_match(v->al, side, row) : ROW_NONE;
}

/* The list's window: from the focused window's first row on, but the cursor is in it. */
static void follow_list(struct compareview *v)
{
	const struct pipeview *f = focused(v);
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t cursor = align_line_of(v->al, v->focus, pipeview_row(f, f->cursor));
	uint64_t top = align_line_of(v->al, v->focus, pipeview_row(f, f->top)), row;
	int side;

	if (top > cursor)
		top = cursor;
	/* a pair may take both lines; keep one to spare */
	if (cursor - top + 1 >= lines)
		top = cursor + 2 > lines ? cursor + 2 - lines : 0;
	row = align_at_line(v->al, top, &side);
	v->top = top - (side == ALIGN_B && compareview_partner(v, side, row) != ROW_NONE);
}

void compareview_follow(struct compareview *v)
{
	uint64_t rows[ALIGN_SIDES];

	if (!cursor_rows(v, rows))
		return;
	follow_side(v, rows);
	if (v->layout != COMPARE_STACKED)
		follow_list(v);
}

void compareview_switch(struct compareview *v)
{
	compareview_follow(v);
	v->focus = !v->focus;
	compareview_follow(v);
}

enum status compareview_seek(struct compareview *v, int dir, unsigned kinds, struct difference *out,
			     struct error *e)
{
	const struct pipeview *f = focused(v);
	uint64_t row = pipeview_count(f) ? pipeview_row(f, f->cursor) : ROW_NONE;
	enum status status = differ_next(v->differ, v->focus, row, dir, kinds, out, e);

	if (status || out->kinds == 0)
		return status;
	v->focus = out->side;
	pipeview_goto(v->side[v->focus], out->row[v->focus], TICK_NONE);
	compareview_follow(v);
	return STATUS_OK;
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

bool compareview_hit(const struct compareview *v, int x, int y, int *side, uint64_t *index,
		     int64_t *tick)
{
	const struct pipeview *f = focused(v);
	int line = y - pipeview_ruler_lines(f);
	int column = x - COMPARE_MARGIN - pipeview_gutter_width(f);

	if (v->layout == COMPARE_STACKED) {
		*side = y < v->side[ALIGN_A]->height ? ALIGN_A : ALIGN_B;
		y -= *side == ALIGN_B ? v->side[ALIGN_A]->height : 0;
		return pipeview_hit(v->side[*side], x - COMPARE_MARGIN, y, index, tick);
	}
	if (line < 0 || line >= v->lines || column < 0 || column >= f->columns)
		return false;
	for (uint64_t at = v->top, n = align_lines(v->al); at < n; at++) {
		uint64_t row = align_at_line(v->al, at, side);

		if (v->layout == COMPARE_OVERLAID && *side == ALIGN_A &&
		    compareview_partner(v, ALIGN_A, row) != ROW_NONE)
			at++;
		if (line-- > 0)
			continue;
		*index = pipeview_index(v->side[*side], row);
		*tick = pipeview_tick_at(v->side[*side], column);
		return true;
	}
	return false;
}
