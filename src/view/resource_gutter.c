/*
 * What stands to the left of the curves: the cursor's time, and each band's names, values and axis.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/abbreviate.h"
#include "view/resource_private.h"

enum { KEY_W = 3 /* sign of the selected line, its key, a blank */, DIVISION_LINES = 3 };

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
	char span[72], text[96];

	grid_puts(t->g, r, r.x, r.y, resource_time(t->axis, r.w, text), style);
	if (t->selected < 0 || r.h < RESOURCE_HEADING)
		return;
	value = curve_reading_of(t, t->selected);
	if (!(value.low < value.high))
		return;
	snprintf(text, sizeof(text), "%s in column",
		 resource_range(&t->lines[t->selected],
				(struct scale_range){value.low, value.high}, 0, span));
	grid_puts(t->g, r, r.x + (r.w > RESOURCE_LEGEND ? KEY_W : 0), r.y + 1, text,
		  line_style(t, t->selected));
}

static void range_text(const struct plot *t, int line, char out[80])
{
	const struct scale *scale = resource_scale(t->look, t->lines[line].name);
	char span[72];

	snprintf(out, 80, "%s%s", resource_range(&t->lines[line], t->range[line], RESOURCE_LEGEND, span),
		 scale->kind == SCALE_SHARED  ? " shared"
		 : scale->kind == SCALE_GIVEN ? " given"
					      : "");
}

static void draw_legend_line(const struct plot *t, int line, struct rect r)
{
	struct style style = line_style(t, line);
	struct curve_reading value = curve_reading_of(t, line);
	int name = r.w - KEY_W - RESOURCE_VALUE - 1;
	char text[80];

	grid_printf(t->g, r, r.x, r.y, style, "%c%c", line == t->selected ? '>' : ' ',
		    resource_key(line));
	resource_put_name(t->axis, &t->lines[line], t->g, r, r.x + KEY_W, r.y, name > 0 ? name : 0,
			  style);
	if (name > 0)
		grid_right(t->g, r, r.x + r.w, r.y, resource_value(&t->lines[line], &value, RESOURCE_VALUE, text),
			  style);
}

/* The range is told under the names where the user chose it or no axis tells all of it. */
static void draw_legend(const struct plot *t, const struct band *b, struct rect r, bool axis)
{
	int bottom = r.y + r.h, line = b->line[0];
	char range[80];

	for (int i = 0; i < b->n && r.y < bottom; i++, r.y++) {
		r.h = bottom - r.y;
		draw_legend_line(t, b->line[i], r);
	}
	r.h = bottom - r.y;
	if (axis && resource_scale(t->look, t->lines[line].name)->kind == SCALE_AUTO &&
	    !resource_per_thousand(&t->lines[line]))
		return;
	range_text(t, line, range);
	grid_puts(t->g, r, r.x + KEY_W, r.y, range, line_style(t, line));
}

static void draw_axis(const struct plot *t, int line, struct rect r)
{
	struct style style = line_style(t, line);
	const struct scale_range *range = &t->range[line];
	int parts = 1, edge = r.x + r.w - 1;

	while (parts < 8 && (r.h - 1) / (parts * 2) >= DIVISION_LINES)
		parts *= 2;
	for (int y = 0; y < r.h; y++)
		grid_put(t->g, edge, r.y + y, 0x2502, style);
	for (int i = 0; i <= parts; i++) {
		int y = r.y + r.h - 1 - (i * (r.h - 1) + parts / 2) / parts;
		char label[32];

		resource_number(&t->lines[line],
				range->low + (range->high - range->low) * i / parts, r.w - 1, label);
		grid_right(t->g, r, edge, y, label, style);
		grid_put(t->g, edge, y, 0x2524, style);
	}
}

void resource_draw_gutter(const struct plot *t)
{
	int w = t->heading.w;
	bool axis = w >= RESOURCE_LEGEND + RESOURCE_AXIS;

	draw_heading(t);
	for (int i = t->first; i < t->first + t->bands; i++) {
		const struct band *b = &t->band[i];
		struct rect r = {t->heading.x, b->time.y, w, b->time.h};
		struct rect at = {r.x + w + 1 - RESOURCE_AXIS, r.y, RESOURCE_AXIS, r.h};

		if (axis)
			r.w -= RESOURCE_AXIS;
		draw_legend(t, b, r, axis);
		if (axis && r.h > 0)
			draw_axis(t, b->line[0], at);
	}
}
