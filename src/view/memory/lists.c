#include "config.h"

#include "view/memory/lists.h"

#include "base/num.h"
#include "base/text.h"
#include "view/section_pane.h"

enum {
	MEASURED = 100,     /* rows: further ones widen columns when they come into sight */
	HEADINGS = 2,       /* what is listed, and the columns' */
	MARKS_W = 4,        /* columns of marks and a blank before a line */
	BAR_W = 9,          /* and of a bar, with a blank, */
	BAR_LEAST = 60,     /* where there are so many */
	BESIDE_LEAST = 36,  /* and a map lines beside it */
	DETAILS_WIDTH = 80, /* and all about a row below short lists, */
	DETAILS_LEAST = 12  /* of so many lines */
};

/* Of the rows as they are now. False: no memory. */
static bool make_table(struct ranking *r, const struct memory_index *x)
{
	const size_t measured = r->rows.of.count < MEASURED ? r->rows.of.count : MEASURED;

	for (size_t i = 0; i < measured; i++)
		(void)memory_rows_tell(&r->rows, x, r->focus, i);
	table_free(&r->table);
	r->section = (struct section){.fields = r->rows.columns};
	return table_new(&r->table, &r->section, &r->rows, measured);
}

const struct memory_told *ranking_tell(struct ranking *r, size_t row)
{
	const struct memory_told *told =
	    memory_rows_tell(&r->rows, memory_lock(r->focus->trace), r->focus, row);

	memory_unlock(r->focus->trace);
	if (told)
		table_widen(&r->table, row);
	return told;
}

void ranking_free(struct ranking *r)
{
	regex_free(r->rows.only);
	memory_rows_free(&r->rows);
	table_free(&r->table);
}

enum status ranking_refresh(struct ranking *r, struct error *e)
{
	const struct memory_index *x = memory_lock(r->focus->trace);
	struct split_part *lines = &r->split.part[SPLIT_UPPER];
	enum status status = STATUS_OK;
	const struct memory_row *here = lines->line ? ranking_here(r) : NULL;
	const uint32_t number = here ? here->number : MEMORY_NONE;
	const bool stale = r->rows.age != memory_rows_age(x, r->focus);

	if (stale)
		status = memory_rows_make(&r->rows, x, r->focus, e);
	if (stale && !status && !make_table(r, x))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	memory_unlock(r->focus->trace);
	if (status)
		r->rows.of.count = 0;
	if (stale && (!here || !ranking_goto(r, number)) && !ranking_goto(r, r->rows.dearest))
		lines->line = 0;
	lines->count = (int64_t)r->rows.of.count;
	lines->y = HEADINGS;
	lines->h = r->focus->axis->height - HEADINGS;
	split_settle(&r->split);
	return status;
}

bool ranking_goto(struct ranking *r, uint32_t number)
{
	const size_t row = memory_rows_find(&r->rows, number);

	if (row < r->rows.of.count)
		r->split.part[SPLIT_UPPER].line = (int64_t)row;
	return row < r->rows.of.count;
}

/* ---- a frame ---- */

/* Of what is shown, the part of the cost that the dearest so many per cent of all have. */
static double drop_off(const struct ranking *r, size_t percent)
{
	uint64_t cycles = 0;

	for (size_t i = 0; i < r->rows.of.count; i++)
		if (r->rows.of.data[i].rank <= (r->rows.all * percent + 99) / 100)
			cycles += r->rows.of.data[i].cycles;
	return 100 * memory_share(cycles, r->rows.cost);
}

/* "43/43 words by address  c: 16 of 43, 24 % of the cost  bars to 786 cycles" */
static void put_heading(const struct ranking *r, struct sbuf *out)
{
	const bool map = r->face == RANKING_MAP;
	char number[32];

	sbuf_printf(out, "%zu/%zu %s by %s", r->rows.of.count, r->rows.all,
		    memory_thing_names[r->rows.by], row_order_names[r->rows.order]);
	if (r->focus->without[0])
		sbuf_printf(out, "  hidden: %s", r->focus->without);
	memory_rows_put_related(&r->rows, r->focus, out);
	if (map && map_bin(r) > 1)
		sbuf_printf(out, "  a cell is the dearest of %zu", map_bin(r));
	sbuf_printf(out, "  %s to %s cycles", map ? "cells log" : "bars",
		    num_group((int64_t)r->rows.most, number));
	if (r->rows.order == BY_ADDRESS &&
	    (r->rows.by == MEMORY_BY_OBJECT || r->rows.by == MEMORY_BY_WORD))
		sbuf_puts(out, "  | . another L2, L1 block");
	if (map)
		sbuf_printf(out, "  top 1 %% = %.0f %%, 10 %% = %.0f %%", drop_off(r, 1),
			    drop_off(r, 10));
}

static void draw_heading(const struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p)
{
	struct sbuf text = {0}, fit = {0};

	if (r->rows.of.count)
		put_heading(r, &text);
	else
		sbuf_puts(&text, r->rows.selects ? "nothing of it belongs to what is selected"
				 : r->rows.all	 ? "all of it is of classes that are not shown"
						 : "no access that waited");
	text_cut(&fit, sbuf_text(&text), area.w);
	grid_text(g, area, area.x, area.y, sbuf_text(&fit), fit.len, palette_style(p, ROLE_BORDER));
	sbuf_free(&text);
	sbuf_free(&fit);
}

/* ---- lines ---- */

/* What begins with it; whether it is selected or related; its class's letter; a bar; columns. */
static void draw_line(struct ranking *r, size_t i, struct grid *g, struct rect line, int bar,
		      const struct palette *p)
{
	const struct memory_row *row = &r->rows.of.data[i];
	const char sign = ranking_sign(r, row);
	const enum role role = i == ranking_row(r)	? ROLE_PANE_CURSOR
			       : sign == '>'		? ROLE_SELECTION
			       : ranking_is_dim(r, row) ? ROLE_DIM
							: ROLE_PANE;
	const char class = row->class == MEMORY_NONE ? ' ' : memory_class_letter(row->class);
	const char signs[] = {row->edge, sign, class};
	const enum role roles[] = {ROLE_BORDER, ROLE_MARK, memory_class_role(row->class)};
	struct sbuf text = {0};

	for (int m = 0; m < MARKS_W - 1; m++)
		if (signs[m] != ' ')
			grid_put(g, line.x + m, line.y, (uint32_t)signs[m],
				 palette_style(p, roles[m]));
	bar_put(&text, bar, 0,
		(int)(memory_share(row->cycles, r->rows.most) * 2 * (bar - 1) + 0.5));
	grid_text(g, line, line.x + MARKS_W, line.y, sbuf_text(&text), text.len,
		  palette_style(p, ROLE_METRIC_0));
	sbuf_clear(&text);
	table_row(&r->table, i, &text);
	grid_text(g, line, line.x + MARKS_W + bar, line.y, sbuf_text(&text), text.len,
		  palette_style(p, role));
	sbuf_free(&text);
}

/* Rows that come into sight may need wider columns. */
static void draw_lines(struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	const struct split_part *lines = &r->split.part[SPLIT_UPPER];
	const int bar = area.w < BAR_LEAST ? 0 : BAR_W, room = area.w - MARKS_W - bar;
	struct rect line = {area.x, area.y, area.w, 1};
	struct sbuf text = {0};

	for (int64_t i = lines->top; i < lines->top + lines->h; i++)
		(void)ranking_tell(r, (size_t)i);
	table_fit_from(&r->table, room > 1 ? room : 1, r->shift);
	table_heading(&r->table, &text);
	grid_text(g, line, line.x + MARKS_W + bar, line.y, sbuf_text(&text), text.len,
		  palette_style(p, ROLE_DIM));
	sbuf_free(&text);
	for (int64_t i = lines->top; i < lines->count && ++line.y < area.y + area.h; i++)
		draw_line(r, (size_t)i, g, line, bar, p);
	grid_spot(g, area.x, area.y + 1 + (int)(lines->line - lines->top),
		  palette_style(p, ROLE_CURSOR));
}

/* Where a large screen has room below a short list: what else is known of a row. */
static void draw_details(struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p)
{
	const int used = (int)r->rows.of.count + 2;
	struct pane *details;

	if (area.w < DETAILS_WIDTH || area.h - used < DETAILS_LEAST)
		return;
	details = ranking_inspector(r, false);
	pane_draw(details, g, (struct rect){area.x, area.y + used, area.w, area.h - used}, p);
	pane_free(details);
}

/* A map has lines beside it if there is room. */
enum status ranking_draw(struct ranking *r, struct grid *g, struct rect area,
			 const struct palette *p, struct error *e)
{
	const enum status status = ranking_refresh(r, e);
	struct rect below = {area.x, area.y + 1, area.w, area.h - 1};

	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	if (status)
		return status;
	draw_heading(r, g, area, p);
	if (!r->rows.of.count)
		return STATUS_OK;
	if (r->face == RANKING_MAP) {
		map_draw(r, g, below, p);
		below.x += map_width(r) + 1;
		below.w -= map_width(r) + 1;
	}
	if (r->face == RANKING_LINES || below.w >= BESIDE_LEAST)
		draw_lines(r, g, below, p);
	if (r->face == RANKING_LINES)
		draw_details(r, g, below, p);
	return STATUS_OK;
}
