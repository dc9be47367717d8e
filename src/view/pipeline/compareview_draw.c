#include "config.h"

#include "view/pipeline/compareview.h"

#include <limits.h>

#include "view/pipeline/pipeview_private.h"

enum { HELD_ROWS = 512 };

/* A line of a list: a row of a side, and that of B which shares it (ROW_NONE: none). */
struct entry {
	uint64_t row[ALIGN_SIDES];
	int side;
	bool shared;
};

struct drawing {
	struct compareview *v;
	struct grid *g;
	struct rect area; /* without the margin */
	const struct palette *p;
	int line;
};

static char sign_of(struct compareview *v, int side, uint64_t row)
{
	unsigned kinds = compareview_kinds(v, side, row);

	if (kinds & 1U << DIFFERENCE_ONLY_A)
		return '-';
	if (kinds & 1U << DIFFERENCE_ONLY_B)
		return '+';
	return kinds ? '~' : ' ';
}

static void put_margin(const struct drawing *d, int y, char letter, char sign)
{
	int x = d->area.x - COMPARE_MARGIN;

	grid_put(d->g, x, y, (uint8_t)letter, palette_style(d->p, ROLE_RULER));
	grid_put(d->g, x + 1, y, (uint8_t)sign, palette_style(d->p, ROLE_MARK));
}

/* STACKED: each side draws itself, and gets its margin. */
static enum status draw_side(struct drawing *d, int side, struct error *e)
{
	struct pipeview *s = d->v->side[side];
	int height = pipeview_row_height(s), ruler = pipeview_ruler_lines(s);
	uint64_t count = pipeview_count(s);
	enum status status = pipeview_draw(s, d->g, d->area, d->p, e);

	put_margin(d, d->area.y, align_letter(side), ' ');
	for (int line = 0; !status && line < s->lines && s->row_zoom == 0; line++) {
		uint64_t index = s->top + (uint64_t)line;

		if (index < count)
			put_margin(d, d->area.y + ruler + line * height, align_letter(side),
				   sign_of(d->v, side, pipeview_row(s, index)));
	}
	return status;
}

static enum status draw_stacked(struct drawing *d, struct error *e)
{
	struct rect whole = d->area;
	enum status status = STATUS_OK;

	for (int s = 0; s < ALIGN_SIDES && !status; s++) {
		d->area.h = d->v->side[s]->height;
		if (d->area.h > 0)
			status = draw_side(d, s, e);
		d->area.y += d->area.h;
	}
	d->area = whole;
	return status;
}

static enum status row_at(struct compareview *v, int side, uint64_t row, struct row_view *out,
			  struct error *e)
{
	struct detail *held = &v->held[side];
	enum status status = STATUS_OK;

	if (row < v->held_from[side] || row - v->held_from[side] >= held->count) {
		held->count = 0;
		v->held_from[side] = row;
		status = store_detail(v->side[side]->store, row, HELD_ROWS, held, e);
	}
	*out = (struct row_view){held, NULL};
	if (!status && row - v->held_from[side] < held->count)
		out->row = &held->rows[row - v->held_from[side]];
	return status;
}

static void put_slot(const struct drawing *d, int column, const struct slot *s, uint8_t attrs)
{
	int x = d->area.x + pipeview_gutter_width(d->v->side[d->v->focus]) + column;
	struct style style = palette_style(d->p, (enum role)s->role);

	style.attrs |= s->attrs | attrs;
	grid_put(d->g, x, d->area.y + pipeview_ruler_lines(d->v->side[d->v->focus]) + d->line,
		 s->cp, style);
}

/* Does another run's row have the same in a column? */
static bool same_slot(const struct slot *a, const struct slot *b)
{
	return (a->rank != 0) == (b->rank != 0) && (!a->rank || a->cp == b->cp);
}

/*
 * One row's cells; with B's over those of A, what they do not say alike is underlined: A's, or
 * where that says nothing B's.
 */
static void put_cells(struct drawing *d, const struct row_view row[ALIGN_SIDES])
{
	const struct slot *slots[ALIGN_SIDES] = {NULL, NULL};
	int columns = INT_MAX;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct pipeview *side = d->v->side[s];
		struct slot *mine;

		if (!row[s].row)
			continue;
		mine = viewcache_slots(side);
		cells_compose(side, &row[s], CELLS_OVERLAID, mine);
		columns = side->axis.columns < columns ? side->axis.columns : columns;
		slots[s] = mine;
	}
	for (int c = 0; c < columns; c++) {
		const struct slot *a = slots[ALIGN_A] ? &slots[ALIGN_A][c] : &slots[ALIGN_B][c];
		const struct slot *b = slots[ALIGN_B] ? &slots[ALIGN_B][c] : a;
		const struct slot *shown = a->rank ? a : b;
		uint8_t attrs = same_slot(a, b) ? 0 : ATTR_UNDERLINE;

		attrs |= shown != a ? ATTR_DIM : 0;
		if (shown->rank)
			put_slot(d, c, shown, attrs);
	}
}

/* The cursor as the instruction view draws it: one cell, and one of the label. */
static void put_cursor(const struct drawing *d, const struct entry *n)
{
	const struct pipeview *f = d->v->side[d->v->focus];
	uint64_t cursor = pipeview_row(f, f->cursor);
	int y = d->area.y + pipeview_ruler_lines(f) + d->line;
	int64_t column = axis_column_of(&f->axis, f->axis.tick);
	struct gutter_layout l;
	bool here = n->row[d->v->focus] == cursor;

	if (!here)
		return;
	gutter_fit(f, &l);
	if (l.total > 0)
		gutter_cursor(&l, d->g, d->area.x, y, d->p);
	if (column >= 0 && column < f->axis.columns)
		grid_spot(d->g, d->area.x + l.total + (int)column, y,
			  palette_style(d->p, ROLE_CURSOR));
}

static enum status draw_entry(struct drawing *d, const struct entry *n, struct error *e)
{
	struct compareview *v = d->v;
	int y = d->area.y + pipeview_ruler_lines(v->side[v->focus]) + d->line;
	struct row_view row[ALIGN_SIDES] = {{NULL, NULL}};

	for (int s = 0; s < ALIGN_SIDES; s++) {
		enum status status =
		    n->row[s] == ROW_NONE ? STATUS_OK : row_at(v, s, n->row[s], &row[s], e);

		if (status)
			return status;
	}
	if (!row[n->side].row)
		return STATUS_OK;
	gutter_row(v->side[n->side], d->g, d->area, d->line, &row[n->side], d->p);
	put_cells(d, row);
	put_margin(d, y, n->shared ? ' ' : align_letter(n->side),
		   sign_of(v, n->side, n->row[n->side]));
	put_cursor(d, n);
	return STATUS_OK;
}

/* The line that begins where the list stands, which then stands on its last row. */
static void take_entry(const struct compareview *v, struct align_line *at, struct entry *out)
{
	*out = (struct entry){.row = {ROW_NONE, ROW_NONE}, .side = at->side};
	out->row[at->side] = at->row;
	if (v->layout != COMPARE_OVERLAID || at->side != ALIGN_A || at->partner == ROW_NONE)
		return;
	out->row[ALIGN_B] = at->partner;
	out->shared = true;
	align_line_next(at);
}

static enum status draw_list(struct drawing *d, struct error *e)
{
	struct compareview *v = d->v;
	struct align_line at;
	enum status status = STATUS_OK;
	bool more = align_line_at(v->al, v->top, &at);

	pipeview_ruler(v->side[v->focus], d->g, d->area, d->p);
	gutter_head(v->side[v->focus], d->g, d->area, d->p);
	put_margin(d, d->area.y, align_letter(v->focus), ' ');
	for (; !status && more && d->line < v->lines; more = align_line_next(&at), d->line++) {
		struct entry n;

		take_entry(v, &at, &n);
		status = draw_entry(d, &n, e);
	}
	return status;
}

enum status compareview_draw(struct compareview *v, struct grid *g, struct rect area,
			     const struct palette *p, struct error *e)
{
	struct drawing d = {.v = v, .g = g, .p = p, .area = area};

	d.area.x += COMPARE_MARGIN;
	d.area.w -= COMPARE_MARGIN;
	if (v->side[v->focus]->width != d.area.w)
		compareview_layout(v, area.w, area.h);
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	return v->layout == COMPARE_STACKED ? draw_stacked(&d, e) : draw_list(&d, e);
}
