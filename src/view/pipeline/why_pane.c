#include "config.h"

#include "view/pipeline/why_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "view/pane_list.h"
#include "view/pipeline/pane_range.h"
#include "view/section_pane.h"

enum {
	WANTED = 100,
	HINTED = 76,         /* columns that the title with hints needs */
	OWNERS = 40,         /* instructions that are listed of a cause */
	ABOVE_THE_CAUSES = 3 /* lines of their table */
};

/* A cause, or below it an instruction that owns some of it. */
struct why_line {
	const struct why_cause *cause;
	const struct why_pc *owner; /* NULL: it is a cause */
	char text[128];
};

struct why_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct why_subject subject;
	char *state;
	VEC(struct why_line) lines;
};

static struct why_pane *of(const struct pane *p)
{
	return p->data;
}

/* ---- causes -------------------------------------------------------------------------------- */

static int64_t cycles_of(const struct why_line *l)
{
	return l->owner ? l->owner->causes[l->cause->number] : l->cause->cycles;
}

static size_t line_rows(const void *result)
{
	return ((const struct why_pane *)result)->lines.count;
}

/* A share of what is not 0 where there are cycles. */
static struct value part_of(int64_t cycles, uint64_t all)
{
	return all ? value_real((double)cycles / (double)all) : value_none();
}

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct why_pane *self = result;                                              \
		const struct why_line *l = &self->lines.data[row];                                 \
                                                                                                   \
		(void)part;                                                                        \
		return expression;                                                                 \
	}
GETTER(text, value_text(l->text))
GETTER(count, l->owner ? value_count(l->owner->count) : value_none())
GETTER(cycles, value_ticks(cycles_of(l)))
GETTER(share, part_of(cycles_of(l), (uint64_t)self->subject.why->cycles))
GETTER(cpi, part_of(cycles_of(l), self->subject.why->instructions))
GETTER(saved, l->owner || l->cause->saved < 0 ? value_none() : value_ticks(l->cause->saved))
GETTER(bound, value_text(l->owner || !l->cause->bound ? "" : l->cause->bound))
#undef GETTER

static const struct field cause_fields[] = {
    {FIELD_BY(TEXT, "cause", get_text)},
    {FIELD_BY(COUNT, "count", get_count), .minor = field_is_minor},
    {FIELD_BY(TICKS, "cycles", get_cycles)},
    {FIELD_BY(TICKS, "saved", get_saved)},
    {FIELD_BY(TEXT, "bound", get_bound)},
    {FIELD_BY(REAL, "cpi", get_cpi), .decimals = 3, .heading = "CPI"},
    {FIELD_BY(REAL, "share", get_share), .percent = true, .decimals = 1, .bar = true},
    {0},
};

static const struct section cause_section = {SECTION(LIST, "causes", line_rows, cause_fields)};

/* Names and bars have the cause's colour. */
static enum role cause_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct why_line *l = &((const struct why_pane *)result)->lines.data[row];

	(void)part;
	if (l->owner)
		return f->get == get_text ? ROLE_TEXT : ROLE_DIM;
	return f->bar || f->get == get_text
		   ? (enum role)(ROLE_METRIC_0 + (int)(l->cause->number % PALETTE_METRICS))
		   : ROLE_PANE;
}

static uint64_t line_number(const void *result, size_t row)
{
	(void)result;
	return row;
}

static void put_owner(struct why_pane *self, const struct why_cause *cause, const struct why_pc *pc)
{
	struct why_line l = {.cause = cause, .owner = pc};
	bool has_pc = false;
	uint64_t address = 0;
	const char *text;
	size_t len;
	int n;

	store_code(self->subject.store, pc->code, &address, &has_pc, &text, &len);
	n = has_pc ? snprintf(l.text, sizeof(l.text), "  %" PRIx64, address) : 1;
	snprintf(l.text + n, sizeof(l.text) - (size_t)n, " %.*s", (int)len, text);
	vec_push(&self->lines, l);
}

static int by_cycles(const void *a, const void *b)
{
	int64_t x = cycles_of(a), y = cycles_of(b);

	return (x < y) - (x > y);
}

/* The instructions that own the opened cause, dearest first. */
static void put_owners(struct why_pane *self, const struct why_cause *cause)
{
	const struct why *w = self->subject.why;
	const size_t first = self->lines.count;

	for (size_t i = 0; i < w->pcs.count; i++)
		if (w->pcs.data[i].causes[cause->number] > 0)
			put_owner(self, cause, &w->pcs.data[i]);
	qsort(self->lines.data + first, self->lines.count - first, sizeof(*self->lines.data),
	      by_cycles);
	if (self->lines.count > first + OWNERS)
		self->lines.count = first + OWNERS;
}

static void put_causes(struct why_pane *self)
{
	const struct why *w = self->subject.why;

	self->list.pane.cursor = ABOVE_THE_CAUSES;
	for (size_t i = 0; i < w->causes.count; i++) {
		struct why_line l = {.cause = &w->causes.data[i]};

		snprintf(l.text, sizeof(l.text), "%s", l.cause->name);
		vec_push(&self->lines, l);
		if (self->subject.opened && strcmp(self->subject.opened, l.text) == 0) {
			self->list.pane.cursor += i;
			put_owners(self, l.cause);
		}
	}
}

/* ---- the page ------------------------------------------------------------------------------ */

static void write_whatifs(struct list_pane *list, const struct why *w, int width)
{
	char title[80], n[32];

	snprintf(title, sizeof(title), "what if; as it was: %s cycles", num_group(w->cycles, n));
	section_table(list, &why_sections[WHY_SECTION_WHATIFS], w,
		      &(struct section_look){.width = width, .title = title});
}

static void write_parameters(struct list_pane *list, const struct why *w, int width)
{
	char words[128];

	list_pane_heading(list, "the machine, as the trace shows it");
	list_pane_add(list, ITEM_NONE, 0);
	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];

		snprintf(words, sizeof(words), "%s %" PRId64 "%s", p->name, p->value,
			 p->reached ? "" : " or more");
		pane_flow(list, width, ROLE_PANE, words, "; ");
	}
}

static void write_notes(struct list_pane *list, const struct why *w, int width)
{
	if (w->notes.count)
		list_pane_heading(list, "notes");
	for (size_t i = 0; i < w->notes.count; i++) {
		list_pane_add(list, ITEM_NONE, 0);
		pane_flow(list, width, ROLE_PANE, w->notes.data[i].text, "");
	}
}

static void write_page(struct list_pane *list, int width)
{
	const struct why_pane *self = of(&list->pane);
	const struct why *w = self->subject.why;

	if (!w) {
		list_pane_add(list, ITEM_NONE, 0);
		pane_flow(list, width, ROLE_DIM, self->state, "");
		return;
	}
	section_table(list, &cause_section, self,
		      &(struct section_look){
			  .width = width,
			  .title = width < HINTED ? NULL
						  : "causes  (Enter: its instructions; :whatif "
						    "dcache,branch or window=128)",
			  .role = cause_role,
			  .target = line_number});
	if (w->whatifs.count)
		write_whatifs(list, w, width);
	write_parameters(list, w, width);
	write_notes(list, w, width);
}

/* ---- the pane ------------------------------------------------------------------------------ */

static void title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, of(p)->subject.range.on ? "why" : "why (V, C-v: a part)");
	pane_range_title(of(p)->subject.store, &of(p)->subject.range, false, out);
	if (of(p)->subject.why && *of(p)->state)
		sbuf_printf(out, "  %s", of(p)->state);
}

static void heading(const struct pane *p, struct pane_line *out)
{
	const struct why *w = of(p)->subject.why;
	char cycles[32], committed[32];

	if (w)
		pane_line_add(out, ROLE_BORDER,
			      "%s cycles, %s committed: CPI %.3f; not explained: %.1f %%",
			      num_group(w->cycles, cycles),
			      num_group((int64_t)w->instructions, committed),
			      w->instructions ? (double)w->cycles / (double)w->instructions : 0,
			      w->residue_share * 100);
}

static const struct why_line *line_at(const struct pane *p, size_t i)
{
	const struct why_pane *self = of(p);
	struct place at;

	return list_pane_target(p, i, &at) ? &self->lines.data[at.item] : NULL;
}

/* Of a cause: opens it, or closes it again. */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct why_line *l = line_at(p, i);
	const char *opened = of(p)->subject.opened;

	if (!l || l->owner)
		return false;
	sbuf_puts(out, "why");
	if (!opened || strcmp(opened, l->text) != 0)
		sbuf_printf(out, " %s", l->text);
	return true;
}

static bool target(const struct pane *p, size_t i, struct place *to)
{
	const struct why_line *l = line_at(p, i);
	const struct why_dearest *d = l && l->owner ? &l->owner->dearest[l->cause->number] : NULL;

	if (d)
		*to = (struct place){.item = d->row, .tick = d->tick};
	return d;
}

static void free_pane(struct pane *p)
{
	struct why_pane *self = of(p);

	free(self->state);
	vec_free(&self->lines);
	list_pane_free(p);
}

static const struct pane_ops why_ops = {
    .title = title,
    .heading = heading,
    .count = list_pane_count,
    .line = list_pane_line,
    .target = target,
    .command = command,
    .free = free_pane,
    .width = WANTED,
};

struct pane *why_pane(const struct why_subject *subject)
{
	struct why_pane *self = xcalloc(1, sizeof(*self));

	list_pane_init(&self->list, &why_ops, write_page);
	self->subject = *subject;
	self->state = xstrdup(subject->state);
	if (subject->why)
		put_causes(self);
	return &self->list.pane;
}
