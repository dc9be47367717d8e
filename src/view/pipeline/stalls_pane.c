#include "config.h"

#include "view/pipeline/panes.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/pipeline/stalls_table.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/table_pane.h"

struct stalled {
	struct stall_table table; /* first: what its section is of */
	struct stalls stalls;
	size_t named; /* lines that are instructions: the others stand below */
	char about[128];
};

/* Of the cycles of the run, how many were somebody's, and why the others were nobody's. */
static void tell_run(struct stalled *s)
{
	const struct stalls *r = &s->stalls;
	const double percent = r->run > 0 ? 100 / (double)r->run : 0;
	const char *before = ": ";
	struct sbuf out = {0};

	sbuf_printf(&out, "head %.0f %%; empty %.0f %%", (double)r->held * percent,
		    (double)(r->run - r->held) * percent);
	for (int i = 0; i < STALL_EMPTY_COUNT; i++)
		if ((double)r->empty[i] * percent >= 0.5) {
			sbuf_printf(&out, "%s%.0f %s", before, (double)r->empty[i] * percent,
				    stall_empty_names[i]);
			before = ", ";
		}
	snprintf(s->about, sizeof(s->about), "%s", sbuf_text(&out));
	sbuf_free(&out);
}

static bool go_to(const struct stalled *s, const struct stall_row *r, struct place *to)
{
	struct row row;

	if (!store_row(s->stalls.store, r->row, &row))
		return false;
	*to = (struct place){.item = r->row, .tick = row.start};
	return true;
}

/* To the row that cost the run most, or, when none cost it anything, lived longest. */
static bool dearest(const void *result, size_t i, const struct section_column *sorted,
		    struct place *to)
{
	const struct stalled *s = result;
	const struct stall_cost *c = &s->table.lines[i].cost;

	(void)sorted;
	return i < s->named && go_to(s, c->worst.cycles > 0 ? &c->worst : c->longest, to);
}

/* To the row that lived longest, or stayed longest in the stage that the table is sorted by. */
static bool longest(const void *result, size_t i, const struct section_column *sorted,
		    struct place *to)
{
	const struct stalled *s = result;
	const struct stall_cost *c = &s->table.lines[i].cost;

	return i < s->named && go_to(s, &c->longest[sorted->field->parts ? 1 + sorted->part : 0], to);
}

static void free_stalled(void *result)
{
	struct stalled *s = result;

	stall_table_free(&s->table);
	stalls_free(&s->stalls);
	free(s);
}

static enum status find_stalls(struct stalled *out, struct store *s, const struct range *part,
			       struct binary *binary, enum stall_by by, struct error *e)
{
	enum status status = stalls_new(&out->stalls, s, part, NULL, e);

	if (!status && binary)
		status = stalls_locate(&out->stalls, binary, NULL, e);
	if (!status)
		status = stall_table_new(&out->table, &out->stalls, by, e);
	if (!status) {
		out->named = out->table.count;
		stall_table_fold(&out->table, UINT64_MAX);
		tell_run(out);
	}
	return status;
}

/* What the two tables do not have in common. */
static struct pane *show(struct store *s, const struct selection *range, struct binary *binary,
			 enum stall_by by, struct table_pane_of of)
{
	const struct range part = pane_range_part(s, range);
	struct stalled *found = xcalloc(1, sizeof(*found));
	struct error e = {STATUS_OK, "no row lives here"};
	struct sbuf title = {0};
	struct pane *pane;
	bool failed = find_stalls(found, s, &part, binary, by, &e) != STATUS_OK;

	sbuf_puts(&title, of.title);
	if (by != STALL_BY_PC)
		sbuf_printf(&title, " by %s", stall_by_names[by]);
	sbuf_puts(&title, range->on ? "" : " (V, C-v: a part)");
	pane_range_title(s, range, found->stalls.clipped, &title);
	of.section = of.section ? of.section : &found->table.section;
	of.result = failed ? NULL : found;
	of.free = free_stalled;
	of.none = e.text;
	of.title = sbuf_text(&title);
	of.below = found->table.count - found->named;
	if (!of.about && !failed)
		of.about = found->about;
	pane = table_pane(&of);
	if (failed)
		free_stalled(found);
	sbuf_free(&title);
	return pane;
}

struct pane *stalls_pane(struct store *s, const struct selection *range, struct binary *binary,
			 enum stall_by by)
{
	return show(s, range, binary, binary ? by : STALL_BY_PC,
		    (struct table_pane_of){
			.title = "stalls", .sorted = "cost", .target = dearest});
}

struct pane *longest_pane(struct store *s, const struct selection *range)
{
	return show(s, range, NULL, STALL_BY_PC,
		    (struct table_pane_of){.title = "longest rows",
					   .section = &stall_longest,
					   .about = "of each instruction the row that took longest: to "
						    "live, or in the stage sorted by",
					   .sorted = "life",
					   .target = longest});
}
