#include "config.h"

#include "app/joined.h"

#include "app/state.h"

/* parts of the screen at most */
enum { STRIPS_SHARE = 5, CURVES_SHARE = 3 };

enum { LEAST_STRIP = 2 }; /* lines: its head and one curve */

void joined_layout(struct app *a, struct rect view)
{
	struct joined *j = joined_shown(a);

	j->focus = joined_side(j, a->tab);
	j->ops->layout(a, j, view);
}

/* Two traces need the lines for rows. */
int joined_strip_lines(const struct joined *j, int h)
{
	int wanted =
	    strip_height(&j->side[JOINED_A]->strip, 0) + strip_height(&j->side[JOINED_B]->strip, 0);

	if (j->ops->whole)
		return j->curves ? h / 2 : 0;
	if (j->curves)
		return h / CURVES_SHARE;
	return wanted < h / STRIPS_SHARE ? wanted : h / STRIPS_SHARE;
}

static bool find_metric(const struct joined *j, int side, struct curve_source *out)
{
	return tab_curve(j->side[side], &j->metric, NULL, out);
}

enum status joined_curves(struct app *a, const struct metric_wish *metric, struct error *e)
{
	struct joined *j = joined_shown(a);
	struct curve_source ignored;

	j->curves = metric != NULL;
	if (metric)
		j->metric = *metric;
	for (int s = 0; metric && s < JOINED_SIDES; s++) {
		if (find_metric(j, s, &ignored))
			continue;
		j->curves = false;
		return error_set(e, STATUS_NOT_FOUND, "%c has no metric %s %s", joined_letter(s),
				 metric->name, metric->component);
	}
	app_relayout(a);
	joined_sync(a);
	return STATUS_OK;
}

/* On the axis of the side with the focus, the other moved as its window is, by cycles. */
static enum status draw_curves(struct app *a, struct joined *j, struct grid *g, struct rect area,
			       struct error *e)
{
	const struct resource_look look = {.scale = {.kind = SCALE_SHARED}};
	const struct axis *axis = a->tab->view->axis;
	struct resource_frame frame = resources_frame(a->tab);
	struct resource_line lines[JOINED_SIDES], of_both = {.hidden = false};
	struct sbuf title = {0};
	enum status status;
	int n = 0;

	for (int s = 0; s < JOINED_SIDES; s++) {
		const struct axis *from = j->side[s]->view->axis;
		struct curve_source source;

		if (!find_metric(j, s, &source) ||
		    __builtin_sub_overflow(axis->left, from->left, &source.shift))
			continue;
		if (from->step != axis->step) {
			source.step = from->step;
			source.axis_step = axis->step;
			source.origin = axis->left;
		}
		lines[n++] = (struct resource_line){.source = source, .name = {joined_letter(s)}};
		of_both.source.metric = source.metric;
	}
	metric_label(&j->metric, of_both.name);
	resource_label(axis, &of_both, &title);
	frame.component = sbuf_text(&title);
	if (!j->graph)
		j->graph = resource_new();
	status = resource_draw(j->graph, &look, lines, n, &frame, g, area, &a->palette, e);
	sbuf_free(&title);
	return status;
}

/* The curves of both, under the columns of their own rows; each gets its share of what is left. */
static enum status draw_strips(struct app *a, struct joined *j, struct grid *g, struct rect area,
			       struct error *e)
{
	const bool both = area.h >= JOINED_SIDES * LEAST_STRIP;
	int left = area.h;
	enum status status = STATUS_OK;

	for (int s = 0; s < JOINED_SIDES && !status; s++) {
		struct tab *t = j->side[s];
		int most = both && s == JOINED_A ? (left + 1) / JOINED_SIDES : left;
		char letter[] = {joined_letter(s), '\0'};

		area.h = strip_height(&t->strip, 0) < most ? strip_height(&t->strip, 0) : most;
		if (area.h <= 0 || (!both && s != j->focus))
			continue;
		status = strip_draw(&t->strip, t->view->axis, g, area, &a->palette, e);
		grid_puts(g, a->layout.strip, a->layout.strip.x, area.y, letter,
			  palette_style(&a->palette, ROLE_RULER));
		area.y += area.h;
		left -= area.h;
	}
	return status;
}

enum status joined_draw(struct app *a, struct grid *g, struct error *e)
{
	struct joined *j = joined_shown(a);
	struct rect area = a->layout.strip;
	enum status status;

	joined_sync(a);
	for (int s = 0; s < JOINED_SIDES; s++) {
		j->side[s]->strip.look = &a->resources.look;
		j->side[s]->strip.axis = j->side[s]->view->axis;
		strip_beside(&j->side[s]->strip, &j->side[!s]->strip);
	}
	status = j->ops->draw(a, j, g, e);
	if (status || area.h <= 0)
		return status;
	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_TEXT));
	area.x += JOINED_MARGIN;
	area.w -= JOINED_MARGIN;
	return (j->curves ? draw_curves : draw_strips)(a, j, g, area, e);
}

bool joined_click(struct app *a, int x, int y, uint64_t *index, int64_t *tick)
{
	struct joined *j = joined_shown(a);
	int left = JOINED_MARGIN + a->tab->view->axis->gutter, side;

	if (!j->ops->hit(j, x < left ? left : x, y, &side, index, tick))
		return false;
	if (x < left)
		*tick = TICK_NONE;
	joined_pass(a, j->side[side]);
	return true;
}

void joined_describe(const struct app *a, struct sbuf *out)
{
	struct joined *j = joined_shown(a);

	if (j && j->ops->describe)
		j->ops->describe(j, out);
}
