/*
 * What stands to the left of the curves: the cursor's time, the legend with its values, the axes.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "view/abbreviate.h"
#include "view/resource_private.h"

enum { KEY_W = 3 /* sign of the selected line, its key, a blank */, DIVISION_LINES = 3 };

static void put_right(const struct plot *t, struct rect r, int right, int y, const char *text,
		      struct style style)
{
	grid_puts(t->g, r, right - (int)strlen(text), y, text, style);
}

void resource_put_name(const struct axis *a, const struct resource_line *line, struct grid *g,
		       struct rect r, int x, int y, int width, struct style style)
{
	struct sbuf label = {0}, fitted = {0};

	resource_label(a, line, &label);
	abbreviate(&fitted, sbuf_text(&label), width);
	grid_text(g, r, x, y, sbuf_text(&fitted), fitted.len, style);
	sbuf_free(&label);
	sbuf_free(&fitted);
}

struct curve_reading curve_reading_of(const struct plot *t, int line)
{
	return curve_read(&t->r->curves[line], t->axis->tick);
}

/* Time, and between which ends the parts of the column have the selected curve. */
static void draw_heading(const struct plot *t)
{
	struct style style = palette_style(t->p, ROLE_RULER);
	struct rect r = t->heading;
	struct curve_reading value;
	char low[32], high[32], text[96];

	grid_puts(t->g, r, r.x, r.y, resource_time(t->axis, r.w, text), style);
	if (t->selected < 0 || r.h < RESOURCE_HEADING)
		return;
	value = curve_reading_of(t, t->selected);
	if (!(value.low < value.high))
		return;
	snprintf(text, sizeof(text), "%s..%s in column", num_short(value.low, 5, low),
		 num_short(value.high, 5, high));
	grid_puts(t->g, r, r.x + (r.w > RESOURCE_LEGEND ? KEY_W : 0), r.y + 1, text,
		  line_style(t, t->selected));
}

static void range_text(const struct plot *t, int line, char out[80])
{
	const struct scale *scale = resource_scale(t->look, t->lines[line].name);
	char low[32], high[32];

	snprintf(out, 80, "%s..%s%s", num_short(t->range[line].low, 5, low),
		 num_short(t->range[line].high, 5, high),
		 scale->kind == SCALE_SHARED  ? " shared"
		 : scale->kind == SCALE_GIVEN ? " given"
					      : "");
}

static void draw_legend_line(const struct plot *t, int line, int y, bool with_range)
{
	struct style style =
	    t->lines[line].hidden ? palette_style(t->p, ROLE_DIM) : line_style(t, line);
	struct curve_reading value = {.value = NAN};
	struct rect r = t->legend;
	int name = r.w - KEY_W - RESOURCE_VALUE - 1;
	char text[80];

	if (!t->lines[line].hidden)
		value = curve_reading_of(t, line);
	grid_printf(t->g, r, r.x, y, style, "%c%c", line == t->selected ? '>' : ' ',
		    resource_key(line));
	resource_put_name(t->axis, &t->lines[line], t->g, r, r.x + KEY_W, y, name > 0 ? name : 0,
			  style);
	if (name > 0)
		put_right(t, r, r.x + r.w, y,
			  t->lines[line].hidden ? "hidden"
						: resource_value(&value, RESOURCE_VALUE, text),
			  style);
	if (!with_range || t->lines[line].hidden)
		return;
	range_text(t, line, text);
	grid_puts(t->g, r, r.x + KEY_W, y + 1, text, style);
}

/* Ranges are told under the names when there is room for all of them. */
static void draw_legend(const struct plot *t)
{
	int lines = 0, y = t->legend.y, bottom = t->legend.y + t->legend.h;
	bool ranges;

	for (int i = 0; i < t->n; i++)
		lines += t->lines[i].hidden ? 1 : 2;
	ranges = lines <= t->legend.h;
	for (int i = 0; i < t->n && y < bottom; i++) {
		draw_legend_line(t, i, y, ranges);
		y += ranges && !t->lines[i].hidden ? 2 : 1;
	}
}

static void draw_axis(const struct plot *t, int line, int x)
{
	struct style style = line_style(t, line);
	const struct scale_range *range = &t->range[line];
	struct rect r = {x, t->axes.y, RESOURCE_AXIS, t->axes.h};
	int parts = 1;

	while (parts < 8 && (r.h - 1) / (parts * 2) >= DIVISION_LINES)
		parts *= 2;
	for (int y = 0; y < r.h; y++)
		grid_put(t->g, x + RESOURCE_AXIS - 1, r.y + y, 0x2502, style);
	for (int i = 0; i <= parts; i++) {
		int y = r.y + r.h - 1 - (i * (r.h - 1) + parts / 2) / parts;
		char label[32];

		if (i && i < parts && r.h < 2)
			continue;
		num_short(range->low + (range->high - range->low) * i / parts, RESOURCE_AXIS - 1,
			  label);
		put_right(t, r, x + RESOURCE_AXIS - 1, y, label, style);
		grid_put(t->g, x + RESOURCE_AXIS - 1, y, 0x2524, style);
	}
}

/* The selected line's next to the picture, then the others' as far as there is room. */
static void draw_axes(const struct plot *t)
{
	int x = t->axes.x + t->axes.w - RESOURCE_AXIS;

	if (t->selected >= 0 && x >= t->axes.x)
		draw_axis(t, t->selected, x);
	for (int i = 0; i < t->n; i++) {
		if (i == t->selected || t->lines[i].hidden)
			continue;
		x -= RESOURCE_AXIS;
		if (x < t->axes.x)
			return;
		draw_axis(t, i, x);
	}
}

void resource_draw_gutter(const struct plot *t)
{
	draw_heading(t);
	draw_legend(t);
	draw_axes(t);
}
