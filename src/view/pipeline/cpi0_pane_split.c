/*
 * The measured CPI as a sum, a bar and a column for each run: dispatch, queue, order, and
 * everything else.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "view/pipeline/cpi0_pane_private.h"

enum { LABEL = 18, NUMBER = 10, PERCENT = 8, HELP = 42, HEADING_BYTES = 128 };

static const char signs[CPI0_PARTS] = "dqoe";

struct split {
	struct cpi0_page *page;
	double parts[CPI0_SIDES][CPI0_PARTS];
	double most; /* which the bars are drawn to */
};

static const struct cpi0_diagnosis *diagnosis(const struct split *s, int side)
{
	return &s->page->sides[side]->d;
}

/* The colour of the queue is that of the limit which it is about. */
static enum role part_role(const struct split *s, int side, int part)
{
	static const enum role roles[CPI0_PARTS] = {
	    [CPI0_PART_ORDER] = ROLE_MARK, [CPI0_PART_REST] = ROLE_DIM};

	if (part == CPI0_PART_DISPATCH)
		return cpi0_limit_role(CPI0_DISPATCH);
	if (part == CPI0_PART_QUEUE)
		return cpi0_limit_role(__builtin_ctz(diagnosis(s, side)->c.limiting));
	return roles[part];
}

/* "measured A 0.6354, B 0.5121 cycles an instruction" */
static void put_heading(struct split *s)
{
	char text[HEADING_BYTES] = "measured";
	size_t len = 8;

	for (int side = 0; side < s->page->count; side++) {
		double measured = diagnosis(s, side)->measured;
		char letter[8] = "", number[32] = " unknown";

		if (s->page->count > 1)
			snprintf(letter, sizeof(letter), " %c", cpi0_side_letter(side));
		if (measured >= 0)
			snprintf(number, sizeof(number), " %.4f", measured);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s", side ? "," : "",
					letter, number);
	}
	if (s->page->count == 1 && s->page->sides[0]->ranged && diagnosis(s, 0)->measured < 0)
		snprintf(text + len, sizeof(text) - len,
			 ": the cycles of selected rows cannot be told from those of others");
	else
		snprintf(text + len, sizeof(text) - len, " cycles an instruction");
	cpi0_heading(s->page, text);
}

/* What is not known yet, or at all, of what was measured is a question mark. */
static void put_bar(struct split *s, int side)
{
	struct pane_line *l = cpi0_line(s->page);
	int width = s->page->width - (s->page->count > 1 ? 2 : 0), done = 0, end;
	double sum = 0, measured = diagnosis(s, side)->measured;
	struct sbuf cells = {0};

	if (s->page->count > 1)
		pane_line_add(l, ROLE_MARK, "%c ", cpi0_side_letter(side));
	for (int i = 0; i < CPI0_PARTS && !isnan(s->parts[side][i]); i++) {
		sum += s->parts[side][i];
		end = (int)lrint(sum / s->most * width);
		sbuf_clear(&cells);
		sbuf_repeat(&cells, signs[i], end > done ? (size_t)(end - done) : 0);
		pane_line_bytes(l, part_role(s, side, i), sbuf_text(&cells), cells.len);
		done = end > done ? end : done;
	}
	sbuf_clear(&cells);
	end = (int)lrint(measured / s->most * width);
	sbuf_repeat(&cells, '?', end > done ? (size_t)(end - done) : 0);
	pane_line_bytes(l, ROLE_DIM, sbuf_text(&cells), cells.len);
	sbuf_free(&cells);
}

static void put_number(struct split *s, struct pane_line *l, int side, int part)
{
	double value = s->parts[side][part], measured = diagnosis(s, side)->measured;
	enum role role = value < 0 ? ROLE_ERROR : ROLE_PANE;

	if (isnan(value))
		pane_line_add(l, ROLE_DIM, "%*s", NUMBER,
			      s->page->sides[side]->pending ? "..." : "-");
	else
		pane_line_add(l, role, "%*.4f", NUMBER, value);
	if (s->page->count > 1 && s->page->width < CPI0_NARROW)
		return;
	if (!isnan(value) && measured > 0)
		pane_line_add(l, ROLE_PANE, "%*.1f %%", PERCENT - 2, 100 * value / measured);
	else
		pane_line_add(l, ROLE_PANE, "%*s", PERCENT, "");
}

static void put_part(struct split *s, int part)
{
	struct pane_line *l = cpi0_line(s->page);
	bool negative = false, filling = false;

	pane_line_add(l, part_role(s, 0, part), "%c ", signs[part]);
	pane_line_add(l, ROLE_PANE, "%-*s", LABEL - 2, cpi0_part_names[part]);
	for (int side = 0; side < s->page->count; side++) {
		put_number(s, l, side, part);
		negative |= s->parts[side][part] < 0;
		filling |= cpi0_mostly_filling(diagnosis(s, side));
	}
	if (s->page->width >= LABEL + s->page->count * (NUMBER + PERCENT) + HELP)
		pane_line_add(l, ROLE_DIM, "  %s",
			      part == CPI0_PART_ORDER && filling ? "includes filling the machine"
								 : cpi0_part_helps[part]);
	if (negative && *cpi0_part_negatives[part])
		pane_line_add(cpi0_line(s->page), ROLE_ERROR, "  negative: %s",
			      cpi0_part_negatives[part]);
}

void cpi0_page_split(struct cpi0_page *page)
{
	struct split s = {.page = page};

	for (int side = 0; side < page->count; side++) {
		const struct cpi0_diagnosis *d = diagnosis(&s, side);

		cpi0_split(s.parts[side], d);
		s.most = fmax(s.most, fmax(cpi0_real(d->c.cpi), fmax(d->measured, d->simulated)));
	}
	put_heading(&s);
	for (int side = 0; side < page->count; side++)
		put_bar(&s, side);
	for (int part = 0; part < CPI0_PARTS; part++)
		put_part(&s, part);
}
