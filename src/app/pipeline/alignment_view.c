#include "config.h"

#include "app/pipeline/alignment.h"

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "view/pipeline/compare_pane.h"

static struct alignment *alignment_of(struct joined *j)
{
	return (struct alignment *)j;
}

_Static_assert((int)COMPARE_MARGIN == (int)JOINED_MARGIN, "strips stand below the rows");

void alignment_follow(struct joined *j)
{
	struct compareview *view = &alignment_of(j)->view;
	struct pipeview *v = &rows_of(j->side[j->focus])->view;

	view->focus = j->focus;
	/* lists have a row a line */
	if (view->layout != COMPARE_STACKED && v->row_zoom)
		pipeview_zoom(v, -v->row_zoom, 0);
	compareview_follow(view);
}

void alignment_set_layout(struct app *a, enum compare_layout layout)
{
	alignment_shown(a)->view.layout = layout;
	app_relayout(a);
	joined_sync(a);
}

void alignment_layout(struct app *a, struct joined *j, struct rect view)
{
	alignment_of(j)->view.focus = j->focus;
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct pipeview *v = &rows_of(j->side[s])->view;

		v->full_columns = a->layout.w - COMPARE_MARGIN - pipeview_gutter_width(v);
	}
	compareview_layout(&alignment_of(j)->view, view.w, view.h);
}

enum status alignment_draw(struct app *a, struct joined *j, struct grid *g, struct error *e)
{
	return compareview_draw(&alignment_of(j)->view, g, a->layout.view, &a->palette, e);
}

bool alignment_hit(const struct joined *j, int x, int y, int *side, uint64_t *index, int64_t *tick)
{
	return compareview_hit(&((const struct alignment *)j)->view, x, y, side, index, tick);
}

/* ", lag +3": of two rows that are each other's. */
static void add_lag(const struct alignment *x, const struct pipeview *v, struct sbuf *out)
{
	int64_t lag = compareview_lag(&x->view), n = lag < 0 ? -lag : lag;
	char number[32];

	if (!align_in_cycles(&x->al))
		n = axis_length(&v->axis, n);
	sbuf_printf(out, ", lag %s%s", !n ? "" : lag < 0 ? "-" : "+", num_group(n, number));
}

static void add_row(const struct alignment *x, int side, uint64_t row, bool same, struct sbuf *out)
{
	const struct pipeview *v = &rows_of(x->joined.side[side])->view;
	char number[32];
	struct row r;

	if (row == ROW_NONE || !store_row(v->store, row, &r))
		return;
	sbuf_printf(out, "%c row %s", align_letter(side), num_group((int64_t)row, number));
	sbuf_printf(out, " %s %s", axis_unit(&v->axis),
		    num_group(axis_time(&v->axis, r.start), number));
	if (same)
		add_lag(x, v, out);
}

/* Where the cursor's row is in the other, how much later, and what is different about it. */
void alignment_describe(struct joined *j, struct sbuf *out)
{
	struct alignment *x = alignment_of(j);
	const struct pipeview *v = &rows_of(j->side[j->focus])->view;
	int focus = x->view.focus, n = 0;
	unsigned kinds;
	uint64_t row;
	bool same;

	if (!pipeview_count(v))
		return;
	row = pipeview_row(v, v->cursor);
	same = align_match(&x->al, focus, row) != ROW_NONE;
	if (path_index(x->al.side[focus].path, row) == UINT64_MAX)
		sbuf_puts(out, "not committed, not compared: near ");
	else if (!same)
		sbuf_printf(out, "only in %c: before ", align_letter(focus));
	else
		sbuf_puts(out, "= ");
	add_row(x, !focus, align_near(&x->al, focus, row), same, out);
	kinds = compareview_kinds(&x->view, focus, row) &
		~(1U << DIFFERENCE_ONLY_A | 1U << DIFFERENCE_ONLY_B);
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (kinds >> k & 1)
			sbuf_printf(out, "%s%s", n++ ? ", " : "; differ in ", difference_names[k]);
}

static const char *why_not(const struct alignment *x)
{
	if (!x)
		return "nothing to compare with: type :compare FILE";
	if (!x->joined.ready)
		return "the traces are not matched yet";
	return x->add.background.running ? "adding up the cycles"
					  : "stopped: compare table starts again";
}

struct pane *alignment_pane(struct app *a)
{
	struct alignment *x = alignment_of_tab(a->tab);
	struct compare_pane_source source = {.instead = why_not(x), .to_other = "compare switch"};

	if (x && x->added) {
		source.view = &x->view;
		source.costs = &x->costs;
		source.range = x->ranged ? &x->range : NULL;
		for (int s = 0; s < ALIGN_SIDES; s++)
			source.names[s] = sbuf_text(&x->joined.side[s]->name);
	}
	return compare_pane(&source);
}
