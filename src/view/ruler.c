#include "config.h"

#include "view/ruler.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "trace/trace.h"

/* Room between two labels, and between two unlabelled marks, in columns. */
enum { LABEL_GAP = 3, MINOR_GAP = 2 };

enum { UNTRACED = '/' };

/* Divisions of 1, 2 and 5 times a power of ten that are round again, finest first. */
static const uint8_t divisions[3][3] = {{10, 5, 2}, {4, 2, 0}, {5, 0, 0}};
static const uint8_t mantissas[3] = {1, 2, 5};

/* What is counted on the ruler: cycles or ticks, in ticks. */
static int64_t unit_of(const struct axis *a)
{
	return axis_has_cycles(a) ? a->step : 1;
}

/* Columns of n units; saturates. */
static int64_t columns_of(const struct axis *a, int64_t n)
{
	int64_t ticks, column = axis_cell(a, a->zoom);

	if (__builtin_mul_overflow(n, unit_of(a), &ticks))
		return INT64_MAX;
	if (a->zoom >= 0)
		return ticks / column;
	ticks /= a->step;
	return ticks > INT64_MAX >> -a->zoom ? INT64_MAX : ticks << -a->zoom;
}

static int label_width(const struct axis *a)
{
	char buf[40];
	int last = (int)strlen(axis_text(a, axis_time(a, a->last), buf));
	int left = (int)strlen(axis_text(a, axis_time(a, a->left), buf));

	/* of a number without a unit the last is the longest */
	return left > last ? left : last;
}

void ruler_steps(const struct axis *a, int64_t *major, int64_t *minor)
{
	int64_t need = label_width(a) + LABEL_GAP, power = 1;

	*minor = 0;
	for (;; power *= 10) {
		for (int m = 0; m < 3; m++) {
			*major = power * mantissas[m];
			if (columns_of(a, *major) < need && *major <= INT64_MAX / 10)
				continue;
			for (int d = 0; d < 3 && divisions[m][d] && !*minor; d++)
				if (*major % divisions[m][d] == 0 &&
				    columns_of(a, *major / divisions[m][d]) >= MINOR_GAP)
					*minor = *major / divisions[m][d];
			return;
		}
	}
}

/* A stroke of the ruler: so many units, in that column. */
struct stroke {
	int64_t at, column;
};

/* The one behind it, at first (at TICK_NONE) at or behind the left; false: it is right of the window. */
static bool next_stroke(const struct axis *a, int64_t step, struct stroke *m)
{
	int64_t left = axis_time(a, a->left), rest = left % step, tick;

	if (m->at == TICK_NONE)
		m->at = rest == 0 ? left : tick_add(left, rest > 0 ? step - rest : -rest);
	else if (m->at > TICK_NONE - 1 - step)
		return false; /* and of what time can be */
	else
		m->at += step;
	tick = axis_tick_of(a, m->at);
	m->column = axis_column_of(a, tick);
	return tick < axis_right(a) && m->column < a->columns;
}

static void draw_strokes(const struct axis *a, struct grid *g, struct rect time, int64_t step,
			 uint32_t glyph, struct style style)
{
	struct stroke m = {.at = TICK_NONE};

	while (next_stroke(a, step, &m))
		if (m.column >= 0)
			grid_put(g, time.x + (int)m.column, time.y + 1, glyph, style);
}

/*
 * What the left edge is, where no mark has room for its number: some time is to be told. Of a number
 * wider than the window its end is, behind an ellipsis.
 */
static void draw_left(const struct axis *a, struct grid *g, struct rect time, struct style style)
{
	char label[40];
	int width = (int)strlen(axis_text(a, axis_time(a, a->left), label));
	int over = width > time.w ? width - time.w + 1 : 0;

	if (over >= width)
		return;
	grid_puts(g, time, time.x + (over > 0), time.y, label + over, style);
	if (over)
		grid_put(g, time.x, time.y, 0x2026, style);
}

/* A number that would be cut, or cut another, is left out: half a number is a wrong one. */
static void draw_labels(const struct axis *a, struct grid *g, struct rect time, int64_t step,
			struct style style)
{
	struct stroke m = {.at = TICK_NONE};
	int64_t next = 0;

	while (next_stroke(a, step, &m)) {
		char label[40];
		int64_t width = (int64_t)strlen(axis_text(a, m.at, label));

		if (m.column < next || m.column + width > time.w)
			continue;
		grid_puts(g, time, time.x + (int)m.column, time.y, label, style);
		next = m.column + width + 1;
	}
	if (next == 0)
		draw_left(a, g, time, style);
}

int ruler_lines(int height)
{
	return height >= 5 ? 2 : height >= 3 ? 1 : 0;
}

void ruler_draw(const struct axis *a, struct grid *g, struct rect time, const struct palette *p)
{
	struct style style = palette_style(p, ROLE_RULER);
	int64_t major, minor;

	if (time.h <= 0 || time.w <= 0)
		return;
	ruler_steps(a, &major, &minor);
	draw_labels(a, g, time, major, style);
	if (time.h < 2)
		return;
	if (minor)
		draw_strokes(a, g, time, minor, '.', style);
	draw_strokes(a, g, time, major, '|', style);
}

void ruler_marks(const struct axis *a, struct grid *g, struct rect time, const struct marks *marks,
		 const struct palette *p)
{
	for (size_t i = 0; marks && i < marks->count; i++) {
		const struct mark *m = &marks->at[i];
		int64_t column = axis_column_of(a, m->at.tick);

		if (column >= 0 && column < time.w)
			grid_put(g, time.x + (int)column, time.y + time.h - 1, (uint32_t)m->letter,
				 palette_style(p, ROLE_MARK));
	}
}

void ruler_selection(const struct axis *a, struct grid *g, struct rect time, const struct palette *p)
{
	int from, to;

	if (!axis_selected_columns(a, &from, &to))
		return;
	for (int x = from; x <= to && x < time.w; x++)
		for (int y = 0; y < time.h; y++) {
			struct cell *c = grid_at(g, time.x + x, time.y + y);

			if (c && c->style.bg < 0)
				c->style = palette_style(p, ROLE_SELECTION);
		}
}

void ruler_untraced(const struct axis *a, struct trace *t, struct grid *g, struct rect time,
		    const struct palette *p)
{
	for (int x = 0; t->kind->traced && x < time.w; x++) {
		int64_t from = axis_tick_at(a, x), to = tick_add(from, axis_cell(a, a->zoom));

		if (to <= a->first || from > a->last || t->kind->traced(t, from, to))
			continue;
		for (int y = time.y; y < time.y + time.h; y++) {
			const struct cell *c = grid_at(g, time.x + x, y);

			if (c && c->cp == ' ' && c->style.bg < 0 && !(c->style.attrs & ATTR_REVERSE))
				grid_put(g, time.x + x, y, UNTRACED, palette_style(p, ROLE_DIM));
		}
	}
}
