#include "config.h"

#include "view/pipeline/pipeview.h"

#include "view/pipeline/pipeview_private.h"

/* The time area of the view, without gutter and ruler. */
static struct rect time_area(const struct pipeview *v, struct rect area)
{
	int gutter = pipeview_gutter_width(v), ruler = pipeview_ruler_lines(v);

	return (struct rect){area.x + gutter, area.y + ruler, v->axis.columns, v->lines};
}

void pipeview_ruler(const struct pipeview *v, struct grid *g, struct rect area,
		    const struct palette *p)
{
	struct rect time = time_area(v, area);

	ruler_draw(&v->axis, g, (struct rect){time.x, area.y, time.w, time.y - area.y}, p);
}

static void put_slots(const struct pipeview *v, struct grid *g, struct rect time, int y,
		      const struct slot *slots, const struct palette *p)
{
	for (int c = 0; c < v->axis.columns; c++) {
		struct style style = palette_style(p, (enum role)slots[c].role);

		if (!slots[c].rank)
			continue;
		style.attrs |= slots[c].attrs;
		grid_put(g, time.x + c, y, slots[c].cp, style);
	}
}

static enum status draw_single(struct pipeview *v, struct grid *g, struct rect area,
			       const struct palette *p, struct error *e)
{
	struct rect time = time_area(v, area);
	struct slot *slots = viewcache_slots(v);
	unsigned lanes = (unsigned)store_lane_count(v->store);
	int height = pipeview_row_height(v);
	enum status status = viewcache_detail(v, e);

	lanes = lanes > 0 ? lanes : 1;
	if (status != STATUS_OK)
		return status;
	for (int line = 0; line < v->lines; line++) {
		struct row_view row = viewcache_row(v, (size_t)line);

		if (!row.row)
			continue;
		gutter_row(v, g, area, line * height, &row, p);
		if (!v->lanes_split) {
			cells_compose(v, &row, CELLS_OVERLAID, slots);
			put_slots(v, g, time, time.y + line, slots, p);
		}
		for (unsigned lane = 0; v->lanes_split && lane < lanes; lane++) {
			int at = pipeview_lane_line(v, lane);

			if (at < 0 || at >= height)
				continue;
			cells_compose(v, &row, (int)lane, slots);
			put_slots(v, g, time, time.y + line * height + at, slots, p);
			if (lane)
				gutter_lane(v, g, area, line * height + at, lane, p);
		}
	}
	return links_draw(v, g, time, p, e);
}

static bool cell_highlighted(const struct pipeview *v, const struct picture_cell *cell)
{
	const struct highlight *h = &v->highlight;
	bool commits;

	switch (h->kind) {
	case HIGHLIGHT_NONE:
		return false;
	case HIGHLIGHT_EVENT:
		return cell->events >> h->what & 1;
	case HIGHLIGHT_FATE:
		return cell->fates >> h->what & 1;
	case HIGHLIGHT_STAGE:
		/* a commit has no length and dominates nothing: where rows commit it is */
		commits = store_stage(v->store, h->what)->role == ROLE_COMMIT;
		return (cell->stages >> h->what & 1) ||
		       (commits && (cell->fates >> FATE_COMMITTED & 1));
	}
	return false;
}

/*
 * An event that would sit on most lines is no news: it keeps the colour of the dominant
 * stage under its glyph. A rarer one has its own colour and is seen from afar.
 */
static bool is_rare(const struct pipeview *v, uint64_t count)
{
	return count < ((pipeview_count(v) >> v->row_zoom) + 1) / 4 + 1;
}

/*
 * The stage that has the cell: the highlighted one where it is, else the dominant one. (A
 * commit has no length and dominates nothing: where rows commit it is.)
 */
static unsigned stage_of(const struct pipeview *v, const struct picture_cell *cell)
{
	const struct highlight *h = &v->highlight;

	if (h->kind == HIGHLIGHT_STAGE && cell_highlighted(v, cell))
		return h->what;
	return cell->stage;
}

/*
 * The stage and, over it, the rarest problem inside: event before fate. The highlight is over
 * all of them. Where some row did not fail its stage keeps the cell and the problem is a sign on
 * it. goes_on: the cell before has the same stage.
 */
static uint32_t picture_look(const struct pipeview *v, const struct picture_cell *cell,
			     bool goes_on, const struct palette *p, struct style *style)
{
	const struct pipeview_cache *c = v->cache;
	unsigned what = stage_of(v, cell);
	bool stage = what < store_stage_count(v->store);
	bool hidden = stage && (v->stage_hidden >> what & 1);
	const struct stage_info *info = stage ? store_stage(v->store, what) : NULL;
	int event = event_to_show(&c->order, cell->events);
	int fate = fate_to_show(&c->totals, cell->fates);
	const struct highlight *h = &v->highlight;

	bool highlighted = cell_highlighted(v, cell), keeps = cell->survivors && stage && !hidden;
	enum role role =
	    hidden || !stage ? ROLE_DIM : (enum role)(ROLE_STAGE_0 + info->colour % PALETTE_STAGES);

	*style = palette_style(p, highlighted ? ROLE_HIGHLIGHT : role);
	if (highlighted) {
		if (h->kind == HIGHLIGHT_EVENT)
			return (uint8_t)store_event(v->store, h->what)->letter;
		if (h->kind == HIGHLIGHT_FATE && fate_sign((int)h->what) != ' ')
			return fate_sign((int)h->what);
		if (h->kind == HIGHLIGHT_STAGE && stage)
			return (uint8_t)stage_sign(info->letter, goes_on);
	} else if (event >= 0) {
		const struct event_info *ev = store_event(v->store, (size_t)event);

		if (is_rare(v, c->totals.event_counts[event])) {
			enum role sign = (enum role)(ROLE_EVENT_0 + ev->colour % PALETTE_EVENTS);

			*style = keeps ? palette_over(p, sign, palette_stay(role))
				       : palette_style(p, sign);
		}
		return (uint8_t)ev->letter;
	}
	if (fate >= 0) {
		if (!highlighted && !keeps)
			*style = palette_style(p, ROLE_SQUASHED);
		return fate_sign(fate);
	}
	return hidden || !stage ? '.' : (uint8_t)stage_sign(info->letter, goes_on);
}

/* The fates that count for the row mark: those of the line's cells on screen. */
static unsigned line_fates(const struct picture_cell *cells, int columns)
{
	unsigned fates = 0;

	for (int c = 0; c < columns; c++)
		fates |= cells[c].fates;
	return fates;
}

static void draw_picture_line(const struct pipeview *v, struct grid *g, struct rect time, int y,
			      const struct picture_cell *cells, const struct palette *p)
{
	int per_tick = v->axis.zoom < 0 ? -v->axis.zoom : 0;
	/* left of the window the same stage may have begun, unless nothing is there */
	unsigned before = v->axis.left <= v->axis.first ? PICTURE_EMPTY : stage_of(v, cells);

	for (int c = 0; c < time.w; c++) {
		const struct picture_cell *cell = &cells[c >> per_tick];
		bool goes_on = stage_of(v, cell) == before;
		struct style style;
		uint32_t cp;

		before = stage_of(v, cell);
		if (cell->stage == PICTURE_EMPTY && !cell->events && !cell->fates)
			continue;
		cp = picture_look(v, cell, goes_on, p, &style);
		grid_put(g, time.x + c, y, cp, style);
	}
}

static enum status draw_aggregate(struct pipeview *v, struct grid *g, struct rect area,
				  const struct palette *p, struct error *e)
{
	struct rect time = time_area(v, area);
	uint64_t count = pipeview_count(v);
	const struct picture_cell *cells;
	int columns;
	enum status status = viewcache_picture(v, &cells, &columns, e);

	if (status != STATUS_OK || columns <= 0)
		return status;
	for (int line = 0; line < v->lines; line++) {
		const struct picture_cell *row = cells + (size_t)line * (size_t)columns;

		if (v->top + ((uint64_t)line << v->row_zoom) >= count)
			break;
		gutter_rows(v, g, area, line, line_fates(row, columns), p);
		draw_picture_line(v, g, time, time.y + line, row, p);
	}
	return STATUS_OK;
}

static void restyle(struct grid *g, int x, int y, struct style style)
{
	struct cell *c = grid_at(g, x, y);

	if (c)
		c->style = style;
}

static void draw_selection(const struct pipeview *v, struct grid *g, struct rect time,
			   const struct palette *p)
{
	const struct selection *s = &v->selection;
	struct style style = palette_style(p, ROLE_SELECTION);
	int64_t c0 = axis_column_of(&v->axis, s->tick0);
	int64_t c1 = axis_column_of(&v->axis, s->tick1 - 1);
	uint64_t count = pipeview_count(v);
	int height = pipeview_row_height(v);

	if (!s->on || s->tick1 <= s->tick0)
		return;
	if (v->axis.zoom < 0)
		c1 += (1 << -v->axis.zoom) - 1;
	if (c0 < 0)
		c0 = 0;
	if (c1 >= time.w)
		c1 = time.w - 1;
	for (int y = 0; y < time.h * height; y++) {
		uint64_t first = v->top + ((uint64_t)(y / height) << v->row_zoom);
		uint64_t last = first + (UINT64_C(1) << v->row_zoom) - 1;

		if (first >= count)
			break;
		if (last >= count)
			last = count - 1;
		if (pipeview_row(v, last) >= s->item0 && pipeview_row(v, first) < s->item1)
			for (int64_t c = c0; c <= c1; c++)
				restyle(g, time.x + (int)c, time.y + y, style);
	}
}

/* One cell, and one of the label: a whole reversed row would cost ten times that. */
static void draw_cursor(const struct pipeview *v, struct grid *g, struct rect area,
			const struct palette *p)
{
	struct rect time = time_area(v, area);
	int64_t column = axis_column_of(&v->axis, v->axis.tick);
	struct gutter_layout l;
	int y;

	if (pipeview_count(v) == 0 || v->cursor < v->top)
		return;
	if ((v->cursor - v->top) >> v->row_zoom >= (uint64_t)(v->lines > 0 ? v->lines : 0))
		return;
	y = time.y + (int)((v->cursor - v->top) >> v->row_zoom) * pipeview_row_height(v);
	gutter_fit(v, &l);
	if (l.total > 0)
		gutter_cursor(&l, g, area.x, y, p);
	if (column >= 0 && column < time.w)
		grid_spot(g, time.x + (int)column, y, palette_style(p, ROLE_CURSOR));
}

enum status pipeview_draw(struct pipeview *v, struct grid *g, struct rect area,
			  const struct palette *p, struct error *e)
{
	enum status status;

	if (v->width != area.w || v->height != area.h)
		pipeview_layout(v, area.w, area.h);
	viewcache_refresh(v);
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	pipeview_ruler(v, g, area, p);
	gutter_head(v, g, area, p);
	if (v->lines <= 0)
		return STATUS_OK;
	status = v->row_zoom > 0 ? draw_aggregate(v, g, area, p, e) : draw_single(v, g, area, p, e);
	if (status != STATUS_OK)
		return status;
	if (v->path)
		links_draw_path(v, g, time_area(v, area), p);
	draw_selection(v, g, time_area(v, area), p);
	draw_cursor(v, g, area, p);
	return STATUS_OK;
}
