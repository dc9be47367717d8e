#include "config.h"

#include "view/pipeview_private.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* Room between two labels, and between two unlabelled marks, in columns. */
enum { LABEL_GAP = 3, MINOR_GAP = 2 };

/* Divisions of 1, 2 and 5 times a power of ten that are round again, finest first. */
static const uint8_t divisions[3][3] = {{10, 5, 2}, {4, 2, 0}, {5, 0, 0}};
static const uint8_t mantissas[3] = {1, 2, 5};

/* Columns of n ticks; saturates. */
static int64_t columns_of(const struct pipeview *v, int64_t ticks)
{
	if (v->tick_zoom >= 0)
		return ticks >> v->tick_zoom;
	return ticks > INT64_MAX >> -v->tick_zoom ? INT64_MAX : ticks << -v->tick_zoom;
}

static int label_width(const struct pipeview *v)
{
	char buf[32];

	return (int)strlen(num_group(pipeview_extent(v).last, buf));
}

void ruler_steps(const struct pipeview *v, int64_t *major, int64_t *minor)
{
	int64_t need = label_width(v) + LABEL_GAP, power = 1;

	*minor = 0;
	for (;; power *= 10) {
		for (int m = 0; m < 3; m++) {
			*major = power * mantissas[m];
			if (columns_of(v, *major) < need && *major <= INT64_MAX / 2)
				continue;
			for (int d = 0; d < 3 && divisions[m][d] && !*minor; d++)
				if (*major % divisions[m][d] == 0 &&
				    columns_of(v, *major / divisions[m][d]) >= MINOR_GAP)
					*minor = *major / divisions[m][d];
			return;
		}
	}
}

/* The first multiple of step at or after tick. */
static int64_t round_up(int64_t tick, int64_t step)
{
	int64_t rest = tick % step;

	if (rest == 0)
		return tick;
	return tick_add(tick, rest > 0 ? step - rest : -rest);
}

static void draw_marks(const struct pipeview *v, struct grid *g, struct rect time, int y,
		       int64_t step, uint32_t glyph, struct style style)
{
	int64_t end = pipeview_tick_at(v, time.w);

	for (int64_t t = round_up(v->left, step); t < end; t = tick_add(t, step)) {
		int64_t column = pipeview_column_of(v, t);

		if (column >= 0 && column < time.w)
			grid_put(g, time.x + (int)column, y, glyph, style);
		if (t > TICK_NONE - 1 - step)
			break;
	}
}

/* A number that would be cut, or cut another, is left out: half a number is a wrong one. */
static void draw_labels(const struct pipeview *v, struct grid *g, struct rect time, int64_t step,
			struct style style)
{
	int64_t end = pipeview_tick_at(v, time.w), next = 0;

	for (int64_t t = round_up(v->left, step); t < end; t = tick_add(t, step)) {
		int64_t column = pipeview_column_of(v, t), width;
		char label[32];

		width = (int64_t)strlen(num_group(t, label));
		if (column >= next && column + width <= time.w) {
			grid_puts(g, time, time.x + (int)column, time.y, label, style);
			next = column + width + 1;
		}
		if (t > TICK_NONE - 1 - step)
			break;
	}
}

void ruler_draw(const struct pipeview *v, struct grid *g, struct rect area, const struct palette *p)
{
	struct style style = palette_style(p, ROLE_RULER);
	int lines = pipeview_ruler_lines(v), gutter = pipeview_gutter_width(v);
	struct rect time = {area.x + gutter, area.y, v->columns, lines};
	int64_t major, minor;

	if (lines == 0 || v->columns <= 0)
		return;
	ruler_steps(v, &major, &minor);
	draw_labels(v, g, time, major, style);
	if (lines < 2)
		return;
	if (minor)
		draw_marks(v, g, time, area.y + 1, minor, '.', style);
	draw_marks(v, g, time, area.y + 1, major, '|', style);
}
