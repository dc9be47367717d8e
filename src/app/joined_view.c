#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/state.h"
#include "base/num.h"
#include "view/compare_pane.h"

/* parts of the screen at most */
enum { STRIPS_SHARE = 5, CURVES_SHARE = 3 };

static const char *const side_names[ALIGN_SIDES] = {"A", "B"};

struct joined *joined_shown(const struct app *a)
{
	struct joined *j = a->tab ? a->tab->joined : NULL;

	return j && j->state >= JOINED_ADDING ? j : NULL;
}

int joined_side(const struct joined *j, const struct tab *t)
{
	return t == j->side[ALIGN_A] ? ALIGN_A : ALIGN_B;
}

void joined_sync(struct app *a)
{
	struct joined *j = joined_shown(a);
	struct pipeview *v;

	if (!j)
		return;
	v = &a->tab->view;
	j->view.focus = joined_side(j, a->tab);
	/* lists have a row a line */
	if (j->view.layout != COMPARE_STACKED && v->row_zoom)
		pipeview_zoom(v, -v->row_zoom, 0);
	compareview_follow(&j->view);
}

bool joined_pass(struct app *a, struct tab *t)
{
	struct joined *j = joined_shown(a);

	if (!j || t->joined != j)
		return false;
	if (t == a->tab)
		return true;
	joined_sync(a);
	work_cancel(a);
	a->tab = t;
	app_relayout(a);
	joined_sync(a);
	/* rows may have been hidden or shown while the other side had the focus */
	if (t->filter || j->side[!j->view.focus]->filter)
		work_refilter(a);
	panes_refresh(a, false);
	return true;
}

void joined_set_layout(struct app *a, enum compare_layout layout)
{
	struct joined *j = joined_shown(a);

	j->view.layout = layout;
	app_relayout(a);
	joined_sync(a);
}

void joined_layout(struct app *a, struct rect view)
{
	struct joined *j = joined_shown(a);

	j->view.focus = joined_side(j, a->tab);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct pipeview *v = &j->side[s]->view;

		v->full_columns = a->layout.w - COMPARE_MARGIN - pipeview_gutter_width(v);
	}
	compareview_layout(&j->view, view.w, view.h);
}

/* Two traces need the lines for rows. */
int joined_strip_lines(const struct joined *j, int h)
{
	int wanted = 0;

	if (j->curves)
		return h / CURVES_SHARE;
	for (int s = 0; s < ALIGN_SIDES; s++)
		wanted += strip_height(&j->side[s]->strip);
	return wanted < h / STRIPS_SHARE ? wanted : h / STRIPS_SHARE;
}

static bool find_metric(const struct joined *j, int side, struct curve_source *out)
{
	struct tab *t = j->side[side];

	*out = (struct curve_source){.store = t->store};
	if (!metric_is_given(&j->metric))
		return tab_metric(t, j->metric.name, j->metric.component, &out->series);
	strip_given_source(out, tab_given(t));
	return true;
}

enum status joined_curves(struct app *a, const struct metric_wish *metric, struct error *e)
{
	struct joined *j = joined_shown(a);
	struct curve_source ignored;

	j->curves = metric != NULL;
	if (metric)
		j->metric = *metric;
	for (int s = 0; metric && s < ALIGN_SIDES; s++) {
		if (find_metric(j, s, &ignored))
			continue;
		j->curves = false;
		return error_set(e, STATUS_NOT_FOUND, "%s has no metric %s %s", side_names[s],
				 metric->name, metric->component);
	}
	app_relayout(a);
	joined_sync(a);
	return STATUS_OK;
}

/* On the axis of the side with the focus, the other one moved as its window is, by cycles. */
static enum status draw_curves(struct app *a, struct joined *j, struct grid *g, struct error *e)
{
	const struct resource_look look = {.place = RESOURCE_BELOW,
					   .dots = a->resources.look.dots,
					   .scale = {.kind = SCALE_SHARED}};
	struct pipeview *v = &a->tab->view;
	struct resource_line lines[ALIGN_SIDES];
	char names[ALIGN_SIDES][METRIC_NAME + 3], label[METRIC_NAME];
	struct rect area = a->layout.strip;
	int n = 0;

	metric_label(&j->metric, label);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		const struct pipeview *from = &j->side[s]->view;
		struct curve_source source;

		if (!find_metric(j, s, &source) ||
		    __builtin_sub_overflow(v->left, from->left, &source.shift))
			continue;
		if (from->step != v->step) {
			source.step = from->step;
			source.axis_step = v->step;
			source.origin = v->left;
		}
		snprintf(names[s], sizeof(names[s]), "%s %s", side_names[s], label);
		lines[n++] = (struct resource_line){.source = source, .name = names[s]};
	}
	if (!j->graph)
		j->graph = resource_new();
	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_TEXT));
	area.x += COMPARE_MARGIN;
	area.w -= COMPARE_MARGIN;
	return resource_draw(j->graph, &look, lines, n, NULL, v, g, area, &a->palette, e);
}

/* The curves of both, under the columns of their own rows. */
static enum status draw_strips(struct app *a, struct joined *j, struct grid *g, struct error *e)
{
	struct rect area = a->layout.strip;
	int left = area.h;
	enum status status = STATUS_OK;

	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_TEXT));
	area.x += COMPARE_MARGIN;
	area.w -= COMPARE_MARGIN;
	for (int s = 0; s < ALIGN_SIDES && !status; s++) {
		struct tab *t = j->side[s];
		int most = s == ALIGN_A ? (left + 1) / 2 : left;

		area.h = strip_height(&t->strip) < most ? strip_height(&t->strip) : most;
		if (area.h <= 0)
			continue;
		status = strip_draw(&t->strip, &t->view, g, area, &a->palette, e);
		grid_puts(g, a->layout.strip, a->layout.strip.x, area.y, side_names[s],
			  palette_style(&a->palette, ROLE_RULER));
		area.y += area.h;
		left -= area.h;
	}
	return status;
}

enum status joined_draw(struct app *a, struct grid *g, struct error *e)
{
	struct joined *j = joined_shown(a);
	enum status status;

	joined_sync(a);
	status = compareview_draw(&j->view, g, a->layout.view, &a->palette, e);
	if (!status && a->layout.strip.h > 0)
		status = (j->curves ? draw_curves : draw_strips)(a, j, g, e);
	return status;
}

bool joined_click(struct app *a, int x, int y, uint64_t *index, int64_t *tick)
{
	struct joined *j = joined_shown(a);
	int left = COMPARE_MARGIN + pipeview_gutter_width(&a->tab->view), side;

	if (!compareview_hit(&j->view, x < left ? left : x, y, &side, index, tick))
		return false;
	if (x < left)
		*tick = TICK_NONE;
	joined_pass(a, j->side[side]);
	return true;
}

/* "A old.trc  B new.trc", the one with the focus in brackets. */
void joined_title(const struct app *a, struct sbuf *out)
{
	const struct joined *j = joined_shown(a);

	for (int s = 0; s < ALIGN_SIDES; s++) {
		bool focus = j->side[s] == a->tab;

		sbuf_printf(out, "%s%s%s%s %s", s ? "  " : "", focus ? "[" : "", side_names[s],
			    focus ? "]" : "", sbuf_text(&j->side[s]->name));
	}
}

static void add_lag(const struct joined *j, const struct pipeview *v, struct sbuf *out)
{
	int64_t lag = compareview_lag(&j->view), n = lag < 0 ? -lag : lag;
	char number[32];

	if (!align_in_cycles(&j->al))
		n = pipeview_length(v, n);
	sbuf_printf(out, ", lag %s%s", !n ? "" : lag < 0 ? "-" : "+", num_group(n, number));
}

/* The lag is that of two rows that are each other's. */
static void add_other(const struct joined *j, int other, uint64_t row, bool same, struct sbuf *out)
{
	const struct pipeview *v = &j->side[other]->view;
	char number[32];
	struct row r;

	if (row == ROW_NONE || !store_row(v->store, row, &r))
		return;
	sbuf_printf(out, "%s row %s", side_names[other], num_group((int64_t)row, number));
	sbuf_printf(out, " %s %s", pipeview_unit(v), num_group(pipeview_time(v, r.start), number));
	if (same)
		add_lag(j, v, out);
}

void joined_describe(const struct app *a, struct sbuf *out)
{
	struct joined *j = joined_shown(a);
	const struct pipeview *v;
	int side, n = 0;
	unsigned kinds;
	uint64_t row;
	bool same;

	if (!j || !pipeview_count(&a->tab->view))
		return;
	v = &a->tab->view;
	side = j->view.focus;
	row = pipeview_row(v, v->cursor);
	same = align_match(&j->al, side, row) != ROW_NONE;
	if (path_index(j->al.side[side].path, row) == UINT64_MAX)
		sbuf_puts(out, "not committed, not compared: near ");
	else if (!same)
		sbuf_printf(out, "only in %s: before ", side_names[side]);
	else
		sbuf_puts(out, "= ");
	add_other(j, !side, align_near(&j->al, side, row), same, out);
	kinds = compareview_kinds(&j->view, side, row) &
		~(1U << DIFFERENCE_ONLY_A | 1U << DIFFERENCE_ONLY_B);
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (kinds >> k & 1)
			sbuf_printf(out, "%s%s", n++ ? ", " : "; differ in ", difference_names[k]);
}

static const char *why_not(const struct joined *j)
{
	if (!j)
		return "no trace is compared with this one: :compare FILE";
	if (j->state < JOINED_ADDING)
		return "the traces are not matched yet";
	return j->make.running ? "the cycles are being added up"
			       : "stopped: compare table adds the cycles up again";
}

struct pane *joined_pane(struct app *a)
{
	struct joined *j = a->tab->joined;
	struct compare_pane_source source = {.instead = why_not(j), .to_other = "compare switch"};

	if (j && j->added) {
		source.view = &j->view;
		source.costs = &j->costs;
		source.worst = j->worst;
		source.range = j->ranged ? &j->range : NULL;
		for (int s = 0; s < ALIGN_SIDES; s++)
			source.names[s] = sbuf_text(&j->side[s]->name);
	}
	return compare_pane(&source);
}
