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
	LISTED = 40,    /* instructions */
	ABOVE_THEM = 14 /* lines that stay in sight where a cause is opened */
};

struct why_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct why_subject subject;
	struct why_compare runs;
};

static struct why_pane *of(const struct pane *p)
{
	return p->data;
}

struct curve_look why_look(const char *name, unsigned cause)
{
	const bool stage = cause >= WHY_CAUSES;
	const bool stays = !stage && why_causes[cause].gone == WHY_GONE_NOTHING;

	/* those behind have the colours of window, queue and data, which own no cycles */
	return (struct curve_look){
	    name, stage ? (char)('A' + cause - WHY_CAUSES) : why_causes[cause].letter,
	    stays ? ROLE_DIM : ROLE_METRIC_0 + cause % PALETTE_METRICS};
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Words and bars. */
static enum role cause_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct why_cause_pair *p = &((const struct why_compare *)result)->causes.data[row];

	(void)part;
	return f->bar || f->type == VALUE_TEXT ? why_look(p->name, p->number).role : ROLE_PANE;
}

static uint64_t pc_number(const void *result, size_t row)
{
	(void)result;
	return row;
}

/* Behind those of the instructions. */
static uint64_t cause_number(const void *result, size_t row)
{
	return ((const struct why_compare *)result)->pcs.count + row;
}

/* of: whose it is, of two. */
static void write_whatifs(struct list_pane *list, const struct why *w, const char *of, int width)
{
	const struct section *s = &why_sections[WHY_SECTION_WHATIFS];
	char title[80];

	snprintf(title, sizeof(title), "%s%s", of, s->title);
	if (w->whatifs.count)
		section_table(list, s, &(struct why_compare){.of = {w}},
			      &(struct section_look){.width = width, .title = title});
}

static void write_machine(struct list_pane *list, const struct why *w, const char *of, int width)
{
	char words[128], value[32];

	snprintf(words, sizeof(words), "%sthe machine, as the trace shows it", of);
	list_pane_heading(list, words);
	list_pane_add(list, ITEM_NONE, 0);
	for (size_t i = 0; i < w->parameters.count; i++) {
		const struct why_parameter *p = &w->parameters.data[i];

		snprintf(words, sizeof(words), "%s %s%s", p->name, num_group(p->value, value),
			 p->reached ? "" : " or more");
		pane_flow(list, width, ROLE_PANE, words, "; ");
	}
	for (size_t i = 0; i < w->note_count; i++) {
		list_pane_add(list, ITEM_NONE, 0);
		pane_flow(list, width, ROLE_DIM, w->notes[i].text, "");
	}
}

static void write_page(struct list_pane *list, int width)
{
	static const char *const alone[] = {"", ""}, *const two[] = {"A: ", "B: "};
	const struct why_pane *self = of(&list->pane);
	const struct why *const *w = self->runs.of;
	const bool both = w[ALIGN_B];
	const char *const *of = both ? two : alone;
	char title[120];

	snprintf(title, sizeof(title), "instructions that own %s  (Enter: the dearest row)",
		 *self->runs.asked ? self->runs.asked : "cycles");
	section_table(list,
		      both ? &why_two_sections[WHY_TWO_CAUSES]
			   : &why_sections[WHY_SECTION_CAUSES],
		      &self->runs,
		      &(struct section_look){.width = width,
					     .title = "causes  (Enter: its instructions; "
						      ":whatif dcache,branch or window=128)",
					     .role = cause_role,
					     .target = cause_number});
	for (int s = 0; s < ALIGN_SIDES && w[s]; s++)
		write_whatifs(list, w[s], of[s], width);
	if (self->runs.pcs.count)
		section_table(list,
			      both ? &why_two_sections[WHY_TWO_PCS]
				   : &why_sections[WHY_SECTION_PCS],
			      &self->runs,
			      &(struct section_look){width, title, LISTED, .target = pc_number});
	for (int s = 0; s < ALIGN_SIDES && w[s]; s++)
		write_machine(list, w[s], of[s], width);
}

/* ---- the pane ------------------------------------------------------------------------------ */

static void heading(const struct pane *p, struct pane_line *out)
{
	const struct why_compare *runs = &of(p)->runs;
	const struct why *w = runs->of[ALIGN_A];
	char cycles[32], committed[32];
	struct sbuf words = {0};

	if (runs->of[ALIGN_B])
		why_compare_tell(runs, &words);
	else if (w)
		sbuf_printf(&words, "%s%s cycles, %s committed: CPI %.3f; not explained: %.1f %%",
			    of(p)->subject.range.on ? "fetched there, until the last one's commit: "
						    : "",
			    num_group(w->cycles, cycles),
			    num_group((int64_t)w->instructions, committed), w->cpi,
			    w->residue_share * 100);
	pane_line_add(out, ROLE_BORDER, "%s", sbuf_text(&words));
	sbuf_free(&words);
}

/*
 * Of a cause: opens it, or closes it again. Of an instruction: what its dearest row cost, where
 * that is; what only the other run has is looked at there.
 */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct why_compare *runs = &of(p)->runs;
	const int focus = of(p)->subject.focus;
	const struct why_owned *own;
	char row[32], cycles[32];
	struct place at;

	if (!list_pane_target(p, i, &at))
		return false;
	if (at.item >= runs->pcs.count) {
		const char *name = runs->causes.data[at.item - runs->pcs.count].name;
		const bool open = strcmp(runs->asked, name) == 0;

		sbuf_printf(out, "why%s%s", open ? "" : " ", open ? "" : name);
		return true;
	}
	own = &runs->pcs.data[at.item].of[focus];
	if (!own->cause) {
		sbuf_printf(out, "compare switch ; goto row %" PRIu64,
			    runs->pcs.data[at.item].of[!focus].dearest.row);
		return true;
	}
	sbuf_printf(out, "row %s: %s, %s cycle%s", num_group((int64_t)own->dearest.row, row),
		    own->cause, num_group(own->dearest.cycles, cycles),
		    own->dearest.cycles == 1 ? "" : "s");
	return false;
}

static bool target(const struct pane *p, size_t i, struct place *to)
{
	const struct why_compare *runs = &of(p)->runs;
	const struct why_owned *own;

	if (!list_pane_target(p, i, to) || to->item >= runs->pcs.count)
		return false;
	own = &runs->pcs.data[to->item].of[of(p)->subject.focus];
	*to = (struct place){.item = own->dearest.row, .tick = own->dearest.tick};
	return own->cause;
}

static void free_pane(struct pane *p)
{
	why_compare_free(&of(p)->runs);
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

/* On the first cause, or where one is opened on its first instruction. */
static void put_cursor(struct why_pane *self)
{
	const struct why_compare *runs = &self->runs;
	const bool opened = *runs->asked && runs->pcs.count;
	struct pane *p = &self->list.pane;
	struct place at;

	while (!list_pane_target(p, p->cursor, &at) || at.item != (opened ? 0 : runs->pcs.count))
		p->cursor++;
	p->top = p->cursor > ABOVE_THEM ? p->cursor - ABOVE_THEM : 0;
}

struct pane *why_pane(const struct why_subject *subject)
{
	struct why_pane *self = xcalloc(1, sizeof(*self));
	struct why_compare *runs = &self->runs;
	const struct why *a = subject->of[ALIGN_A], *b = subject->of[ALIGN_B];
	const char *opened = subject->opened;
	struct error e = {.text = ""};
	const bool made = a && !why_compare_new(runs, a, b, opened, &e);
	char name[120];

	self->subject = *subject;
	snprintf(name, sizeof(name), "why%s%s%s%s", b ? ": B against A" : "",
		 *opened ? ": " : "", opened,
		 *opened || b || subject->range.on ? "" : " (V, C-v: a part)");
	if (made && *opened && !runs->pcs.count)
		error_set(&e, STATUS_NOT_FOUND, why_cause_named(a, opened) != WHY_NO_CAUSE
						    ? "it owns no cycles: what it waits for does"
						    : "no such cause");
	pane_range_list(&self->list, &why_ops,
			&(struct pane_part){name, subject->store, &subject->range,
					    *e.text ? e.text : subject->state},
			made ? write_page : NULL);
	if (made && runs->causes.count)
		put_cursor(self);
	return &self->list.pane;
}
