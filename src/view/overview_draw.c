/*
 * A frame of the overview: the panels on the screen are fetched, then drawn.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/abbreviate.h"
#include "view/bars.h"
#include "view/overview.h"
#include "view/resource_private.h"
#include "view/ruler.h"

enum {
	PARTED_LEAST = 3, /* lines of a panel that shows the peaks of its columns */
	VALUE_LEAST = 3 * RESOURCE_VALUE, /* columns of labels that leave room for values */
	TENTHS = 10,
	DOT = 0x2022 /* of the second metric */
};

/* ---- fetching ---- */

/* The metrics of a node's components, found again when the trace has more. */
static void find_lines(const struct overview *o, struct overview_panel *panel)
{
	struct error ignored;

	for (int k = 0; k < OVERVIEW_METRICS; k++) {
		struct resource_line *line = &panel->line[k];

		snprintf(line->name, sizeof(line->name), "%s", o->metric[k]);
		line->hidden = !*o->metric[k] || overview_source(o, panel->node, o->metric[k],
								 &line->source, &ignored);
	}
}

/* The panel of a line of the screen: what it showed before is kept if it is the same. */
static enum status fetch_panel(struct overview *o, size_t line, const struct resource_look *look,
			       struct error *e)
{
	size_t node = o->tree.shown.data[o->tree.top + line];
	struct overview_panel *panel;
	struct progress at;

	if (line == o->panels.count &&
	    !vec_push(&o->panels, ((struct overview_panel){TREE_NONE, .graph = resource_new(),
							   .before = resource_new()})))
		return error_set(e, STATUS_NOMEM, "out of memory");
	panel = &o->panels.data[line];
	trace_progress(o->time.trace, &at);
	if (panel->node != node || panel->reached != at.reached) {
		panel->node = node;
		panel->reached = at.reached;
		find_lines(o, panel);
	}
	return resource_fetch(panel->graph, look, panel->line, OVERVIEW_METRICS, &o->time,
			      o->parted, panel->range, e);
}

/* All of a metric in one scale: groups too, so that strips can be compared. */
static void share_scale(struct overview *o, size_t shown, int which)
{
	struct scale_range all = SCALE_EMPTY;

	for (size_t i = 0; i < shown; i++)
		if (!o->panels.data[i].line[which].hidden)
			all = scale_join(all, o->panels.data[i].graph->curves[which].range);
	for (size_t i = 0; i < shown; i++)
		if (!o->panels.data[i].line[which].hidden)
			o->panels.data[i].range[which] = scale_round(all, false);
}

/* A pane that opens goes again: then all is there that was shown without it. */
static void swap_graphs(struct overview *o)
{
	const bool parted = overview_height(o) >= PARTED_LEAST;

	if (o->columns == o->time.columns && o->parted == parted)
		return;
	o->columns = o->time.columns;
	o->parted = parted;
	for (size_t i = 0; i < o->panels.count; i++) {
		struct overview_panel *panel = &o->panels.data[i];
		struct resource *graph = panel->graph;

		panel->graph = panel->before;
		panel->before = graph;
	}
}

static enum status fetch(struct overview *o, size_t shown, const struct resource_look *look,
			 struct error *e)
{
	bool shared = look->scale.kind == SCALE_SHARED;
	const struct resource_look each = {
	    .scale = shared ? (struct scale){.kind = SCALE_AUTO} : look->scale};
	enum status status = STATUS_OK;

	swap_graphs(o);
	for (size_t i = 0; i < shown && !status; i++)
		status = fetch_panel(o, i, &each, e);
	for (int k = 0; k < OVERVIEW_METRICS && shared && !status; k++)
		share_scale(o, shown, k);
	return status;
}

/* ---- drawing ---- */

/* One panel under construction. */
struct frame {
	const struct overview *o;
	const struct overview_panel *panel;
	struct grid *g;
	const struct palette *p;
	struct rect label, time;
	bool here; /* the cursor is */
};

static struct style metric_style(const struct palette *p, int which)
{
	return palette_style(p, (enum role)(ROLE_METRIC_0 + which));
}

void overview_draw_label(const struct component_tree *t, size_t node, bool here, struct grid *g,
			 struct rect r, const struct palette *p)
{
	const struct tree_node *n = &t->nodes.data[node];
	struct style style = palette_style(p, here ? ROLE_CURSOR_ROW : ROLE_TEXT);
	int indent = tree_indent(t, node);
	const char *label = *n->name ? n->name + n->label : "all";
	struct sbuf text = {0};

	abbreviate_path(&text, label, strlen(label), r.w > indent ? r.w - indent : 1);
	if (here)
		grid_fill(g, r, ' ', style);
	if (tree_is_inner(t, node))
		grid_puts(g, r, r.x + indent - 2, r.y, n->folded ? "+" : "-", style);
	grid_text(g, r, r.x + indent, r.y, sbuf_text(&text), text.len, style);
	sbuf_free(&text);
}

static void draw_label(const struct frame *f)
{
	int value = f->label.w < VALUE_LEAST ? 0 : RESOURCE_VALUE + 1;
	struct rect r = {f->label.x, f->label.y, f->label.w - value, 1};

	overview_draw_label(&f->o->tree, f->panel->node, f->here, f->g, r, f->p);
}

/* Values under the cursor at the right; what the scales span, where there are lines for it. */
static void draw_numbers(const struct frame *f)
{
	struct rect r = f->label;

	for (int k = 0, y = r.y; k < OVERVIEW_METRICS && y < r.y + r.h && r.w >= VALUE_LEAST; k++) {
		const struct resource_line *line = &f->panel->line[k];
		struct curve_reading value;
		char text[72];

		if (line->hidden)
			continue;
		value = curve_read(&f->panel->graph->curves[k], f->o->time.tick);
		resource_value(line, &value, RESOURCE_VALUE, text);
		grid_right(f->g, r, r.x + r.w, y++, text, metric_style(f->p, k));
		if (y >= r.y + r.h)
			continue;
		if (k) /* as in the heading */
			grid_put(f->g, r.x, y, DOT, metric_style(f->p, k));
		grid_printf(f->g, (struct rect){r.x, r.y, r.w - RESOURCE_VALUE - 1, r.h}, r.x + 2,
			    y, metric_style(f->p, k), "%s",
			    resource_range(line, f->panel->range[k], r.w - RESOURCE_VALUE - 3, text));
	}
}

void overview_draw_heat(double part, struct grid *g, int x, int y, const struct palette *p)
{
	int tenths = (int)(fmin(fmax(part, 0), 0.99) * TENTHS);
	enum role role = (enum role)(ROLE_HEAT_0 + tenths * PALETTE_HEATS / TENTHS);

	grid_put(g, x, y, part > 0 ? (uint32_t)('0' + tenths) : '.',
		 palette_style(p, part > 0 ? role : ROLE_DIM));
}

/* The first metric that the component has. */
static int first_shown(const struct frame *f)
{
	return f->panel->line[0].hidden ? 1 : 0;
}

/* One line: a cell's shade and its digit say how many tenths of the scale it has. */
static void draw_heat(const struct frame *f)
{
	const int which = first_shown(f);
	struct scale_range range = f->panel->range[which];

	for (int x = 0; x < f->time.w; x++) {
		double value = curve_column(&f->panel->graph->curves[which], x).value;
		double part = (value - range.low) / (range.high - range.low);

		if (!isnan(value))
			overview_draw_heat(part, f->g, f->time.x + x, f->time.y, f->p);
	}
}

/*
 * The second metric lies over the bars, on their ground where they fill most of a cell; where it is
 * zero they are seen.
 */
static void draw_second(const struct frame *f, const struct band *band)
{
	for (int x = 0; x < f->time.w; x++) {
		double value = curve_column(&f->panel->graph->curves[1], x).value;
		struct style style = metric_style(f->p, 1);
		const struct cell *behind;
		int y;

		if (!(value > f->panel->range[1].low))
			continue;
		y = resource_bar_y(band, &f->panel->range[1], value);
		behind = grid_at(f->g, f->time.x + x, y);
		if (behind && behind->cp > BAR_FULL - BAR_EIGHTHS / 2 && behind->cp <= BAR_FULL)
			style.bg = behind->style.fg;
		grid_put(f->g, f->time.x + x, y, DOT, style);
	}
}

static void draw_panel(const struct frame *f)
{
	struct band band = {.time = f->time, .n = !f->panel->line[0].hidden};
	const bool any = band.n || !f->panel->line[1].hidden;

	draw_label(f);
	draw_numbers(f);
	if (f->time.h > 1) {
		resource_draw_band(f->panel->graph, &band, f->panel->range, f->g, f->p);
		if (!f->panel->line[1].hidden)
			draw_second(f, &band);
	} else if (any) {
		draw_heat(f);
	}
	if (f->here && any)
		resource_draw_cursor(f->panel->graph, &band, first_shown(f), f->panel->range, &f->o->time,
				     f->g, f->p);
}

/* As one of its panels knows. */
static bool is_per_thousand(const struct overview *o, int which)
{
	for (size_t i = 0; i < o->panels.count; i++)
		if (!o->panels.data[i].line[which].hidden)
			return resource_per_thousand(&o->panels.data[i].line[which]);
	return false;
}

/* Which metrics are shown, beside the ruler. */
static void draw_heading(const struct overview *o, struct grid *g, struct rect r,
			 const struct palette *p)
{
	for (int k = 0; k < OVERVIEW_METRICS && k < r.h; k++) {
		struct resource_line line = {.hidden = false};

		snprintf(line.name, sizeof(line.name), "%s%s", o->metric[k],
			 is_per_thousand(o, k) ? "/kcycle" : "");
		if (k && *line.name)
			grid_put(g, r.x, r.y + k, DOT, metric_style(p, k));
		resource_put_name(&o->time, &line, g, r, r.x + 2, r.y + k, r.w - 2,
				  metric_style(p, k));
	}
}

enum status overview_draw(struct overview *o, const struct resource_look *look,
			  const struct marks *marks, struct grid *g, struct rect area,
			  const struct palette *p, struct error *e)
{
	const struct axis *a = &o->time;
	size_t left = o->tree.shown.count - o->tree.top;
	size_t shown = o->tree.room < left ? o->tree.room : left;
	struct rect ruler = {area.x + a->gutter, area.y, a->columns, ruler_lines(area.h)};
	struct rect label = {area.x, area.y, a->gutter > 0 ? a->gutter - 1 : 0, ruler.h};
	enum status status;

	status = fetch(o, shown, look, e);
	if (status)
		return status;
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	ruler_draw(a, g, ruler, p);
	ruler_marks(a, g, ruler, marks, p);
	draw_heading(o, g, label, p);
	for (size_t i = 0; i < shown; i++) {
		int h = overview_height(o), y = area.y + ruler.h + (int)i * h;
		const struct frame f = {o, &o->panels.data[i], g, p, {label.x, y, label.w, h},
					{ruler.x, y, ruler.w, h}, o->tree.top + i == o->tree.cursor};

		draw_panel(&f);
	}
	ruler_untraced(a, o->time.trace, g,
		       (struct rect){ruler.x, ruler.y + ruler.h, ruler.w,
				     (int)shown * overview_height(o)}, p);
	ruler_selection(a, g, (struct rect){ruler.x, area.y, ruler.w, area.h}, p);
	return STATUS_OK;
}
