/*
 * The triangle of mixes, a letter a cell for what limits there, with the runs in it.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "analysis/pipeline/cpi0_kinds.h"
#include "analysis/pipeline/cpi0_triangle.h"
#include "analysis/pipeline/cpi0_words.h"
#include "view/pipeline/cpi0_pane_private.h"

enum {
	STEPS = 10, /* lines above the lowest */
	LEFT = 2,
	REST_LEAST = 96, /* columns from which the rest of two runs is told */
	HEADING_BYTES = 160
};

struct mixing {
	struct cpi0_page *page;
	const struct machine *m;
	struct cpi0_triangle triangle;
	double x[CPI0_SIDES], y[CPI0_SIDES];
	unsigned seen; /* limits that are somewhere in the triangle */
};

/* ---- the triangle -------------------------------------------------------------------------- */

/* The run in a cell; -1: none. Both in one: the first. */
static int run_in(const struct mixing *g, int line, int cell)
{
	for (int side = 0; side < g->page->count; side++) {
		int at = STEPS - (int)lrint(g->y[side] * STEPS);
		int most = 2 * at, x = (int)lrint(g->x[side] * STEPS * 2);

		if (at == line && (x > most ? most : x) == cell)
			return side;
	}
	return -1;
}

static int limit_in(const struct mixing *g, int line, int cell)
{
	double y = 1 - (double)line / STEPS, x = (double)cell / (2 * STEPS);

	return cpi0_triangle_limit(&g->triangle, x, y);
}

/* Cells of one limit are one stretch. */
static void put_stretch(const struct mixing *g, struct pane_line *l, int limit, int cells)
{
	struct sbuf text = {0};

	sbuf_repeat(&text, cpi0_limit_letter(g->m, limit), (size_t)cells);
	pane_line_bytes(l, cpi0_limit_role(limit), sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static void put_cells(struct mixing *g, struct pane_line *l, int line)
{
	int limit = CPI0_NOTHING, cells = 0;

	pane_line_add(l, ROLE_PANE, "%*s", LEFT, "");
	for (int i = 0; i <= 2 * line; i++) {
		int run = run_in(g, line, i), here = limit_in(g, line, i);

		g->seen |= 1u << here;
		if (cells && (run >= 0 || here != limit)) {
			put_stretch(g, l, limit, cells);
			cells = 0;
		}
		limit = here;
		if (run >= 0)
			pane_line_add(l, ROLE_PANE_CURSOR, "%c", cpi0_side_letter(run));
		else
			cells++;
	}
	if (cells)
		put_stretch(g, l, limit, cells);
}

/* ---- the part ------------------------------------------------------------------------------ */

static void put_heading(struct mixing *g)
{
	char text[HEADING_BYTES] = "the mix:";
	size_t len = 8;

	for (int side = 0; side < g->page->count; side++) {
		double x = g->x[side], y = g->y[side];

		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s %c memory %.2f, integer %.2f", side ? ";" : "",
					cpi0_side_letter(side), x, y);
		if (g->page->count == 1 || g->page->width >= REST_LEAST)
			len += (size_t)snprintf(text + len, sizeof(text) - len, ", rest %.2f",
						fabs(1 - x - y));
	}
	cpi0_heading(g->page, text);
}

/* A queue that is called by a letter by what it is. */
static const char *limit_word(const struct machine *m, int limit)
{
	const char *name = cpi0_limit_name(m, limit), *kind = NULL;

	if (limit == CPI0_LATENCY)
		return "latency/K";
	if (limit < MACHINE_QUEUES && !name[1])
		kind = cpi0_kind_words[cpi0_kind_of(&m->queues[limit])];
	return kind ? kind : name;
}

static void put_legend(const struct mixing *g)
{
	struct pane_line *l = cpi0_line(g->page);

	pane_line_add(l, ROLE_DIM, "%*s", LEFT, "");
	for (int i = 0; i < CPI0_LIMITS; i++)
		if (g->seen >> i & 1)
			pane_line_add(l, cpi0_limit_role(i), "%c %s  ", cpi0_limit_letter(g->m, i),
				      limit_word(g->m, i));
	cpi0_line(g->page);
	cpi0_flow(g->page, ROLE_DIM,
		  g->page->count > 1 ? "  what limits each mix, of what A is made of;"
				     : "  what limits each mix; A is this one;",
		  "");
	cpi0_flow(g->page, ROLE_DIM, "up: integer, right: memory, in the corner: rest", " ");
}

void cpi0_page_mix(struct cpi0_page *page)
{
	struct mixing g = {.page = page, .m = &page->sides[0]->d.machine};

	cpi0_triangle_init(&g.triangle, g.m, &page->sides[0]->d.mix);
	for (int side = 0; side < page->count; side++)
		cpi0_triangle_dot(&g.triangle, &page->sides[side]->d.mix, &g.x[side], &g.y[side]);
	put_heading(&g);
	for (int line = 0; line <= STEPS; line++)
		put_cells(&g, cpi0_line(page), line);
	put_legend(&g);
}
