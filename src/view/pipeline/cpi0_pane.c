#include "config.h"

#include "view/pipeline/cpi0_pane.h"

#include <math.h>
#include <stdio.h>

#include "analysis/pipeline/cpi0_kinds.h"
#include "analysis/pipeline/cpi0_report.h"
#include "analysis/pipeline/cpi0_triangle.h"
#include "analysis/pipeline/cpi0_words.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/section_pane.h"

enum {
	WANTED = 124,
	NARROW = 69, /* columns below which the heading has no room for the machine */
	/* of the triangle */
	STEPS = 10, /* lines above the lowest */
	LEFT = 2,
	REST_LEAST = 96, /* columns from which the rest of two runs is told */
};

_Static_assert((int)CPI0_LIMITS <= (int)PALETTE_METRICS, "each limit has the colour of a metric");

struct cpi0_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct cpi0_subject subject;
	char failed[200], hint[80], names[CPI0_SIDES][256];
};

static struct cpi0_pane *of(const struct pane *p)
{
	return p->data;
}

/* ---- what the parts share ------------------------------------------------------------------ */

/* What they are written on: none is wider than that. A narrow one leaves out columns and words. */
struct page {
	const struct cpi0_subject *subject;
	const struct cpi0_side *sides[CPI0_SIDES]; /* those that are known */
	struct cpi0_report report;                 /* of them */
	int count;
	struct list_pane *out;
	int width;
};

/* Of a limit, wherever it is shown. */
static enum role limit_role(int limit)
{
	return (enum role)(ROLE_METRIC_0 + limit);
}

static struct pane_line *page_line(struct page *page)
{
	return list_pane_add(page->out, ROW_NONE, 0);
}

/* Words that go on in the last line. */
static void flow(struct page *page, enum role role, const char *words, const char *between)
{
	pane_flow(page->out, page->width, role, words, between);
}

static void flow_line(struct page *page, enum role role, const char *words)
{
	page_line(page);
	flow(page, role, words, "");
}

static void page_table(struct page *page, enum cpi0_section section, struct section_look look)
{
	look.width = page->width;
	section_table(page->out, &cpi0_sections[section], &page->report, &look);
}

static char side_letter(int side)
{
	return (char)('A' + side);
}

/* ---- the verdict --------------------------------------------------------------------------- */

/* "1 377 instructions, Alpha"; why the mix is an estimate stands beside it. */
static void put_counts(struct page *page, int side)
{
	const struct cpi0_side *s = page->sides[side];
	uint64_t known = cpi0_mix_known(&s->d.mix), all = s->d.mix.total;
	struct pane_line *l = page_line(page);
	char n[32];

	if (page->subject->count > 1)
		pane_line_add(l, ROLE_MARK, "%c %s: ", side_letter(side), s->name);
	pane_line_add(l, ROLE_PANE, "%s instruction%s", num_group((int64_t)all, n),
		      all == 1 ? "" : "s");
	if (s->isa != ISA_UNKNOWN)
		pane_line_add(l, ROLE_PANE, ", %s", isa_name(s->isa));
	if (s->d.mix.folded)
		pane_line_add(l, ROLE_PANE, ", %s micro-ops besides",
			      num_group((int64_t)s->d.mix.folded, n));
	if (page->subject->count > 1 && s->ranged)
		pane_line_add(l, ROLE_PANE, s->matched ? ", the same stretch" : ", selected");
	if (s->so_far)
		pane_line_add(l, ROLE_PANE, ", so far");
	if (known < all)
		pane_line_add(l, ROLE_MARK, ", an estimate: the class of %s is not known",
			      num_group((int64_t)(all - known), n));
}

static void put_verdict(struct page *page, int side)
{
	const struct cpi0_run_line *run = &page->report.runs[side];

	put_counts(page, side);
	if (!page->subject->chosen)
		pane_line_add(page_line(page), ROLE_DIM, "If %s ran it:",
			      page->subject->machine.name);
	pane_line_add(page_line(page), ROLE_MARK, "%sCPI0 %.4f",
		      page->subject->count > 1 ? "  " : "", run->cpi);
	flow(page, ROLE_PANE, run->verdict, ": ");
	if (run->filling && page->count == 1)
		flow_line(page, ROLE_DIM, run->filling);
}

static void put_verdicts(struct page *page)
{
	struct sbuf words = {0};

	if (page->width < NARROW) { /* its heading has no room for them */
		cpi0_say_machine(&page->subject->machine, &words);
		flow_line(page, ROLE_PANE, sbuf_text(&words));
		sbuf_free(&words);
	}
	for (int i = 0; i < page->count; i++)
		put_verdict(page, i);
	if (*page->subject->failed)
		flow_line(page, ROLE_MARK, page->subject->failed);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Names and bars have the colour of what they are about. */
static enum role bound_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct cpi0_report *r = result;

	(void)part;
	return f->bar || f->type == VALUE_TEXT ? limit_role(r->bounds[row].limit) : ROLE_PANE;
}

static void put_bounds(struct page *page)
{
	page_table(page, CPI0_BOUNDS,
		   (struct section_look){.title = "what limits CPI0; │ marks dispatch",
					 .role = bound_role});
}

/* The colour of the queue is that of the limit which it is about. */
static enum role letter_role(const struct page *page, int side, int part)
{
	static const enum role roles[CPI0_PARTS] = {
	    [CPI0_PART_ORDER] = ROLE_MARK, [CPI0_PART_REST] = ROLE_DIM};

	if (part == CPI0_PART_DISPATCH)
		return limit_role(CPI0_DISPATCH);
	if (part == CPI0_PART_QUEUE)
		return limit_role(__builtin_ctz(page->sides[side]->d.c.limiting));
	return roles[part];
}

static enum role part_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct cpi0_report *r = result;

	if (f->type == VALUE_TEXT)
		return f->minor ? ROLE_DIM : ROLE_PANE;
	return r->parts[row].of[part].cycles < 0 ? ROLE_ERROR : ROLE_PANE;
}

/* What is not known yet, or at all, of what was measured is a question mark. */
static void put_bar(struct page *page, int side, double most)
{
	int width = page->width - (page->count > 1 ? 2 : 0), done;
	double measured = page->sides[side]->d.measured;
	struct pane_line *l = page_line(page);
	struct bar_part parts[CPI0_PARTS];
	struct bar_part rest = {'?', ROLE_DIM, 0};

	for (int i = 0; i < CPI0_PARTS; i++)
		parts[i] =
		    (struct bar_part){*page->report.parts[i].letter, letter_role(page, side, i),
				      page->report.parts[i].of[side].cycles};
	if (page->count > 1)
		pane_line_add(l, ROLE_MARK, "%c ", side_letter(side));
	done = pane_parts_bar(l, parts, CPI0_PARTS, most, width);
	rest.value = lrint(measured / most * width) - done;
	if (rest.value > 0)
		pane_parts_bar(l, &rest, 1, 1, 1 * (int)rest.value);
}

/* "measured A 0.6354, B 0.5121 cycles an instruction" */
static void say_measured(const struct page *page, struct sbuf *out)
{
	const struct cpi0_side *first = page->sides[0];

	sbuf_puts(out, "measured");
	for (int side = 0; side < page->count; side++) {
		double measured = page->sides[side]->d.measured;

		sbuf_puts(out, side ? "," : "");
		if (page->count > 1)
			sbuf_printf(out, " %c", side_letter(side));
		if (measured >= 0)
			sbuf_printf(out, " %.4f", measured);
		else
			sbuf_puts(out, " unknown");
	}
	if (page->count == 1 && first->ranged && first->d.measured < 0)
		sbuf_puts(out, ": the cycles of selected rows cannot be told from those of others");
	else
		sbuf_puts(out, " cycles an instruction");
	sbuf_puts(out, first->pending ? "; simulation goes on ..." : "");
}

/* The measured CPI as a sum, a bar and a column for each run. */
static void put_split(struct page *page)
{
	struct sbuf title = {0};
	double most = 0;

	say_measured(page, &title);
	for (int i = 0; i < page->count; i++) {
		const struct cpi0_diagnosis *d = &page->sides[i]->d;

		most = fmax(most, fmax(cpi0_real(d->c.cpi), fmax(d->measured, d->simulated)));
	}
	page_table(page, CPI0_SPLIT,
		   (struct section_look){.title = sbuf_text(&title), .role = part_role});
	sbuf_free(&title);
	for (int i = 0; i < page->count; i++)
		put_bar(page, i, most);
	if (page->report.negative)
		pane_line_add(page_line(page), ROLE_ERROR, "  negative: %s", page->report.negative);
}

static enum role flag_role(const void *result, const struct field *f, size_t row, size_t part)
{
	static const enum role roles[CPI0_VERDICTS] = {[CPI0_OK] = ROLE_DIM,
						       [CPI0_DOUBTFUL] = ROLE_MARK,
						       [CPI0_VIOLATED] = ROLE_ERROR,
						       [CPI0_NOT_KNOWN] = ROLE_DIM};
	const struct cpi0_report *r = result;

	if (!f->parts)
		return f->minor ? ROLE_DIM : ROLE_PANE;
	return roles[r->flags[row].of[part].rank];
}

/* Whether one of the runs does not keep it. */
static bool is_broken(const struct page *page, const struct cpi0_flag_line *l)
{
	bool broken = false;

	for (int i = 0; i < page->count; i++)
		broken |= l->of[i].rank == CPI0_VIOLATED;
	return broken;
}

static void put_flags(struct page *page)
{
	page_table(page, CPI0_FLAGS, (struct section_look){.role = flag_role});
	for (size_t i = 0; i < page->report.flag_count; i++) {
		const struct cpi0_flag_line *l = &page->report.flags[i];

		if (!is_broken(page, l))
			continue;
		flow_line(page, ROLE_ERROR, l->check);
		flow(page, ROLE_PANE, l->follows, ": ");
	}
}

/* ---- the mix ------------------------------------------------------------------------------- */

/* The triangle of mixes, a letter a cell for what limits there, with the runs in it. */
struct mixing {
	struct page *page;
	const struct machine *m;
	struct cpi0_triangle triangle;
	double x[CPI0_SIDES], y[CPI0_SIDES];
	unsigned seen; /* limits that are somewhere in the triangle */
};

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
	pane_line_bytes(l, limit_role(limit), sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static void put_mix_cells(struct mixing *g, struct pane_line *l, int line)
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
			pane_line_add(l, ROLE_PANE_CURSOR, "%c", side_letter(run));
		else
			cells++;
	}
	if (cells)
		put_stretch(g, l, limit, cells);
}

static void put_mix_heading(struct mixing *g)
{
	struct sbuf text = {0};

	for (int side = 0; side < g->page->count; side++) {
		double x = g->x[side], y = g->y[side];

		sbuf_printf(&text, "%s %c memory %.2f, integer %.2f", side ? ";" : "the mix:",
			    side_letter(side), x, y);
		if (g->page->count == 1 || g->page->width >= REST_LEAST)
			sbuf_printf(&text, ", rest %.2f", fabs(1 - x - y));
	}
	page_line(g->page);
	flow_line(g->page, ROLE_BORDER, sbuf_text(&text));
	sbuf_free(&text);
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

static void put_mix_legend(const struct mixing *g)
{
	struct pane_line *l = page_line(g->page);

	pane_line_add(l, ROLE_DIM, "%*s", LEFT, "");
	for (int i = 0; i < CPI0_LIMITS; i++)
		if (g->seen >> i & 1)
			pane_line_add(l, limit_role(i), "%c %s  ", cpi0_limit_letter(g->m, i),
				      limit_word(g->m, i));
	flow_line(g->page, ROLE_DIM,
		  g->page->count > 1 ? "  what limits each mix, of what A is made of;"
				     : "  what limits each mix; A is this one;");
	flow(g->page, ROLE_DIM, "up: integer, right: memory, in the corner: rest", " ");
}

static void put_mix(struct page *page)
{
	struct mixing g = {.page = page, .m = &page->sides[0]->d.machine};

	cpi0_triangle_init(&g.triangle, g.m, &page->sides[0]->d.mix);
	for (int side = 0; side < page->count; side++)
		cpi0_triangle_dot(&g.triangle, &page->sides[side]->d.mix, &g.x[side], &g.y[side]);
	put_mix_heading(&g);
	for (int line = 0; line <= STEPS; line++)
		put_mix_cells(&g, page_line(page), line);
	put_mix_legend(&g);
}

/* ---- the page ------------------------------------------------------------------------------ */

/* Not of a machine that was never chosen: another one may have run it. */
static void put_comparison(struct page *page)
{
	if (page->subject->chosen) {
		put_split(page);
		return;
	}
	page_line(page);
	flow_line(page, ROLE_PANE,
		  "Choose the machine that ran it: then this pane splits the measured cycles and "
		  "checks the assumptions.");
}

static void put_assumptions(struct page *page)
{
	if (page->subject->chosen)
		put_flags(page);
}

static void (*const sections[])(struct page *page) = {
    put_verdicts, put_bounds, put_comparison, put_mix, put_assumptions,
};

/* Numbers of something that is not asked for any more. */
static void dim_all(struct list_pane *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		for (int k = 0; k < lines->lines[i].line.span_count; k++)
			lines->lines[i].line.spans[k].role = ROLE_DIM;
}

/* Those of the runs that there are; true: one is of something that is not asked for any more. */
static bool take_sides(struct cpi0_pane *self, struct page *page, struct cpi0_run *runs)
{
	bool old = false;

	for (int i = 0; i < self->subject.count && self->subject.sides[i].known; i++) {
		struct cpi0_side *side = &self->subject.sides[i];

		runs[page->count] = (struct cpi0_run){side->name, &side->d, true, side->isa};
		page->sides[page->count++] = side;
		old |= side->old;
	}
	return old;
}

static void write_page(struct list_pane *list, int width)
{
	struct cpi0_pane *self = of(&list->pane);
	struct page page = {.subject = &self->subject, .out = list, .width = width};
	struct cpi0_run runs[CPI0_SIDES];
	bool old = take_sides(self, &page, runs);

	cpi0_report_make(&page.report, &page.sides[0]->d.machine, runs, (size_t)page.count);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](&page);
	cpi0_report_free(&page.report);
	if (old)
		dim_all(list);
}

/* ---- the pane ------------------------------------------------------------------------------ */

static void heading(const struct pane *p, struct pane_line *out)
{
	struct sbuf words = {0};

	if (!of(p)->subject.chosen) {
		pane_line_add(out, ROLE_MARK, "assumes %s%s%s", of(p)->subject.machine.name,
			      *of(p)->hint ? "; press " : "", of(p)->hint);
		return;
	}
	if (p->columns < NARROW)
		sbuf_puts(&words, of(p)->subject.machine.name);
	else
		cpi0_say_machine(&of(p)->subject.machine, &words);
	pane_line_add(out, ROLE_BORDER, "%s", sbuf_text(&words));
	sbuf_free(&words);
}

static const struct pane_ops cpi0_ops = {
    .title = list_pane_title,
    .heading = heading,
    .count = list_pane_count,
    .line = list_pane_line,
    .free = list_pane_free,
    .width = WANTED,
};

struct pane *cpi0_pane(const struct cpi0_subject *subject)
{
	struct cpi0_pane *self = xcalloc(1, sizeof(*self));
	bool known = subject->sides[0].known;

	self->subject = *subject;
	for (int i = 0; i < subject->count; i++) {
		snprintf(self->names[i], sizeof(self->names[i]), "%s", subject->sides[i].name);
		self->subject.sides[i].name = self->names[i];
	}
	pane_range_list(&self->list, &cpi0_ops,
			&(struct pane_part){"CPI0", subject->store, &subject->range,
					    known || !*subject->failed ? subject->state
								       : subject->failed},
			known ? write_page : NULL);
	snprintf(self->failed, sizeof(self->failed), "%s", subject->failed);
	self->subject.failed = self->failed;
	snprintf(self->hint, sizeof(self->hint), "%s", subject->hint);
	return &self->list.pane;
}
