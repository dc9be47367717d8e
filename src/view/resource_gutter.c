/*
 * What stands to the left of the curves: the cursor's time, and each band's names, values and axis.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
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
	if ((int)strlen(text) <= r.w) /* half a number is a wrong one */
		grid_puts(t->g, r, r.x + (r.w < KEY_W + (int)strlen(text) ? 0 : KEY_W), r.y + 1,
			  text, line_style(t, t->selected));
}

/* A name and its value, in two lines if one is too short for both. Returns how many. */
static int draw_legend_line(const struct plot *t, int line, struct rect r, bool two)
{
	const int x = r.x + KEY_W, room = r.w - KEY_W;
	const int beside = room - (room > RESOURCE_VALUE ? RESOURCE_VALUE + 1 : 0);
	const struct curve_reading value = curve_reading_of(t, line);
	struct style style = line_style(t, line);
	struct sbuf name = {0}, rest = {0};
	bool below; /* the value is */
	char text[40];
	int end;

	resource_label(t->axis, &t->lines[line], &name);
	two = two && room > 0 && text_width(sbuf_text(&name), name.len) > beside;
	end = two && text_width(name.text, name.len) > room ? room : 0;
	while (end > 0 && !strchr(" -_", name.text[end]))
		end--;
	below = two && (!end || text_width(name.text, (size_t)end) > beside);
	grid_printf(t->g, r, r.x, r.y, style, "%c%c", line == t->selected ? '>' : ' ',
		    resource_key(line));
	if (end) {
		abbreviate_path(&rest, name.text + end, name.len - (size_t)end, below ? beside : room);
		grid_text(t->g, r, x, r.y, name.text, (size_t)end, style);
	} else {
		abbreviate(&rest, sbuf_text(&name), below ? room : beside);
	}
	grid_text(t->g, r, x, r.y + (end > 0), sbuf_text(&rest), rest.len, style);
	if (beside < room)
		grid_right(t->g, r, r.x + r.w, r.y + below,
			   resource_value(&t->lines[line], &value, RESOURCE_VALUE, text), style);
	sbuf_free(&name);
	sbuf_free(&rest);
	return 1 + two;
}

/* The range is told under the names where the user chose it or no axis tells all of it. */
static void draw_legend(const struct plot *t, const struct band *b, struct rect r, bool axis)
{
	static const char *const kinds[] = {
	    [SCALE_AUTO] = "", [SCALE_SHARED] = " shared", [SCALE_GIVEN] = " given"};
	const struct resource_line *line = &t->lines[b->line[0]];
	const enum scale_kind kind = resource_scale(t->look, line->name)->kind;
	const int bottom = r.y + r.h;
	struct style style = line_style(t, b->line[0]);
	const struct cell *last;
	char range[80];

	for (int i = 0; i < b->n && r.y < bottom; i++) {
		r.h = bottom - r.y;
		r.y += draw_legend_line(t, b->line[i], r, r.h > b->n - i);
	}
	if (axis && kind == SCALE_AUTO && !resource_per_thousand(line))
		return;
	r.x += KEY_W;
	r.w -= KEY_W;
	last = grid_at(t->g, r.x, bottom - 1);
	if (r.y == bottom && b->time.h > 1 && last && last->cp == ' ') { /* the value is alone there */
		r.y--;
		r.w -= RESOURCE_VALUE + 1;
	}
	r.h = bottom - r.y;
	resource_range(line, t->range[b->line[0]], r.w, range);
	if ((int)(strlen(range) + strlen(kinds[kind])) <= r.w)
		strcat(range, kinds[kind]);
	if ((int)strlen(range) <= r.w)
		grid_puts(t->g, r, r.x, r.y, range, style);
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
