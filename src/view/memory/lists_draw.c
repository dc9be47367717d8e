/*
 * A frame of a list, in both faces, and what it says in words.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "view/bars.h"
#include "view/memory/lists.h"
#include "view/overview.h"
#include "view/pane_list.h"

enum {
	HEADINGS = 2, /* what is listed, and the columns' */
	MARKS_W = 3,  /* columns of marks before a line */
	BAR_W = 8,
	BAR_LEAST = 60,    /* columns in which lines have bars */
	BESIDE_LEAST = 36, /* and a map lines beside it */
	DETAILS_WIDTH = 120, /* and all about a row below short lists, */
	DETAILS_LEAST = 16,  /* of so many lines */
	HALF_BLOCK = 0x258c
};

#define CAUSE(name, key, help) {key, ROLE_TEXT, help},
/* The legend; first what is drawn. Without a sample: a heading. */
static const struct memory_sign notation[] = {
    [SIGN_SELECTED] = {">", ROLE_MARK, "selected"},
    [SIGN_RELATED] = {"*", ROLE_MARK, "shares a cost with it"},
    [SIGN_L2] = {"|", ROLE_BORDER, "by address: another L2 block"},
    [SIGN_L1] = {".", ROLE_BORDER, "by address: another L1 block"},
    [SIGN_HIDDEN] = {"-", ROLE_DIM, "class not shown"},
    [SIGN_COUNT] = {"A-Z", ROLE_STAGE_0, "class, as below"},
    {"0-9", ROLE_TEXT, "in a map: cost, 9 is the dearest"},
    {"read wrote", ROLE_TEXT, "CPUs that waited to read, to write"},
    {"line +", ROLE_TEXT, "where a word cost most, and others"},
    {"upgr(ades)", ROLE_TEXT, "share of the waits that had to take a block from readers, to write"},
    {NULL, ROLE_DIM, "Verdicts"},
    {"false", ROLE_TEXT, "80 % or more of the waits for sharing, upgrades too, were for false sharing"},
    {"true", ROLE_TEXT, "20 % or less were"},
    {"mixed", ROLE_TEXT, "in between"},
    {"not-shared", ROLE_TEXT, "less than 5 % of the waits were for sharing"},
    {"\xe2\x89\xa4", ROLE_TEXT, "upper bound: the trace has no word masks"},
    {NULL, ROLE_DIM, "Causes of loads"},
    MEMORY_CAUSES(CAUSE)};
#undef CAUSE

/* The view under construction; the trace is locked. */
struct frame {
	struct ranking *r;
	const struct memory_index *x;
	struct grid *g;
	const struct palette *p;
};

static const char *things(const struct ranking *r)
{
	return memory_thing_names[r->by];
}

/* 0 to 1. */
static double part_of(const struct ranking *r, uint64_t cycles)
{
	if (!r->rows.most || !cycles)
		return 0;
	return r->log ? log1p((double)cycles) / log1p((double)r->rows.most)
		      : (double)cycles / (double)r->rows.most;
}

/* ---- what is listed ---- */

/* "vecadd.c:56 and ArrayC: 240 of 243 words, 43 % of the cost" */
static void put_touched(const struct ranking *r, const struct memory_index *x, struct sbuf *out)
{
	const struct memory_selection *s = &r->focus->selected;
	const char *between = "";

	for (int by = 0; by < MEMORY_THING_COUNT; by++) {
		if (!s->chosen[by] || by == (int)r->by)
			continue;
		sbuf_puts(out, between);
		memory_put_thing(r->trace, x, (enum memory_thing)by, s->of[by], out);
		between = " and ";
	}
	sbuf_puts(out, ": ");
	memory_put_touched(&r->rows.sums, r->by, out);
	if (r->focus->related)
		sbuf_puts(out, ", only these");
}

/* "43 words by address  c: 16 of 43 words, 24 % of the cost  bars linear to 786 cycles" */
static void put_heading(const struct ranking *r, const struct memory_index *x, int room,
			struct sbuf *out)
{
	const size_t bin = ranking_map_bin(r);
	const bool map = r->face == RANKING_MAP;
	struct sbuf touched = {0};
	char number[32];

	memory_add_part(out, room, "%s %s by %s", num_group((int64_t)r->rows.of.count, number), things(r),
			ranking_choices[RANKING_ORDER].names[r->rows.order]);
	if (r->rows.selects) {
		put_touched(r, x, &touched);
		memory_add_part(out, room, "%s", sbuf_text(&touched));
	}
	if (map && bin > 1)
		memory_add_part(out, room, "a cell is the dearest of %zu x %zu", bin, bin);
	memory_add_part(out, room, "%s %s to %s cycles", map ? "cells" : "bars",
			ranking_choices[RANKING_SCALE].names[r->log],
			num_group((int64_t)r->rows.most, number));
	if (r->rows.order == BY_ADDRESS && r->by != MEMORY_BY_LINE && r->by != MEMORY_BY_CLASS)
		memory_add_part(out, room, "| . another L2, L1 block");
	sbuf_free(&touched);
}

static void draw_heading(const struct frame *f, struct rect r)
{
	struct sbuf text = {0}, cut = {0};

	put_heading(f->r, f->x, r.w, &text);
	text_cut(&cut, sbuf_text(&text), r.w);
	grid_puts(f->g, r, r.x, r.y, sbuf_text(&cut), palette_style(f->p, ROLE_BORDER));
	sbuf_free(&cut);
	sbuf_free(&text);
}

/* ---- lines ---- */

static bool is_selected(const struct frame *f, const struct memory_row *row)
{
	return focus_is_on(f->r->focus, f->r->by, row->number);
}

static enum role line_role(const struct frame *f, size_t i)
{
	if (i == f->r->cursor)
		return ROLE_CURSOR_ROW;
	if (i >= f->r->lines.count) /* the others */
		return ROLE_DIM;
	if (is_selected(f, &f->r->rows.of.data[i]))
		return ROLE_SELECTION;
	return f->r->rows.selects && !f->r->rows.of.data[i].related ? ROLE_DIM : ROLE_TEXT;
}

static enum ranking_sign sign_of(const struct frame *f, const struct memory_row *row)
{
	return is_selected(f, row) ? SIGN_SELECTED : row->related ? SIGN_RELATED : SIGN_COUNT;
}

static void draw_sign(const struct frame *f, enum ranking_sign sign, int x, int y)
{
	if (sign != SIGN_COUNT)
		grid_put(f->g, x, y, (uint32_t)*notation[sign].sample,
			 palette_style(f->p, notation[sign].role));
}

/* What begins with it; whether it is selected or related; the letter of its class. */
static void draw_marks(const struct frame *f, size_t i, int x, int y)
{
	const struct memory_row *row = &f->r->rows.of.data[i];
	const uint32_t class = memory_row_class(f->x, f->r->by, row);

	draw_sign(f, ranking_edge(f->r, f->x, i), x, y);
	draw_sign(f, sign_of(f, row), x + 1, y);
	if (class == MEMORY_NONE)
		return;
	if (focus_shows_class(f->r->focus, class))
		grid_put(f->g, x + 2, y, (uint32_t)memory_class_letter(class),
			 palette_style(f->p, memory_class_role(class)));
	else
		draw_sign(f, SIGN_HIDDEN, x + 2, y);
}

/* From the left, in halves of a cell; what shares a cost with the selection is in another colour. */
static void draw_bar(const struct frame *f, const struct memory_row *row, struct rect r)
{
	const uint32_t class = memory_row_class(f->x, f->r->by, row);
	const int halves = (int)(part_of(f->r, row->cycles) * 2 * r.w + 0.5);
	const int shared = (int)(part_of(f->r, row->shared) * 2 * r.w + 0.5);

	for (int x = 0; 2 * x < halves; x++) {
		const enum role own = f->r->focus->by_class ? memory_class_role(class) : ROLE_METRIC_0;
		const enum role role = f->r->rows.selects && 2 * x >= shared ? ROLE_DIM : own;
		struct style style = palette_style(f->p, role);

		if (role >= ROLE_STAGE_0 && role < ROLE_STAY_0 && style.bg >= 0)
			style = (struct style){.fg = style.bg, .bg = -1};
		grid_put(f->g, r.x + x, r.y, 2 * x + 1 < halves ? BAR_FULL : HALF_BLOCK, style);
	}
}

static void draw_line(const struct frame *f, size_t i, struct rect r, int bar)
{
	struct sbuf text = {0};

	if (i >= f->r->lines.count) {
		sbuf_puts(&text, "others: ");
		memory_put_others(&f->r->rows, &text);
	} else {
		table_row(&f->r->table, i, &text);
		draw_marks(f, i, r.x, r.y);
		draw_bar(f, &f->r->rows.of.data[i], (struct rect){r.x + MARKS_W + 1, r.y, bar - 1, 1});
	}
	grid_text(f->g, r, r.x + MARKS_W + bar + 1, r.y, sbuf_text(&text), text.len,
		  palette_style(f->p, line_role(f, i)));
	if (i == f->r->cursor)
		grid_spot(f->g, r.x, r.y, palette_style(f->p, ROLE_CURSOR));
	sbuf_free(&text);
}

/* The headings of the columns, then lines from the first on the screen. */
static void draw_lines(const struct frame *f, struct rect area)
{
	struct ranking *r = f->r;
	const int bar = area.w >= BAR_LEAST ? BAR_W + 1 : 0;
	const int x = MARKS_W + bar + 1;
	const size_t all = r->lines.count + (r->lines.count < r->rows.of.count);
	struct sbuf text = {0};
	struct rect line = {area.x, area.y, area.w, 1};

	r->lines_h = area.h - 1;
	ranking_show_cursor(r);
	table_fit_from(&r->table, area.w > x ? area.w - x : 1, r->shift);
	table_heading(&r->table, &text);
	grid_text(f->g, line, line.x + x, line.y, sbuf_text(&text), text.len,
		  palette_style(f->p, ROLE_DIM));
	sbuf_free(&text);
	for (size_t i = r->top; i < all && ++line.y < area.y + area.h; i++)
		draw_line(f, i, line, bar);
}

/* ---- the map ---- */

/* The dearest row of a bin; rows.count: it has none. */
static size_t dearest_of_bin(const struct ranking *r, size_t side, size_t bin, size_t x, size_t y)
{
	size_t found = r->rows.of.count;

	for (size_t v = y * bin; v < (y + 1) * bin && v < side; v++)
		for (size_t u = x * bin; u < (x + 1) * bin && u < side; u++) {
			const size_t row = map_row(side, u, v);

			if (row < r->rows.of.count &&
			    (found == r->rows.of.count ||
			     r->rows.of.data[row].cycles > r->rows.of.data[found].cycles))
				found = row;
		}
	return found;
}

/* What the second column of a cell says: related, else a block's edge, else its class. */
static uint32_t second_sign(const struct frame *f, size_t row, size_t bin)
{
	const struct memory_row *at = &f->r->rows.of.data[row];
	const uint32_t class = memory_row_class(f->x, f->r->by, at);
	enum ranking_sign sign = sign_of(f, at);

	if (sign == SIGN_COUNT && bin == 1)
		sign = ranking_edge(f->r, f->x, row);
	if (sign != SIGN_COUNT)
		return (uint32_t)*notation[sign].sample;
	return f->r->focus->by_class && class != MEMORY_NONE ? (uint32_t)memory_class_letter(class)
							     : ' ';
}

static void draw_cell(const struct frame *f, size_t row, size_t bin, int x, int y, bool here)
{
	const struct memory_row *at = &f->r->rows.of.data[row];
	const uint32_t second = second_sign(f, row, bin);
	struct cell *cell;

	overview_draw_heat(part_of(f->r, at->cycles), f->g, x, y, f->p);
	cell = grid_at(f->g, x, y);
	if (cell && f->r->rows.selects && !at->related && !is_selected(f, at))
		cell->style = palette_style(f->p, ROLE_DIM);
	if (cell)
		grid_put(f->g, x + 1, y, second, cell->style);
	if (here)
		grid_spot(f->g, x, y, palette_style(f->p, ROLE_CURSOR));
}

/* "drop-off: top 1 % of words = 48 %, top 10 % = 60 %" */
static void draw_drop(const struct frame *f, struct rect r)
{
	struct sbuf text = {0};

	sbuf_puts(&text, "drop-off:");
	for (size_t d = 0; d < MEMORY_DROPS; d++)
		sbuf_printf(&text, "%s top %zu %%%s%s = %.0f %%", d ? "," : "", memory_drops[d],
			    d ? "" : " of ", d ? "" : things(f->r),
			    100 * memory_share(f->r->rows.drop[d], f->r->rows.cost));
	grid_puts(f->g, r, r.x, r.y, sbuf_text(&text), palette_style(f->p, ROLE_DIM));
	sbuf_free(&text);
}

static void draw_map(const struct frame *f, struct rect area)
{
	const size_t side = map_side(f->r->rows.of.count), bin = ranking_map_bin(f->r);
	const size_t cells = (side + bin - 1) / bin;
	const int beside = (int)cells * MAP_CELL + 1;
	size_t here_x, here_y;

	map_place(side, f->r->cursor, &here_x, &here_y);
	for (size_t y = 0; y < cells && (int)y < area.h - 1; y++)
		for (size_t x = 0; x < cells; x++) {
			const size_t row = dearest_of_bin(f->r, side, bin, x, y);

			if (row < f->r->rows.of.count)
				draw_cell(f, row, bin, area.x + (int)x * MAP_CELL, area.y + (int)y,
					  here_x / bin == x && here_y / bin == y);
		}
	draw_drop(f, (struct rect){area.x, area.y + area.h - 1, area.w, 1});
	if (area.w - beside >= BESIDE_LEAST)
		draw_lines(f, (struct rect){area.x + beside, area.y, area.w - beside, area.h - 1});
}

/* What large screens have room for below a short list: what else is known of the row at the cursor. */
static void draw_details(struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p)
{
	const int used = HEADINGS + (int)r->lines.count + 1;
	struct pane *pane;

	if (r->face != RANKING_LINES || r->by == MEMORY_BY_CLASS || area.w < DETAILS_WIDTH ||
	    area.h - used < DETAILS_LEAST)
		return;
	pane = ranking_inspector(r, false);
	area.y += used;
	area.h -= used;
	pane_draw(pane, g, area, p);
	pane_free(pane);
}

enum status ranking_draw(struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p, struct error *e)
{
	enum status status = ranking_refresh(r, e);
	const struct frame f = {r, memory_lock(r->trace), g, p};
	const struct rect heading = {area.x, area.y, area.w, 1};
	const struct rect below = {area.x, area.y + 1, area.w, area.h - 1};

	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	if (!status && !r->rows.of.count)
		grid_puts(g, area, area.x, area.y,
			  r->rows.selects ? "nothing of it belongs to what is selected"
				     : "no access that waited",
			  palette_style(p, ROLE_DIM));
	else if (!status) {
		draw_heading(&f, heading);
		if (r->face == RANKING_MAP)
			draw_map(&f, below);
		else
			draw_lines(&f, below);
	}
	memory_unlock(r->trace);
	if (!status && r->rows.of.count)
		draw_details(r, g, area, p);
	return status;
}

bool ranking_hit(const struct ranking *r, int x, int y, uint64_t *row)
{
	const size_t side = map_side(r->rows.of.count), bin = ranking_map_bin(r);

	if (r->face == RANKING_LINES) {
		*row = r->top + (uint64_t)(y - HEADINGS);
		return y >= HEADINGS && *row <= r->lines.count && *row < r->rows.of.count;
	}
	*row = y < 1 || x < 0 ? r->rows.of.count
			      : dearest_of_bin(r, side, bin, (size_t)(x / MAP_CELL), (size_t)(y - 1));
	return *row < r->rows.of.count;
}

/* ---- in words ---- */

void ranking_add_signs(struct list_pane *list)
{
	list_pane_heading(list, "Lists and maps");
	memory_add_signs(list, notation, sizeof(notation) / sizeof(notation[0]));
}

void ranking_status(const struct ranking *r, struct sbuf *out)
{
	char number[32];

	sbuf_printf(out, "%s, %s cycles waited", things(r),
		    num_group((int64_t)r->rows.sums.cycles, number));
}

/* In a map "GS  8 394 cycles, 48.5 %, rank 1 of 4"; in a list its line says the most of it. */
void ranking_describe(const struct ranking *r, struct sbuf *out)
{
	const struct memory_index *x = memory_lock(r->trace);
	struct sbuf text = {0};
	uint32_t number;
	char cycles[32], rank[32], all[32];

	if (ranking_here(r, &number)) {
		const struct memory_row *row = &r->rows.of.data[r->cursor];

		memory_put_thing(r->trace, x, r->by, number, &text);
		if (number == MEMORY_NONE)
			sbuf_puts(&text, ", outside all objects that have names");
		if (r->face == RANKING_MAP)
			sbuf_printf(&text, "  %s cycles, %.1f %%, rank %s of %s",
				    num_group((int64_t)row->cycles, cycles),
				    100 * memory_share(row->cycles, r->rows.sums.cycles),
				    num_group(row->rank, rank), num_group(r->rows.sums.there, all));
		if (r->by == MEMORY_BY_WORD && x->words[number].object != MEMORY_NONE)
			sbuf_printf(&text, "  0x%" PRIx64, x->words[number].address);
		if (r->by == MEMORY_BY_LINE) {
			sbuf_puts(&text, "  ");
			source_text_put(r->source, x, number, &text);
		}
	}
	memory_unlock(r->trace);
	text_sanitise(out, sbuf_text(&text), text.len);
	sbuf_free(&text);
}
