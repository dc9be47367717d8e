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
	HINTED = 76,           /* columns that the title with hints needs */
	OWNERS = 40,           /* instructions that are listed of a cause */
	ABOVE_THE_CAUSES = 3,  /* lines of their table, */
	ABOVE_THE_WHATIFS = 3, /* and of that below it */
	HALF = 50              /* percent */
};

/* Of one run: a cause, or below it an instruction that owns some of it. */
struct why_line {
	const struct why_cause *cause;
	const struct why_pc *pc; /* NULL: the cause itself */
	char text[128];
};

struct why_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct why_subject subject;
	struct why_compare both;
	const char *narrowed; /* to the opened cause; NULL: all instructions */
	VEC(struct why_line) lines;
};

static struct why_pane *of(const struct pane *p)
{
	return p->data;
}

/* ---- how causes look ----------------------------------------------------------------------- */

/* Only those that own no cycles share a colour with another one. */
static const struct {
	char letter;
	enum role role;
} looks[WHY_CAUSES] = {
    [WHY_BRANCH] = {'b', ROLE_METRIC_0},
    [WHY_ICACHE] = {'i', ROLE_METRIC_0 + 1},
    [WHY_DCACHE] = {'d', ROLE_METRIC_0 + 2},
    [WHY_DATA] = {'o', ROLE_METRIC_0 + 3},
    [WHY_WINDOW] = {'w', ROLE_METRIC_0 + 4},
    [WHY_QUEUE] = {'q', ROLE_METRIC_0 + 5},
    [WHY_WIDTH] = {'W', ROLE_METRIC_0 + 6},
    [WHY_ISSUE] = {'I', ROLE_METRIC_0 + 7},
    [WHY_MEMORY_ORDER] = {'m', ROLE_METRIC_0 + 9},
    [WHY_TAKEN_BRANCH] = {'t', ROLE_METRIC_0 + 8},
    [WHY_EXECUTE] = {'x', ROLE_DIM},
    [WHY_FRONT_END] = {'e', ROLE_DIM},
    [WHY_DISPATCH] = {'D', ROLE_METRIC_0 + 3},
    [WHY_COMMIT] = {'c', ROLE_DIM},
    [WHY_FETCH] = {'f', ROLE_METRIC_0 + 4},
    [WHY_CONTENTION] = {'n', ROLE_METRIC_0 + 5},
    [WHY_START] = {'s', ROLE_DIM},
};

struct curve_look why_look(const char *name, unsigned cause)
{
	const unsigned stage = cause - WHY_CAUSES;

	if (cause < WHY_CAUSES)
		return (struct curve_look){name, looks[cause].letter, looks[cause].role};
	return (struct curve_look){name, (char)('A' + stage),
				   (enum role)(ROLE_METRIC_0 + stage % PALETTE_METRICS)};
}

/* ---- one run ------------------------------------------------------------------------------- */

SECTION_ROWS(line, struct why_pane, lines)

static int64_t cycles_of(const struct why_line *l)
{
	return l->pc ? l->pc->causes[l->cause->number] : l->cause->cycles;
}

/* A share of what is not 0 where there are cycles. */
static struct value part_of(const struct why_line *l, uint64_t all)
{
	return all ? value_real((double)cycles_of(l) / (double)all) : value_none();
}

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct why *w = ((const struct why_pane *)result)->subject.why;              \
		const struct why_line *l = line_of(result, row);                                   \
                                                                                                   \
		(void)w, (void)part;                                                               \
		return expression;                                                                 \
	}
GETTER(text, value_text(l->text))
GETTER(count, l->pc ? value_count(l->pc->count) : value_none())
GETTER(cycles, value_ticks(cycles_of(l)))
GETTER(saved, l->pc || l->cause->saved < 0 ? value_none() : value_ticks(l->cause->saved))
GETTER(bound, value_text(!l->pc && l->cause->bound ? l->cause->bound : ""))
GETTER(cpi, part_of(l, w->instructions))
GETTER(share, part_of(l, (uint64_t)w->cycles))
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

static const char hinted_title[] =
    "causes  (Enter: its instructions; :whatif dcache,branch or window=128)";

static const struct section cause_section = {SECTION(LIST, "causes", line_rows, cause_fields)};

/* Names and bars have the cause's colour. */
static enum role cause_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct why_line *l = line_of(result, row);

	(void)part;
	if (l->pc)
		return f == cause_fields ? ROLE_TEXT : ROLE_DIM;
	return f->bar || f == cause_fields ? why_look(l->cause->name, l->cause->number).role
					   : ROLE_PANE;
}

static uint64_t line_number(const void *result, size_t row)
{
	(void)result;
	return row;
}

/* "window 64, lsq 24", "window: lsq 24": with the structures that were full. */
static void put_cause(struct why_pane *self, const struct why_cause *c)
{
	const struct why *w = self->subject.why;
	struct why_line l = {.cause = c};
	const char *between = ": ";
	struct sbuf text = {0};
	char value[32];

	sbuf_puts(&text, c->name);
	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];

		if (p->cause != c->number || !p->reached)
			continue;
		if (strcmp(p->name, c->name) != 0)
			sbuf_printf(&text, "%s%s", between, p->name);
		sbuf_printf(&text, " %s", num_group(p->value, value));
		between = ", ";
	}
	snprintf(l.text, sizeof(l.text), "%s", sbuf_text(&text));
	sbuf_free(&text);
	vec_push(&self->lines, l);
}

static void put_owner(struct why_pane *self, const struct why_cause *c, const struct why_pc *pc)
{
	struct why_line l = {.cause = c, .pc = pc};
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
	const int64_t x = cycles_of(a), y = cycles_of(b);

	return (x < y) - (x > y);
}

/* The instructions that own the opened cause, those that own most first. */
static void put_owners(struct why_pane *self, const struct why_cause *c)
{
	const struct why *w = self->subject.why;
	const size_t first = self->lines.count;

	for (size_t i = 0; i < w->pcs.count; i++)
		if (w->pcs.data[i].code != CODE_NONE && w->pcs.data[i].causes[c->number])
			put_owner(self, c, &w->pcs.data[i]);
	qsort(self->lines.data + first, self->lines.count - first, sizeof(*self->lines.data),
	      by_cycles);
	if (self->lines.count > first + OWNERS)
		self->lines.count = first + OWNERS;
}

static void put_lines(struct why_pane *self)
{
	const struct why *w = self->subject.why;

	for (size_t i = 0; i < w->causes.count; i++) {
		const struct why_cause *c = &w->causes.data[i];

		put_cause(self, c);
		if (!self->subject.opened || strcmp(self->subject.opened, c->name) != 0)
			continue;
		self->list.pane.cursor = ABOVE_THE_CAUSES + self->lines.count - 1;
		put_owners(self, c);
	}
}

/* ---- two runs: tables of why_compare.h ----------------------------------------------------- */

static enum role difference_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct why_compare *c = result;
	const struct why_difference *d = &c->differences.data[row];
	const int side = d->cause[ALIGN_A] == WHY_NO_CAUSE ? ALIGN_B : ALIGN_A;

	(void)part;
	return f->bar || f == why_compare_sections[0].fields
		   ? why_look(d->name, d->cause[side]).role
		   : ROLE_PANE;
}

/* Behind those of the instructions. */
static uint64_t difference_number(const void *result, size_t row)
{
	return ((const struct why_compare *)result)->pcs.count + row;
}

/* An opened cause leaves the instructions that changed for it. */
static void narrow(struct why_pane *self)
{
	for (size_t i = 0; self->subject.opened && i < self->both.differences.count; i++) {
		if (strcmp(self->both.differences.data[i].name, self->subject.opened) != 0)
			continue;
		self->list.pane.cursor = ABOVE_THE_CAUSES + i;
		self->narrowed = self->both.differences.data[i].name;
		why_compare_narrow(&self->both, &self->both.differences.data[i]);
	}
}

static void write_both(struct list_pane *list, const struct why_pane *self, int width)
{
	char title[80];

	section_table(list, &why_compare_sections[0], &self->both,
		      &(struct section_look){.width = width,
					     .role = difference_role,
					     .target = difference_number});
	snprintf(title, sizeof(title), "instructions that %s %s  (Enter goes there)",
		 self->narrowed ? "changed for" : "own",
		 self->narrowed ? self->narrowed : "them");
	section_table(list, &why_compare_sections[1], &self->both,
		      &(struct section_look){
			  .width = width, .title = title, .target = line_number});
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
	char words[128], value[32];

	list_pane_heading(list, "the machine, as the trace shows it");
	list_pane_add(list, ITEM_NONE, 0);
	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];

		snprintf(words, sizeof(words), "%s %s%s", p->name, num_group(p->value, value),
			 p->reached ? "" : " or more");
		pane_flow(list, width, ROLE_PANE, words, "; ");
	}
}

/* Of two each says which it is of. */
static void write_notes(struct list_pane *list, const struct why *w, const char *of, int width)
{
	char words[256];

	for (size_t i = 0; i < w->notes.count; i++) {
		list_pane_add(list, ITEM_NONE, 0);
		snprintf(words, sizeof(words), "%s%s", of, w->notes.data[i].text);
		pane_flow(list, width, ROLE_PANE, words, "");
	}
}

static void write_one(struct list_pane *list, const struct why_pane *self, int width)
{
	const struct why *w = self->subject.why;

	section_table(list, &cause_section, self,
		      &(struct section_look){.width = width,
					     .title = width < HINTED ? NULL : hinted_title,
					     .role = cause_role,
					     .target = line_number});
	if (w->whatifs.count)
		write_whatifs(list, w, width);
	write_parameters(list, w, width);
}

static void write_page(struct list_pane *list, int width)
{
	const struct why_pane *self = of(&list->pane);
	const struct why *w = self->subject.why, *other = self->subject.other;

	(other ? write_both : write_one)(list, self, width);
	if (w->notes.count || other)
		list_pane_heading(list, "notes");
	write_notes(list, w, other ? "A: " : "", width);
	if (other)
		write_notes(list, other, "B: ", width);
}

/* ---- the pane ------------------------------------------------------------------------------ */

/* What is mostly not explained says so first. */
static void tell_run(const struct why_subject *subject, struct sbuf *out)
{
	const struct why *w = subject->why;
	const double unknown = w->residue_share * 100;
	char cycles[32], committed[32];

	if (unknown > HALF)
		sbuf_printf(out, "%.1f %% is not explained by the trace. ", unknown);
	if (subject->range.on)
		sbuf_puts(out, "fetched there, until the last one's commit: ");
	sbuf_printf(out, "%s cycles, %s committed: CPI %.3f", num_group(w->cycles, cycles),
		    num_group((int64_t)w->instructions, committed),
		    w->instructions ? (double)w->cycles / (double)w->instructions : 0);
	if (unknown <= HALF)
		sbuf_printf(out, "; not explained: %.1f %%", unknown);
}

static void heading(const struct pane *p, struct pane_line *out)
{
	const struct why_subject *subject = &of(p)->subject;
	struct sbuf words = {0};

	if (subject->other)
		why_compare_tell(&of(p)->both, &words);
	else if (subject->why)
		tell_run(subject, &words);
	pane_line_add(out, ROLE_BORDER, "%s", sbuf_text(&words));
	sbuf_free(&words);
}

/* Of one run. */
static const struct why_line *line_at(const struct why_pane *self, uint64_t item)
{
	return self->subject.other ? NULL : line_of(self, item);
}

/* NULL: it is an instruction. */
static const char *cause_at(const struct why_pane *self, uint64_t item)
{
	const struct why_line *l = line_at(self, item);

	if (l)
		return l->pc ? NULL : l->cause->name;
	return item < self->both.pcs.count
		       ? NULL
		       : self->both.differences.data[item - self->both.pcs.count].name;
}

/* The row that waited longest for a cause, or on one side of a pair of instructions for any. */
static struct why_dearest dearest_of(const struct why_pane *self, uint64_t item, int side,
				     const char **cause)
{
	const struct why_line *l = line_at(self, item);
	struct why_dearest found = {.cycles = 0};
	const struct why_pc *pc;

	if (l) {
		*cause = l->cause->name;
		return l->pc ? l->pc->dearest[l->cause->number] : found;
	}
	pc = &self->both.pcs.data[item].of[side];
	for (unsigned c = 0; c < WHY_CAUSES_ALL; c++) {
		if (pc->dearest[c].cycles <= found.cycles)
			continue;
		found = pc->dearest[c];
		*cause = why_cause_name(self->both.of[side], c);
	}
	return found;
}

/*
 * Of a cause: opens it, or closes it again. Of an instruction: what its dearest row cost, where
 * that is; what only the other run has is looked at there.
 */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct why_pane *self = of(p);
	const struct why_subject *subject = &self->subject;
	char row[32], cycles[32];
	struct why_dearest d;
	const char *cause;
	struct place at;

	if (!list_pane_target(p, i, &at))
		return false;
	cause = cause_at(self, at.item);
	if (cause) {
		sbuf_puts(out, "why");
		if (!subject->opened || strcmp(subject->opened, cause) != 0)
			sbuf_printf(out, " %s", cause);
		return true;
	}
	d = dearest_of(self, at.item, subject->focus, &cause);
	if (d.cycles) {
		sbuf_printf(out, "row %s: %s, %s cycle%s", num_group((int64_t)d.row, row), cause,
			    num_group(d.cycles, cycles), d.cycles == 1 ? "" : "s");
		return false;
	}
	d = dearest_of(self, at.item, !subject->focus, &cause);
	sbuf_printf(out, "compare switch ; goto row %" PRIu64, d.row);
	return true;
}

static bool target(const struct pane *p, size_t i, struct place *to)
{
	const char *cause;
	struct why_dearest d;

	if (!list_pane_target(p, i, to) || cause_at(of(p), to->item))
		return false;
	d = dearest_of(of(p), to->item, of(p)->subject.focus, &cause);
	*to = (struct place){.item = d.row, .tick = d.tick};
	return d.cycles;
}

static void free_pane(struct pane *p)
{
	struct why_pane *self = of(p);

	why_compare_free(&self->both);
	vec_free(&self->lines);
	list_pane_free(p);
}

static const struct pane_ops why_ops = {
    .title = list_pane_title,
    .heading = heading,
    .count = list_pane_count,
    .line = list_pane_line,
    .target = target,
    .command = command,
    .free = free_pane,
    .width = WANTED,
};

void why_pane_to_whatif(struct pane *p)
{
	const struct why_pane *self = of(p);

	if (self->subject.why && !self->subject.other && self->subject.why->whatifs.count)
		p->cursor = ABOVE_THE_CAUSES + self->lines.count + ABOVE_THE_WHATIFS +
			    self->subject.why->whatifs.count - 1;
}

struct pane *why_pane(const struct why_subject *subject)
{
	struct why_pane *self = xcalloc(1, sizeof(*self));
	struct error e;

	self->subject = *subject;
	self->list.pane.cursor = ABOVE_THE_CAUSES;
	if (subject->other &&
	    why_compare_new(&self->both, subject->why, subject->other, &e) != STATUS_OK)
		self->subject.other = NULL;
	if (self->subject.other)
		narrow(self);
	pane_range_list(&self->list, &why_ops,
			&(struct pane_part){subject->other      ? "why: B against A"
					    : subject->range.on ? "why"
								: "why (V, C-v: a part)",
					    subject->store, &subject->range, subject->state},
			subject->why ? write_page : NULL);
	if (subject->why && !self->subject.other)
		put_lines(self);
	return &self->list.pane;
}
