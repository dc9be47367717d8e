#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/pipeline/why.h"
#include "base/num.h"
#include "view/pipeline/chain.h"
#include "view/pipeline/links.h"
#include "view/pipeline/pipeview_private.h"

/* Lines, and dots for the types that are no wake-up. */
enum {
	LINE_ACROSS = 0x2500,
	LINE_DOWN = 0x2502,
	CORNER_FROM_ABOVE = 0x2514,
	CORNER_FROM_BELOW = 0x250c,
	DOT = 0xb7,
	ARROW_LEFT = 0x2190,
	ARROW_UP = 0x2191,
	ARROW_RIGHT = 0x2192,
	ARROW_DOWN = 0x2193
};

/*
 * Signs in the margin: of those the row waited for, of those that waited for it. In ASCII the
 * arrows would be the signs of fates.
 */
static const struct {
	uint16_t sign[2]; /* of a wake-up, of other types */
	char ascii[2];
} margin_signs[] = {{{ARROW_RIGHT, 0xbb}, {'}', ')'}}, {{ARROW_LEFT, 0xab}, {'{', '('}}};

enum { PRODUCER, CONSUMER };

struct drawing {
	struct pipeview *v;
	struct grid *g;
	struct rect time;
	const struct palette *p;
	int height; /* lines of a row */
	int cursor; /* line of rows that the cursor is on */
};

/* A cell of the time area; a column may be off the screen. */
struct spot {
	int64_t column;
	int line; /* of rows */
};

static int grid_y(const struct drawing *d, int line)
{
	return d->time.y + line * d->height;
}

static struct cell *cell_at(const struct drawing *d, int64_t column, int y)
{
	if (column < 0 || column >= d->time.w || y < d->time.y ||
	    y >= d->time.y + d->v->lines * d->height)
		return NULL;
	return grid_at(d->g, d->time.x + (int)column, y);
}

static void put_free(const struct drawing *d, int64_t column, int y, uint32_t cp,
		     struct style style)
{
	const struct cell *c = cell_at(d, column, y);

	if (c && c->cp == ' ')
		grid_put(d->g, d->time.x + (int)column, y, cp, style);
}

/* Down from the producer, then across to the consumer, wherever cells are free. */
static void draw_line(const struct drawing *d, struct spot from, struct spot to, unsigned type,
		      struct style style)
{
	int y0 = grid_y(d, from.line), y1 = grid_y(d, to.line), down = y1 >= y0 ? 1 : -1;
	int64_t across = to.column >= from.column ? 1 : -1;
	int64_t first = from.column + across, last = to.column - across;

	for (int y = y0 + down; y0 != y1 && y != y1; y += down)
		put_free(d, from.column, y, type ? DOT : LINE_DOWN, style);
	if (from.column == to.column)
		return;
	put_free(d, from.column, y1,
		 type       ? DOT
		 : down > 0 ? CORNER_FROM_ABOVE
			    : CORNER_FROM_BELOW,
		 style);
	put_free(d, last, y1, across > 0 ? ARROW_RIGHT : ARROW_LEFT, style);
	/* what is off the screen is not walked */
	first = first < -1 ? -1 : first > d->time.w ? d->time.w : first;
	last = last < -1 ? -1 : last > d->time.w ? d->time.w : last;
	for (int64_t c = first; c * across < last * across; c += across)
		put_free(d, c, y1, type ? DOT : LINE_ACROSS, style);
}

static void mark_cell(const struct drawing *d, struct spot at, bool strong)
{
	struct cell *c = cell_at(d, at.column, grid_y(d, at.line));

	if (c && strong)
		c->style = palette_style(d->p, ROLE_HIGHLIGHT);
	else if (c)
		c->style.attrs |= ATTR_BOLD;
}

/* The user's own mark goes before. */
static void mark_margin(const struct drawing *d, int line, int end, unsigned type)
{
	const struct pipeview *v = d->v;
	const struct row_view row = viewcache_row(v, (size_t)line);
	struct gutter_layout l;
	uint32_t sign = d->g->ascii ? (uint8_t)margin_signs[end].ascii[type != 0]
				    : margin_signs[end].sign[type != 0];

	gutter_fit(v, &l);
	if (l.w[GUTTER_MARK] <= 0 || !row.row)
		return;
	for (size_t i = 0; v->marks && i < v->marks->count; i++)
		if (v->marks->at[i].at.item == row.row->head.row)
			return;
	grid_put(d->g, d->time.x - l.total + l.x[GUTTER_MARK], grid_y(d, line), sign,
		 palette_style(d->p, ROLE_MARK));
}

/* ---- ends that are off the screen -------------------------------------------------------- */

/* Text into free cells of a row, as near to the column as goes; blanks around it. */
static void put_near(const struct drawing *d, int y, int64_t column, const char *text, int width)
{
	int64_t last = d->time.w - width;

	column = column < 0 ? 0 : column > last ? last : column;
	for (int64_t off = 0; last >= 0 && (column - off >= 0 || column + off <= last); off++)
		for (int side = -1; side <= 1; side += 2) {
			int64_t at = column + side * off;
			bool is_free = at >= 0 && at <= last;

			for (int i = -1; is_free && i <= width; i++) {
				const struct cell *c = cell_at(d, at + i, y);

				is_free = !c || c->cp == ' ';
			}
			if (!is_free)
				continue;
			grid_puts(d->g, d->time, d->time.x + (int)at, y, text,
				  palette_style(d->p, ROLE_MARK));
			return;
		}
}

/* "^120": so many rows up; "v" down. */
static void tell_row(const struct drawing *d, const struct link_end *end, int64_t column)
{
	const struct pipeview *v = d->v;
	uint64_t index = pipeview_index(v, end->row), here = v->cursor;
	bool up = index < here;
	char number[32], text[48];
	int len;

	if (index == here)
		return;
	len = snprintf(text, sizeof(text), "%s%s", up ? "\342\206\221" : "\342\206\223",
		       num_group((int64_t)(up ? here - index : index - here), number));
	put_near(d, grid_y(d, up ? 0 : v->lines - 1), column, text, len - 2);
}

/* An end whose row is visible and whose cell is not: "<12" cycles to the left, ">12" right. */
static void tell_column(const struct drawing *d, struct spot at)
{
	const struct pipeview *v = d->v;
	bool left = at.column < 0;
	int64_t away = left ? -at.column : at.column - d->time.w + 1;
	char number[32], text[48];
	int len;

	if (at.column >= 0 && at.column < d->time.w)
		return;
	away = axis_length(&v->axis, axis_ticks_of(&v->axis, away));
	num_group(away, number);
	if (left)
		len = snprintf(text, sizeof(text), "\342\206\220%s", number);
	else
		len = snprintf(text, sizeof(text), "%s\342\206\222", number);
	put_near(d, grid_y(d, at.line), left ? 0 : d->time.w, text, len - 2);
}

/* ---- the links on the screen ------------------------------------------------------------- */

/* Of whole rows several may bear the id of a link's producer, each of another CPU. */
static bool is_producer(const struct pipeview *v, const struct detail_row *row,
			const struct link *l, const struct detail_row *consumer)
{
	if (l->row != ROW_NONE)
		return row->head.row == l->row;
	return row->id == l->id &&
	       (!store_format(v->store)->lex_rows || row->head.thread == consumer->head.thread);
}

/* The nearest visible row above that a link of the line's begins at, else below; -1: none. */
static int line_of_producer(const struct pipeview *v, const struct link *l, int line)
{
	const struct detail_row *consumer = viewcache_row(v, (size_t)line).row;

	for (int i = line - 1; i >= 0; i--) {
		struct row_view row = viewcache_row(v, (size_t)i);

		if (row.row && is_producer(v, row.row, l, consumer))
			return i;
	}
	for (int i = line; i < v->lines; i++) {
		struct row_view row = viewcache_row(v, (size_t)i);

		if (row.row && is_producer(v, row.row, l, consumer))
			return i;
	}
	return -1;
}

static struct spot spot_of(const struct drawing *d, const struct row_view *row, int line,
			   bool producer, int64_t otherwise)
{
	int64_t tick = link_tick(d->v, row->detail, row->row, producer, otherwise);

	return (struct spot){axis_column_of(&d->v->axis, tick), line};
}

static int64_t end_of(const struct pipeview *v, const struct row_view *row)
{
	int64_t end = row->row->head.end;

	return end == TICK_NONE ? v->axis.last : end;
}

static bool in_chain(const struct pipeview *v, const struct row_view *a, const struct row_view *b)
{
	return v->chain && chain_side(v->chain, a->row->head.row) != CHAIN_OUT &&
	       chain_side(v->chain, b->row->head.row) != CHAIN_OUT;
}

/* Both ends are visible rows. */
static void draw_link(const struct drawing *d, int from, int to, const struct link *l)
{
	struct row_view producer = viewcache_row(d->v, (size_t)from);
	struct row_view consumer = viewcache_row(d->v, (size_t)to);
	bool own = from == d->cursor || to == d->cursor;
	bool wanted = (own && d->v->links != LINKS_OFF) || d->v->links == LINKS_ALL ||
		      in_chain(d->v, &producer, &consumer);
	struct spot a, b;

	if (!wanted)
		return;
	a = spot_of(d, &producer, from, true, end_of(d->v, &producer));
	b = spot_of(d, &consumer, to, false, l->tick);
	draw_line(d, a, b, l->type, palette_style(d->p, own ? ROLE_MARK : ROLE_DIM));
	mark_cell(d, a, own);
	mark_cell(d, b, own);
	if (!own || d->v->links == LINKS_OFF)
		return;
	/* the row's own end is the same for all its links: tell_ends() */
	if (to == d->cursor) {
		tell_column(d, a);
		mark_margin(d, from, PRODUCER, l->type);
	}
	if (from == d->cursor) {
		tell_column(d, b);
		mark_margin(d, to, CONSUMER, l->type);
	}
}

static void draw_links_of(const struct drawing *d, int line)
{
	struct row_view row = viewcache_row(d->v, (size_t)line);

	for (uint32_t i = 0; row.row && i < row.row->links; i++) {
		const struct link *l = &row.detail->links[row.row->link0 + i];
		int from = line_of_producer(d->v, l, line);

		if (from >= 0)
			draw_link(d, from, line, l);
	}
}

/* On the screen, or nowhere at all: nothing to tell at an edge. */
static bool needs_no_edge(const struct pipeview *v, uint64_t row)
{
	uint64_t index = row == ROW_NONE ? 0 : pipeview_index(v, row);

	return row == ROW_NONE || (index >= v->top && index - v->top < (uint64_t)v->lines);
}

static void tell_ends(const struct drawing *d, const struct row_view *row)
{
	const struct link_list *l = viewcache_links(d->v, row);
	struct spot at = spot_of(d, row, d->cursor, false, row->row->head.start);

	if (l->producer_count)
		tell_column(d, at);
	for (size_t i = 0; i < l->producer_count; i++)
		if (!needs_no_edge(d->v, l->producers[i].row))
			tell_row(d, &l->producers[i], at.column);
	for (size_t i = 0; i < l->consumer_count; i++)
		if (!needs_no_edge(d->v, l->consumers[i].row))
			tell_row(d, &l->consumers[i], at.column);
}

/* ---- arcs of the reduced trace ------------------------------------------------------------- */

/* Those that cost most get the free cells first; what was taken out is told of one row only. */
enum arc_turn { ARC_COSTS, ARC_STAYS, ARC_REMOVED, ARC_TURNS };

static enum arc_turn arc_turn(const struct drawing *d, const struct shown_arc *arc, int line)
{
	if (!arc->removed && arc->cycles > 0)
		return ARC_COSTS;
	if (arc_survives(arc, d->v->arcs_shown))
		return ARC_STAYS;
	return line == d->cursor ? ARC_REMOVED : ARC_TURNS;
}

/* The nearest visible line above with that row; -1: none. */
static int line_of_row(const struct pipeview *v, uint64_t row, int line)
{
	for (int i = line - 1; i >= 0; i--) {
		struct row_view at = viewcache_row(v, (size_t)i);

		if (at.row && at.row->head.row == row)
			return i;
	}
	return -1;
}

/* The colour is what it costs, from cold to hot; what costs nothing is dim. */
static struct style arc_style(const struct drawing *d, const struct shown_arc *arc, int line)
{
	struct style style = palette_style(d->p, ROLE_DIM);

	if (!arc->removed && arc->cycles > 0)
		style = palette_heat(d->p, (double)arc->cycles, (double)d->v->arcs_most);
	if (line == d->cursor)
		style.attrs |= ATTR_BOLD;
	return style;
}

/* Rows wait next to each other, often without a free cell between: the one that waits tells too. */
static void mark_cost(const struct drawing *d, struct spot at, const struct shown_arc *arc)
{
	struct cell *c = cell_at(d, at.column, grid_y(d, at.line));

	if (!c || arc->removed || arc->cycles <= 0)
		return;
	if (d->p->depth != DEPTH_MONO)
		c->style = palette_style(
		    d->p, heat_role((double)arc->cycles, (double)d->v->arcs_most));
	c->style.attrs |= ATTR_BOLD;
}

static void draw_arc(const struct drawing *d, const struct shown_arc *arc, int line)
{
	int from = line_of_row(d->v, arc->from, line);
	struct row_view dependent = viewcache_row(d->v, (size_t)line), resolver;
	bool own = line == d->cursor && !arc->removed;
	struct spot b = spot_of(d, &dependent, line, false, dependent.row->head.start), a;

	mark_cost(d, b, arc);
	if (from < 0 && own)
		tell_row(d, &(struct link_end){.row = arc->from}, b.column);
	if (from < 0)
		return;
	resolver = viewcache_row(d->v, (size_t)from);
	a = spot_of(d, &resolver, from, true, end_of(d->v, &resolver));
	draw_line(d, a, b, arc->removed, arc_style(d, arc, line));
	if (!own)
		return;
	mark_cell(d, a, true);
	mark_cell(d, b, true);
	mark_margin(d, from, PRODUCER, 0);
	tell_column(d, a);
}

static void draw_arcs_of(const struct drawing *d, int line, enum arc_turn turn)
{
	struct row_view row = viewcache_row(d->v, (size_t)line);
	const struct shown_arc *arcs;
	size_t n;

	if (!row.row)
		return;
	arcs = reduce_arcs_of(d->v->arcs, row.row->head.row, &n);
	for (size_t i = 0; i < n; i++)
		if (arc_turn(d, &arcs[i], line) == turn)
			draw_arc(d, &arcs[i], line);
}

static void draw_arcs(const struct drawing *d)
{
	for (int turn = ARC_COSTS; turn < ARC_TURNS; turn++)
		for (int line = 0; line < d->v->lines; line++)
			draw_arcs_of(d, line, (enum arc_turn)turn);
}

static void mark_chain(const struct drawing *d)
{
	for (int line = 0; d->v->chain && line < d->v->lines; line++) {
		struct row_view row = viewcache_row(d->v, (size_t)line);
		enum chain_side side =
		    row.row ? chain_side(d->v->chain, row.row->head.row) : CHAIN_OUT;

		if (side == CHAIN_PRODUCER)
			mark_margin(d, line, PRODUCER, 0);
		else if (side == CHAIN_CONSUMER)
			mark_margin(d, line, CONSUMER, 0);
	}
}

enum status links_draw(struct pipeview *v, struct grid *g, struct rect time,
		       const struct palette *p, struct error *e)
{
	struct drawing d = {v, g, time, p, pipeview_row_height(v), -1};
	struct row_view cursor;

	(void)e;
	if (v->cursor >= v->top && v->cursor - v->top < (uint64_t)v->lines)
		d.cursor = (int)(v->cursor - v->top);
	if (v->arcs)
		draw_arcs(&d);
	if (v->arcs || store_link_count(v->store) == 0 || (v->links == LINKS_OFF && !v->chain))
		return STATUS_OK;
	mark_chain(&d);
	for (int line = 0; line < v->lines; line++)
		draw_links_of(&d, line);
	cursor = viewcache_row(v, d.cursor < 0 ? SIZE_MAX : (size_t)d.cursor);
	if (cursor.row && v->links != LINKS_OFF)
		tell_ends(&d, &cursor);
	return STATUS_OK;
}

/* ---- the critical path --------------------------------------------------------------------- */

enum { STEPS_OF_COLUMN = 64 }; /* that are shown, if it stands for more */

/* The line that a row is shown in; -1: none. */
static int line_of_step(const struct pipeview *v, size_t step)
{
	uint64_t row = v->path->steps.data[step].row, index = pipeview_index(v, row), line;

	if (index < v->top || pipeview_row(v, index) != row)
		return -1;
	line = (index - v->top) >> v->row_zoom;
	return line < (uint64_t)v->lines ? (int)line : -1;
}

/* Lines have the colour that cells are filled with. */
static struct style line_style(const struct palette *p)
{
	struct style style = palette_style(p, ROLE_CRITICAL);

	if (style.bg >= 0)
		style = (struct style){.fg = style.bg, .bg = -1, .attrs = style.attrs};
	style.attrs &= (uint8_t)~ATTR_UNDERLINE;
	return style;
}

/* Where nothing is to be seen of the row yet it waits for its fetch. */
static void mark_step(const struct drawing *d, struct spot at)
{
	struct cell *c = cell_at(d, at.column, grid_y(d, at.line));

	if (c && c->cp != ' ')
		c->style = palette_style(d->p, ROLE_CRITICAL);
	else
		put_free(d, at.column, grid_y(d, at.line), LINE_ACROSS, line_style(d->p));
}

static void mark_steps(const struct drawing *d, int column)
{
	const struct why_path *p = d->v->path;
	int64_t from = axis_tick_at(&d->v->axis, column);
	int64_t to = tick_add(from, axis_cell(&d->v->axis, d->v->axis.zoom));
	size_t first = why_path_at(p, from), last = why_path_at(p, to - 1);
	size_t stride = (last - first) / STEPS_OF_COLUMN + 1;

	for (size_t i = first; i <= last && i < p->steps.count; i += stride) {
		int line = line_of_step(d->v, i);

		if (line >= 0 && why_path_from(p, i) < p->steps.data[i].to &&
		    why_path_from(p, i) < to)
			mark_step(d, (struct spot){column, line});
	}
}

/* From the row that was waited for down to the one that did, at the tick that ended it. */
static void draw_turns(const struct drawing *d)
{
	const struct axis *axis = &d->v->axis;
	const struct why_path *p = d->v->path;
	size_t first = why_path_at(p, tick_sub(axis->left, 1));

	for (size_t i = first ? first : 1; i < p->steps.count; i++) {
		int64_t column = axis_column_of(axis, why_path_from(p, i));
		int a, b;

		if (column >= axis->columns)
			break;
		if (p->steps.data[i - 1].row == p->steps.data[i].row)
			continue;
		a = line_of_step(d->v, i - 1);
		b = line_of_step(d->v, i);
		if (a >= 0 && b >= 0)
			draw_line(d, (struct spot){column, a}, (struct spot){column, b}, 0,
				  line_style(d->p));
	}
}

void links_draw_path(struct pipeview *v, struct grid *g, struct rect time, const struct palette *p)
{
	struct drawing d = {v, g, time, p, pipeview_row_height(v), -1};

	for (int column = 0; column < time.w; column++)
		mark_steps(&d, column);
	if (!pipeview_is_aggregate(v) && v->axis.zoom <= 0)
		draw_turns(&d);
}
