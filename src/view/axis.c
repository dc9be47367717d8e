#include "config.h"

#include "view/axis.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "analysis/interval.h"
#include "trace/trace.h"

void axis_init(struct axis *a, const char *unit)
{
	*a = (struct axis){.step = 1, .unit = unit};
}

void axis_set_extent(struct axis *a, int64_t first, int64_t last, int64_t step)
{
	a->first = first <= last ? first : 0;
	a->last = first <= last ? last : 0;
	a->step = step > 0 ? step : 1;
	a->phase = a->first % a->step;
	if (a->phase < 0)
		a->phase += a->step;
	a->left = axis_align(a, a->left, a->zoom);
}

void axis_open(struct axis *a, struct trace *t)
{
	*a = (struct axis){.trace = t};
	axis_follow(a, NULL);
	a->left = a->tick = a->first;
}

void axis_reopen(struct axis *a, struct trace *t)
{
	const struct axis before = *a;

	axis_open(a, t);
	a->zoom = before.zoom;
	a->columns = before.columns;
	a->raw_ticks = before.raw_ticks;
}

bool axis_follow(struct axis *a, const struct progress *p)
{
	const struct axis before = *a;
	struct progress now;

	if (!p)
		trace_progress(a->trace, &now);
	p = p ? p : &now;
	a->unit = a->trace->format.unit; /* decimals further down say that it is another */
	axis_set_extent(a, p->first, p->last, trace_ticks_per_cycle(a->trace));
	return a->first != before.first || a->last != before.last || a->step != before.step;
}

void axis_layout(struct axis *a, int w, int h, int gutter)
{
	axis_follow(a, NULL);
	a->width = w > 0 ? w : 0;
	a->height = h > 0 ? h : 0;
	a->gutter = gutter > 0 ? gutter : 0;
	a->columns = a->width > a->gutter ? a->width - a->gutter : 0;
	axis_clamp_zoom(a);
	axis_clamp_window(a);
	axis_window_to_cursor(a);
}

bool axis_hit(const struct axis *a, int x, int y, int64_t *tick)
{
	const int column = x - a->gutter;

	if (column < 0 || column >= a->columns || y < 0 || y >= a->height)
		return false;
	*tick = axis_tick_at(a, column);
	return *tick <= a->last;
}

/* ---- columns and ticks ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

int64_t axis_cell(const struct axis *a, int zoom)
{
	if (zoom <= 0)
		return a->step;
	return a->step > (TICK_NONE - 1) >> zoom ? TICK_NONE - 1 : a->step << zoom;
}

int64_t axis_align(const struct axis *a, int64_t tick, int zoom)
{
	int64_t cell = axis_cell(a, zoom), rest;

	if (cell == 1)
		return tick;
	rest = tick_sub(tick, a->phase) % cell;
	return tick_sub(tick, rest < 0 ? rest + cell : rest);
}

int64_t axis_ticks_of(const struct axis *a, int64_t columns)
{
	int64_t ticks;

	if (a->zoom <= 0)
		columns >>= -a->zoom;
	if (__builtin_mul_overflow(columns, axis_cell(a, a->zoom), &ticks))
		return columns > 0 ? TICK_NONE - 1 : INT64_MIN;
	return ticks == TICK_NONE ? TICK_NONE - 1 : ticks;
}

int64_t axis_column_of(const struct axis *a, int64_t tick)
{
	int64_t far = 1 << 28, d = tick_sub(tick, a->left);

	if (a->step == 1 && a->zoom >= 0)
		d >>= a->zoom;
	else
		d = floor_div(d, axis_cell(a, a->zoom));
	if (a->zoom < 0 && d < far && d > -far)
		d *= INT64_C(1) << -a->zoom;
	return d > far ? far : d < -far ? -far : d;
}

int64_t axis_tick_at(const struct axis *a, int64_t column)
{
	return tick_add(a->left, axis_ticks_of(a, column));
}

int64_t axis_right(const struct axis *a)
{
	return axis_tick_at(a, a->columns);
}

bool axis_shows(const struct axis *a, int64_t tick)
{
	int64_t column = axis_column_of(a, tick);

	return column >= 0 && column < a->columns;
}

void axis_selected(const struct axis *a, int64_t *from, int64_t *to)
{
	int64_t t0 = axis_align(a, a->tick, a->zoom), t1 = tick_add(t0, axis_cell(a, a->zoom));

	*from = axis_align(a, a->anchor.tick, 0);
	*to = tick_add(*from, axis_cell(a, 0));
	*from = t0 < *from ? t0 : *from;
	*to = t1 > *to ? t1 : *to;
}

bool axis_selected_columns(const struct axis *a, int *from, int *to)
{
	int64_t t0, t1, c0, c1;

	axis_selected(a, &t0, &t1);
	c0 = axis_column_of(a, t0);
	c1 = axis_column_of(a, t1 - 1) + (a->zoom < 0 ? (1 << -a->zoom) - 1 : 0);
	*from = c0 > 0 ? (int)c0 : 0;
	*to = (int)(c1 < a->columns ? c1 : a->columns - 1);
	return a->selecting && *from <= *to;
}

/* ---- as it is told ---- */

bool axis_has_cycles(const struct axis *a)
{
	return a->step > 1 && !a->raw_ticks;
}

const char *axis_unit(const struct axis *a)
{
	return axis_has_cycles(a) ? "cycle" : a->unit;
}

const char *axis_step_unit(const struct axis *a)
{
	return a->step > 1 ? "cycle" : a->unit;
}

const char *unit_plural(const char *unit)
{
	static const char *const words[][2] = {{"cycle", "cycles"}, {"tick", "ticks"}, {"section", "sections"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i][0], unit) == 0)
			return words[i][1];
	return unit;
}

bool unit_is_symbol(const char *unit)
{
	return unit_plural(unit) == unit;
}

int64_t axis_time(const struct axis *a, int64_t tick)
{
	return axis_has_cycles(a) ? floor_div(tick_sub(tick, a->phase), a->step) : tick;
}

int64_t axis_tick_of(const struct axis *a, int64_t time)
{
	int64_t tick;

	if (!axis_has_cycles(a))
		return time;
	if (__builtin_mul_overflow(time, a->step, &tick))
		return time < 0 ? INT64_MIN : TICK_NONE - 1;
	return tick_add(tick, a->phase);
}

int64_t axis_length(const struct axis *a, int64_t ticks)
{
	return axis_has_cycles(a) ? floor_div(tick_add(ticks, a->step / 2), a->step) : ticks;
}

int64_t axis_length_of(const struct axis *a, const struct interval *i)
{
	uint64_t n = axis_has_cycles(a) ? i->cycles : interval_ticks(i);

	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

const char *axis_text(const struct axis *a, int64_t time, char buf[40])
{
	return num_time(time, axis_unit(a), buf) ? buf : num_group(time, buf);
}

void axis_tell(const struct axis *a, int64_t tick, struct sbuf *out)
{
	char at[40];

	if (num_time(axis_time(a, tick), axis_unit(a), at))
		sbuf_puts(out, at);
	else
		sbuf_printf(out, "%s %s", axis_unit(a), num_group(axis_time(a, tick), at));
}

void axis_tell_length(const struct axis *a, int64_t ticks, struct sbuf *out)
{
	int64_t length = axis_length(a, ticks);
	char n[40];

	sbuf_puts(out, axis_text(a, length, n));
	if (!num_time(length, axis_unit(a), n))
		sbuf_printf(out, " %s", length == 1 ? axis_unit(a) : unit_plural(axis_unit(a)));
}

bool axis_parse(const struct axis *a, const char *text, int64_t *time)
{
	int64_t ticks;

	if (!num_parse_time(text, a->unit, &ticks))
		return num_parse_i64(text, time);
	*time = axis_length(a, ticks);
	return true;
}

void axis_tell_tick(const struct axis *a, struct sbuf *out)
{
	axis_tell(a, a->tick, out);
}

void axis_tell_zoom(const struct axis *a, struct sbuf *out)
{
	char cycles[32];

	if (a->zoom < 0)
		sbuf_printf(out, "1/%d", 1 << -a->zoom);
	else
		sbuf_puts(out, num_short(ldexp(1, a->zoom), 5, cycles));
}

/* In four digits, as a number of columns is. */
static int64_t rounded(int64_t ticks)
{
	int64_t unit = 1;

	while (ticks / unit >= 10000)
		unit *= 10;
	return (ticks + unit / 2) / unit * unit;
}

void axis_status(const struct axis *a, struct sbuf *out)
{
	char n[40];

	axis_tell_tick(a, out);
	sbuf_puts(out, "  ");
	if (a->zoom >= 0 && num_time(rounded(axis_cell(a, a->zoom)), axis_step_unit(a), n)) {
		sbuf_puts(out, n);
	} else {
		axis_tell_zoom(a, out);
		sbuf_printf(out, " %s",
			    a->zoom ? unit_plural(axis_step_unit(a)) : axis_step_unit(a));
	}
	sbuf_puts(out, " per column");
}

/* ---- to what exists ---- */

void axis_clamp_zoom(struct axis *a)
{
	if (a->zoom < TICK_ZOOM_MIN)
		a->zoom = TICK_ZOOM_MIN;
	if (a->zoom > TICK_ZOOM_MAX)
		a->zoom = TICK_ZOOM_MAX;
}

void axis_clamp_window(struct axis *a)
{
	a->left = axis_align(a, tick_clamp(a->left, a->first, a->last), a->zoom);
}

void axis_clamp_cursor(struct axis *a)
{
	a->tick = tick_clamp(a->tick, a->first, a->last);
}

void axis_cursor_to_window(struct axis *a)
{
	int64_t column = axis_column_of(a, a->tick);

	if (column < 0)
		a->tick = a->left;
	else if (column >= a->columns && a->columns > 0)
		a->tick = axis_tick_at(a, a->columns - 1);
	axis_clamp_cursor(a);
}

void axis_window_to_cursor(struct axis *a)
{
	int64_t column;

	axis_clamp_cursor(a);
	column = axis_column_of(a, a->tick);
	if (column < 0)
		a->left = axis_align(a, a->tick, a->zoom);
	else if (column >= a->columns && a->columns > 0)
		a->left = tick_sub(a->tick, axis_ticks_of(a, a->columns - 1));
	axis_clamp_window(a);
}

/* ---- motions ---- */

void axis_move(struct axis *a, int64_t columns)
{
	int64_t ticks = axis_ticks_of(a, columns);

	if (a->zoom < 0 && __builtin_mul_overflow(columns, a->step, &ticks))
		ticks = columns < 0 ? INT64_MIN : TICK_NONE - 1; /* by cycles, not by columns */
	a->tick = tick_add(a->tick, ticks);
	axis_window_to_cursor(a);
}

/* All ticks of the trace are in the window: there is nothing to scroll to. */
static bool sees_all(const struct axis *a)
{
	return a->left <= a->first && axis_column_of(a, a->last) < a->columns;
}

void axis_scroll(struct axis *a, int64_t columns)
{
	bool page = columns > a->columns / 4 || columns < -(a->columns / 4);
	int64_t left = a->left, ticks = axis_ticks_of(a, columns);

	if (ticks == 0)
		ticks = columns < 0 ? -a->step : a->step;
	if (!sees_all(a))
		a->left = tick_add(a->left, ticks);
	axis_clamp_window(a);
	if (a->left == left)
		a->tick = tick_add(a->tick, ticks);
	else if (page)
		a->tick = tick_add(a->tick, tick_sub(a->left, left));
	axis_cursor_to_window(a);
}

void axis_center(struct axis *a)
{
	if (!sees_all(a))
		a->left = tick_sub(axis_align(a, a->tick, a->zoom), axis_ticks_of(a, a->columns / 2));
	axis_clamp_window(a);
}

void axis_goto(struct axis *a, int64_t tick)
{
	a->tick = tick;
	axis_clamp_cursor(a);
	if (!axis_shows(a, a->tick))
		a->left = tick_sub(a->tick, axis_ticks_of(a, a->columns / 4));
	axis_clamp_window(a);
	axis_window_to_cursor(a);
}

int zoom_by(int zoom, int steps, int limit)
{
	if (steps <= 0)
		return zoom + steps;
	if (zoom >= limit)
		return zoom;
	return steps < limit - zoom ? zoom + steps : limit;
}

/* The closest at which all of [first, last] is on one screen. */
static int fit_zoom(const struct axis *a, int64_t first, int64_t last)
{
	int zoom = 0;

	while (zoom < TICK_ZOOM_MAX && a->columns > 0 &&
	       tick_sub(last, axis_align(a, first, zoom)) / axis_cell(a, zoom) >= a->columns)
		zoom++;
	return zoom;
}

void axis_zoom(struct axis *a, int steps)
{
	int64_t column = axis_column_of(a, a->tick);

	/* a step beyond the whole trace there is nothing more to see */
	a->zoom = zoom_by(a->zoom, steps, fit_zoom(a, a->first, a->last) + 1);
	axis_clamp_zoom(a);
	a->left = tick_sub(axis_align(a, a->tick, a->zoom), axis_ticks_of(a, column));
	axis_clamp_window(a);
}

void axis_fit(struct axis *a)
{
	a->zoom = fit_zoom(a, a->first, a->last);
	a->left = axis_align(a, a->first, a->zoom);
	axis_window_to_cursor(a);
	a->fitted.left = a->left;
	a->fitted.zoom = a->zoom;
	a->fitted.first = a->first;
	a->fitted.last = a->last;
}

void axis_fit_selected(struct axis *a)
{
	int64_t from, to;

	axis_selected(a, &from, &to);
	a->zoom = fit_zoom(a, from, to - 1);
	a->left = axis_align(a, from, a->zoom);
	axis_clamp_window(a);
	axis_window_to_cursor(a);
}

bool axis_is_fitted(const struct axis *a)
{
	return a->left == a->fitted.left && a->zoom == a->fitted.zoom;
}

bool axis_has_grown(const struct axis *a)
{
	return a->first != a->fitted.first || a->last != a->fitted.last;
}
