#include "config.h"

#include "view/pipeline/cpi0_pane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_words.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/pipeline/cpi0_pane_private.h"
#include "view/pipeline/pane_range.h"

enum { WANTED = 124 };

#define INDENT "  "

_Static_assert((int)CPI0_LIMITS <= (int)PALETTE_METRICS, "each limit has the colour of a metric");

struct cpi0_pane {
	struct pane pane;
	struct cpi0_subject subject;
	char *state, *failed, *hint, *names[CPI0_SIDES];
	struct list_pane *lines; /* for a pane of `width` columns; NULL: not made yet */
	int width;
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

/* ---- the verdict --------------------------------------------------------------------------- */

static int last_width(const struct cpi0_page *page)
{
	const struct sbuf *text = &page->out->lines[page->out->count - 1].line.text;

	return text_width(sbuf_text(text), text->len);
}

/* As much of the words as the last line has room for, up to a blank; at least one of them. */
static size_t fitting(const struct cpi0_page *page, const char *words)
{
	size_t fits = strcspn(words, " "), next = fits;

	while (words[next]) {
		next += 1 + strcspn(words + next + 1, " ");
		if (last_width(page) + text_width(words, next) > page->width)
			break;
		fits = next;
	}
	return fits;
}

void cpi0_flow(struct cpi0_page *page, enum role role, const char *words, const char *between)
{
	struct pane_line *l = &page->out->lines[page->out->count - 1].line;
	int used = last_width(page);
	int more = (int)strlen(between) + text_width(words, strlen(words));

	if (!*words)
		return;
	if (used && used + more > page->width)
		pane_line_add(l = cpi0_line(page), ROLE_PANE, INDENT);
	else if (used)
		pane_line_add(l, ROLE_PANE, "%s", between);
	while (*words) {
		size_t len = fitting(page, words);

		pane_line_bytes(l, role, words, len);
		words += len + (words[len] == ' ');
		if (*words)
			pane_line_add(l = cpi0_line(page), ROLE_PANE, INDENT);
	}
}

static void flow_words(struct cpi0_page *page, const struct cpi0_diagnosis *d, const char *between,
		       void (*say)(const struct machine *m, const struct cpi0 *c, struct sbuf *out))
{
	struct sbuf words = {0};

	say(&d->machine, &d->c, &words);
	cpi0_flow(page, ROLE_PANE, sbuf_text(&words), between);
	sbuf_free(&words);
}

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
	const struct cpi0_diagnosis *d = &page->sides[side]->d;
	struct pane_line *l;

	put_counts(page, side);
	l = cpi0_line(page);
	pane_line_add(l, ROLE_MARK, "%sCPI0 %.4f", page->subject->count > 1 ? "  " : "",
		      cpi0_real(d->c.cpi));
	flow_words(page, d, ": ", cpi0_say_limiting);
	flow_words(page, d, ": ", cpi0_say_why);
	flow_words(page, d, "; ", cpi0_say_next);
	flow_words(page, d, "; ", cpi0_say_more);
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

/* ---- the page ------------------------------------------------------------------------------ */

static void (*const sections[])(struct cpi0_page *page) = {
    put_verdicts,
    cpi0_page_queues,
    cpi0_page_split,
    cpi0_page_mix,
};

/* Numbers of something that is not asked for any more. */
static void dim_all(struct list_pane *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		for (int k = 0; k < lines->lines[i].line.span_count; k++)
			lines->lines[i].line.spans[k].role = ROLE_DIM;
}

static void write_page(const struct cpi0_pane *self, struct cpi0_page *page)
{
	bool old = false;

	for (int i = 0; i < self->subject.count && self->subject.sides[i].known; i++) {
		page->sides[page->count++] = &self->subject.sides[i];
		old |= self->subject.sides[i].old;
	}
	if (!page->count) {
		pane_line_add(cpi0_line(page), ROLE_DIM, "%s",
			      *self->failed ? self->failed : self->state);
		return;
	}
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](page);
	if (old)
		dim_all(page->out);
}

static const struct pane_ops cpi0_ops;

/* The lines follow the pane's width, which only drawing tells. */
static const struct pane *fitted(const struct pane *p)
{
	struct cpi0_pane *self = of(p);
	int width = p->columns > 0 ? p->columns : WANTED;
	struct cpi0_page page = {.subject = &self->subject, .width = width};

	if (!self->lines || self->width != width) {
		if (self->lines)
			list_pane_free(&self->lines->pane);
		page.out = self->lines = list_pane_new(&cpi0_ops);
		self->width = width;
		write_page(self, &page);
	}
	return &self->lines->pane;
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

	if (p->columns < CPI0_NARROW)
		sbuf_puts(&words, of(p)->subject.machine.name);
	else
		cpi0_say_machine(&of(p)->subject.machine, &words);
	pane_line_add(out, ROLE_BORDER, "%s", sbuf_text(&words));
	if (!of(p)->subject.chosen)
		pane_line_add(out, ROLE_MARK, "  (default)");
	pane_line_add(out, ROLE_DIM, "  %s", of(p)->hint);
	sbuf_free(&words);
}

static size_t count(const struct pane *p)
{
	return list_pane_count(fitted(p));
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	list_pane_line(fitted(p), i, out);
}

static void free_pane(struct pane *p)
{
	struct cpi0_pane *self = of(p);

	if (self->lines)
		list_pane_free(&self->lines->pane);
	for (int i = 0; i < CPI0_SIDES; i++)
		free(self->names[i]);
	free(self->state);
	free(self->failed);
	free(self->hint);
	free(self);
}

static const struct pane_ops cpi0_ops = {
    .name = "cpi0",
    .help = "which queue of a machine limits the mix of instructions, and what else costs cycles",
    .title = title,
    .heading = heading,
    .count = count,
    .line = line,
    .free = free_pane,
    .width = WANTED,
    .table = true,
};

struct pane *cpi0_pane(const struct cpi0_subject *subject)
{
	struct cpi0_pane *self = xcalloc(1, sizeof(*self));

	self->pane.ops = &cpi0_ops;
	self->pane.data = self;
	self->subject = *subject;
	for (int i = 0; i < subject->count; i++)
		self->subject.sides[i].name = self->names[i] = xstrdup(subject->sides[i].name);
	self->state = xstrdup(subject->state);
	self->subject.failed = self->failed = xstrdup(subject->failed);
	self->hint = xstrdup(subject->hint);
	return &self->pane;
}
