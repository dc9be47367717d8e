/*
 * The curves of a band, column by column.
 */
#include "config.h"

#include <math.h>

#include "view/bars.h"
#include "view/resource_private.h"

/* What several curves in one band are filled with where there are no colours. */
static const uint16_t fills[] = {BAR_FULL, 0x2593, 0x2592, BAR_SHADE};

enum { FILLS = sizeof(fills) / sizeof(fills[0]) };

/* One column of one curve. */
struct bar {
	int line;
	struct curve_reading reading;
	struct scale_range range;
	struct style style;
	uint32_t fill;
	bool shaded, peak; /* it is interpolated; its peak is shown */
	uint32_t letter;   /* of an owner that begins here; 0: none */
};

static int eighths_of(struct scale_range range, double value, int lines)
{
	double part = (value - range.low) / (range.high - range.low);

	return bar_eighths(isfinite(part) ? part : 0, lines);
}

int resource_bar_y(const struct band *b, const struct scale_range *range, double value)
{
	return b->time.y + bar_top(eighths_of(*range, value, b->time.h), b->time.h);
}

void resource_draw_cursor(const struct resource *r, const struct band *b, int line,
			  const struct scale_range *range, const struct axis *a, struct grid *g,
			  const struct palette *p)
{
	const int64_t column = axis_column_of(a, a->tick);
	const double value = curve_read(&r->curves[line], a->tick).value;
	int y = isnan(value) ? b->time.y + b->time.h - 1 : resource_bar_y(b, &range[line], value);
	struct cell *cell;

	if (column < 0 || column >= b->time.w)
		return;
	cell = grid_at(g, b->time.x + (int)column, y);
	if (cell)
		cell->style = palette_style(p, ROLE_CURSOR);
}

/* Whose column it is: the curve's own, or of what was given its owner's. */
static void own_bar(struct bar *bar, const struct curve *c, int column, const struct palette *p)
{
	int owner = curve_owner(&c->source, &c->axis, curve_middle(c, column));
	int before = column > 0
			 ? curve_owner(&c->source, &c->axis, curve_middle(c, column - 1))
			 : -1;
	const struct curve_look *look = owner < 0 ? NULL : &c->source.given->looks[owner];

	bar->style = palette_style(p, look ? look->role : (enum role)(ROLE_METRIC_0 + bar->line));
	bar->letter = look && owner != before ? (uint32_t)look->letter : 0;
}

static uint32_t glyph_of(const struct bar *bar, int eighths, int lines, int line)
{
	int top = bar_top(eighths, lines);

	if (line == top && bar->letter)
		return bar->letter;
	if (line == top)
		return bar_char(eighths, lines, line);
	return line < top || bar->shaded ? BAR_SHADE : bar->fill;
}

/* What lies behind is seen above the bar's end. */
static void draw_bar(const struct bar *bar, struct grid *g, struct rect r)
{
	int eighths = eighths_of(bar->range, bar->reading.value, r.h), top = bar_top(eighths, r.h);
	int from = bar->peak ? bar_top(eighths_of(bar->range, bar->reading.high, r.h), r.h) : top;

	for (int line = from; line < r.h; line++) {
		const struct cell *behind = grid_at(g, r.x, r.y + line);
		struct style style = bar->style;

		if (line == top && behind && behind->cp != ' ')
			style.bg = behind->style.fg;
		grid_put(g, r.x, r.y + line, glyph_of(bar, eighths, r.h, line), style);
	}
}

/* What a given scale leaves out is not passed over in silence. */
static void draw_beyond(const struct bar *bar, struct grid *g, struct rect r)
{
	if (r.h > 1 && bar->reading.high > bar->range.high)
		grid_put(g, r.x, r.y, 0x2191, bar->style);
	if (r.h > 1 && bar->reading.low < bar->range.low)
		grid_put(g, r.x, r.y + r.h - 1, 0x2193, bar->style);
}

/* The bars of a column, the highest first, so that each lower one stands in front of it. */
static int bars_of(const struct resource *r, const struct band *b, const struct scale_range *range,
		   const struct palette *p, int column, struct bar bars[RESOURCE_MAX])
{
	int n = 0;

	for (int i = 0; i < b->n; i++) {
		const struct curve *c = &r->curves[b->line[i]];
		struct bar bar = {.line = b->line[i],
				  .reading = curve_column(c, column),
				  .range = range[b->line[i]],
				  .peak = b->n == 1};
		int at = n;

		if (isnan(bar.reading.value))
			continue;
		bar.shaded = bar.reading.interpolated && !c->interpolated;
		own_bar(&bar, c, column, p);
		bar.fill = bar.style.fg < 0 ? fills[i % FILLS] : BAR_FULL;
		for (; at > 0 && bars[at - 1].reading.value < bar.reading.value; at--)
			bars[at] = bars[at - 1];
		bars[at] = bar;
		n++;
	}
	return n;
}

/* The parts of a stack above each other: a cell of each has its letter, on its colour. */
static void draw_stack(const struct curve *c, int column, struct grid *g, struct rect r,
		       const struct palette *p)
{
	const struct curve_given *given = c->source.given;
	int line = r.h;
	double sum = 0;

	for (size_t part = 0; part < given->parts; part++) {
		struct style style = palette_style(p, given->looks[part].role);
		int top;

		sum += curve_part(c, column, part);
		top = r.h - (int)lrint(sum * r.h);
		style.attrs |= style.fg < 0 ? 0 : ATTR_REVERSE;
		while (line > top && line > 0)
			grid_put(g, r.x, r.y + --line, (uint32_t)given->looks[part].letter, style);
	}
}

void resource_draw_band(const struct resource *r, const struct band *b,
			const struct scale_range *range, struct grid *g, const struct palette *p)
{
	for (int x = 0; b->time.h > 0 && x < b->time.w; x++) {
		struct rect column = {b->time.x + x, b->time.y, 1, b->time.h};
		const struct curve *c = &r->curves[b->line[0]];
		struct bar bars[RESOURCE_MAX];
		int n;

		if (b->n == 1 && b->time.h > 1 && curve_is_stack(&c->source)) {
			draw_stack(c, x, g, column, p);
			continue;
		}
		n = bars_of(r, b, range, p, x, bars);
		for (int i = 0; i < n; i++)
			draw_bar(&bars[i], g, column);
		for (int i = 0; i < n; i++)
			draw_beyond(&bars[i], g, column);
	}
}
