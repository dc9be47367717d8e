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
	OWNERS = 40,        /* instructions that are listed of a cause */
	ABOVE_THE_CAUSES = 3 /* lines of their table */
};

/* A cause, below it the instructions that own it; or a what-if. */
struct why_line {
	char text[128];
	int64_t cycles, saved;
	bool has_saved;
	uint64_t count; /* of committed instructions; UINT64_MAX: not said */
	const char *bound;
	size_t cause;    /* its place among the causes */
	struct place to; /* item ITEM_NONE: it is a cause */
};

struct why_lines {
	VEC(struct why_line) list;
	double run, instructions;
};

struct why_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct why_subject subject;
	char *state;
	struct why_lines causes, tried;
};

static struct why_pane *of(const struct pane *p)
{
	return p->data;
}

/* ---- tables -------------------------------------------------------------------------------- */

SECTION_ROWS(line, struct why_lines, list)

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct why_lines *lines = result;                                            \
		const struct why_line *l = &lines->list.data[row];                                 \
                                                                                                   \
		(void)part, (void)lines;                                                           \
		return expression;                                                                 \
	}
GETTER(text, value_text(l->text))
GETTER(share, value_real(lines->run > 0 ? (double)l->cycles / lines->run : 0))
GETTER(cpi, value_real(lines->instructions > 0 ? (double)l->cycles / lines->instructions : 0))
GETTER(saved, l->has_saved ? value_ticks(l->saved) : value_none())
GETTER(bound, value_text(l->bound ? l->bound : ""))
GETTER(gain, l->has_saved && lines->run > 0 ? value_real((double)l->saved / lines->run)
					    : value_none())
#undef GETTER

static const struct field cause_fields[] = {
    {FIELD_BY(TEXT, "cause", get_text)},
    {FIELD(COUNT, "count", line_of, struct why_line, count), .blank = true, .minor = field_is_minor},
    {FIELD(TICKS, "cycles", line_of, struct why_line, cycles)},
    {FIELD_BY(TICKS, "saved", get_saved)},
    {FIELD_BY(TEXT, "bound", get_bound)},
    {FIELD_BY(REAL, "cpi", get_cpi), .decimals = 3, .heading = "CPI"},
    {FIELD_BY(REAL, "share", get_share), .percent = true, .decimals = 1, .bar = true},
    {0},
};

static const struct field tried_fields[] = {
    {FIELD_BY(TEXT, "machine", get_text)},
    {FIELD(TICKS, "cycles", line_of, struct why_line, cycles)},
    {FIELD_BY(REAL, "cpi", get_cpi), .decimals = 3, .heading = "CPI"},
    {FIELD_BY(TICKS, "saved", get_saved)},
    {FIELD_BY(TEXT, "bound", get_bound)},
    {FIELD_BY(REAL, "gain", get_gain), .percent = true, .decimals = 1, .heading = "share"},
    {0},
};

static const struct section cause_section = {SECTION(LIST, "causes", line_rows, cause_fields)},
			    tried_section = {SECTION(LIST, "tried", line_rows, tried_fields)};

/* Names and bars have the cause's colour. */
static enum role cause_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct why_line *l = &((const struct why_lines *)result)->list.data[row];

	(void)part;
	if (l->to.item != ITEM_NONE)
		return f->type == VALUE_TEXT ? ROLE_TEXT : ROLE_DIM;
	return f->bar || f->get == get_text
		   ? (enum role)(ROLE_METRIC_0 + (int)(l->cause % PALETTE_METRICS))
		   : ROLE_PANE;
}

static uint64_t line_number(const void *result, size_t row)
{
	(void)result;
	return row;
}

/* ---- causes -------------------------------------------------------------------------------- */

struct owners {
	const struct why *w;
	unsigned cause;
};

static int by_cycles(const void *a, const void *b, void *arg)
{
	const struct owners *o = arg;
	int64_t x = o->w->pcs.data[*(const size_t *)a].causes[o->cause];
	int64_t y = o->w->pcs.data[*(const size_t *)b].causes[o->cause];

	return (x < y) - (x > y);
}

static bool cause_number(const struct why *w, const char *name, unsigned *cause)
{
	for (*cause = 0; *cause < WHY_CAUSES + w->front_count; ++*cause)
		if (strcmp(why_cause_name(w, *cause), name) == 0)
			return true;
	return false;
}

static void put_owner(struct why_pane *self, const struct owners *o, size_t at, size_t of_cause)
{
	const struct why *w = o->w;
	const struct why_pc *pc = &w->pcs.data[at];
	const struct why_dearest *d = why_path_at(self->subject.path, at, o->cause);
	struct why_line l = {.cycles = pc->causes[o->cause],
			     .count = pc->count,
			     .cause = of_cause,
			     .to = {.item = d->row, .tick = d->tick}};
	bool has_pc = false;
	uint64_t address = 0;
	const char *text;
	size_t len;

	store_code(w->store, pc->code, &address, &has_pc, &text, &len);
	if (has_pc)
		snprintf(l.text, sizeof(l.text), "  %" PRIx64 " %.*s", address, (int)len, text);
	else
		snprintf(l.text, sizeof(l.text), "  %.*s", (int)len, text);
	vec_push(&self->causes.list, l);
}

/* The instructions that own the opened cause, dearest first. */
static void put_owners(struct why_pane *self, size_t of_cause)
{
	struct owners o = {.w = self->subject.why};
	size_t *order, count = 0;

	if (!cause_number(o.w, o.w->causes.data[of_cause].name, &o.cause))
		return;
	order = xcalloc(o.w->pcs.count + 1, sizeof(*order));
	for (size_t i = 0; i < o.w->pcs.count; i++)
		if (o.w->pcs.data[i].causes[o.cause] > 0)
			order[count++] = i;
	qsort_r(order, count, sizeof(*order), by_cycles, &o);
	for (size_t i = 0; i < count && i < OWNERS; i++)
		put_owner(self, &o, order[i], of_cause);
	free(order);
}

static void put_causes(struct why_pane *self)
{
	const struct why *w = self->subject.why;

	self->list.pane.cursor = ABOVE_THE_CAUSES;
	for (size_t i = 0; i < w->causes.count; i++) {
		const struct why_cause *c = &w->causes.data[i];
		const bool open = self->subject.opened &&
				  strcmp(self->subject.opened, c->name) == 0;
		struct why_line l = {.cycles = c->cycles,
				     .saved = c->saved,
				     .has_saved = c->saved >= 0,
				     .count = UINT64_MAX,
				     .bound = c->bound,
				     .cause = i,
				     .to.item = ITEM_NONE};

		snprintf(l.text, sizeof(l.text), "%s", c->name);
		if (open)
			self->list.pane.cursor += i;
		vec_push(&self->causes.list, l);
		if (open)
			put_owners(self, i);
	}
}

/* ---- what-ifs ------------------------------------------------------------------------------ */

static void name_whatif(const struct why *w, const struct why_whatif *f, char *out, size_t size)
{
	const char *before = "without ";
	size_t n = 0;

	for (unsigned c = 0; c < WHY_CAUSES + w->front_count && n < size; c++)
		if (f->gone >> c & 1) {
			n += (size_t)snprintf(out + n, size - n, "%s%s", before,
					      why_cause_name(w, c));
			before = ", ";
		}
	for (size_t i = 0; i < f->set.count && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s=%" PRId64, n ? ", " : "",
				      f->set.data[i].name, f->set.data[i].value);
}

static void put_whatifs(struct why_pane *self)
{
	const struct why *w = self->subject.why;
	struct why_line base = {.text = "as it was", .cycles = w->cycles};

	vec_push(&self->tried.list, base);
	for (size_t i = 0; i < w->whatifs.count; i++) {
		const struct why_whatif *f = &w->whatifs.data[i];
		struct why_line l = {.cycles = f->cycles,
				     .saved = f->saved,
				     .has_saved = true,
				     .bound = f->bound};

		name_whatif(w, f, l.text, sizeof(l.text));
		vec_push(&self->tried.list, l);
	}
}

/* ---- the page ------------------------------------------------------------------------------ */

static void heading_line(struct list_pane *list, const char *text)
{
	list_pane_add(list, ITEM_NONE, 0);
	pane_line_add(list_pane_add(list, ITEM_NONE, 0), ROLE_BORDER, "%s", text);
	list_pane_add(list, ITEM_NONE, 0);
}

static void write_parameters(struct list_pane *list, const struct why *w, int width)
{
	char words[128];

	if (w->parameters.count)
		heading_line(list, "the machine, as the trace shows it");
	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];

		snprintf(words, sizeof(words), "%s %" PRId64 "%s", p->name, p->value,
			 p->reached ? "" : " or more");
		pane_flow(list, width, ROLE_PANE, words, "; ");
	}
}

static void write_notes(struct list_pane *list, const struct why *w, bool so_far, int width)
{
	if (w->notes.count || so_far)
		heading_line(list, "notes");
	list->count -= w->notes.count || so_far; /* each begins a line of its own */
	if (so_far) {
		list_pane_add(list, ITEM_NONE, 0);
		pane_flow(list, width, ROLE_PANE, "so far: the trace is still being read", "");
	}
	for (size_t i = 0; i < w->notes.count; i++) {
		list_pane_add(list, ITEM_NONE, 0);
		pane_flow(list, width, ROLE_PANE, w->notes.data[i].text, "");
	}
}

static void write_page(struct list_pane *list, int width)
{
	struct why_pane *self = of(&list->pane);
	const struct why *w = self->subject.why;

	if (!w) {
		list_pane_add(list, ITEM_NONE, 0);
		pane_flow(list, width, ROLE_DIM, self->state, "");
		return;
	}
	section_table(list, &cause_section, &self->causes,
		      &(struct section_look){.width = width,
					     .title = "causes",
					     .role = cause_role,
					     .target = line_number});
	if (w->whatifs.count)
		section_table(list, &tried_section, &self->tried,
			      &(struct section_look){.width = width, .title = "what if"});
	write_parameters(list, w, width);
	write_notes(list, w, self->subject.so_far, width);
}

/* ---- the pane ------------------------------------------------------------------------------ */

static void title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, of(p)->subject.range.on ? "why" : "why (V, C-v: a part)");
	pane_range_title(of(p)->subject.store, &of(p)->subject.range, false, out);
	if (*of(p)->state)
		sbuf_printf(out, "  %s", of(p)->state);
}

static void heading(const struct pane *p, struct pane_line *out)
{
	const struct why *w = of(p)->subject.why;
	char cycles[32], committed[32];

	if (!w)
		return;
	pane_line_add(out, ROLE_BORDER, "%s cycles, %s committed: CPI %.3f; not explained: %.1f %%",
		      num_group(w->cycles, cycles),
		      num_group((int64_t)w->instructions, committed),
		      w->instructions ? (double)w->cycles / (double)w->instructions : 0,
		      w->residue_share * 100);
}

static const struct why_line *line_at(const struct pane *p, size_t i)
{
	const struct why_pane *self = of(p);

	list_pane_count(p);
	return i < self->list.count && self->list.lines[i].item < self->causes.list.count
		   ? &self->causes.list.data[self->list.lines[i].item]
		   : NULL;
}

/* Of a cause: opens it, or closes it again. */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct why_line *l = line_at(p, i);
	const char *opened = of(p)->subject.opened;

	if (!l || l->to.item != ITEM_NONE)
		return false;
	sbuf_puts(out, "why");
	if (!opened || strcmp(opened, l->text) != 0)
		sbuf_printf(out, " %s", l->text);
	return true;
}

static bool target(const struct pane *p, size_t i, struct place *to)
{
	const struct why_line *l = line_at(p, i);

	if (!l || l->to.item == ITEM_NONE)
		return false;
	*to = l->to;
	return true;
}

static void free_pane(struct pane *p)
{
	struct why_pane *self = of(p);

	free(self->state);
	vec_free(&self->causes.list);
	vec_free(&self->tried.list);
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
	if (subject->why) {
		self->causes.run = self->tried.run = (double)subject->why->cycles;
		self->causes.instructions = self->tried.instructions =
		    (double)subject->why->instructions;
		put_causes(self);
		put_whatifs(self);
	}
	return &self->list.pane;
}
