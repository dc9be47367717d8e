#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/state.h"
#include "base/num.h"
#include "view/pipeline/compare_pane.h"

/* parts of the screen at most */
enum { STRIPS_SHARE = 5, CURVES_SHARE = 3 };

enum { LEAST_STRIP = 2 }; /* lines: its head and one curve */

struct joined *joined_shown(const struct app *a)
{
	struct joined *j = a->tab ? a->tab->joined : NULL;

	return j && j->state >= JOINED_ADDING ? j : NULL;
}

int joined_run(const struct joined *j, const struct tab *t)
{
	int run = RUN_A;

	while (run < j->runs - 1 && j->side[run] != t)
		run++;
	return run;
}

int joined_other(const struct joined *j, int run)
{
	return run == RUN_A ? j->other : RUN_A;
}

void joined_sync(struct app *a)
{
	struct joined *j = joined_shown(a);
	struct pipeview *v;

	if (!j)
		return;
	v = &a->tab->view;
	j->view.focus = joined_run(j, a->tab);
	if (j->view.focus != RUN_A)
		j->other = j->view.focus;
	/* lists have a row a line */
	if (j->view.layout != COMPARE_STACKED && v->row_zoom)
		pipeview_zoom(v, -v->row_zoom, 0);
	compareview_follow(&j->view);
}

bool joined_pass(struct app *a, struct tab *t)
{
	struct joined *j = joined_shown(a);
	bool filtered = false;

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
	for (int run = RUN_A; run < j->runs; run++)
		filtered = filtered || j->side[run]->filter;
	if (filtered)
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

	j->view.focus = joined_run(j, a->tab);
	for (int run = RUN_A; run < j->runs; run++) {
		struct pipeview *v = &j->side[run]->view;

		v->full_columns = a->layout.w - COMPARE_MARGIN - pipeview_gutter_width(v);
	}
	compareview_layout(&j->view, view.w, view.h);
}

/* Several traces need the lines for rows. */
int joined_strip_lines(const struct joined *j, int h)
{
	int wanted = 0;

	if (j->curves)
		return h / CURVES_SHARE;
	for (int run = RUN_A; run < j->runs; run++)
		wanted += strip_height(&j->side[run]->strip);
	return wanted < h / STRIPS_SHARE ? wanted : h / STRIPS_SHARE;
}

static bool find_metric(const struct joined *j, int run, struct curve_source *out)
{
	return tab_curve(j->side[run], &j->metric, out);
}

enum status joined_curves(struct app *a, const struct metric_wish *metric, struct error *e)
{
	struct joined *j = joined_shown(a);
	struct curve_source ignored;

	j->curves = metric != NULL;
	if (metric)
		j->metric = *metric;
	for (int run = RUN_A; metric && run < j->runs; run++) {
		if (find_metric(j, run, &ignored))
			continue;
		j->curves = false;
		return error_set(e, STATUS_NOT_FOUND, "%c has no metric %s %s", run_letter(run),
				 metric->name, metric->component);
	}
	app_relayout(a);
	joined_sync(a);
	return STATUS_OK;
}

/* On the axis of the side with the focus, the others moved as their windows are, by cycles. */
static enum status draw_curves(struct app *a, struct joined *j, struct grid *g, struct error *e)
{
	const struct resource_look look = {.dots = a->resources.look.dots,
					   .scale = {.kind = SCALE_SHARED}};
	struct pipeview *v = &a->tab->view;
	struct resource_frame frame = resources_frame(a->tab);
	struct resource_line lines[RUNS_MOST];
	char names[RUNS_MOST][METRIC_NAME + 3], label[METRIC_NAME];
	struct rect area = a->layout.strip;
	int n = 0;

	metric_label(&j->metric, label);
	for (int run = RUN_A; run < j->runs; run++) {
		const struct pipeview *from = &j->side[run]->view;
		struct curve_source source;

		if (!find_metric(j, run, &source) ||
		    __builtin_sub_overflow(v->axis.left, from->axis.left, &source.shift))
			continue;
		if (from->axis.step != v->axis.step) {
			source.step = from->axis.step;
			source.axis_step = v->axis.step;
			source.origin = v->axis.left;
		}
		snprintf(names[run], sizeof(names[run]), "%c %s", run_letter(run), label);
		lines[n++] = (struct resource_line){.source = source, .name = names[run]};
	}
	if (!j->graph)
		j->graph = resource_new();
	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_TEXT));
	area.x += COMPARE_MARGIN;
	area.w -= COMPARE_MARGIN;
	return resource_draw(j->graph, &look, lines, n, &frame, g, area, &a->palette, e);
}

/* The curves of all, under the columns of their own rows; each gets its share of what is left. */
static enum status draw_strips(struct app *a, struct joined *j, struct grid *g, struct error *e)
{
	struct rect area = a->layout.strip;
	int left = area.h, first,
	    sharers = compareview_window(&j->view, left / LEAST_STRIP, &first);
	enum status status = STATUS_OK;

	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_TEXT));
	area.x += COMPARE_MARGIN;
	area.w -= COMPARE_MARGIN;
	for (int run = first; sharers > 0 && !status; run++, sharers--) {
		struct tab *t = j->side[run];
		int most = (left + sharers - 1) / sharers;
		char letter[] = {run_letter(run), '\0'};

		area.h = strip_height(&t->strip) < most ? strip_height(&t->strip) : most;
		if (area.h <= 0)
			continue;
		status = strip_draw(&t->strip, &t->view.axis, pipeview_gutter_width(&t->view), g,
				    area, &a->palette, e);
		grid_puts(g, a->layout.strip, a->layout.strip.x, area.y, letter,
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
	int left = COMPARE_MARGIN + pipeview_gutter_width(&a->tab->view), run;

	if (!compareview_hit(&j->view, x < left ? left : x, y, &run, index, tick))
		return false;
	if (x < left)
		*tick = TICK_NONE;
	joined_pass(a, j->side[run]);
	return true;
}

static void add_lag(const struct joined *j, int run, const struct pipeview *v, struct sbuf *out)
{
	int64_t lag = compareview_lag(&j->view, run), n = lag < 0 ? -lag : lag;
	char number[32];

	if (!align_in_cycles(&j->al.with[run]))
		n = axis_length(&v->axis, n);
	sbuf_printf(out, ", lag %s%s", !n ? "" : lag < 0 ? "-" : "+", num_group(n, number));
}

/* The lag is that of two rows that are each other's, of `run` against A. */
static void add_row(const struct joined *j, int run, int other, uint64_t row, bool same,
		    struct sbuf *out)
{
	const struct pipeview *v = &j->side[other]->view;
	char number[32];
	struct row r;

	if (row == ROW_NONE || !store_row(v->store, row, &r))
		return;
	sbuf_printf(out, "%c row %s", run_letter(other), num_group((int64_t)row, number));
	sbuf_printf(out, " %s %s", axis_unit(&v->axis),
		    num_group(axis_time(&v->axis, r.start), number));
	if (same)
		add_lag(j, run, v, out);
}

/* What a row of A or of `run` is between these two. */
static void describe_beside(struct joined *j, uint64_t row, int run, struct sbuf *out)
{
	int focus = j->view.focus, other = focus == RUN_A ? run : RUN_A, n = 0;
	bool same = aligned_match(&j->al, focus, row, other) != ROW_NONE;
	unsigned kinds;

	if (path_index(aligned_side(&j->al, focus)->path, row) == UINT64_MAX)
		sbuf_puts(out, "not committed, not compared: near ");
	else if (!same && j->runs == RUNS_LEAST)
		sbuf_printf(out, "only in %c: before ", run_letter(focus));
	else if (!same)
		sbuf_printf(out, "not in %c: before ", run_letter(other));
	else
		sbuf_puts(out, "= ");
	add_row(j, run, other, aligned_near(&j->al, focus, row, other), same, out);
	kinds = compareview_kinds(&j->view, focus, row, run) &
		~(1U << DIFFERENCE_ONLY_A | 1U << DIFFERENCE_ONLY_B);
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (kinds >> k & 1)
			sbuf_printf(out, "%s%s", n++ ? ", " : "; differ in ", difference_names[k]);
}

/* Beside A the one that was looked at last comes first. */
void joined_describe(const struct app *a, struct sbuf *out)
{
	struct joined *j = joined_shown(a);
	const struct pipeview *v;
	uint64_t row;

	if (!j || !pipeview_count(&a->tab->view))
		return;
	v = &a->tab->view;
	row = pipeview_row(v, v->cursor);
	describe_beside(j, row, j->view.focus == RUN_A ? j->other : j->view.focus, out);
	for (int run = RUN_B; j->view.focus == RUN_A && run < j->runs; run++) {
		if (run == j->other)
			continue;
		sbuf_puts(out, "  ");
		describe_beside(j, row, run, out);
	}
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
		source.range = j->ranged ? &j->range : NULL;
		for (int run = RUN_A; run < j->runs; run++) {
			source.costs[run] = &j->costs[run];
			source.worst[run] = j->worst[run];
			source.names[run] = sbuf_text(&j->side[run]->name);
		}
	}
	return compare_pane(&source);
}
