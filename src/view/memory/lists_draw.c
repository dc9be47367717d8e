/*
 * A frame of a list, in both faces, and what it says in words.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "view/memory/lists.h"
#include "view/overview.h"
#include "view/pane_list.h"
#include "view/section_pane.h"

enum {
	MARKS_W = 3,  /* columns of marks before a line */
	BAR_W = 8,    /* and of a bar at least, */
	BAR_MOST = 40,
	BAR_LEAST = 60,    /* columns in which lines have bars */
	BESIDE_LEAST = 36, /* and a map lines beside it */
	DETAILS_WIDTH = 120, /* and all about a row below short lists, */
	DETAILS_LEAST = 16   /* of so many lines */
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

static const char *things(const struct ranking *r)
{
	return memory_thing_names[r->by];
}

/* 0 to 1. */
static double part_of(const struct ranking *r, uint64_t cycles)
{
	if (!r->rows.most || !cycles)
		return 0;
	return fmin(1, r->log ? log1p((double)cycles) / log1p((double)r->rows.most)
			      : (double)cycles / (double)r->rows.most);
}

/* ---- what is listed ---- */

/* "43 words by address  c: 16 of 43 words, 24 % of the cost  bars linear to 786 cycles" */
static void put_heading(const struct ranking *r, int room, struct sbuf *out)
{
	const size_t bin = ranking_map_bin(r);
	const bool map = r->face == RANKING_MAP;
	char number[32];

	memory_add_part(out, room, "%s %s by %s", num_group((int64_t)r->rows.of.count, number), things(r),
			ranking_choices[RANKING_ORDER].names[r->rows.order]);
	if (r->touched)
		memory_add_part(out, room, "%s", r->touched);
	if (map && bin > 1)
		memory_add_part(out, room, "a cell is the dearest of %zu x %zu", bin, bin);
	memory_add_part(out, room, "%s %s to %s cycles", map ? "cells" : "bars",
			ranking_choices[RANKING_SCALE].names[r->log],
			num_group((int64_t)r->rows.most, number));
	if (r->rows.order == BY_ADDRESS && (r->by == MEMORY_BY_OBJECT || r->by == MEMORY_BY_WORD))
		memory_add_part(out, room, "| . another L2, L1 block");
}

static void draw_heading(const struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p)
{
	struct sbuf text = {0}, cut = {0};

	put_heading(r, area.w, &text);
	text_cut(&cut, sbuf_text(&text), area.w);
	grid_puts(g, area, area.x, area.y, sbuf_text(&cut), palette_style(p, ROLE_BORDER));
	sbuf_free(&cut);
	sbuf_free(&text);
}

/* ---- lines ---- */

static bool is_selected(const struct ranking *r, const struct memory_row *row)
{
	return focus_is_on(r->focus, r->by, row->number);
}

/* It belongs to nothing that is selected. */
static bool is_dim(const struct ranking *r, const struct memory_row *row)
{
	return r->rows.selects && !row->related && !is_selected(r, row);
}

static enum ranking_sign sign_of(const struct ranking *r, const struct memory_row *row)
{
	return is_selected(r, row) ? SIGN_SELECTED : row->related ? SIGN_RELATED : SIGN_COUNT;
}

static void put_sign(struct pane_line *l, enum ranking_sign sign)
{
	if (sign == SIGN_COUNT)
		pane_line_add(l, ROLE_PANE, " ");
	else
		pane_line_add(l, notation[sign].role, "%s", notation[sign].sample);
}

/* Columns of a bar, with a blank: what room the table leaves. */
static int bar_width(const struct ranking *r)
{
	const int left = r->pane.columns - MARKS_W - table_wanted(&r->table) - 1;

	if (r->pane.columns < BAR_LEAST)
		return 0;
	return left < BAR_W ? BAR_W + 1 : left < BAR_MOST ? left + 1 : BAR_MOST + 1;
}

/* From the left; what shares a cost with the selection is in another colour than the rest. */
static void put_bar(struct pane_line *l, const struct ranking *r, const struct memory_row *row, int width)
{
	const int halves = (int)(part_of(r, row->cycles) * 2 * width + 0.5);
	const uint64_t shared = r->rows.selects ? row->shared : row->cycles;
	const int first = (int)(part_of(r, shared) * width + 0.5);
	struct sbuf cells = {0};

	if (r->focus->by_class)
		sbuf_repeat(&cells, memory_class_letter(row->class), (size_t)first);
	else
		bar_put(&cells, first, 0, halves);
	pane_line_bytes(l, r->focus->by_class ? memory_class_role(row->class) : ROLE_METRIC_0,
			sbuf_text(&cells), cells.len);
	sbuf_clear(&cells);
	bar_put(&cells, width - first, 0, halves - 2 * first);
	pane_line_bytes(l, ROLE_DIM, sbuf_text(&cells), cells.len);
	sbuf_free(&cells);
}

static struct table *fitted(struct ranking *r)
{
	const int room = r->pane.columns - MARKS_W - bar_width(r) - 1;

	table_fit_from(&r->table, room > 1 ? room : 1, r->pane.shift);
	return &r->table;
}

static void heading(const struct pane *p, struct pane_line *out)
{
	struct ranking *r = p->data;
	struct sbuf text = {0};

	sbuf_repeat(&text, ' ', (size_t)(MARKS_W + bar_width(r) + 1));
	table_heading(fitted(r), &text);
	pane_line_bytes(out, ROLE_DIM, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static size_t count(const struct pane *p)
{
	return ((const struct ranking *)p->data)->rows.of.count;
}

/* What begins with it; whether it is selected or related; the letter of its class; a bar; columns. */
static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	struct ranking *r = p->data;
	const struct memory_row *row = &r->rows.of.data[i];
	const int bar = bar_width(r);
	struct sbuf text = {0};

	put_sign(out, r->lines.data[i].edge);
	put_sign(out, sign_of(r, row));
	if (row->class == MEMORY_NONE || !focus_shows_class(r->focus, row->class))
		put_sign(out, row->class == MEMORY_NONE ? SIGN_COUNT : SIGN_HIDDEN);
	else
		pane_line_add(out, memory_class_role(row->class), "%c", memory_class_letter(row->class));
	pane_line_add(out, ROLE_PANE, " ");
	if (bar) {
		put_bar(out, r, row, bar - 1);
		pane_line_add(out, ROLE_PANE, " ");
	}
	for (int s = 0; s < out->span_count; s++)
		out->spans[s].bar = true;
	table_row(fitted(r), i, &text);
	pane_line_bytes(out,
			is_selected(r, row) ? ROLE_SELECTION
			: is_dim(r, row)    ? ROLE_DIM
					    : ROLE_PANE,
			sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static struct table *sheet(const struct pane *p)
{
	return fitted(p->data);
}

const struct pane_ops ranking_pane_ops = {.heading = heading, .count = count, .line = line, .sheet = sheet,
					  .table = true, .bare = true};

static void draw_lines(struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	pane_draw(&r->pane, g, area, p);
	grid_spot(g, area.x, area.y + 1 + (int)(r->pane.cursor - r->pane.top),
		  palette_style(p, ROLE_CURSOR));
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
static uint32_t second_sign(const struct ranking *r, size_t row, size_t bin)
{
	const struct memory_row *at = &r->rows.of.data[row];
	enum ranking_sign sign = sign_of(r, at);

	if (sign == SIGN_COUNT && bin == 1)
		sign = r->lines.data[row].edge;
	if (sign != SIGN_COUNT)
		return (uint32_t)*notation[sign].sample;
	return r->focus->by_class && at->class != MEMORY_NONE ? (uint32_t)memory_class_letter(at->class)
							      : ' ';
}

static void draw_cell(const struct ranking *r, size_t row, size_t bin, struct grid *g, int x, int y,
		      const struct palette *p)
{
	const struct memory_row *at = &r->rows.of.data[row];
	struct cell *cell;

	overview_draw_heat(part_of(r, at->cycles), g, x, y, p);
	cell = grid_at(g, x, y);
	if (cell && is_dim(r, at))
		cell->style = palette_style(p, ROLE_DIM);
	if (cell)
		grid_put(g, x + 1, y, second_sign(r, row, bin), cell->style);
}

/* "drop-off: top 1 % of words = 48 %, top 10 % = 60 %" */
static void draw_drop(const struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	struct sbuf text = {0};

	sbuf_puts(&text, "drop-off:");
	for (size_t d = 0; d < MEMORY_DROPS; d++)
		sbuf_printf(&text, "%s top %zu %%%s%s = %.0f %%", d ? "," : "", memory_drops[d],
			    d ? "" : " of ", d ? "" : things(r),
			    100 * memory_share(r->rows.drop[d], r->rows.cost));
	grid_puts(g, area, area.x, area.y + area.h - 1, sbuf_text(&text), palette_style(p, ROLE_DIM));
	sbuf_free(&text);
}

static void draw_map(struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	const size_t side = map_side(r->rows.of.count), bin = ranking_map_bin(r);
	const size_t cells = (side + bin - 1) / bin;
	const int beside = (int)cells * MAP_CELL + 1;
	size_t here_x, here_y;

	if (area.w - beside >= BESIDE_LEAST)
		draw_lines(r, g, (struct rect){area.x + beside, area.y, area.w - beside, area.h - 1}, p);
	map_place(side, r->pane.cursor, &here_x, &here_y);
	for (size_t y = 0; y < cells && (int)y < area.h - 1; y++)
		for (size_t x = 0; x < cells; x++) {
			const size_t row = dearest_of_bin(r, side, bin, x, y);

			if (row < r->rows.of.count)
				draw_cell(r, row, bin, g, area.x + (int)x * MAP_CELL, area.y + (int)y, p);
		}
	grid_spot(g, area.x + (int)(here_x / bin) * MAP_CELL, area.y + (int)(here_y / bin),
		  palette_style(p, ROLE_CURSOR));
	draw_drop(r, g, area, p);
}

/* ---- a frame ---- */

/* What large screens have room for below a short list: what else is known of the row at the cursor. */
static void draw_details(struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p)
{
	const int used = (int)r->rows.of.count + 2;
	struct pane *pane;

	if (r->face != RANKING_LINES || area.w < DETAILS_WIDTH || area.h - used < DETAILS_LEAST)
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
	const enum status status = ranking_refresh(r, e);
	const struct rect below = {area.x, area.y + 1, area.w, area.h - 1};

	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	if (!status && !r->rows.of.count)
		grid_puts(g, area, area.x, area.y,
			  r->rows.selects ? "nothing of it belongs to what is selected"
					  : "no access that waited",
			  palette_style(p, ROLE_DIM));
	if (status || !r->rows.of.count)
		return status;
	draw_heading(r, g, area, p);
	if (r->face == RANKING_MAP)
		draw_map(r, g, below, p);
	else
		draw_lines(r, g, below, p);
	draw_details(r, g, below, p);
	return status;
}

bool ranking_hit(const struct ranking *r, int x, int y, uint64_t *row)
{
	const size_t side = map_side(r->rows.of.count), bin = ranking_map_bin(r);
	size_t line;

	if (r->face == RANKING_LINES) {
		const bool there = pane_line_at(&r->pane, y - 1, &line);

		*row = line;
		return there;
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

/* In a map "GS  8 394 cycles, 48.5 %, rank 1 of 4"; in a list its line says the most of it. */
void ranking_describe(const struct ranking *r, struct sbuf *out)
{
	const size_t i = r->pane.cursor;
	const struct memory_row *row = i < r->rows.of.count ? &r->rows.of.data[i] : NULL;
	const struct ranking_line *line = row ? &r->lines.data[i] : NULL;
	struct sbuf text = {0};
	char cycles[32], rank[32], all[32];

	if (!row)
		return;
	sbuf_puts(&text, line->row.label);
	if (row->number == MEMORY_NONE)
		sbuf_puts(&text, ", outside all objects that have names");
	if (r->face == RANKING_MAP)
		sbuf_printf(&text, "  %s cycles, %.1f %%, rank %s of %s",
			    num_group((int64_t)row->cycles, cycles), 100 * line->row.share,
			    num_group((int64_t)row->rank, rank), num_group(r->rows.sums.there, all));
	if (r->by == MEMORY_BY_WORD && row->class != MEMORY_NONE)
		sbuf_printf(&text, "  0x%" PRIx64, row->address);
	if (r->by == MEMORY_BY_LINE && line->more)
		sbuf_printf(&text, "  %s", line->more);
	text_sanitise(out, sbuf_text(&text), text.len);
	sbuf_free(&text);
}
