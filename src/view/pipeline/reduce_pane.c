#include "config.h"

#include "view/pipeline/reduce_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/pipeline/reduce_pane_private.h"

enum { WANTED = 100, DEAREST_LINES = 20 };

struct reduce_pane {
	struct pane pane;
	struct reduce_subject subject;
	char *state, *hint;
	struct list_pane *lines; /* for a pane of `width` columns; NULL: not made yet */
	int width;
};

static struct reduce_pane *of(const struct pane *p)
{
	return p->data;
}

/* ---- what the parts share ------------------------------------------------------------------ */

struct pane_line *page_line(struct reduce_page *page)
{
	return list_pane_add(page->out, ROW_NONE, 0);
}

void page_heading(struct reduce_page *page, const char *text)
{
	list_pane_heading(page->out, text);
}

double reduce_per(int64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static const char *number(uint64_t value, char buf[32])
{
	return num_group((int64_t)value, buf);
}

/* ---- header -------------------------------------------------------------------------------- */

/* The words go on in the last line if they fit there. */
static void flow(struct reduce_page *page, const char *words)
{
	struct pane_line *l = &page->out->lines[page->out->count - 1].line;
	int used = text_width(sbuf_text(&l->text), l->text.len);

	if (used && used + 3 + text_width(words, strlen(words)) > page->width)
		l = page_line(page);
	else if (used)
		pane_line_add(l, ROLE_PANE, "   ");
	pane_line_add(l, ROLE_PANE, "%s", words);
}

static void flow_count(struct reduce_page *page, const char *name, uint64_t count, const char *more)
{
	struct sbuf words = {0};
	char n[32];

	sbuf_printf(&words, "%s %s%s", name, number(count, n), more);
	flow(page, sbuf_text(&words));
	sbuf_free(&words);
}

static void flow_arcs(struct reduce_page *page, const struct reduction *r)
{
	static const char *const steps[REDUCE_STAGES] = {"arcs", "-> R1", "-> R2", "-> R3"};
	char more[48] = "", n[32];

	for (int i = 0; i < REDUCE_STAGES; i++) {
		if (i)
			snprintf(more, sizeof(more), " (-%s)",
				 number(r->arcs[i - 1] - r->arcs[i], n));
		flow_count(page, steps[i], r->arcs[i], more);
	}
}

/* Why a number is an estimate stands beside it. */
static void put_grounds(struct reduce_page *page)
{
	const struct reduced_trace *t = &page->reduced->trace;
	const struct {
		uint64_t count;
		const char *one, *many;
	} grounds[] = {
	    {t->counts.loads, "load does not tell from where: no dependencies through memory",
	     "loads do not tell from where: no dependencies through memory"},
	    {t->counts.unread, "instruction with operands that could not be read",
	     "instructions with operands that could not be read"},
	    {t->counts.redirects, "went on elsewhere without being a branch",
	     "went on elsewhere without being branches"},
	    {t->counts.orphans, "micro-op without its instruction, left out",
	     "micro-ops without their instruction, left out"},
	    {t->run.reduction.beyond, "arc longer than any pipeline, left out",
	     "arcs longer than any pipeline, left out"},
	};
	char n[32];

	if (!reduced_trace_exact(t))
		pane_line_add(page_line(page), ROLE_MARK, "an estimate:");
	for (size_t i = 0; i < sizeof(grounds) / sizeof(grounds[0]); i++)
		if (grounds[i].count)
			pane_line_add(page_line(page), ROLE_DIM, "  %s %s",
				      number(grounds[i].count, n),
				      grounds[i].count == 1 ? grounds[i].one : grounds[i].many);
	if (t->links)
		pane_line_add(page_line(page), ROLE_DIM, "  arcs are the links of the trace");
}

static void put_header(struct reduce_page *page)
{
	const struct reduced_trace *t = &page->reduced->trace;
	const struct reduction *r = &t->run.reduction;
	const struct reduce_tally *chains = &r->chains[REDUCE_R3];
	char more[48];

	page_line(page);
	flow(page, store_format(page->subject->store)->name);
	if (t->isa != ISA_UNKNOWN)
		flow(page, isa_name(t->isa));
	flow(page, reduced_trace_exact(t) ? "exact" : "estimate");
	if (page->subject->so_far)
		flow(page, "so far: the trace is still being read");
	page_line(page);
	flow_count(page, "instructions", r->instructions, "");
	snprintf(more, sizeof(more), " (p_b %.4f)",
		 reduce_per((int64_t)r->targets, r->instructions));
	flow_count(page, "targets", r->targets, more);
	flow_count(page, "self-resolving", r->self_resolving, "");
	page_line(page);
	flow_arcs(page, r);
	if (chains->entries.count)
		flow_count(page, "longest stack", vec_last(&chains->entries).key, "");
	put_grounds(page);
}

/* ---- the pipeline -------------------------------------------------------------------------- */

enum {
#define PART_ENUM(part, help) PART_##part,
	REDUCE_CYCLES_INFO(PART_ENUM)
#undef PART_ENUM
	    PARTS
};

/* What stands for a part in the bar: colour is not needed to tell them apart. */
static const char part_signs[PARTS] = {'1', 'f', 'd', 's', 'c'};

struct part {
	const char *name, *help;
	int64_t cycles;
};

static enum role part_role(int part)
{
	return (enum role)(ROLE_METRIC_0 + part);
}

static void put_signs(struct pane_line *l, int part, int columns)
{
	struct sbuf signs = {0};

	for (int i = 0; i < columns; i++)
		sbuf_putc(&signs, part_signs[part]);
	pane_line_bytes(l, part_role(part), sbuf_text(&signs), signs.len);
	sbuf_free(&signs);
}

static void put_bar(struct reduce_page *page, const struct part parts[PARTS])
{
	struct pane_line *l = page_line(page);
	int64_t sum = 0;
	int done = 0;

	for (int i = 0; i < PARTS; i++) {
		int end;

		sum += parts[i].cycles;
		end = (int)(reduce_per(sum, (uint64_t)page->cycles.cycles) * page->width + 0.5);
		put_signs(l, i, end - done);
		done = end;
	}
}

static void put_parts(struct reduce_page *page, const struct part parts[PARTS])
{
	char n[32];

	for (int i = 0; i < PARTS; i++) {
		struct pane_line *l = page_line(page);

		pane_line_add(l, part_role(i), "%c ", part_signs[i]);
		pane_line_add(l, ROLE_PANE, "%-12s %13s %5.1f %%", parts[i].name,
			      num_group(parts[i].cycles, n),
			      100 * reduce_per(parts[i].cycles, (uint64_t)page->cycles.cycles));
		if (page->width >= PAGE_NARROW)
			pane_line_add(l, ROLE_DIM, "  %s", parts[i].help);
	}
}

/* The machine itself, run over the trace, against the formula. */
static void put_check(struct reduce_page *page)
{
	const struct reduced *r = page->reduced;
	const struct reduce_cycles *c = &page->cycles;
	char n[32];

	if (!pipeline_same(&r->at, &c->at))
		pane_line_add(page_line(page), ROLE_DIM, "simulation goes on ...");
	else if (r->trace.run.simulated[0] == c->cycles)
		pane_line_add(page_line(page), ROLE_PANE, "simulation agrees to the cycle");
	else
		pane_line_add(page_line(page), ROLE_ERROR, "simulation: %s cycles. Please report",
			      num_group(r->trace.run.simulated[0], n));
}

static void put_pipeline(struct reduce_page *page)
{
	const struct reduce_cycles *c = &page->cycles;
	const struct part parts[PARTS] = {
#define PART_ROW(part, help) [PART_##part] = {#part, help, c->part},
	    REDUCE_CYCLES_INFO(PART_ROW)
#undef PART_ROW
	};
	bool narrow = page->width < PAGE_NARROW;
	char heading[80], n[32];

	snprintf(heading, sizeof(heading), "N_E %" PRId64 ", N_S %" PRId64 ": %s cycles",
		 c->at.execute, c->at.setup, num_group(c->cycles, n));
	page_heading(page, heading);
	put_bar(page, parts);
	put_parts(page, parts);
	if (c->naive >= 0)
		pane_line_add(page_line(page), ROLE_PANE, "  %-12s %13s %5.2f times%s", "naive",
			      num_group(c->naive, n),
			      reduce_per(c->naive, (uint64_t)c->cycles),
			      narrow ? "" : " as many: all arcs, none overlapping");
	put_check(page);
}

/* ---- the dearest dependencies -------------------------------------------------------------- */

static void put_code(const struct store *s, uint32_t code, struct pane_line *l)
{
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;

	if (!store_code(s, code, &pc, &has_pc, &text, &len))
		return;
	if (has_pc)
		pane_line_add(l, ROLE_PC, "%" PRIx64 " ", pc);
	pane_line_bytes(l, ROLE_PANE, text, len);
}

static void put_charge(struct reduce_page *page, const struct arc_charge *charge)
{
	struct pane_line *l = list_pane_add(page->out, charge->row, TICK_NONE);
	char n[32];

	pane_line_add(l, ROLE_PANE, "%11s ", num_group(charge->cycles, n));
	if (page->width >= PAGE_NARROW)
		pane_line_add(l, ROLE_PANE, "%9s %5" PRId64 " ", number(charge->count, n),
			      charge->most);
	pane_line_add(l, ROLE_PANE, " ");
	put_code(page->subject->store, charge->resolver, l);
	pane_line_add(l, ROLE_DIM, " -> ");
	put_code(page->subject->store, charge->dependent, l);
}

static void put_dearest(struct reduce_page *page)
{
	const struct run_result *run = &page->reduced->trace.run;
	const struct pipeline *at = &page->reduced->at;
	char heading[96];

	snprintf(heading, sizeof(heading),
		 "dearest dependencies at N_E %" PRId64 ", N_S %" PRId64 "%s", at->execute,
		 at->setup, page->width < PAGE_NARROW ? "" : " (Enter: where one costs most)");
	page_heading(page, heading);
	pane_line_add(page_line(page), ROLE_DIM, "%11s %s from -> to", "cycles",
		      page->width < PAGE_NARROW ? "" : "     arcs  most ");
	for (size_t i = 0; i < run->charge_count && i < DEAREST_LINES; i++)
		put_charge(page, &run->charges[i]);
	if (!run->charge_count)
		pane_line_add(page_line(page), ROLE_DIM, "no dependency costs a cycle");
	else if (run->charge_count > DEAREST_LINES)
		pane_line_add(page_line(page), ROLE_DIM, "and %zu more",
			      run->charge_count - DEAREST_LINES);
}

/* ---- the page ------------------------------------------------------------------------------ */

static void (*const sections[])(struct reduce_page *page) = {
    put_header, put_pipeline, put_dearest, page_chains, page_histogram, page_grid, page_depth,
};

static void write_page(struct reduce_pane *self, struct reduce_page *page)
{
	struct error e;

	if (!page->reduced) {
		pane_line_add(page_line(page), ROLE_DIM, "%s", self->state);
		return;
	}
	if (reduced_at(page->reduced, &self->subject.look.at, &page->cycles, &e)) {
		pane_line_add(page_line(page), ROLE_ERROR, "%s", e.text);
		return;
	}
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](page);
}

static const struct pane_ops reduce_ops;

/* The lines follow the pane's width, which only drawing tells. */
static const struct pane *fitted(const struct pane *p)
{
	struct reduce_pane *self = of(p);
	int width = p->columns > 0 ? p->columns : WANTED;
	struct reduce_page page = {
	    .subject = &self->subject, .reduced = self->subject.reduced, .width = width};

	if (!self->lines || self->width != width) {
		if (self->lines)
			list_pane_free(&self->lines->pane);
		page.out = self->lines = list_pane_new(&reduce_ops);
		self->width = width;
		write_page(self, &page);
	}
	return &self->lines->pane;
}

/* ---- the pane ------------------------------------------------------------------------------ */

static void title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, "reduced trace");
	pane_range_title(of(p)->subject.store, &of(p)->subject.range, false, out);
	if (*of(p)->state)
		sbuf_printf(out, "  %s", of(p)->state);
}

static void heading(const struct pane *p, struct pane_line *out)
{
	const struct reduce_look *look = &of(p)->subject.look;
	const struct reduced *r = of(p)->subject.reduced;
	struct reduce_cycles c;

	pane_line_add(out, ROLE_BORDER, "N_E %" PRId64 "  N_S %" PRId64, look->at.execute,
		      look->at.setup);
	if (r && !reduced_at(r, &look->at, &c, NULL))
		pane_line_add(out, ROLE_BORDER, "   %.4f cycles%s",
			      reduce_per(c.cycles, r->trace.run.reduction.instructions),
			      p->columns < PAGE_NARROW ? "/instr" : " an instruction");
	if (p->columns >= PAGE_NARROW)
		pane_line_add(out, ROLE_DIM, "   %s", of(p)->hint);
}

static size_t count(const struct pane *p)
{
	return list_pane_count(fitted(p));
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	list_pane_line(fitted(p), i, out);
}

static bool target(const struct pane *p, size_t i, struct place *to)
{
	return list_pane_target(fitted(p), i, to);
}

static void free_pane(struct pane *p)
{
	struct reduce_pane *self = of(p);

	if (self->lines)
		list_pane_free(&self->lines->pane);
	free(self->state);
	free(self->hint);
	free(self);
}

static const struct pane_ops reduce_ops = {
    .name = "reduce",
    .help = "what the program's own dependencies and branches cost; Enter goes to the dearest",
    .title = title,
    .heading = heading,
    .count = count,
    .line = line,
    .target = target,
    .free = free_pane,
    .width = WANTED,
    .table = true,
};

struct pane *reduce_pane(const struct reduce_subject *subject)
{
	struct reduce_pane *self = xcalloc(1, sizeof(*self));

	self->pane.ops = &reduce_ops;
	self->pane.data = self;
	self->subject = *subject;
	self->state = xstrdup(subject->state);
	self->hint = xstrdup(subject->hint);
	return &self->pane;
}
