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

/* A cause, or below it an instruction that owns some of it; of one run or of both. */
struct why_line {
	const char *cause;
	unsigned colour;
	bool owner;
	int64_t saved;     /* by a cause that was gone, of one run; < 0: not known */
	const char *bound; /* "": none */
	uint64_t count;    /* of an owner; UINT64_MAX: it is none */
	int64_t cycles[ALIGN_SIDES];
	struct why_dearest dearest[ALIGN_SIDES]; /* of an owner */
	char text[128];
};

struct why_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct why_subject subject;
	struct why_compare both;
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

/* ---- causes -------------------------------------------------------------------------------- */

SECTION_ROWS(line, struct why_pane, lines)

static size_t side_count(const void *result)
{
	(void)result;
	return ALIGN_SIDES;
}

static const char *side_name(const void *result, size_t side)
{
	(void)result;
	return side == ALIGN_A ? "A" : "B";
}

static int64_t change_of(const struct why_line *l)
{
	return l->cycles[ALIGN_B] - l->cycles[ALIGN_A];
}

/* A share of what is not 0 where there are cycles. */
static struct value part_of(int64_t cycles, uint64_t all)
{
	return all ? value_real((double)cycles / (double)all) : value_none();
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
GETTER(cycles, value_ticks(l->cycles[part]))
GETTER(share, part_of(l->cycles[ALIGN_A], (uint64_t)w->cycles))
GETTER(cpi, part_of(l->cycles[ALIGN_A], w->instructions))
GETTER(change, value_ticks(change_of(l)))
#undef GETTER

#define LINE(type, key, member) FIELD(type, key, line_of, struct why_line, member)

static const struct field cause_fields[] = {
    {FIELD_BY(TEXT, "cause", get_text)},
    {LINE(COUNT, "count", count), .minor = field_is_minor},
    {LINE(TICKS, "cycles", cycles[ALIGN_A])},
    {LINE(TICKS, "saved", saved)},
    {LINE(TEXT, "bound", bound)},
    {FIELD_BY(REAL, "cpi", get_cpi), .decimals = 3, .heading = "CPI"},
    {FIELD_BY(REAL, "share", get_share), .percent = true, .decimals = 1, .bar = true},
    {0},
};

static const struct field both_fields[] = {
    {FIELD_BY(TEXT, "cause", get_text)},
    {FIELD_BY(TICKS, "delta", get_change), .heading = "B - A"},
    {FIELD_BY(TICKS, "cycles", get_cycles), .parts = side_count, .part = side_name, .bar = true},
    {0},
};

static const struct section cause_section = {SECTION(LIST, "causes", line_rows, cause_fields)},
			    both_section = {SECTION(LIST, "causes", line_rows, both_fields)};

/* Names and bars have the cause's colour. */
static enum role cause_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct why_line *l = line_of(result, row);

	(void)part;
	if (l->owner)
		return f->get == get_text ? ROLE_TEXT : ROLE_DIM;
	return f->bar || f->get == get_text ? why_look(l->cause, l->colour).role : ROLE_PANE;
}

static uint64_t line_number(const void *result, size_t row)
{
	(void)result;
	return row;
}

static void name_owner(struct why_line *l, const struct store *s, uint32_t code)
{
	bool has_pc = false;
	uint64_t address = 0;
	const char *text;
	size_t len;
	int n;

	store_code(s, code, &address, &has_pc, &text, &len);
	n = has_pc ? snprintf(l->text, sizeof(l->text), "  %" PRIx64, address) : 1;
	snprintf(l->text + n, sizeof(l->text) - (size_t)n, " %.*s", (int)len, text);
}

/* What an instruction owns of a cause, in each run or in one; NULL: it is not there. */
static void put_owner(struct why_pane *self, const unsigned cause[ALIGN_SIDES],
		      const struct why_pc *a, const struct why_pc *b)
{
	const struct why_pc *const pc[] = {a, b};
	const struct why *const w[] = {self->subject.why, self->subject.other};
	struct why_line l = {
	    .cause = vec_last(&self->lines).cause, .owner = true, .saved = -1, .bound = ""};

	for (int s = ALIGN_SIDES - 1; s >= 0; s--) {
		if (!pc[s] || pc[s]->code == CODE_NONE || cause[s] == WHY_NO_CAUSE)
			continue;
		name_owner(&l, w[s]->store, pc[s]->code);
		l.count = pc[s]->count;
		l.cycles[s] = pc[s]->causes[cause[s]];
		l.dearest[s] = pc[s]->dearest[cause[s]];
	}
	if (change_of(&l))
		vec_push(&self->lines, l);
}

static int by_size(const void *a, const void *b)
{
	const int64_t change[] = {change_of(a), change_of(b)};
	const int64_t x = change[0] < 0 ? -change[0] : change[0];
	const int64_t y = change[1] < 0 ? -change[1] : change[1];

	return (x < y) - (x > y);
}

/* The instructions that own the opened cause: those that own or changed most first. */
static void put_owners(struct why_pane *self, const unsigned cause[ALIGN_SIDES])
{
	const struct why *w = self->subject.why;
	const size_t first = self->lines.count;

	for (size_t i = 0; i < self->both.pcs.count; i++)
		put_owner(self, cause, &self->both.pcs.data[i].of[ALIGN_A],
			  &self->both.pcs.data[i].of[ALIGN_B]);
	for (size_t i = 0; !self->subject.other && i < w->pcs.count; i++)
		put_owner(self, cause, &w->pcs.data[i], NULL);
	qsort(self->lines.data + first, self->lines.count - first, sizeof(*self->lines.data),
	      by_size);
	if (self->lines.count > first + OWNERS)
		self->lines.count = first + OWNERS;
}

/* "window 64, lsq 24", "window: lsq 24": of one run with the structures that were full. */
static void name_cause(struct why_line *l, const struct why_pane *self)
{
	const struct why *w = self->subject.why;
	const char *between = ": ";
	struct sbuf text = {0};
	char value[32];

	sbuf_puts(&text, l->cause);
	for (size_t i = 0; !self->subject.other && i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];

		if (p->cause != l->colour || !p->reached)
			continue;
		if (strcmp(p->name, l->cause) != 0)
			sbuf_printf(&text, "%s%s", between, p->name);
		sbuf_printf(&text, " %s", num_group(p->value, value));
		between = ", ";
	}
	snprintf(l->text, sizeof(l->text), "%s", sbuf_text(&text));
	sbuf_free(&text);
}

static void put_cause(struct why_pane *self, struct why_line l, const unsigned cause[ALIGN_SIDES])
{
	const char *opened = self->subject.opened;
	const bool is_opened = opened && strcmp(opened, l.cause) == 0;

	name_cause(&l, self);
	if (is_opened)
		self->list.pane.cursor = ABOVE_THE_CAUSES + self->lines.count;
	vec_push(&self->lines, l);
	if (is_opened)
		put_owners(self, cause);
}

/* Of one run those that save something, too. */
static void put_causes(struct why_pane *self)
{
	const struct why *w = self->subject.why;

	for (size_t i = 0; i < self->both.differences.count; i++) {
		const struct why_difference *d = &self->both.differences.data[i];
		const int side = d->cause[ALIGN_A] == WHY_NO_CAUSE ? ALIGN_B : ALIGN_A;

		put_cause(self,
			  (struct why_line){.cause = d->name,
					    .colour = d->cause[side],
					    .saved = -1,
					    .cycles = {d->cycles[ALIGN_A], d->cycles[ALIGN_B]}},
			  d->cause);
	}
	for (size_t i = 0; !self->subject.other && i < w->causes.count; i++) {
		const struct why_cause *c = &w->causes.data[i];

		put_cause(self,
			  (struct why_line){.cause = c->name,
					    .colour = c->number,
					    .count = UINT64_MAX,
					    .saved = c->saved,
					    .bound = c->bound ? c->bound : "",
					    .cycles = {c->cycles}},
			  (const unsigned[]){c->number, WHY_NO_CAUSE});
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

static void write_causes(struct list_pane *list, const struct section *section, const char *title,
			 int width)
{
	section_table(list, section, of(&list->pane),
		      &(struct section_look){.width = width,
					     .title = width < HINTED ? NULL : title,
					     .role = cause_role,
					     .target = line_number});
}

static void write_page(struct list_pane *list, int width)
{
	const struct why_subject *subject = &of(&list->pane)->subject;
	const struct why *w = subject->why;

	if (subject->other) {
		write_causes(list, &both_section, "causes  (Enter: the instructions that changed)",
			     width);
		list_pane_heading(list, "notes");
		write_notes(list, w, "A: ", width);
		write_notes(list, subject->other, "B: ", width);
		return;
	}
	write_causes(list, &cause_section,
		     "causes  (Enter: its instructions; :whatif dcache,branch or window=128)",
		     width);
	if (w->whatifs.count)
		write_whatifs(list, w, width);
	write_parameters(list, w, width);
	if (w->notes.count)
		list_pane_heading(list, "notes");
	write_notes(list, w, "", width);
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

static const struct why_line *line_at(const struct pane *p, size_t i)
{
	const struct why_pane *self = of(p);
	struct place at;

	return list_pane_target(p, i, &at) ? &self->lines.data[at.item] : NULL;
}

/*
 * Of a cause: opens it, or closes it again. Of an instruction: what its dearest row cost, where
 * that is; what only the other run has is looked at there.
 */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct why_line *l = line_at(p, i);
	const struct why_subject *subject = &of(p)->subject;
	const bool here = l && l->dearest[subject->focus].cycles;
	const struct why_dearest *d =
	    l ? &l->dearest[here ? subject->focus : !subject->focus] : NULL;
	char row[32], cycles[32];

	if (!l)
		return false;
	if (here)
		sbuf_printf(out, "row %s: %s, %s cycle%s", num_group((int64_t)d->row, row),
			    l->cause, num_group(d->cycles, cycles), d->cycles == 1 ? "" : "s");
	else if (l->owner)
		sbuf_printf(out, "%s ; goto row %" PRIu64, subject->to_other, d->row);
	else if (!subject->opened || strcmp(subject->opened, l->cause) != 0)
		sbuf_printf(out, "why %s", l->cause);
	else
		sbuf_puts(out, "why");
	return !here;
}

static bool target(const struct pane *p, size_t i, struct place *to)
{
	const struct why_line *l = line_at(p, i);
	const struct why_dearest *d = l ? &l->dearest[of(p)->subject.focus] : NULL;

	if (!d || !d->cycles)
		return false;
	*to = (struct place){.item = d->row, .tick = d->tick};
	return true;
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
	pane_range_list(&self->list, &why_ops,
			&(struct pane_part){subject->other      ? "why: B against A"
					    : subject->range.on ? "why"
								: "why (V, C-v: a part)",
					    subject->store, &subject->range, subject->state},
			subject->why ? write_page : NULL);
	if (subject->why)
		put_causes(self);
	return &self->list.pane;
}
