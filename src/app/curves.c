#include "config.h"

#include "app/curves.h"

#include <stdlib.h>

#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/curves.h"

/* beside: the view whose axis it goes along with; NULL: it has its own. */
struct curves_view {
	struct view base; /* first */
	struct view *beside;
	struct curves curves;
};

static struct curves_view *of(const struct view *v)
{
	return (struct curves_view *)(uintptr_t)v;
}

static struct view *make(struct app *a, struct tab *t)
{
	struct curves_view *c = xcalloc(1, sizeof(*c));

	c->beside = t->view_count ? t->views[0] : NULL;
	curves_init(&c->curves, t->trace);
	c->base = (struct view){.kind = &curves_view_kind,
				.tab = t,
				.app = a,
				.axis = c->beside ? c->beside->axis : &c->curves.axis};
	return &c->base;
}

static void view_free(struct view *v)
{
	free(of(v));
}

static void reopen(struct view *v)
{
	struct curves_view *c = of(v);
	struct axis axis = c->curves.axis;

	curves_init(&c->curves, v->tab->trace);
	c->curves.axis.zoom = axis.zoom;
	c->curves.axis.columns = axis.columns;
	c->curves.axis.raw_ticks = axis.raw_ticks;
}

static unsigned progress(struct view *v, const struct progress *p)
{
	(void)p;
	if (of(v)->beside)
		return VIEW_SAME;
	return curves_progress(&of(v)->curves) ? VIEW_FILLS : VIEW_SAME;
}

/* All of it: whoever opens numbers over time wants the whole picture first. */
static void home(struct view *v)
{
	axis_fit(v->axis);
	v->axis->tick = v->axis->first;
	axis_window_to_cursor(v->axis);
}

static void layout(struct view *v, int full_width, int w, int h)
{
	struct curves_view *c = of(v);
	bool begins = !c->curves.axis.columns && v->tab->placed;

	if (c->beside) {
		c->beside->kind->layout(c->beside, full_width, w, h);
		return;
	}
	curves_layout(&c->curves, w, h);
	if (begins)
		home(v);
}

static int gutter(const struct view *v)
{
	const struct view *beside = of(v)->beside;

	return beside ? beside->kind->gutter(beside) : curves_gutter(&of(v)->curves);
}

/* Curves are drawn in their own part of the screen: see resources_draw(). */
static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	(void)a, (void)v, (void)g, (void)area, (void)e;
	return STATUS_OK;
}

static void move(struct view *v, int64_t lines, int64_t columns)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->move(beside, lines, columns);
	else
		axis_move(v->axis, columns);
}

static void scroll(struct view *v, int64_t lines, int64_t columns)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->scroll(beside, lines, columns);
	else
		axis_scroll(v->axis, columns);
}

static void center(struct view *v)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->center(beside);
	else
		axis_scroll(v->axis, axis_column_of(v->axis, v->axis->tick) - v->axis->columns / 2);
}

static void zoom(struct view *v, int items, int ticks)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->zoom(beside, items, ticks);
	else
		axis_zoom(v->axis, ticks);
}

static void fit(struct view *v)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->fit(beside);
	else
		axis_fit(v->axis);
}

static int item_zoom(const struct view *v)
{
	const struct view *beside = of(v)->beside;

	return beside ? beside->kind->item_zoom(beside) : 0;
}

static struct place place(const struct view *v)
{
	const struct view *beside = of(v)->beside;

	return beside ? beside->kind->place(beside) : curves_place(&of(v)->curves);
}

static void go_tick(struct view *v, int64_t tick)
{
	struct view *beside = of(v)->beside;
	struct place to = {.item = ITEM_NONE, .tick = tick, .tick_zoom = v->axis->zoom};

	if (beside)
		beside->kind->go_tick(beside, tick);
	else
		curves_goto(&of(v)->curves, &to);
}

static void go(struct view *v, uint64_t item, int64_t tick)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->go(beside, item, tick);
	else if (tick != TICK_NONE)
		go_tick(v, tick);
}

static void newest(struct view *v)
{
	go_tick(v, v->axis->last);
}

static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	const struct view *beside = of(v)->beside;

	*index = ITEM_NONE;
	return beside ? beside->kind->hit(beside, x, y, index, tick)
		      : curves_hit(&of(v)->curves, x, y, tick);
}

static void click(struct view *v, uint64_t index, int64_t tick)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->click(beside, index, tick);
	else
		go_tick(v, tick);
}

static void moved(struct view *v)
{
	struct view *beside = of(v)->beside;

	if (beside)
		view_moved(beside);
}

static void show_marks(struct view *v, const struct mark *marks, size_t n)
{
	of(v)->curves.marks = marks;
	of(v)->curves.mark_count = n;
}

static enum status enter(struct app *a, struct view *v, struct error *e)
{
	(void)a, (void)v;
	return error_set(e, STATUS_NOT_FOUND, "there is nothing to enter: metrics lists them all");
}

static void status(struct view *v, int width, struct sbuf *out)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->status(beside, width, out);
	else
		curves_status(&of(v)->curves, out);
}

static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	struct view *beside = of(v)->beside;

	if (beside)
		beside->kind->describe(a, beside, width, out);
	else
		resources_hint(a, out);
}

const struct view_kind curves_view_kind = {
    .name = "resources",
    .help = "curves alone, as lines in the whole window",
    .metrics = true,
    .make = make,
    .free = view_free,
    .reopen = reopen,
    .progress = progress,
    .home = home,
    .layout = layout,
    .gutter = gutter,
    .draw = draw,
    .move = move,
    .scroll = scroll,
    .center = center,
    .zoom = zoom,
    .fit = fit,
    .item_zoom = item_zoom,
    .place = place,
    .go = go,
    .go_tick = go_tick,
    .newest = newest,
    .hit = hit,
    .click = click,
    .moved = moved,
    .enter = enter,
    .show_marks = show_marks,
    .status = status,
    .describe = describe,
};
