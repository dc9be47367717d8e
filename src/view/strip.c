#include "config.h"

#include "view/strip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/abbreviate.h"
#include "view/pipeview_private.h"

enum { LEVELS = 8, FIRST_LEVEL = 0x2581, VALUE_W = 6, RANGE_W = 11, COUNTER_BINS = 16 };

/* One line's values for the columns on screen, and what they were asked for. */
struct curve {
	struct series series;
	int64_t from;
	int zoom, bins;
	uint64_t rows;
	int64_t last;
	bool complete, valid;
	bool counter; /* only ever grows: its slope is what there is to see */
	double *values;
	size_t cap;
	double low, high; /* range drawn */
};

struct strip_cache {
	struct curve curves[STRIP_MAX];
};

void strip_init(struct strip *s)
{
	*s = (struct strip){.cache = xcalloc(1, sizeof(*s->cache))};
}

void strip_free(struct strip *s)
{
	for (int i = 0; s->cache && i < STRIP_MAX; i++)
		free(s->cache->curves[i].values);
	free(s->cache);
	*s = (struct strip){0};
}

bool strip_add(struct strip *s, const struct series *series, const char *name)
{
	struct strip_line *line;

	if (s->count == STRIP_MAX)
		return false;
	line = &s->lines[s->count++];
	*line = (struct strip_line){.series = *series};
	snprintf(line->name, sizeof(line->name), "%s", name);
	return true;
}

void strip_remove(struct strip *s, int line)
{
	if (line < 0 || line >= s->count)
		return;
	s->count--;
	memmove(&s->lines[line], &s->lines[line + 1],
		(size_t)(s->count - line) * sizeof(s->lines[0]));
	for (int i = line; i < STRIP_MAX; i++)
		s->cache->curves[i].valid = false;
}

int strip_height(const struct strip *s)
{
	int shown = 0;

	for (int i = 0; i < s->count; i++)
		shown += !s->lines[i].hidden;
	return shown ? shown + 1 : 0;
}

/* The smallest of 1, 2, 2.5, 4, 5, 8 times a power of ten that is not below x > 0. */
static double round_number(double x)
{
	static const double mantissas[] = {1, 2, 2.5, 4, 5, 8, 10};
	double power = pow(10, floor(log10(x)));

	for (size_t i = 0; i < sizeof(mantissas) / sizeof(mantissas[0]); i++)
		if (mantissas[i] * power >= x * (1 - 1e-12))
			return mantissas[i] * power;
	return x;
}

/*
 * The range begins at zero, so that the height of a bar is the value; but for a counter, whose
 * slope would drown in what was counted before. It is otherwise that of the screen, and round,
 * so that it does not change (and repaint the line) with every step to the side.
 */
static void find_range(struct curve *c)
{
	double low = INFINITY, high = -INFINITY, step;
	bool constant;

	for (int i = 0; i < c->bins; i++)
		if (!isnan(c->values[i])) {
			low = fmin(low, c->values[i]);
			high = fmax(high, c->values[i]);
		}
	c->low = c->high = 0;
	if (low > high)
		return;
	constant = low == high;
	if (low > 0 && !(c->counter && low >= high / 2 && !constant))
		low = 0;
	if (high < 0)
		high = 0;
	if (constant && low < high) { /* full: nothing to be compared with */
		c->low = low;
		c->high = high;
		return;
	}
	step = high > low ? round_number(high - low) / 4 : 1;
	c->low = floor(low / step) * step;
	c->high = ceil(high / step) * step;
	if (c->high <= c->low)
		c->high = c->low + step;
}

/* Statistics of the trace that grow from bin to bin over all of it, as far as it is read. */
static bool is_counter(const struct pipeview *v, const struct series *series)
{
	struct extent x = pipeview_extent(v);
	double values[COUNTER_BINS], before = -INFINITY;

	if (series->kind != SERIES_STATISTIC ||
	    store_series(v->store, series, x.first, tick_add(x.last, 1), COUNTER_BINS, false,
			 values, NULL) != STATUS_OK)
		return false;
	for (int i = 0; i < COUNTER_BINS; i++) {
		if (isnan(values[i]))
			continue;
		if (values[i] <= before)
			return false;
		before = values[i];
	}
	return true;
}

static bool is_current(const struct curve *c, const struct curve *want)
{
	return c->valid && c->series.kind == want->series.kind &&
	       c->series.stages == want->series.stages && c->series.metric == want->series.metric &&
	       c->from == want->from && c->zoom == want->zoom && c->bins == want->bins &&
	       c->rows == want->rows && c->last == want->last && c->complete == want->complete;
}

/* Bins are the columns of the view (or ticks, magnified), as far as the trace goes. */
static struct curve wanted(const struct pipeview *v, const struct series *series)
{
	const struct progress *at = &v->cache->at;
	int zoom = v->tick_zoom > 0 ? v->tick_zoom : 0,
	    shift = v->tick_zoom < 0 ? -v->tick_zoom : 0;
	int64_t bins = ((int64_t)v->columns + (1 << shift) - 1) >> shift;
	int64_t rest = tick_sub(pipeview_extent(v).last, v->left);

	rest = rest < 0 ? 0 : (rest >> zoom) + 1;
	return (struct curve){.series = *series,
			      .from = v->left,
			      .zoom = zoom,
			      .bins = (int)(rest < bins ? rest : bins),
			      .rows = at->rows,
			      .last = at->last,
			      .complete = at->complete};
}

static enum status fetch(struct curve *c, const struct pipeview *v, const struct series *series,
			 struct error *e)
{
	struct curve want = wanted(v, series);
	int64_t to =
	    pipeview_tick_at(v, v->tick_zoom < 0 ? (int64_t)want.bins << -v->tick_zoom : want.bins);
	enum status status = STATUS_OK;

	if (is_current(c, &want))
		return STATUS_OK;
	want.values = c->values;
	want.cap = c->cap;
	if ((size_t)want.bins > want.cap) {
		want.cap = (size_t)want.bins;
		want.values = xreallocarray(want.values, want.cap, sizeof(*want.values));
	}
	if (want.bins > 0)
		status = store_series(v->store, series, want.from, to, (size_t)want.bins, false,
				      want.values, e);
	want.valid = status == STATUS_OK;
	/* the whole trace is asked only when it became another one */
	want.counter = c->valid && c->series.kind == want.series.kind &&
			       c->series.metric == want.series.metric && c->rows == want.rows &&
			       c->last == want.last
			   ? c->counter
			   : is_counter(v, series);
	*c = want;
	if (c->valid)
		find_range(c);
	return status;
}

static void draw_curve(const struct pipeview *v, const struct curve *c, struct grid *g, int x,
		       int y, struct style style)
{
	int shift = v->tick_zoom < 0 ? -v->tick_zoom : 0;

	for (int column = 0; column < v->columns && column >> shift < c->bins; column++) {
		double value = c->values[column >> shift];
		int level;

		if (isnan(value))
			continue;
		level = (int)((value - c->low) / (c->high - c->low) * LEVELS);
		level = level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level;
		grid_put(g, x + column, y, (uint32_t)(FIRST_LEVEL + level), style);
	}
}

static double under_cursor(const struct pipeview *v, const struct curve *c)
{
	int64_t column = pipeview_column_of(v, v->tick);

	column >>= v->tick_zoom < 0 ? -v->tick_zoom : 0;
	return column >= 0 && column < c->bins ? c->values[column] : NAN;
}

/* What of name, value under the cursor and range the gutter has room for: the name first. */
struct labels {
	int name; /* columns of the names */
	bool value, range;
};

static struct labels fit_labels(const struct strip *s, int room)
{
	struct labels fit = {0};
	int name = 0;

	for (int i = 0; i < s->count; i++) {
		int w = text_width(s->lines[i].name, strlen(s->lines[i].name));

		if (!s->lines[i].hidden && w > name)
			name = w;
	}
	fit.range = name + 1 + VALUE_W + 1 + RANGE_W <= room;
	fit.value = name + 1 + VALUE_W <= room;
	fit.name = room - (fit.value ? VALUE_W + 1 : 0) - (fit.range ? RANGE_W + 1 : 0);
	return fit;
}

static void put_right(struct grid *g, struct rect r, int right, const char *text,
		      struct style style)
{
	grid_puts(g, r, right - (int)strlen(text), r.y, text, style);
}

static void draw_label(const struct pipeview *v, const struct strip_line *line,
		       const struct curve *c, const struct labels *fit, struct grid *g,
		       struct rect r, struct style style)
{
	double value = under_cursor(v, c);
	char low[32], high[32], range[80], number[32];
	struct sbuf name = {0};

	snprintf(range, sizeof(range), "%s..%s", num_short(c->low, 5, low),
		 num_short(c->high, 5, high));
	if (fit->range)
		put_right(g, r, r.x + r.w, range, style);
	if (fit->value && !isnan(value))
		put_right(g, r, r.x + fit->name + 1 + VALUE_W, num_short(value, VALUE_W, number),
			  style);
	abbreviate(&name, line->name, fit->name);
	grid_text(g, r, r.x, r.y, sbuf_text(&name), name.len, style);
	sbuf_free(&name);
}

static void draw_heading(const struct pipeview *v, const struct labels *fit, struct grid *g,
			 struct rect r, const struct palette *p)
{
	struct style style = palette_style(p, ROLE_RULER);
	char at[32];
	int used;

	used = grid_printf(g, r, r.x, r.y, style, "%s %s", store_unit(v->store),
			   num_group(v->tick, at));
	if (fit->range && used + 6 < r.w)
		put_right(g, r, r.x + r.w, "range", style);
}

enum status strip_draw(struct strip *s, struct pipeview *v, struct grid *g, struct rect area,
		       const struct palette *p, struct error *e)
{
	int gutter = pipeview_gutter_width(v);
	struct rect label = {area.x, area.y, gutter > 0 ? gutter - 1 : 0, 1};
	struct labels fit = fit_labels(s, label.w);

	if (strip_height(s) == 0 || area.h <= 0)
		return STATUS_OK;
	viewcache_refresh(v);
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	draw_heading(v, &fit, g, label, p);
	for (int i = 0; i < s->count && label.y + 1 < area.y + area.h; i++) {
		struct style style = palette_style(p, (enum role)(ROLE_METRIC_0 + i));
		struct curve *c = &s->cache->curves[i];
		enum status status;

		if (s->lines[i].hidden)
			continue;
		status = fetch(c, v, &s->lines[i].series, e);
		if (status != STATUS_OK)
			return status;
		label.y++;
		draw_label(v, &s->lines[i], c, &fit, g, label, style);
		draw_curve(v, c, g, area.x + gutter, label.y, style);
	}
	return STATUS_OK;
}
