/*
 * The table of queues: their shares of the instructions, what they let go, what they grow by as a
 * bar to either side of zero, what they bound as a bar beside 1/mu. Of two runs a column each.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/pipeline/cpi0_words.h"
#include "view/pipeline/cpi0_pane_private.h"

enum {
	NAME = 10,
	BAR_LEAST = 7,
	BAR_MOST = 31,
	HALVES = 2, /* of a cell */
	LABEL_BYTES = 32
};

static const char full_cell[] = "\xe2\x96\x88", left_half[] = "\xe2\x96\x8c",
		  right_half[] = "\xe2\x96\x90", axis_cell[] = "\xe2\x94\x82";

/* What the rows share. */
struct table {
	struct cpi0_page *page;
	const struct machine *m;
	int bar; /* cells of a bar; 0: there are none, nor what else can be done without */
	double growth, bounds; /* greatest there are, which the bars are drawn to */
};

static const struct cpi0 *model(const struct table *t, int side)
{
	return &t->page->sides[side]->d.c;
}

static struct table table_of(struct cpi0_page *page)
{
	struct table t = {.page = page, .m = &page->sides[0]->d.machine};

	for (int side = 0; side < page->count; side++) {
		const struct cpi0 *c = model(&t, side);

		for (int q = 0; q < t.m->queue_count; q++)
			t.growth = fmax(t.growth, fabs(c->queues[q].growth));
		for (int i = 0; i < CPI0_LIMITS; i++)
			t.bounds = fmax(t.bounds, cpi0_real(c->bounds[i]));
	}
	return t;
}

/* In its column, or a dash where there is no number. */
static void put_number(struct pane_line *l, int width, int decimals, double value)
{
	if (isfinite(value))
		pane_line_add(l, ROLE_PANE, "%*.*f", width, decimals, value);
	else
		pane_line_add(l, ROLE_PANE, "%*s", width, "-");
}

/* ---- bars ---------------------------------------------------------------------------------- */

static int halves(double value, double most, int cells)
{
	int n = most > 0 ? (int)lrint(fabs(value) / most * cells * HALVES) : 0;

	return n > cells * HALVES ? cells * HALVES : n;
}

/* So many cells, from a half-cell to another one. */
static void put_cells(struct sbuf *out, int cells, int from, int to)
{
	for (int i = 0; i < cells; i++) {
		bool left = from <= HALVES * i && to > HALVES * i;
		bool right = from <= HALVES * i + 1 && to > HALVES * i + 1;

		sbuf_puts(out, left && right ? full_cell
			       : left        ? left_half
			       : right       ? right_half
					     : " ");
	}
}

/* Zero is in the middle: what shrinks lies to its left. */
static void put_growth(const struct table *t, struct pane_line *l, int limit, double growth)
{
	int side = t->bar / 2, n = halves(growth, t->growth, side);
	struct sbuf bar = {0};

	pane_line_add(l, ROLE_PANE, "%+8.3f", growth);
	if (!t->bar)
		return;
	pane_line_add(l, ROLE_PANE, " ");
	put_cells(&bar, side, growth < 0 ? HALVES * side - n : 0, growth < 0 ? HALVES * side : 0);
	sbuf_puts(&bar, axis_cell);
	put_cells(&bar, side, 0, growth > 0 ? n : 0);
	pane_line_bytes(l, cpi0_limit_role(limit), sbuf_text(&bar), bar.len);
	sbuf_free(&bar);
}

/* Where 1/mu is a stroke stands: what goes beyond it holds dispatch up. */
static void put_bound(const struct table *t, struct pane_line *l, int side, int limit)
{
	const struct cpi0 *c = model(t, side);
	int n = halves(cpi0_real(c->bounds[limit]), t->bounds, t->bar);
	int stroke = halves(cpi0_real(c->bounds[CPI0_DISPATCH]), t->bounds, t->bar) / HALVES;
	struct sbuf bar = {0};

	put_number(l, 7, 4, cpi0_real(c->bounds[limit]));
	if (!t->bar)
		return;
	pane_line_add(l, ROLE_PANE, " ");
	stroke = stroke < t->bar ? stroke : t->bar - 1;
	put_cells(&bar, stroke, 0, n);
	sbuf_puts(&bar, axis_cell);
	n -= HALVES * (stroke + 1);
	put_cells(&bar, t->bar - stroke - 1, 0, n > 0 ? n : 0);
	pane_line_bytes(l, cpi0_limit_role(limit), sbuf_text(&bar), bar.len);
	sbuf_free(&bar);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Of a growth, number and bar. */
static int growth_columns(const struct table *t)
{
	return 8 + (t->bar ? 1 + t->bar : 0);
}

static bool limits_any(const struct table *t, int limit)
{
	unsigned limiting = 0;

	for (int side = 0; side < t->page->count; side++)
		limiting |= model(t, side)->limiting;
	return limiting >> limit & 1;
}

static void put_name(const struct table *t, struct pane_line *l, int limit)
{
	const char *name = limit == CPI0_LATENCY ? "latency/K" : cpi0_limit_name(t->m, limit);

	pane_line_add(l, cpi0_limit_role(limit), "%c%-*.*s", limits_any(t, limit) ? '>' : ' ',
		      NAME - 1, NAME - 1, name);
}

static double lambda(const struct cpi0_queue *q)
{
	return q->count ? 1 / q->p : NAN;
}

/* ---- one run ------------------------------------------------------------------------------- */

enum { ONE_COLUMNS = NAME + 7 + 7 + 8 + 1 + 7 + 1 + 6 + 8, ONE_WIDE = 9 };

static bool is_wide(const struct table *t)
{
	return t->page->width >= CPI0_WIDE;
}

static void one_heading(const struct table *t)
{
	struct pane_line *l = cpi0_line(t->page);

	pane_line_add(l, ROLE_DIM, "%-*s%7s", NAME, " queue", "p");
	if (is_wide(t))
		pane_line_add(l, ROLE_DIM, "%*s", ONE_WIDE, "lambda");
	pane_line_add(l, ROLE_DIM, "%7s%8s", "A", "growth");
	pane_line_add(l, ROLE_DIM, "%*s%7s", growth_columns(t) - 8, "", "p/A");
	if (t->bar)
		pane_line_add(l, ROLE_DIM, " %-*s%6s%8s", t->bar, "beside 1/mu", "used", "full at");
}

static void one_queue(const struct table *t, int at)
{
	const struct cpi0 *c = model(t, 0);
	const struct cpi0_queue *q = &c->queues[at];
	struct pane_line *l = cpi0_line(t->page);

	put_name(t, l, at);
	put_number(l, 7, 4, q->p);
	if (is_wide(t))
		put_number(l, ONE_WIDE, 3, lambda(q));
	put_number(l, 7, 2, cpi0_real(q->rate));
	put_growth(t, l, at, q->growth);
	put_bound(t, l, 0, at);
	if (!t->bar)
		return;
	pane_line_add(l, ROLE_PANE, "%5.0f%%", 100 * q->utilisation);
	put_number(l, 8, 1, q->fills_at);
}

/* Dispatch, and latency over K: no queue, but a bound. */
static void one_bound(const struct table *t, int limit, double rate, double used)
{
	struct pane_line *l = cpi0_line(t->page);

	put_name(t, l, limit);
	pane_line_add(l, ROLE_PANE, "%*s", 7 + (is_wide(t) ? ONE_WIDE : 0), "");
	if (rate > 0)
		put_number(l, 7, 2, rate);
	else
		pane_line_add(l, ROLE_PANE, "%7s", "");
	pane_line_add(l, ROLE_PANE, "%*s", growth_columns(t), "");
	put_bound(t, l, 0, limit);
	if (t->bar)
		pane_line_add(l, ROLE_PANE, "%5.0f%%", 100 * used);
}

static void one_transient(const struct table *t)
{
	const struct cpi0 *c = model(t, 0);
	struct sbuf words = {0};

	if (c->first_full) {
		sbuf_puts(&words, " first to fill: ");
		cpi0_say_limits(t->m, c->first_full, &words);
		sbuf_printf(&words, ", in cycle %.0f%s",
			    ceil(c->queues[__builtin_ctz(c->first_full)].fills_at),
			    c->first_full & ~c->limiting ? " (which does not decide)" : "");
	}
	if (c->plateau.reached)
		sbuf_printf(&words, "; transient: K is reached in cycle %.0f, then %.4f",
			    ceil(c->plateau.at), c->plateau.cpi);
	if (words.len)
		pane_line_add(cpi0_line(t->page), ROLE_DIM, "%s", sbuf_text(&words));
	sbuf_free(&words);
}

static void put_one(struct table *t)
{
	const struct cpi0 *c = model(t, 0);

	one_heading(t);
	for (int q = 0; q < t->m->queue_count; q++)
		one_queue(t, q);
	one_bound(t, CPI0_DISPATCH, (double)t->m->dispatch.num / (double)t->m->dispatch.den,
		  c->dispatch_utilisation);
	one_bound(t, CPI0_LATENCY, -1, cpi0_real(c->bounds[CPI0_LATENCY]) / cpi0_real(c->cpi));
	one_transient(t);
}

/* ---- two runs ------------------------------------------------------------------------------ */

enum { TWO_COLUMNS = NAME + 2 * 7 + 2 * (8 + 1) + 1 + 2 * 7, TWO_WIDE = 2 * 7 };

/* "p A", "p B", for each run a column */
static void label_sides(const struct table *t, struct pane_line *l, const char *what, int width,
			int room)
{
	char label[LABEL_BYTES];

	for (int side = 0; side < t->page->count; side++) {
		snprintf(label, sizeof(label), "%s %c", what, cpi0_side_letter(side));
		pane_line_add(l, ROLE_DIM, "%*s%*s", width, label, room > 0 ? room : 0, "");
	}
}

static void two_heading(const struct table *t)
{
	struct pane_line *l = cpi0_line(t->page);

	pane_line_add(l, ROLE_DIM, "%-*s", NAME, " queue");
	if (t->bar)
		label_sides(t, l, "p", 7, 0);
	label_sides(t, l, t->bar ? " growth" : "G", t->bar ? 9 : 8, growth_columns(t) - 9);
	pane_line_add(l, ROLE_DIM, "%*s", t->bar ? 1 : 0, "");
	label_sides(t, l, "p/A", 7, 0);
	if (is_wide(t))
		label_sides(t, l, "used", 7, 0);
}

static void two_queue(const struct table *t, int at)
{
	struct pane_line *l = cpi0_line(t->page);

	put_name(t, l, at);
	for (int side = 0; t->bar && side < t->page->count; side++)
		put_number(l, 7, 4, model(t, side)->queues[at].p);
	for (int side = 0; side < t->page->count; side++)
		put_growth(t, l, at, model(t, side)->queues[at].growth);
	pane_line_add(l, ROLE_PANE, "%*s", t->bar ? 1 : 0, "");
	for (int side = 0; side < t->page->count; side++)
		put_number(l, 7, 4, cpi0_real(model(t, side)->bounds[at]));
	for (int side = 0; is_wide(t) && side < t->page->count; side++)
		pane_line_add(l, ROLE_PANE, "%6.0f%%",
			      100 * model(t, side)->queues[at].utilisation);
}

static void two_bound(const struct table *t, int limit)
{
	struct pane_line *l = cpi0_line(t->page);

	put_name(t, l, limit);
	pane_line_add(l, ROLE_PANE, "%*s", 2 * growth_columns(t) + (t->bar ? 2 * 7 + 1 : 0), "");
	for (int side = 0; side < t->page->count; side++)
		put_number(l, 7, 4, cpi0_real(model(t, side)->bounds[limit]));
	for (int side = 0; is_wide(t) && side < t->page->count; side++) {
		const struct cpi0 *c = model(t, side);

		pane_line_add(l, ROLE_PANE, "%6.0f%%",
			      100 * cpi0_real(c->bounds[limit]) / cpi0_real(c->cpi));
	}
}

static void put_two(struct table *t)
{
	two_heading(t);
	for (int q = 0; q < t->m->queue_count; q++)
		two_queue(t, q);
	two_bound(t, CPI0_DISPATCH);
	two_bound(t, CPI0_LATENCY);
}

/* ---- the part ------------------------------------------------------------------------------ */

/* Bars take what room the numbers leave, two of them; an odd number of cells has a middle. */
static int bar_of(const struct table *t)
{
	int used = t->page->count > 1 ? TWO_COLUMNS : ONE_COLUMNS;
	int bar;

	if (is_wide(t))
		used += t->page->count > 1 ? TWO_WIDE : ONE_WIDE;
	bar = (t->page->width - used) / 2;
	bar = bar > BAR_MOST ? BAR_MOST : bar;
	bar -= bar % 2 == 0;
	return t->page->width < CPI0_NARROW ? 0 : bar < BAR_LEAST ? BAR_LEAST : bar;
}

void cpi0_page_queues(struct cpi0_page *page)
{
	struct table t = table_of(page);

	t.bar = bar_of(&t);
	if (page->count > 1)
		put_two(&t);
	else
		put_one(&t);
}
