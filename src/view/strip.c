#include "config.h"

#include "view/strip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/resource_private.h"
#include "view/ruler.h"

enum { NAME_LEAST = 8, NAME_WIDE = 12, VALUE_W = RESOURCE_VALUE, RANGE_W = 11 };

void strip_init(struct strip *s)
{
	*s = (struct strip){.graph = resource_new()};
}

void strip_free(struct strip *s)
{
	resource_free(s->graph);
	free(s->component);
	*s = (struct strip){0};
}

bool strip_add(struct strip *s, const struct curve_source *source, const char *name)
{
	struct resource_line *line;

	if (s->count == STRIP_MAX)
		return false;
	line = &s->lines[s->count++];
	*line = (struct resource_line){.source = *source};
	snprintf(line->name, sizeof(line->name), "%s", name);
	return true;
}

void strip_beside(struct strip *s, const struct strip *other)
{
	s->graph->beside = other;
}

static int shown_lines(const struct strip *s)
{
	int shown = 0;

	for (int i = 0; i < s->count; i++)
		shown += !s->lines[i].hidden;
	return shown;
}

int strip_height(const struct strip *s, int most)
{
	int shown = shown_lines(s), each = 1;

	while (shown && each < STRIP_LINES && 1 + shown * (each + 1) <= most)
		each++;
	return shown ? 1 + shown * each : 0;
}

/* What of name, value under the cursor and range the gutter has room for. */
struct labels {
	int name; /* columns of the names: longer ones are abbreviated */
	bool value, range;
};

static struct labels fit_labels(int room)
{
	const bool value = room >= NAME_LEAST + 1 + VALUE_W;
	const bool range = room >= NAME_WIDE + 1 + VALUE_W + 1 + RANGE_W;

	return (struct labels){room - value * (VALUE_W + 1) - range * (RANGE_W + 1), value, range};
}

static void draw_label(const struct axis *a, const struct resource_line *line, struct curve *c,
		       struct scale_range range, const struct labels *fit, struct grid *g,
		       struct rect r, struct style style)
{
	struct curve_reading value = curve_read(c, a->tick);
	char text[72];

	if (fit->range)
		grid_right(g, r, r.x + r.w, r.y, resource_range(line, range, RANGE_W, text), style);
	if (fit->value)
		grid_right(g, r, r.x + fit->name + 1 + VALUE_W, r.y,
			   resource_value(line, &value, VALUE_W, text), style);
	resource_put_name(a, line, g, r, r.x, r.y, fit->name, style);
}

static bool has_rates(const struct strip *s)
{
	bool any = false;

	for (int i = 0; i < s->count; i++)
		any = any || (!s->lines[i].hidden && resource_per_thousand(&s->lines[i]));
	return any;
}

/* A column of several cycles shows their mean, rates as far as there is room to say of what. */
static void draw_heading(const struct strip *s, const struct axis *a, const struct labels *fit,
			 struct grid *g, struct rect r, const struct palette *p)
{
	const char *mean = has_rates(s) ? "per 1000 cycles" : "mean";
	struct style style = palette_style(p, ROLE_RULER);
	char at[64];
	int used, value = r.x + fit->name + 1 + VALUE_W;

	used = grid_puts(g, r, r.x, r.y, resource_time(a, r.w, at), style);
	if (fit->range && used + 6 < r.w)
		grid_right(g, r, r.x + r.w, r.y, "range", style);
	if (r.x + used + (int)strlen(mean) >= value)
		mean = has_rates(s) ? "/kcycle" : "mean";
	if (fit->value && (a->zoom > 0 || has_rates(s)) && r.x + used + (int)strlen(mean) < value)
		grid_right(g, r, value, r.y, mean, style);
}

enum status strip_draw(struct strip *s, const struct axis *a, struct grid *g, struct rect area,
		       const struct palette *p, struct error *e)
{
	static const struct resource_look automatic = {.scale = {.kind = SCALE_AUTO}};
	struct rect label = {area.x, area.y, a->gutter > 0 ? a->gutter - 1 : 0, 1};
	struct labels fit = fit_labels(label.w);
	struct scale_range range[STRIP_MAX];
	int shown = shown_lines(s), each;
	enum status status;

	if (!shown || area.h <= 0)
		return STATUS_OK;
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	status = resource_fetch(s->graph, s->look ? s->look : &automatic, s->lines, s->count, a,
				false, range, e);
	if (status != STATUS_OK)
		return status;
	draw_heading(s, a, &fit, g, label, p);
	if (s->component)
		grid_puts(g, area, area.x + a->gutter, area.y, s->component,
			  palette_style(p, ROLE_TEXT));
	each = (area.h - 1) / shown;
	each = each < 1 ? 1 : each;
	label.y++;
	for (int i = 0; i < s->count && label.y + each <= area.y + area.h; i++) {
		struct band band = {{area.x + a->gutter, label.y, a->columns, each}, {i}, 1};

		if (s->lines[i].hidden)
			continue;
		draw_label(a, &s->lines[i], &s->graph->curves[i], range[i], &fit, g, label,
			   palette_style(p, (enum role)(ROLE_METRIC_0 + i)));
		resource_draw_band(s->graph, &band, range, g, p);
		label.y += each;
	}
	ruler_selection(a, g, (struct rect){area.x + a->gutter, area.y, a->columns, area.h}, p);
	return STATUS_OK;
}
