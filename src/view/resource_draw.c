/*
 * A frame of the resource view: the curves, and what lies over them.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "view/pane_wrap.h"
#include "view/resource_private.h"
#include "view/ruler.h"

enum {
	OWNERS = RESOURCE_MAX + 1, /* styles of the canvas: lines, the slope, owners of windows */
	LETTER_GAP = 3,
	NOTE_SHARE = 3 /* of the lines, at most for what is told below */
};

struct resource *resource_new(void)
{
	return xcalloc(1, sizeof(struct resource));
}

void resource_free(struct resource *r)
{
	if (!r)
		return;
	for (int i = 0; i < RESOURCE_MAX; i++)
		curve_free(&r->curves[i]);
	canvas_free(&r->canvas);
	free(r);
}

/* The curve itself is never bold: to select another one would paint both of them again. */
struct style curve_style(const struct plot *t, int line)
{
	return palette_style(t->p, (enum role)(ROLE_METRIC_0 + line));
}

struct style line_style(const struct plot *t, int line)
{
	struct style s = curve_style(t, line);

	if (line == t->selected)
		s.attrs |= ATTR_BOLD;
	return s;
}

enum status resource_fetch(struct resource *r, const struct resource_look *look,
			   const struct resource_line *lines, int n, const struct axis *axis,
			   int across, struct scale_range *range, struct error *e)
{
	struct scale_range shared = SCALE_EMPTY;
	enum status status = STATUS_OK;

	for (int i = 0; i < n && status == STATUS_OK; i++) {
		struct curve *c = &r->curves[i];
		const struct scale *scale = resource_scale(look, lines[i].name);

		if (lines[i].hidden)
			continue;
		status = curve_fetch(c, &lines[i].source, axis, across, e);
		range[i] = scale->kind == SCALE_GIVEN
			       ? (struct scale_range){scale->low, scale->high}
			       : scale_round(c->range, c->counter);
		if (scale->kind == SCALE_SHARED)
			shared = scale_join(shared, c->range);
	}
	for (int i = 0; i < n; i++)
		if (resource_scale(look, lines[i].name)->kind == SCALE_SHARED)
			range[i] = scale_round(shared, false);
	return status;
}

/* ---- curves ---- */

static double width_of(const struct plot *t)
{
	return t->time.w * dots_across(t->r->canvas.kind) - 1;
}

static double height_of(const struct plot *t)
{
	return t->time.h * dots_down(t->r->canvas.kind) - 1;
}

/* Dots a cycle; 1 where a column has several cycles. */
static int dots_a_cycle(const struct plot *t)
{
	int zoom = t->axis->zoom;

	return zoom > 0 ? 1 : dots_across(t->r->canvas.kind) << -zoom;
}

static double dot_x(const struct plot *t, int64_t tick)
{
	double columns = (double)tick_sub(tick, t->axis->left) / (double)t->axis->step;

	return floor(ldexp(columns, -t->axis->zoom) * dots_across(t->r->canvas.kind));
}

static double dot_y(const struct plot *t, int line, double value)
{
	const struct scale_range *r = &t->range[line];
	double part = (value - r->low) / (r->high - r->low);

	return isfinite(part) ? height_of(t) * (1 - part) : height_of(t);
}

/* Cut [*a, *b], a stretch of the line from p0 with slope d, to where it is inside [0, most]. */
static bool cut(double p0, double d, double most, double *a, double *b)
{
	double enter, leave;

	if (d == 0)
		return p0 >= 0 && p0 <= most;
	enter = d > 0 ? -p0 / d : (most - p0) / d;
	leave = d > 0 ? (most - p0) / d : -p0 / d;
	*a = fmax(*a, enter);
	*b = fmin(*b, leave);
	return *a <= *b;
}

/* A straight line in dots, as far as it is inside. */
static void segment(struct plot *t, double x0, double y0, double x1, double y1, bool broken,
		    int owner)
{
	double dx = x1 - x0, dy = y1 - y0, a = 0, b = 1;

	if (!isfinite(dx) || !isfinite(dy) || !cut(x0, dx, width_of(t), &a, &b) ||
	    !cut(y0, dy, height_of(t), &a, &b))
		return;
	canvas_line(&t->r->canvas, (int)lrint(x0 + a * dx), (int)lrint(y0 + a * dy),
		    (int)lrint(x0 + b * dx), (int)lrint(y0 + b * dy), broken, (uint8_t)owner);
}

static void dot(struct plot *t, int x, double y, int owner)
{
	segment(t, x, y, x, y, false, owner);
}

/* Where a line has come to: a dot, or a sample left of the window. */
struct pen {
	bool down;
	double x, y;
};

/* Whose style a dot of a line has. */
static int owner_of(const struct plot *t, int line, int x)
{
	const struct curve *c = &t->r->curves[line];
	int owner = -1;

	if (c->source.given)
		owner = curve_owner(&c->source, curve_middle(c, x / c->across));
	return owner < 0 ? line : OWNERS + owner;
}

static void draw_to(struct plot *t, int line, struct pen *pen, double x, double y)
{
	bool sample = t->lines[line].source.metric.sampled;

	if (pen->down && (sample || x <= pen->x + 1))
		segment(t, pen->x, pen->y, x, y, x > pen->x + dots_a_cycle(t),
			owner_of(t, line, (int)x));
	*pen = (struct pen){true, x, y};
}

static void draw_curve(struct plot *t, int line)
{
	const struct curve *c = &t->r->curves[line];
	struct pen pen = {false, 0, 0};

	if (!isnan(c->before.value))
		pen = (struct pen){true, dot_x(t, c->before.tick),
				   dot_y(t, line, c->before.value)};
	for (int x = 0; x < c->dots; x++) {
		const struct curve_dot *d = &c->dot[x];

		if (isnan(d->mean))
			continue;
		draw_to(t, line, &pen, x, dot_y(t, line, d->mean));
		dot(t, x, dot_y(t, line, d->mean), owner_of(t, line, x));
		/* the mean is the line; what it was between stands above and below */
		dot(t, x, dot_y(t, line, d->high), owner_of(t, line, x));
		dot(t, x, dot_y(t, line, d->low), owner_of(t, line, x));
	}
	if (!isnan(c->after.value))
		draw_to(t, line, &pen, dot_x(t, c->after.tick), dot_y(t, line, c->after.value));
}

static int cell_line(const struct plot *t, double y)
{
	double most = height_of(t);

	y = y < 0 ? 0 : y > most ? most : y;
	return (int)lrint(y) / dots_down(t->r->canvas.kind);
}

/* What a given scale leaves out is not passed over in silence. */
static void draw_beyond(const struct plot *t, int line)
{
	const struct curve *c = &t->r->curves[line];
	int across = dots_across(t->r->canvas.kind);

	for (int x = 0; x < c->dots; x++) {
		const struct curve_dot *d = &c->dot[x];

		if (isnan(d->mean))
			continue;
		if (d->high > t->range[line].high)
			grid_put(t->g, t->time.x + x / across, t->time.y, 0x2191,
				 line_style(t, line));
		if (d->low < t->range[line].low)
			grid_put(t->g, t->time.x + x / across, t->time.y + t->time.h - 1, 0x2193,
				 line_style(t, line));
	}
}

/* The letter of a new owner where it begins: colours may look the same. */
static void draw_letters(const struct plot *t, int line)
{
	const struct curve *c = &t->r->curves[line];
	int before = line, free = 0;

	for (int x = 0; c->source.given && x < c->dots; x += c->across) {
		int owner = owner_of(t, line, x), column = x / c->across;

		if (owner != before && owner != line && !isnan(c->dot[x].mean) && column >= free) {
			grid_put(t->g, t->time.x + column,
				 t->time.y + cell_line(t, dot_y(t, line, c->dot[x].mean)),
				 (uint32_t)c->source.given->letters[owner - OWNERS],
				 palette_style(t->p, (enum role)(ROLE_METRIC_0 + owner - OWNERS)));
			free = column + LETTER_GAP;
			before = owner;
		}
	}
}

/* Its key on each of several lines, each at a place of its own: colours may look the same. */
static void draw_keys(const struct plot *t)
{
	int shown = 0, at = 0, across = dots_across(t->r->canvas.kind);

	for (int i = 0; i < t->n; i++)
		shown += !t->lines[i].hidden;
	for (int i = 0; shown > 1 && i < t->n; i++) {
		const struct curve *c = &t->r->curves[i];

		if (t->lines[i].hidden)
			continue;
		for (int x = (2 * at + 1) * c->dots / (2 * shown); x < c->dots; x++)
			if (!isnan(c->dot[x].mean)) {
				grid_put(t->g, t->time.x + x / across,
					 t->time.y + cell_line(t, dot_y(t, i, c->dot[x].mean)),
					 (uint32_t)resource_key(i), line_style(t, i));
				break;
			}
		at++;
	}
}

static void draw_cursor(const struct plot *t)
{
	int64_t column = axis_column_of(t->axis, t->axis->tick);
	double value = t->selected < 0 ? NAN : curve_reading_of(t, t->selected).value;
	int y = t->time.h - 1;
	struct cell *cell;

	if (column < 0 || column >= t->time.w)
		return;
	if (!isnan(value))
		y = cell_line(t, dot_y(t, t->selected, value));
	cell = grid_at(t->g, t->time.x + (int)column, t->time.y + y);
	if (cell)
		cell->style = palette_style(t->p, ROLE_CURSOR);
}

static void draw_marks(const struct plot *t)
{
	int y = t->heading.y + t->heading.h - 1;

	for (size_t i = 0; t->frame->marks && i < t->frame->marks->count; i++) {
		const struct mark *m = &t->frame->marks->at[i];
		int64_t column = axis_column_of(t->axis, m->at.tick);

		if (column >= 0 && column < t->time.w)
			grid_put(t->g, t->time.x + (int)column, y,
				 (uint32_t)m->letter,
				 palette_style(t->p, ROLE_MARK));
	}
}

/* ---- slope and notes ---- */

/* The selected curve where the slope begins and ends, on the screen or not; NaN: nothing rises. */
static void find_rise(struct plot *t)
{
	const struct resource_slope *slope = &t->frame->slope;
	bool on = slope->on && t->selected >= 0 && slope->tick[0] != slope->tick[1];
	struct axis cycle = *t->axis;

	cycle.zoom = 0;
	cycle.columns = 1;
	for (int i = 0; i < 2; i++) {
		cycle.left = on ? axis_align(t->axis, slope->tick[i], 0) : 0;
		t->rise[i] = on ? curve_value(&t->lines[t->selected].source, &cycle, slope->tick[i])
				: (struct curve_reading){.value = NAN};
	}
}

static bool rises(const struct plot *t)
{
	return !isnan(t->rise[0].value) && !isnan(t->rise[1].value);
}

static void draw_slope(struct plot *t)
{
	const struct resource_slope *slope = &t->frame->slope;

	if (slope->on && rises(t))
		segment(t, dot_x(t, slope->tick[0]), dot_y(t, t->selected, t->rise[0].value),
			dot_x(t, slope->tick[1]), dot_y(t, t->selected, t->rise[1].value), true, t->n);
}

static void note_slope(const struct plot *t, struct sbuf *note)
{
	const struct resource_slope *slope = &t->frame->slope;
	double cycles = (double)tick_sub(slope->tick[1], slope->tick[0]) / (double)t->axis->step;
	double a_cycle = (t->rise[1].value - t->rise[0].value) / cycles;
	const char *about = t->rise[0].interpolated || t->rise[1].interpolated ? "~" : "";
	char from[40], to[40], rise[32];

	sbuf_puts(note, slope->text);
	if (!rises(t))
		return;
	sbuf_puts(note, "; ");
	resource_label(t->axis, &t->lines[t->selected], note);
	sbuf_printf(note, " %s to %s, %s%s%s a %s",
		    resource_value(&t->rise[0], RESOURCE_VALUE, from),
		    resource_value(&t->rise[1], RESOURCE_VALUE, to), about, a_cycle < 0 ? "" : "+",
		    num_short(a_cycle, RESOURCE_VALUE, rise), axis_step_unit(t->axis));
}

/*
 * Parts of columns that are means of more than a cycle can hide a peak: then this is said, and what
 * the mark of interpolated values is.
 */
static void note_grain(const struct plot *t, struct sbuf *note)
{
	int64_t grain = t->axis->step;
	bool about = false;
	char number[32];

	for (int i = 0; i < t->n; i++)
		if (!t->lines[i].hidden && t->r->curves[i].grain > grain)
			grain = t->r->curves[i].grain;
	for (int i = 0; i < t->n; i++)
		about = about || (!t->lines[i].hidden && t->r->curves[i].interpolated);
	if (grain > t->axis->step)
		sbuf_printf(note, "%speaks are means of about %s %s", note->len ? "; " : "",
			    num_short((double)(grain / t->axis->step), 5, number),
			    unit_plural(axis_step_unit(t->axis)));
	if (about)
		sbuf_printf(note, "%svalues with ~ are interpolated", note->len ? "; " : "");
}

/* What is told below the curves, whole: over as many lines as that takes, if there is the room. */
static int add_note(struct plot *t, int width, int most, struct pane_line *out)
{
	struct sbuf note = {0};
	int rows;

	find_rise(t);
	if (t->frame->slope.on)
		note_slope(t, &note);
	note_grain(t, &note);
	pane_line_bytes(out, ROLE_RULER, sbuf_text(&note), note.len);
	rows = note.len ? pane_wrap_count(out, width) : 0;
	sbuf_free(&note);
	return rows < most ? rows : most;
}

static void draw_note(const struct plot *t, struct rect r, const struct pane_line *note)
{
	struct style style = palette_style(t->p, ROLE_RULER);
	struct wrap_row row = {0};

	for (int y = 0; y < r.h && pane_wrap_next(note, r.w, &row); y++)
		grid_text(t->g, r, r.x + row.indent, r.y + y, note->text.text + row.from,
			  row.to - row.from, style);
}

/* ---- the frame ---- */

static void lay_out(struct plot *t, struct rect area, int ruler)
{
	int gutter = t->axis->gutter, w = gutter > 0 ? gutter - 1 : 0, heading, axes;
	bool alone = t->frame->alone;

	heading = area.h > 2 * RESOURCE_HEADING && (alone || t->axis->zoom > 0) ? RESOURCE_HEADING
										: area.h > 1;
	if (alone && heading > ruler)
		heading = ruler;
	t->heading = (struct rect){area.x, area.y, w, heading};
	t->time =
	    (struct rect){area.x + gutter, area.y + heading, t->axis->columns, area.h - heading};
	axes = w >= RESOURCE_LEGEND + RESOURCE_AXIS ? (w - RESOURCE_LEGEND) / RESOURCE_AXIS : 0;
	t->axes = (struct rect){area.x + gutter - axes * RESOURCE_AXIS, t->time.y,
				axes * RESOURCE_AXIS, t->time.h};
	t->legend = (struct rect){area.x, t->time.y, w - axes * RESOURCE_AXIS, t->time.h};
	if (axes)
		t->legend.w--;
}

static void draw_lines(struct plot *t)
{
	struct style styles[OWNERS + PALETTE_METRICS];

	for (int i = 0; i < t->n; i++)
		styles[i] = curve_style(t, i);
	for (int i = 0; i < PALETTE_METRICS; i++)
		styles[OWNERS + i] = palette_style(t->p, (enum role)(ROLE_METRIC_0 + i));
	styles[t->n] = palette_style(t->p, ROLE_MARK);
	for (int i = t->n; i-- > 0;)
		if (!t->lines[i].hidden && i != t->selected)
			draw_curve(t, i);
	if (t->selected >= 0)
		draw_curve(t, t->selected);
	draw_slope(t);
	canvas_put(&t->r->canvas, t->g, t->time.x, t->time.y, styles);
	for (int i = 0; i < t->n; i++)
		if (!t->lines[i].hidden)
			draw_letters(t, i);
	draw_keys(t);
	for (int i = 0; i < t->n; i++)
		if (!t->lines[i].hidden)
			draw_beyond(t, i);
}

enum status resource_draw(struct resource *r, const struct resource_look *look,
			  const struct resource_line *lines, int n,
			  const struct resource_frame *frame, struct grid *g, struct rect area,
			  const struct palette *p, struct error *e)
{
	struct plot t = {.r = r,
			 .look = look,
			 .lines = lines,
			 .n = n,
			 .selected = resource_selected(look, lines, n),
			 .frame = frame,
			 .axis = frame->axis,
			 .g = g,
			 .p = p};
	enum dots dots = g->ascii ? DOTS_ASCII : look->dots;
	int ruler = ruler_lines(area.h);
	struct pane_line note = {0};
	struct rect below = area;
	enum status status;

	if (area.h <= 0 || area.w <= 0)
		return STATUS_OK;
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	status = resource_fetch(r, look, lines, n, t.axis, dots_across(dots), t.range, e);
	if (status != STATUS_OK)
		return status;
	area.h -= below.h = add_note(&t, area.w, area.h / NOTE_SHARE, &note);
	below.y += area.h;
	lay_out(&t, area, ruler);
	canvas_begin(&r->canvas, dots, t.time.w, t.time.h);
	if (frame->alone)
		ruler_draw(t.axis, g, (struct rect){t.time.x, area.y, t.time.w, ruler}, p);
	draw_lines(&t);
	resource_draw_gutter(&t);
	draw_marks(&t);
	draw_cursor(&t);
	draw_note(&t, below, &note);
	sbuf_free(&note.text);
	return STATUS_OK;
}
