#include "config.h"

#include "view/compareview.h"

#include "view/pipeview_private.h"

enum { HELD_ROWS = 512 };

/* A row of the list: it, its side, and the matching one that shares its line (ROW_NONE). */
struct entry {
	uint64_t row, over;
	int side;
};

struct drawing {
	struct compareview *v;
	struct grid *g;
	struct rect area; /* without the margin */
	const struct palette *p;
	int line;
};

static const char side_letters[ALIGN_SIDES] = {'A', 'B'};

static void put_margin(const struct drawing *d, int y, char letter, unsigned kinds)
{
	int x = d->area.x - COMPARE_MARGIN;
	char sign = kinds & 1U << DIFFERENCE_ONLY_A   ? '-'
		    : kinds & 1U << DIFFERENCE_ONLY_B ? '+'
		    : kinds                           ? '~'
						      : ' ';

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

	put_margin(d, d->area.y, side_letters[side], 0);
	for (int line = 0; !status && line < s->lines && s->row_zoom == 0; line++) {
		uint64_t index = s->top + (uint64_t)line;

		if (index < count)
			put_margin(d, d->area.y + ruler + line * height, side_letters[side],
				   compareview_kinds(d->v, side, pipeview_row(s, index)));
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

/* One row's cells; with another one over them, what both do not say alike is underlined. */
static void put_cells(struct drawing *d, const struct entry *n, const struct row_view *row,
		      const struct row_view *over)
{
	struct pipeview *s = d->v->side[n->side], *o = d->v->side[!n->side];
	struct slot *mine = viewcache_slots(s), *other = viewcache_slots(o);
	int columns = s->columns;

	cells_compose(s, row, CELLS_OVERLAID, mine);
	if (over->row && o->columns < columns)
		columns = o->columns;
	if (over->row)
		cells_compose(o, over, CELLS_OVERLAID, other);
	for (int c = 0; c < columns; c++) {
		bool same = !over->row || (mine[c].rank != 0) == (other[c].rank != 0);

		if (same && over->row && mine[c].rank)
			same = mine[c].cp == other[c].cp;
		if (mine[c].rank)
			put_slot(d, c, &mine[c], same ? 0 : ATTR_UNDERLINE);
		else if (over->row && other[c].rank)
			put_slot(d, c, &other[c], ATTR_UNDERLINE | ATTR_DIM);
	}
}

/* The cursor as the instruction view draws it: one cell, and one of the label. */
static void put_cursor(const struct drawing *d, const struct entry *n)
{
	const struct pipeview *f = d->v->side[d->v->focus];
	uint64_t cursor = pipeview_row(f, f->cursor);
	int y = d->area.y + pipeview_ruler_lines(f) + d->line;
	int64_t column = pipeview_column_of(f, f->tick);
	struct gutter_layout l;
	bool here = n->side == d->v->focus ? n->row == cursor : n->over == cursor;

	if (!here)
		return;
	gutter_fit(f, &l);
	if (l.total > 0)
		gutter_cursor(&l, d->g, d->area.x, y, d->p);
	if (column >= 0 && column < f->columns)
		grid_spot(d->g, d->area.x + l.total + (int)column, y,
			  palette_style(d->p, ROLE_CURSOR));
}

static enum status draw_entry(struct drawing *d, const struct entry *n, struct error *e)
{
	struct compareview *v = d->v;
	int y = d->area.y + pipeview_ruler_lines(v->side[v->focus]) + d->line;
	struct row_view row, over = {NULL, NULL};
	enum status status = row_at(v, n->side, n->row, &row, e);

	if (!status && n->over != ROW_NONE)
		status = row_at(v, !n->side, n->over, &over, e);
	if (status || !row.row)
		return status;
	gutter_row(v->side[n->side], d->g, d->area, d->line, &row, d->p);
	put_cells(d, n, &row, &over);
	put_margin(d, y, n->over == ROW_NONE ? side_letters[n->side] : ' ',
		   compareview_kinds(v, n->side, n->row));
	put_cursor(d, n);
	return STATUS_OK;
}

static enum status draw_list(struct drawing *d, struct error *e)
{
	struct compareview *v = d->v;
	uint64_t lines = align_lines(v->al);
	enum status status = STATUS_OK;

	ruler_draw(v->side[v->focus], d->g, d->area, d->p);
	gutter_head(v->side[v->focus], d->g, d->area, d->p);
	put_margin(d, d->area.y, side_letters[v->focus], 0);
	for (uint64_t at = v->top; !status && at < lines && d->line < v->lines; at++, d->line++) {
		struct entry n = {.over = ROW_NONE};

		n.row = align_at_line(v->al, at, &n.side);
		if (v->layout == COMPARE_OVERLAID && n.side == ALIGN_A)
			n.over = compareview_partner(v, ALIGN_A, n.row);
		status = draw_entry(d, &n, e);
		at += n.over != ROW_NONE;
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
