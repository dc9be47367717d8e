#include "config.h"

#include "view/pipeline/cpi0_pane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_words.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/cpi0_pane_private.h"
#include "view/pipeline/pane_range.h"

enum { WANTED = 124 };

_Static_assert((int)CPI0_LIMITS <= (int)PALETTE_METRICS, "each limit has the colour of a metric");

struct cpi0_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct cpi0_subject subject;
	char *state, *failed, *hint, *names[CPI0_SIDES];
};

static struct cpi0_pane *of(const struct pane *p)
{
	return p->data;
}

/* ---- what the parts share ------------------------------------------------------------------ */

enum role cpi0_limit_role(int limit)
{
	return (enum role)(ROLE_METRIC_0 + limit);
}

struct pane_line *cpi0_line(struct cpi0_page *page)
{
	return list_pane_add(page->out, ROW_NONE, 0);
}

void cpi0_heading(struct cpi0_page *page, const char *text)
{
	cpi0_line(page);
	cpi0_line(page);
	cpi0_flow(page, ROLE_BORDER, text, "");
}

char cpi0_side_letter(int side)
{
	return (char)('A' + side);
}

void cpi0_flow(struct cpi0_page *page, enum role role, const char *words, const char *between)
{
	pane_flow(page->out, page->width, role, words, between);
}

void cpi0_table(struct cpi0_page *page, enum cpi0_section section, struct section_look look)
{
	look.width = page->width;
	section_table(page->out, &cpi0_sections[section], &page->report, &look);
}

/* ---- the verdict --------------------------------------------------------------------------- */

/* "1 377 instructions, Alpha"; why the mix is an estimate stands beside it. */
static void put_counts(struct cpi0_page *page, int side)
{
	const struct cpi0_side *s = page->sides[side];
	uint64_t known = cpi0_mix_known(&s->d.mix), all = s->d.mix.total;
	struct pane_line *l = cpi0_line(page);
	char n[32];

	if (page->subject->count > 1)
		pane_line_add(l, ROLE_MARK, "%c %s: ", cpi0_side_letter(side), s->name);
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

static void put_verdict(struct cpi0_page *page, int side)
{
	const struct cpi0_run_line *run = &page->report.runs[side];

	put_counts(page, side);
	if (!page->subject->chosen)
		pane_line_add(cpi0_line(page), ROLE_DIM, "If %s ran it:",
			      page->subject->machine.name);
	pane_line_add(cpi0_line(page), ROLE_MARK, "%sCPI0 %.4f",
		      page->subject->count > 1 ? "  " : "", run->cpi);
	cpi0_flow(page, ROLE_PANE, run->verdict, ": ");
	if (run->filling && page->count == 1) {
		cpi0_line(page);
		cpi0_flow(page, ROLE_DIM, run->filling, "");
	}
}

static void put_verdicts(struct cpi0_page *page)
{
	struct sbuf words = {0};

	if (page->width < CPI0_NARROW) { /* its heading has no room for them */
		cpi0_line(page);
		cpi0_say_machine(&page->subject->machine, &words);
		cpi0_flow(page, ROLE_PANE, sbuf_text(&words), "");
		sbuf_free(&words);
	}
	for (int i = 0; i < page->count; i++)
		put_verdict(page, i);
	if (*page->subject->failed) {
		cpi0_line(page);
		cpi0_flow(page, ROLE_MARK, page->subject->failed, "");
	}
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Names and bars have the colour of what they are about. */
static enum role bound_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct cpi0_report *r = result;

	(void)part;
	return f->bar || f->type == VALUE_TEXT ? cpi0_limit_role(r->bounds[row].limit) : ROLE_PANE;
}

static void put_bounds(struct cpi0_page *page)
{
	cpi0_table(page, CPI0_BOUNDS,
		   (struct section_look){.title = "what limits CPI0; │ marks dispatch",
					 .role = bound_role});
}

/* The colour of the queue is that of the limit which it is about. */
static enum role letter_role(const struct cpi0_page *page, int side, int part)
{
	static const enum role roles[CPI0_PARTS] = {
	    [CPI0_PART_ORDER] = ROLE_MARK, [CPI0_PART_REST] = ROLE_DIM};

	if (part == CPI0_PART_DISPATCH)
		return cpi0_limit_role(CPI0_DISPATCH);
	if (part == CPI0_PART_QUEUE)
		return cpi0_limit_role(__builtin_ctz(page->sides[side]->d.c.limiting));
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
static void put_bar(struct cpi0_page *page, int side, double most)
{
	int width = page->width - (page->count > 1 ? 2 : 0), done;
	double measured = page->sides[side]->d.measured;
	struct pane_line *l = cpi0_line(page);
	struct bar_part parts[CPI0_PARTS];
	struct bar_part rest = {'?', ROLE_DIM, 0};

	for (int i = 0; i < CPI0_PARTS; i++)
		parts[i] =
		    (struct bar_part){*page->report.parts[i].letter, letter_role(page, side, i),
				      page->report.parts[i].of[side].cycles};
	if (page->count > 1)
		pane_line_add(l, ROLE_MARK, "%c ", cpi0_side_letter(side));
	done = pane_parts_bar(l, parts, CPI0_PARTS, most, width);
	rest.value = lrint(measured / most * width) - done;
	if (rest.value > 0)
		pane_parts_bar(l, &rest, 1, 1, 1 * (int)rest.value);
}

/* "measured A 0.6354, B 0.5121 cycles an instruction" */
static void say_measured(const struct cpi0_page *page, struct sbuf *out)
{
	const struct cpi0_side *first = page->sides[0];

	sbuf_puts(out, "measured");
	for (int side = 0; side < page->count; side++) {
		double measured = page->sides[side]->d.measured;

		sbuf_puts(out, side ? "," : "");
		if (page->count > 1)
			sbuf_printf(out, " %c", cpi0_side_letter(side));
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
static void put_split(struct cpi0_page *page)
{
	struct sbuf title = {0};
	double most = 0;

	say_measured(page, &title);
	for (int i = 0; i < page->count; i++) {
		const struct cpi0_diagnosis *d = &page->sides[i]->d;

		most = fmax(most, fmax(cpi0_real(d->c.cpi), fmax(d->measured, d->simulated)));
	}
	cpi0_table(page, CPI0_SPLIT,
		   (struct section_look){.title = sbuf_text(&title), .role = part_role});
	sbuf_free(&title);
	for (int i = 0; i < page->count; i++)
		put_bar(page, i, most);
	if (page->report.negative)
		pane_line_add(cpi0_line(page), ROLE_ERROR, "  negative: %s", page->report.negative);
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
static bool is_broken(const struct cpi0_page *page, const struct cpi0_flag_line *l)
{
	bool broken = false;

	for (int i = 0; i < page->count; i++)
		broken |= l->of[i].rank == CPI0_VIOLATED;
	return broken;
}

static void put_flags(struct cpi0_page *page)
{
	cpi0_table(page, CPI0_FLAGS, (struct section_look){.role = flag_role});
	for (size_t i = 0; i < page->report.flag_count; i++) {
		const struct cpi0_flag_line *l = &page->report.flags[i];

		if (!is_broken(page, l))
			continue;
		cpi0_line(page);
		cpi0_flow(page, ROLE_ERROR, l->check, "");
		cpi0_flow(page, ROLE_PANE, l->follows, ": ");
	}
}

/* ---- the page ------------------------------------------------------------------------------ */

/* Not of a machine that was never chosen: another one may have run it. */
static void put_comparison(struct cpi0_page *page)
{
	if (page->subject->chosen) {
		put_split(page);
		return;
	}
	cpi0_line(page);
	cpi0_line(page);
	cpi0_flow(page, ROLE_PANE,
		  "Choose the machine that ran it: then this pane splits the measured cycles and "
		  "checks the assumptions.",
		  "");
}

static void put_assumptions(struct cpi0_page *page)
{
	if (page->subject->chosen)
		put_flags(page);
}

static void (*const sections[])(struct cpi0_page *page) = {
    put_verdicts, put_bounds, put_comparison, cpi0_page_mix, put_assumptions,
};

/* Numbers of something that is not asked for any more. */
static void dim_all(struct list_pane *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		for (int k = 0; k < lines->lines[i].line.span_count; k++)
			lines->lines[i].line.spans[k].role = ROLE_DIM;
}

/* Those of the runs that there are; true: one is of something that is not asked for any more. */
static bool take_sides(struct cpi0_pane *self, struct cpi0_page *page, struct cpi0_run *runs)
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
	struct cpi0_page page = {.subject = &self->subject, .out = list, .width = width};
	struct cpi0_run runs[CPI0_SIDES];
	bool old = take_sides(self, &page, runs);

	if (!page.count) {
		pane_line_add(cpi0_line(&page), ROLE_DIM, "%s",
			      *self->failed ? self->failed : self->state);
		return;
	}
	cpi0_report_make(&page.report, &page.sides[0]->d.machine, runs, (size_t)page.count);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](&page);
	cpi0_report_free(&page.report);
	if (old)
		dim_all(list);
}

/* ---- the pane ------------------------------------------------------------------------------ */

static void title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, "CPI0");
	pane_range_title(of(p)->subject.store, &of(p)->subject.range, false, out);
	if (*of(p)->state)
		sbuf_printf(out, "  %s", of(p)->state);
}

static void heading(const struct pane *p, struct pane_line *out)
{
	struct sbuf words = {0};

	if (!of(p)->subject.chosen) {
		pane_line_add(out, ROLE_MARK, "assumes %s%s%s", of(p)->subject.machine.name,
			      *of(p)->hint ? "; press " : "", of(p)->hint);
		return;
	}
	if (p->columns < CPI0_NARROW)
		sbuf_puts(&words, of(p)->subject.machine.name);
	else
		cpi0_say_machine(&of(p)->subject.machine, &words);
	pane_line_add(out, ROLE_BORDER, "%s", sbuf_text(&words));
	sbuf_free(&words);
}

static void free_pane(struct pane *p)
{
	struct cpi0_pane *self = of(p);

	for (int i = 0; i < CPI0_SIDES; i++)
		free(self->names[i]);
	free(self->state);
	free(self->failed);
	free(self->hint);
	list_pane_free(p);
}

static const struct pane_ops cpi0_ops = {
    .title = title,
    .heading = heading,
    .count = list_pane_count,
    .line = list_pane_line,
    .free = free_pane,
    .width = WANTED,
};

struct pane *cpi0_pane(const struct cpi0_subject *subject)
{
	struct cpi0_pane *self = xcalloc(1, sizeof(*self));

	list_pane_init(&self->list, &cpi0_ops, write_page);
	self->subject = *subject;
	for (int i = 0; i < subject->count; i++)
		self->subject.sides[i].name = self->names[i] = xstrdup(subject->sides[i].name);
	self->state = xstrdup(subject->state);
	self->subject.failed = self->failed = xstrdup(subject->failed);
	self->hint = xstrdup(subject->hint);
	return &self->list.pane;
}
