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
	BAND_LEAST = 3, /* lines of a band where there are several, and between two of them */
	BAND_GAP = 1,
	NOTE_SHARE = 3 /* of the lines, at most for what is told below */
};

#define SEEN 0.005 /* of a column: less of a part is seldom drawn */

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

/* What a line has on the screen, together with that of the same name beside it. */
static enum status fetch_range(struct resource *r, const struct resource_line *lines, int line,
			       bool parted, struct scale_range *range, struct error *e)
{
	const struct strip *b = r->beside;
	enum status status = STATUS_OK;

	*range = r->curves[line].range;
	for (int i = 0; b && i < b->count && !status; i++) {
		struct curve *c = &b->graph->curves[i];

		if (b->lines[i].hidden || strcmp(b->lines[i].name, lines[line].name) != 0)
			continue;
		status = curve_fetch(c, &b->lines[i].source, b->axis, parted, e);
		*range = scale_join(*range, c->range);
	}
	return status;
}

enum status resource_fetch(struct resource *r, const struct resource_look *look,
			   const struct resource_line *lines, int n, const struct axis *axis,
			   bool parted, struct scale_range *range, struct error *e)
{
	struct scale_range shared = SCALE_EMPTY;
	enum status status = STATUS_OK;

	for (int i = 0; i < n && status == STATUS_OK; i++) {
		struct curve *c = &r->curves[i];
		const struct scale *scale = resource_scale(look, lines[i].name);

		if (lines[i].hidden)
			continue;
		status = curve_fetch(c, &lines[i].source, axis, parted && scale->kind != SCALE_SHARED, e);
		if (!status)
			status = fetch_range(r, lines, i, c->parted, &range[i], e);
		if (scale->kind == SCALE_SHARED)
			shared = scale_join(shared, range[i]);
		range[i] = scale->kind == SCALE_GIVEN
			       ? (struct scale_range){scale->low, scale->high}
			       : scale_round(range[i], c->counter);
	}
	for (int i = 0; i < n; i++)
		if (resource_scale(look, lines[i].name)->kind == SCALE_SHARED)
			range[i] = scale_round(shared, false);
	return status;
}

/* ---- what lies over the curves ---- */

static const struct band *band_of(const struct plot *t, int line)
{
	for (int i = t->first; i < t->first + t->bands; i++)
		for (int k = 0; k < t->band[i].n; k++)
			if (t->band[i].line[k] == line)
				return &t->band[i];
	return NULL;
}

/* Its key on each of several lines, each at a place of its own: colours may look the same. */
static void draw_keys(const struct plot *t, const struct band *b)
{
	for (int i = 0; b->n > 1 && i < b->n; i++)
		for (int x = (2 * i + 1) * b->time.w / (2 * b->n); x < b->time.w; x++) {
			double value = curve_column(&t->r->curves[b->line[i]], x).value;

			if (isnan(value))
				continue;
			grid_put(t->g, b->time.x + x,
				 resource_bar_y(b, &t->range[b->line[i]], value),
				 (uint32_t)resource_key(b->line[i]), line_style(t, b->line[i]));
			break;
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

/* A sign in each column of the straight line, as far as it is on the screen. */
static void draw_slope(const struct plot *t)
{
	const struct resource_slope *slope = &t->frame->slope;
	const struct band *b = band_of(t, t->selected);
	double from = (double)slope->tick[0], length = (double)slope->tick[1] - from;

	if (!slope->on || !b || !rises(t))
		return;
	for (int x = 0; x < b->time.w; x++) {
		double part = ((double)axis_tick_at(t->axis, x) - from) / length;
		double value = t->rise[0].value + (t->rise[1].value - t->rise[0].value) * part;

		if (part >= 0 && part <= 1)
			grid_put(t->g, b->time.x + x,
				 resource_bar_y(b, &t->range[t->selected], value), '+',
				 palette_style(t->p, ROLE_MARK));
	}
}

static void note_slope(const struct plot *t, struct sbuf *note)
{
	const struct resource_slope *slope = &t->frame->slope;
	double cycles = (double)tick_sub(slope->tick[1], slope->tick[0]) / (double)t->axis->step;
	double a_cycle = (t->rise[1].value - t->rise[0].value) / cycles;
	const char *about = t->rise[0].interpolated || t->rise[1].interpolated ? "~" : "";
	const struct resource_line *line = &t->lines[t->selected];
	char from[40], to[40], rise[32];

	sbuf_puts(note, slope->text);
	if (!rises(t))
		return;
	sbuf_puts(note, "; ");
	resource_label(t->axis, line, note);
	sbuf_printf(note, " %s to %s, %s%s%s per %s",
		    resource_value(line, &t->rise[0], RESOURCE_VALUE, from),
		    resource_value(line, &t->rise[1], RESOURCE_VALUE, to), about, a_cycle < 0 ? "" : "+",
		    resource_number(line, a_cycle, RESOURCE_VALUE, rise), axis_step_unit(t->axis));
}

/* "b branch  x execute": the parts of a stack that are seen in some column. */
static void note_parts(const struct curve *c, struct sbuf *note)
{
	const struct curve_given *g = c->source.given;
	const char *between = note->len ? "; " : "";

	for (size_t part = 0; g && part < g->parts; part++) {
		int column = 0;

		while (column < c->axis.columns && curve_part(c, column, part) < SEEN)
			column++;
		if (column == c->axis.columns)
			continue;
		sbuf_printf(note, "%s%c %s", between, g->looks[part].letter, g->looks[part].name);
		between = "  ";
	}
}

/*
 * What is shaded, what the mark of interpolated values is, and that parts of columns that are means
 * of more than a cycle can hide a peak.
 */
static void note_grain(const struct plot *t, struct sbuf *note)
{
	int64_t grain = t->axis->step;
	bool about = false, joined = false, peaks = false;

	for (int i = 0; i < t->n; i++) {
		const struct curve *c = &t->r->curves[i];

		if (t->lines[i].hidden)
			continue;
		grain = c->grain > grain ? c->grain : grain;
		about = about || c->interpolated;
		joined = joined || c->joined;
		peaks = peaks ||
			(c->parted && c->range.high > c->range.low && !curve_is_stack(&c->source));
		note_parts(c, note);
	}
	if (about)
		sbuf_printf(note, "%svalues with ~ are estimated", note->len ? "; " : "");
	if (peaks && t->axis->zoom > 0)
		sbuf_printf(note, "%sshaded up to each column's peak", note->len ? "; " : "");
	if (peaks && grain > t->axis->step) {
		sbuf_printf(note, "%speaks are means over about ", note->len ? "; " : "");
		axis_tell_length(t->axis, grain, note);
	}
	if (joined)
		sbuf_printf(note, "%sshaded between samples", note->len ? "; " : "");
}

/* Lines that have no band, and whether that is the user's wish. */
static void note_absent(const struct plot *t, bool hidden, struct sbuf *note)
{
	int count = 0;

	for (int i = 0; i < t->n; i++)
		count += t->lines[i].hidden == hidden && !band_of(t, i);
	if (!count)
		return;
	sbuf_puts(note, note->len ? "; " : "");
	if (hidden)
		sbuf_puts(note, "hidden:");
	else
		sbuf_printf(note, "%d more:", count);
	for (int i = 0; i < t->n; i++) {
		if (t->lines[i].hidden != hidden || band_of(t, i))
			continue;
		sbuf_printf(note, " %c ", resource_key(i));
		resource_label(t->axis, &t->lines[i], note);
	}
}

/* What is told below the curves, whole: over as many lines as that takes, if there is the room. */
static int add_note(struct plot *t, int width, int most, struct pane_line *out)
{
	struct sbuf note = {0};
	int rows;

	find_rise(t);
	if (t->frame->slope.on)
		note_slope(t, &note);
	note_absent(t, false, &note);
	note_absent(t, true, &note);
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

/* Those that share a scale stand in one band, each other line, and a stack, in its own. */
static void group_lines(struct plot *t)
{
	struct band *shared = NULL;

	for (int i = 0; i < t->n; i++) {
		bool shares =
		    resource_scale(t->look, t->lines[i].name)->kind == SCALE_SHARED &&
		    !curve_is_stack(&t->lines[i].source);
		struct band *b = shares && shared ? shared : &t->band[t->groups];

		if (t->lines[i].hidden)
			continue;
		t->groups += b == &t->band[t->groups];
		b->line[b->n++] = i;
		if (shares)
			shared = b;
	}
}

/* As many bands as so many lines can tell apart, the selected line's among them. */
static void choose_bands(struct plot *t, int h)
{
	int most = (h + BAND_GAP) / (BAND_LEAST + BAND_GAP), at = 0;

	group_lines(t);
	t->bands = t->groups;
	while (at < t->groups && band_of(t, t->selected) != &t->band[at])
		at++;
	if (most < t->groups)
		t->bands = most > 1 ? most : 1;
	if (at >= t->bands && at < t->groups)
		t->first = at - t->bands + 1;
}

static void place_bands(struct plot *t)
{
	int gap = t->time.h >= t->bands * (BAND_GAP + 1) ? BAND_GAP : 0;
	int h = t->time.h + gap;

	for (int i = 0; i < t->bands; i++) {
		int top = h * i / t->bands, next = h * (i + 1) / t->bands;

		t->band[t->first + i].time = (struct rect){t->time.x, t->time.y + top, t->time.w,
							   next - top - gap};
	}
}

static void lay_out(struct plot *t, struct rect area)
{
	int gutter = t->axis->gutter, w = gutter > 0 ? gutter - 1 : 0;
	int heading = t->frame->alone	 ? ruler_lines(area.h)
		      : t->axis->zoom > 0 && area.h > 2 * RESOURCE_HEADING ? RESOURCE_HEADING
									   : area.h > 1;

	t->heading = (struct rect){area.x, area.y, w, heading};
	t->time =
	    (struct rect){area.x + gutter, area.y + heading, t->axis->columns, area.h - heading};
	place_bands(t);
}

static void draw_bands(const struct plot *t)
{
	for (int i = t->first; i < t->first + t->bands; i++) {
		resource_draw_band(t->r, &t->band[i], t->range, t->g, t->p);
		draw_keys(t, &t->band[i]);
	}
	draw_slope(t);
	for (int i = t->first; i < t->first + t->bands; i++) {
		const struct band *b = &t->band[i];
		int line = band_of(t, t->selected) == b ? t->selected : b->line[0];

		resource_draw_cursor(t->r, b, line, t->range, t->axis, t->g, t->p);
	}
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
	struct pane_line note = {0};
	struct rect below = area;
	enum status status;

	if (area.h <= 0 || area.w <= 0)
		return STATUS_OK;
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	status = resource_fetch(r, look, lines, n, t.axis, true, t.range, e);
	if (status != STATUS_OK)
		return status;
	choose_bands(&t, area.h - RESOURCE_HEADING - 1);
	area.h -= below.h = add_note(&t, area.w, area.h / NOTE_SHARE, &note);
	below.y += area.h;
	lay_out(&t, area);
	if (frame->alone)
		ruler_draw(t.axis, g, (struct rect){t.time.x, area.y, t.time.w, t.heading.h}, p);
	resource_draw_gutter(&t);
	if (frame->component)
		grid_puts(g, area, t.time.x, area.y, frame->component, palette_style(p, ROLE_TEXT));
	ruler_marks(t.axis, g, (struct rect){t.time.x, t.heading.y, t.time.w, t.heading.h},
		    frame->marks, p);
	draw_bands(&t);
	ruler_selection(t.axis, g, (struct rect){t.time.x, area.y, t.time.w, area.h}, p);
	draw_note(&t, below, &note);
	sbuf_free(&note.text);
	return STATUS_OK;
}
