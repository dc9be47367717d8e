#include "config.h"

#include "view/pipeline/reduce_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "analysis/pipeline/reduce_report.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/section_pane.h"

enum {
	WANTED = 100,
	DEAREST_LINES = 20,
	PAGE_NARROW = 66 /* columns below which what can be done without is left out */
};

struct reduce_pane {
	struct list_pane list; /* first: it is what the pane is of */
	struct reduce_subject subject;
	char hint[80];
};

static struct reduce_pane *of(const struct pane *p)
{
	return p->data;
}

/* What the parts are written on: none is wider than that. A narrow one leaves out columns and words. */
struct page {
	const struct reduce_subject *subject;
	const struct reduced *reduced;
	struct reduce_report report; /* at the pipeline looked at */
	struct list_pane *out;
	int width;
};

static struct pane_line *page_line(struct page *page)
{
	return list_pane_add(page->out, ROW_NONE, 0);
}

/* In all of the page's width. */
static void page_table(struct page *page, const struct section *s, const void *result,
		       struct section_look look)
{
	look.width = page->width;
	section_table(page->out, s, result, &look);
}

/* ---- header -------------------------------------------------------------------------------- */

static void put_header(struct page *page)
{
	page_line(page);
	section_flow(page->out, reduce_sections[REDUCE_PROGRAM].fields, &page->report, 0,
		     page->width);
	if (page->subject->so_far)
		pane_flow(page->out, page->width, ROLE_PANE,
			  "so far: the trace is still being read", "   ");
}

static void put_notes(struct page *page)
{
	if (page->report.note_count)
		page_table(page, &reduce_sections[REDUCE_NOTES], &page->report,
			   (struct section_look){.title = NULL});
}

/* ---- the pipeline -------------------------------------------------------------------------- */

/* Naive is no part. */
static enum role part_role(const void *result, const struct field *f, size_t row, size_t part)
{
	(void)result, (void)part;
	if (row < REDUCE_PART_COUNT && strcmp(f->key, "letter") == 0)
		return (enum role)(ROLE_METRIC_0 + (int)row);
	return strcmp(f->key, "help") == 0 ? ROLE_DIM : ROLE_PANE;
}

/* A bar of them below. */
static void put_bar(struct page *page)
{
	struct bar_part parts[REDUCE_PART_COUNT];

	for (int i = 0; i < REDUCE_PART_COUNT; i++)
		parts[i] =
		    (struct bar_part){*page->report.parts[i].letter, (enum role)(ROLE_METRIC_0 + i),
				      (double)page->report.parts[i].cycles};
	pane_parts_bar(page_line(page), parts, REDUCE_PART_COUNT, (double)page->report.at.cycles,
		       page->width);
}

/* The machine itself, run over the trace, against the formula. */
static void put_check(struct page *page)
{
	const struct reduced *r = page->reduced;
	const struct reduce_cycles *c = &page->report.at;
	char n[32];

	if (!pipeline_same(&r->at, &c->at))
		pane_line_add(page_line(page), ROLE_DIM, "simulation goes on ...");
	else if (r->trace.simulated[0] == c->cycles)
		pane_line_add(page_line(page), ROLE_PANE, "simulation agrees to the cycle");
	else
		pane_line_add(page_line(page), ROLE_ERROR, "simulation: %s cycles. Please report",
			      num_group(r->trace.simulated[0], n));
}

static void put_pipeline(struct page *page)
{
	const struct reduce_cycles *c = &page->report.at;
	char heading[80], n[32];

	snprintf(heading, sizeof(heading), "N_E %" PRId64 ", N_S %" PRId64 ": %s cycles",
		 c->at.execute, c->at.setup, num_group(c->cycles, n));
	page_table(page, &reduce_sections[REDUCE_PARTS], &page->report,
		   (struct section_look){.title = heading, .role = part_role});
	put_bar(page);
	put_check(page);
}

/* ---- the dearest dependencies -------------------------------------------------------------- */

static enum role dearest_role(const void *result, const struct field *f, size_t row, size_t part)
{
	(void)result, (void)row, (void)part;
	return f->type == VALUE_HEX ? ROLE_PC : ROLE_PANE;
}

static uint64_t dearest_target(const void *result, size_t row)
{
	return ((const struct reduce_report *)result)->dearest->data[row].charge.row;
}

static void put_dearest(struct page *page)
{
	size_t all = page->reduced->trace.charge_count;
	const struct pipeline *at = &page->reduced->at;
	char heading[96];

	snprintf(heading, sizeof(heading),
		 "dearest dependencies at N_E %" PRId64 ", N_S %" PRId64 "%s", at->execute,
		 at->setup, page->width < PAGE_NARROW ? "" : " (Enter: where one costs most)");
	page_table(page, &reduce_sections[REDUCE_DEAREST], &page->report,
		   (struct section_look){
		       .title = heading, .role = dearest_role, .target = dearest_target});
	if (!all)
		pane_line_add(page_line(page), ROLE_DIM, "no dependency costs a cycle");
	else if (all > DEAREST_LINES)
		pane_line_add(page_line(page), ROLE_DIM, "and %zu more", all - DEAREST_LINES);
}

/* ---- heat maps ----------------------------------------------------------------------------- */

static enum role chain_heat(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct reduce_report *r = result;
	uint64_t most = 1;

	for (size_t i = 0; i < r->chain_count; i++)
		for (int stage = REDUCE_R1; stage < REDUCE_STAGES; stage++)
			if (r->chains[i].count[stage] > most)
				most = r->chains[i].count[stage];
	return strcmp(f->key, "arcs") == 0
		   ? ROLE_DIM
		   : heat_role((double)field_value(f, result, row, part).count, (double)most);
}

/* The last row is the sum. */
static enum role distance_heat(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct reduce_report *r = result;

	if (row + 1 == r->distance_count || strcmp(f->key, "distance") == 0)
		return ROLE_DIM;
	return heat_role((double)field_value(f, result, row, part).count, (double)r->most);
}

/* Hundredths of a cycle, so that the scale begins at what can be read. */
static enum role penalty_heat(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct reduce_report *r = result;
	const struct reduce_cycles *c = &r->points[row * r->across + part];

	if (!f->parts)
		return ROLE_DIM;
	if (pipeline_same(&c->at, &r->at.at))
		return ROLE_PANE_CURSOR;
	return heat_role(100 * reduce_penalty(c),
			 100 * reduce_penalty(&r->points[r->point_count - r->across]));
}

static void put_tables(struct page *page)
{
	static const struct {
		const struct section *section;
		enum role (*role)(const void *result, const struct field *f, size_t row,
				  size_t part);
	} tables[] = {{&reduce_sections[REDUCE_STAGE_TABLE], NULL},
		      {&reduce_sections[REDUCE_CHAIN_TABLE], chain_heat},
		      {&reduce_sections[REDUCE_DISTANCES], distance_heat},
		      {&reduce_penalties, penalty_heat}};
	const size_t stacks = page->report.r->stacks.list.count;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		page_table(page, tables[i].section, &page->report,
			   (struct section_look){.role = tables[i].role});
		if (tables[i].role == distance_heat && stacks)
			pane_line_add(page_line(page), ROLE_DIM,
				      "the oldest arc of a stack stands for it: %zu different ones",
				      stacks);
	}
}

/* ---- how long to make it ------------------------------------------------------------------- */

static enum role best_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct depth *r = result;

	(void)part;
	if (depth_has_best(r) && r->at[row].n == r->best_n)
		return ROLE_MARK;
	return f->bar ? ROLE_METRIC_0 : ROLE_PANE;
}

/* ", gamma 2/3": as it was given. */
static void put_fraction(struct sbuf *out, const char *name, const struct fraction *f)
{
	sbuf_printf(out, "%s %" PRId64, name, f->num);
	if (f->den != 1)
		sbuf_printf(out, "/%" PRId64, f->den);
}

static void put_depth(struct page *page)
{
	struct depth d = page->reduced->depth;
	struct sbuf title = {0};

	d.estimate = page->report.estimate;
	put_fraction(&title, "how long to make it: E/S", &page->reduced->es);
	put_fraction(&title, ", gamma", &page->reduced->gamma);
	list_pane_heading(page->out, sbuf_text(&title));
	sbuf_free(&title);
	page_line(page);
	pane_flow(page->out, page->width, ROLE_PANE,
		  "Trust best n: it is exact for this trace. n_opt is the paper's estimate and may "
		  "miss it; it serves where there is no best n.",
		  "");
	page_line(page);
	section_flow(page->out, depth_sections[DEPTH_PIPELINES].fields, &d, 0, page->width);
	page_table(page, &depth_sections[DEPTH_TABLE], &d,
		   (struct section_look){.role = best_role});
}

/* ---- the page ------------------------------------------------------------------------------ */

static void (*const sections[])(struct page *page) = {
    put_header, put_pipeline, put_notes, put_dearest, put_tables, put_depth,
};

static void report_of(struct page *page, const dearest_vec *dearest)
{
	const struct reduced_trace *t = &page->reduced->trace;

	page->report.r = &t->reduction;
	page->report.format = store_format(page->subject->store)->name;
	page->report.isa = t->isa;
	page->report.links = t->links;
	page->report.estimate = !reduced_trace_exact(t);
	page->report.counts = t->counts;
	page->report.points = page->reduced->grid;
	page->report.point_count = REDUCED_GRID * REDUCED_GRID;
	page->report.dearest = dearest;
}

static enum status write_report(struct page *page, struct error *e)
{
	dearest_vec dearest = {0};
	enum status status =
	    reduced_at(page->reduced, &page->subject->look.at, &page->report.at, e);

	if (status)
		return status;
	dearest_of_store(&dearest, &page->reduced->trace, page->subject->store, DEAREST_LINES);
	report_of(page, &dearest);
	status = reduce_report_make(&page->report, e);
	for (size_t i = 0; !status && i < sizeof(sections) / sizeof(sections[0]); i++)
		sections[i](page);
	reduce_report_free(&page->report);
	dearest_free(&dearest);
	return status;
}

static void write_page(struct list_pane *list, int width)
{
	const struct reduce_pane *self = of(&list->pane);
	struct page page = {.subject = &self->subject,
				   .reduced = self->subject.reduced,
				   .out = list,
				   .width = width};
	struct error e;

	if (write_report(&page, &e))
		pane_line_add(page_line(&page), ROLE_ERROR, "%s", e.text);
}

/* ---- the pane ------------------------------------------------------------------------------ */

static void heading(const struct pane *p, struct pane_line *out)
{
	const struct reduce_look *look = &of(p)->subject.look;
	const struct reduced *r = of(p)->subject.reduced;
	struct reduce_cycles c;

	pane_line_add(out, ROLE_BORDER, "N_E %" PRId64 "  N_S %" PRId64, look->at.execute,
		      look->at.setup);
	if (r && !reduced_at(r, &look->at, &c, NULL))
		pane_line_add(out, ROLE_BORDER, "   %.4f cycles%s",
			      reduce_per(c.cycles, r->trace.reduction.instructions),
			      p->columns < PAGE_NARROW ? "/instr" : " an instruction");
	if (p->columns >= PAGE_NARROW)
		pane_line_add(out, ROLE_DIM, "   %s", of(p)->hint);
}

static const struct pane_ops reduce_ops = {
    LIST_PANE,
    .heading = heading,
    .width = WANTED,
};

struct pane *reduce_pane(const struct reduce_subject *subject)
{
	struct reduce_pane *self = xcalloc(1, sizeof(*self));

	self->subject = *subject;
	pane_range_list(&self->list, &reduce_ops,
			&(struct pane_part){"reduced trace", subject->store, &self->subject.range,
					    subject->state},
			subject->reduced ? write_page : NULL);
	snprintf(self->hint, sizeof(self->hint), "%s", subject->hint);
	return &self->list.pane;
}
