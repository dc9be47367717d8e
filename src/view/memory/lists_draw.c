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
#include "view/section_pane.h"

enum {
	MARKS_W = 3,  /* columns of marks before a line */
	BAR_W = 8,    /* and of a bar at least, */
	BAR_MOST = 40,
	BAR_LEAST = 60,    /* columns in which lines have bars */
	BESIDE_LEAST = 36, /* and a map lines beside it */
	DETAILS_WIDTH = 80, /* and all about a row below short lists, */
	DETAILS_LEAST = 12  /* of so many lines */
};

static const char *things(const struct ranking *r)
{
	return memory_thing_names[r->by];
}

double ranking_part(const struct ranking *r, uint64_t cycles)
{
	if (!r->rows.most || !cycles)
		return 0;
	return fmin(1, r->log ? log1p((double)cycles) / log1p((double)r->rows.most)
			      : (double)cycles / (double)r->rows.most);
}

static bool is_selected(const struct ranking *r, const struct memory_row *row)
{
	return focus_is_on(r->focus, r->by, row->number);
}

bool ranking_is_dim(const struct ranking *r, const struct memory_row *row)
{
	return r->rows.selects && !row->related && !is_selected(r, row);
}

char ranking_sign(const struct ranking *r, const struct memory_row *row)
{
	return is_selected(r, row) ? '>' : row->related ? '*' : ' ';
}

/* "vecadd.c:56 and ArrayC: 240 of 243 words, 43 % of the cost" */
static void put_touched(const struct ranking *r, struct sbuf *out)
{
	const struct memory_selection *s = &r->focus->selected;
	const struct memory_index *x = memory_lock(r->focus->trace);

	for (int by = 0; by < MEMORY_THING_COUNT; by++) {
		if (!s->chosen[by] || by == (int)r->by)
			continue;
		sbuf_puts(out, out->len ? " and " : "");
		memory_put_thing(r->focus->trace, x, (enum memory_thing)by, s->of[by], out);
	}
	memory_unlock(r->focus->trace);
	sbuf_printf(out, ": %" PRIu32 " of %zu %s, %.0f %% of the cost%s", r->rows.sums.touched,
		    r->rows.all, things(r),
		    100 * memory_share(r->rows.sums.all.cycles, r->rows.sums.cycles),
		    r->focus->related ? ", only these" : "");
}

/* The part of the cost that the dearest so many per cent of all have, of what is shown. */
static double drop_off(const struct ranking *r, size_t percent)
{
	uint64_t cycles = 0;

	for (size_t i = 0; i < r->rows.of.count; i++)
		if (r->rows.of.data[i].rank <= (r->rows.all * percent + 99) / 100)
			cycles += r->rows.of.data[i].cycles;
	return 100 * memory_share(cycles, r->rows.cost);
}

/* "43 words by address  c: 16 of 43 words, 24 % of the cost  bars linear to 786 cycles" */
static void put_heading(const struct ranking *r, int room, struct sbuf *out)
{
	const bool map = r->face == RANKING_MAP;
	struct sbuf touched = {0};
	char number[32];

	memory_add_part(out, room, "%s %s by %s", num_group((int64_t)r->rows.of.count, number), things(r),
			ranking_choices[RANKING_ORDER].names[r->rows.order]);
	if (r->focus->without.count)
		memory_add_part(out, room, "%zu class%s hidden", r->focus->without.count,
				r->focus->without.count == 1 ? "" : "es");
	if (r->rows.selects) {
		put_touched(r, &touched);
		memory_add_part(out, room, "%s", sbuf_text(&touched));
		sbuf_free(&touched);
	}
	if (map && map_bin(r) > 1)
		memory_add_part(out, room, "a cell is the dearest of %zu", map_bin(r));
	memory_add_part(out, room, "%s %s to %s cycles", map ? "cells" : "bars",
			ranking_choices[RANKING_SCALE].names[r->log],
			num_group((int64_t)r->rows.most, number));
	if (map)
		memory_add_part(out, room, "top 1 %% = %.0f %%, 10 %% = %.0f %%", drop_off(r, 1), drop_off(r, 10));
	if (r->rows.order == BY_ADDRESS && (r->by == MEMORY_BY_OBJECT || r->by == MEMORY_BY_WORD))
		memory_add_part(out, room, "| . another L2, L1 block");
}

static void draw_heading(const struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p)
{
	struct sbuf text = {0}, cut = {0};

	if (r->rows.of.count)
		put_heading(r, area.w, &text);
	else
		sbuf_puts(&text, r->rows.selects ? "nothing of it belongs to what is selected"
						 : "no access that waited");
	text_cut(&cut, sbuf_text(&text), area.w);
	grid_puts(g, area, area.x, area.y, sbuf_text(&cut), palette_style(p, ROLE_BORDER));
	sbuf_free(&cut);
	sbuf_free(&text);
}

/* ---- lines ---- */

/* Columns of a bar, with a blank: what room the table leaves. */
static int bar_width(const struct ranking *r)
{
	const int left = r->pane.columns - MARKS_W - table_wanted(&r->table) - 1;

	if (r->pane.columns < BAR_LEAST)
		return 0;
	return left < BAR_W ? BAR_W + 1 : left < BAR_MOST ? left + 1 : BAR_MOST + 1;
}

/* From the left; what shares no cost with the selection is in another colour. */
static void put_bar(struct pane_line *l, const struct ranking *r, const struct memory_row *row, int width)
{
	const int halves = (int)(ranking_part(r, row->cycles) * 2 * width + 0.5);
	const int own = r->rows.selects ? (int)(ranking_part(r, row->shared) * width + 0.5) : width;
	struct sbuf cells = {0};

	bar_put(&cells, own, 0, halves);
	pane_line_bytes(l, ROLE_METRIC_0, sbuf_text(&cells), cells.len);
	sbuf_clear(&cells);
	bar_put(&cells, width - own, 0, halves - 2 * own);
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

	for (int i = 0; i < r->h; i++) /* they may need wider columns */
		(void)ranking_line(r, p->top + (size_t)i);
	sbuf_repeat(&text, ' ', (size_t)(MARKS_W + bar_width(r) + 1));
	table_heading(fitted(r), &text);
	pane_line_bytes(out, ROLE_DIM, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static size_t count(const struct pane *p)
{
	return ((const struct ranking *)p->data)->rows.of.count;
}

static void put_mark(struct pane_line *l, enum role role, char mark)
{
	pane_line_add(l, mark == ' ' ? ROLE_PANE : role, "%c", mark);
}

/* What begins with it; whether it is selected or related; the letter of its class; a bar; columns. */
static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	struct ranking *r = p->data;
	const struct memory_row *row = &r->rows.of.data[i];
	const bool hidden = !focus_shows_class(r->focus, row->class);
	const int bar = bar_width(r);
	struct sbuf text = {0};

	(void)ranking_line(r, i);
	put_mark(out, ROLE_BORDER, ranking_edge(r, i));
	put_mark(out, ROLE_MARK, ranking_sign(r, row));
	if (hidden)
		put_mark(out, ROLE_DIM, '-');
	else
		put_mark(out, memory_class_role(row->class),
			 row->class == MEMORY_NONE ? ' ' : memory_class_letter(row->class));
	put_mark(out, ROLE_PANE, ' ');
	if (bar) {
		put_bar(out, r, row, bar - 1);
		put_mark(out, ROLE_PANE, ' ');
	}
	for (int s = 0; s < out->span_count; s++)
		out->spans[s].bar = true;
	table_row(fitted(r), i, &text);
	pane_line_bytes(out,
			is_selected(r, row)	 ? ROLE_SELECTION
			: ranking_is_dim(r, row) ? ROLE_DIM
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

/* A map, and lines beside it if there is room. */
static void draw_map(struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	const int beside = map_width(r) + 1;

	if (area.w - beside >= BESIDE_LEAST)
		draw_lines(r, g, (struct rect){area.x + beside, area.y, area.w - beside, area.h}, p);
	map_draw(r, g, area, p);
}

/* Lines, and where a large screen has room below a short list what else is known of one. */
static void draw_list(struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	const int used = (int)r->rows.of.count + 2;
	struct pane *details;

	draw_lines(r, g, area, p);
	if (area.w < DETAILS_WIDTH || area.h - used < DETAILS_LEAST)
		return;
	details = ranking_inspector(r, false);
	pane_draw(details, g, (struct rect){area.x, area.y + used, area.w, area.h - used}, p);
	pane_free(details);
}

enum status ranking_draw(struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p, struct error *e)
{
	const enum status status = ranking_refresh(r, e);
	const struct rect below = {area.x, area.y + 1, area.w, area.h - 1};

	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	if (status)
		return status;
	draw_heading(r, g, area, p);
	if (r->rows.of.count)
		(r->face == RANKING_MAP ? draw_map : draw_list)(r, g, below, p);
	return STATUS_OK;
}

bool ranking_hit(const struct ranking *r, int x, int y, uint64_t *row)
{
	size_t line = r->rows.of.count;

	if (r->face == RANKING_MAP && x >= 0 && y >= 1)
		line = map_row(r, x, y - 1);
	else if (r->face == RANKING_LINES && !pane_line_at(&r->pane, y - 1, &line))
		line = r->rows.of.count;
	*row = line;
	return line < r->rows.of.count;
}

/* ---- in words ---- */

/* In a map "GS  8 394 cycles, 48.5 %, rank 1 of 4"; in a list its line says the most of it. */
void ranking_describe(struct ranking *r, struct sbuf *out)
{
	const size_t i = r->pane.cursor;
	const struct ranking_line *line = ranking_line(r, i);
	const struct memory_row *row = &r->rows.of.data[line ? i : 0];
	struct sbuf text = {0};
	char cycles[32], rank[32], all[32];

	if (!line)
		return;
	sbuf_puts(&text, line->row.label);
	if (row->number == MEMORY_NONE)
		sbuf_puts(&text, ", outside all objects that have names");
	if (r->face == RANKING_MAP)
		sbuf_printf(&text, "  %s cycles, %.1f %%, rank %s of %s",
			    num_group((int64_t)row->cycles, cycles), 100 * line->row.share,
			    num_group((int64_t)row->rank, rank), num_group((int64_t)r->rows.all, all));
	if (r->by == MEMORY_BY_WORD && row->class != MEMORY_NONE)
		sbuf_printf(&text, "  0x%" PRIx64, row->address);
	if (r->by == MEMORY_BY_LINE && line->more)
		sbuf_printf(&text, "  %s", line->more);
	text_sanitise(out, sbuf_text(&text), text.len);
	sbuf_free(&text);
}
