/*
 * A frame of the overview: the panels on the screen are fetched, then drawn.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/abbreviate.h"
#include "view/overview_private.h"
#include "view/ruler.h"

enum {
	PARTED_LEAST = 3, /* lines of a panel that shows the peaks of its columns */
	TENTHS = 10
};

/* ---- fetching ---- */

static struct overview_panel *find_panel(struct overview *o, size_t node)
{
	for (size_t i = 0; i < o->panels.count; i++)
		if (o->panels.data[i].node == node)
			return &o->panels.data[i];
	return NULL;
}

/* The metrics of a node's components, found again when the trace has more. */
static void find_lines(const struct overview *o, struct overview_panel *panel, uint64_t reached)
{
	struct error ignored;

	for (int k = 0; k < OVERVIEW_METRICS; k++) {
		struct resource_line *line = &panel->line[k];

		snprintf(line->name, sizeof(line->name), "%s", o->metric[k]);
		line->hidden = !*o->metric[k] || overview_source(o, panel->node, o->metric[k],
								 &line->source, &ignored);
	}
	panel->reached = reached;
}

/* The panels of the lines on the screen, those of the frame before among them. */
static enum status collect(struct overview *o, int shown, struct error *e)
{
	struct overview next = {0};
	struct progress at;

	trace_progress(o->time.trace, &at);
	if (!vec_reserve(&next.panels, (size_t)shown + 1))
		return error_set(e, STATUS_NOMEM, "out of memory");
	for (int i = 0; i < shown; i++) {
		size_t node = o->tree.shown.data[o->top + (size_t)i];
		struct overview_panel *known = find_panel(o, node), *panel;

		if (tree_is_heading(&o->tree, node))
			continue;
		panel = &next.panels.data[next.panels.count++];
		*panel = known ? *known : (struct overview_panel){.node = node, .graph = resource_new()};
		if (!known || panel->reached != at.reached)
			find_lines(o, panel, at.reached);
		if (known)
			known->graph = NULL;
	}
	while (o->panels.count)
		resource_free(o->panels.data[--o->panels.count].graph);
	vec_free(&o->panels);
	o->panels.data = next.panels.data;
	o->panels.count = next.panels.count;
	o->panels.cap = next.panels.cap;
	return STATUS_OK;
}

/* Each in its own scale, or all of a metric in one. */
static enum status fetch(struct overview *o, const struct resource_look *look, struct error *e)
{
	struct resource_look each = {.scale = look->scale};
	bool parted = overview_height(o) >= PARTED_LEAST;
	enum status status = STATUS_OK;

	if (look->scale.kind == SCALE_SHARED)
		each.scale.kind = SCALE_AUTO;
	for (size_t i = 0; i < o->panels.count && !status; i++) {
		struct overview_panel *p = &o->panels.data[i];

		status = resource_fetch(p->graph, &each, p->line, OVERVIEW_METRICS, &o->time.axis,
					parted, p->range, e);
	}
	for (int k = 0; k < OVERVIEW_METRICS && look->scale.kind == SCALE_SHARED; k++) {
		struct scale_range all = SCALE_EMPTY;

		for (size_t i = 0; i < o->panels.count; i++)
			if (!o->panels.data[i].line[k].hidden)
				all = scale_join(all, o->panels.data[i].graph->curves[k].range);
		for (size_t i = 0; i < o->panels.count; i++)
			o->panels.data[i].range[k] = scale_round(all, false);
	}
	return status;
}

/* ---- drawing ---- */

struct frame {
	struct overview *o;
	struct grid *g;
	const struct palette *p;
	struct rect label, time; /* of the whole view, below the ruler */
};

static struct style metric_style(const struct frame *f, int which)
{
	return palette_style(f->p, (enum role)(ROLE_METRIC_0 + which));
}

static void put_right(const struct frame *f, struct rect r, int y, const char *text,
		      struct style style)
{
	grid_puts(f->g, r, r.x + r.w - (int)strlen(text), y, text, style);
}

/* Columns that the label leaves. */
static void draw_label(const struct frame *f, size_t line, struct rect r, int room)
{
	const struct component_tree *t = &f->o->tree;
	size_t node = t->shown.data[line];
	bool here = line == f->o->cursor;
	struct style style = palette_style(f->p, here ? ROLE_CURSOR_ROW : ROLE_TEXT);
	int indent = overview_indent(f->o, line);
	struct sbuf label = {0}, text = {0};

	sbuf_puts(&label, *t->nodes.data[node].name ? tree_label(t, node) : "all");
	abbreviate_path(&text, sbuf_text(&label), label.len, room > indent ? room - indent : 1);
	if (here)
		grid_fill(f->g, (struct rect){r.x, r.y, r.w, 1}, ' ', style);
	grid_puts(f->g, r, r.x + indent - 2, r.y,
		  !tree_is_inner(t, node)       ? " "
		  : t->nodes.data[node].folded ? "+"
					       : "-",
		  style);
	grid_text(f->g, r, r.x + indent, r.y, sbuf_text(&text), text.len, style);
	sbuf_free(&label);
	sbuf_free(&text);
}

/* Values under the cursor at the right; what the scales span, where there are lines for it. */
static void draw_numbers(const struct frame *f, const struct overview_panel *panel, struct rect r)
{
	for (int k = 0; k < OVERVIEW_METRICS && k < r.h; k++) {
		struct curve_reading value;
		char text[80], low[32], high[32];

		if (panel->line[k].hidden)
			continue;
		value = curve_read(&panel->graph->curves[k], f->o->time.axis.tick);
		put_right(f, r, r.y + k, resource_value(&value, RESOURCE_VALUE, text),
			  metric_style(f, k));
		if (k + 1 >= r.h)
			continue;
		snprintf(text, sizeof(text), "%s..%s", num_short(panel->range[k].low, 5, low),
			 num_short(panel->range[k].high, 5, high));
		grid_puts(f->g, (struct rect){r.x, r.y, r.w - RESOURCE_VALUE - 1, r.h}, r.x + 2,
			  r.y + k + 1, text, metric_style(f, k));
	}
}

static double part_of(struct scale_range range, double value)
{
	double part = (value - range.low) / (range.high - range.low);

	return !isfinite(part) || part < 0 ? 0 : part > 1 ? 1 : part;
}

/* One line: a cell's shade and its digit say how many tenths of the scale it has. */
static void draw_heat(const struct frame *f, const struct overview_panel *panel, struct rect r)
{
	for (int x = 0; x < r.w && !panel->line[0].hidden; x++) {
		double value = curve_column(&panel->graph->curves[0], x).value;
		double part = part_of(panel->range[0], value);
		int heat = (int)(part * (PALETTE_HEATS - 1) + 0.5), tenths = (int)(part * TENTHS);
		bool none = !(value > panel->range[0].low);
		enum role role = none ? ROLE_DIM : (enum role)(ROLE_HEAT_0 + heat);

		if (!isnan(value))
			grid_put(f->g, r.x + x, r.y,
				 none ? '.' : (uint32_t)('0' + (tenths < TENTHS ? tenths : 9)),
				 palette_style(f->p, role));
	}
}

/* The second metric is a line over the bars, seen on either ground. */
static void draw_second(const struct frame *f, const struct overview_panel *panel,
			const struct band *band)
{
	for (int x = 0; x < band->time.w && !panel->line[1].hidden; x++) {
		double value = curve_column(&panel->graph->curves[1], x).value;
		struct style style = metric_style(f, 1);
		const struct cell *behind;
		int y;

		if (isnan(value))
			continue;
		y = resource_bar_y(band, &panel->range[1], value);
		behind = grid_at(f->g, band->time.x + x, y);
		if (behind && behind->cp != ' ')
			style.bg = behind->style.fg;
		grid_put(f->g, band->time.x + x, y, 0x2022, style);
	}
}

static void draw_cursor(const struct frame *f, const struct overview_panel *panel, struct rect r)
{
	const struct axis *a = &f->o->time.axis;
	int64_t column = axis_column_of(a, a->tick);
	struct band band = {.time = r, .n = 1};
	struct cell *cell;
	double value;
	int y = r.y + r.h - 1;

	if (column < 0 || column >= r.w)
		return;
	value = curve_column(&panel->graph->curves[0], (int)column).value;
	if (!panel->line[0].hidden && !isnan(value))
		y = resource_bar_y(&band, &panel->range[0], value);
	cell = grid_at(f->g, r.x + (int)column, y);
	if (cell)
		cell->style = palette_style(f->p, ROLE_CURSOR);
}

static void draw_panel(const struct frame *f, size_t line, const struct overview_panel *panel,
		       struct rect label, struct rect time)
{
	struct band band = {.time = time, .n = !panel->line[0].hidden};

	draw_label(f, line, label, label.w - RESOURCE_VALUE - 1);
	draw_numbers(f, panel, label);
	if (time.h == 1) {
		draw_heat(f, panel, time);
	} else {
		resource_draw_band(panel->graph, &band, panel->range, f->g, f->p);
		draw_second(f, panel, &band);
	}
	if (line == f->o->cursor)
		draw_cursor(f, panel, time);
}

/* Which metrics are shown, beside the ruler. */
static void draw_heading(const struct frame *f, struct rect r)
{
	for (int k = 0; k < OVERVIEW_METRICS && k < r.h; k++) {
		struct resource_line line = {.hidden = !*f->o->metric[k]};

		snprintf(line.name, sizeof(line.name), "%s", f->o->metric[k]);
		if (line.hidden)
			continue;
		if (k)
			grid_put(f->g, r.x, r.y + k, 0x2022, metric_style(f, k));
		resource_put_name(&f->o->time.axis, &line, f->g, r, r.x + 2, r.y + k, r.w - 2,
				  metric_style(f, k));
	}
}

static void draw_lines(const struct frame *f, int shown)
{
	int y = f->time.y;

	for (size_t line = f->o->top; line < f->o->top + (size_t)shown; line++) {
		struct overview_panel *panel = find_panel(f->o, f->o->tree.shown.data[line]);
		int h = overview_lines(f->o, line);
		struct rect label = {f->label.x, y, f->label.w, h};

		if (panel)
			draw_panel(f, line, panel, label, (struct rect){f->time.x, y, f->time.w, h});
		else
			draw_label(f, line, label, label.w);
		y += h;
	}
}

enum status overview_draw(struct overview *o, const struct resource_look *look,
			  const struct marks *marks, struct grid *g, struct rect area,
			  const struct palette *p, struct error *e)
{
	const struct axis *a = &o->time.axis;
	int ruler = ruler_lines(area.h), shown = overview_shown(o);
	int width = a->gutter > 0 ? a->gutter - 1 : 0;
	struct rect time = {area.x + a->gutter, area.y, a->columns, ruler};
	struct frame f = {o, g, p, {area.x, area.y + ruler, width, area.h - ruler},
			  {time.x, area.y + ruler, time.w, area.h - ruler}};
	enum status status = collect(o, shown, e);

	if (!status)
		status = fetch(o, look, e);
	if (status)
		return status;
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	ruler_draw(a, g, time, p);
	ruler_marks(a, g, time, marks, p);
	draw_heading(&f, (struct rect){area.x, area.y, width, ruler});
	draw_lines(&f, shown);
	if (!o->tree.shown.count)
		grid_puts(g, f.time, area.x + 2, f.time.y, "no components", palette_style(p, ROLE_TEXT));
	return STATUS_OK;
}
