#include "config.h"

#include "app/curves.h"

#include <stdlib.h>

#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/curves.h"

struct curves_view {
	struct view base; /* first */
	struct curves curves;
};

static struct curves *of(const struct view *v)
{
	return &((struct curves_view *)(uintptr_t)v)->curves;
}

static struct view *make(struct app *a, struct tab *t)
{
	struct curves_view *c = xcalloc(1, sizeof(*c));

	curves_init(&c->curves, t->trace);
	c->base = (struct view){
	    .kind = &curves_view_kind, .tab = t, .app = a, .axis = &c->curves.axis};
	return &c->base;
}

static void view_free(struct view *v)
{
	free(v);
}

static void reopen(struct view *v)
{
	curves_reopen(of(v), v->tab->trace);
}

static void fit(struct view *v)
{
	curves_fit(of(v));
}

static unsigned progress(struct view *v, const struct progress *p)
{
	(void)p;
	return curves_follow(of(v)) ? VIEW_FILLS : VIEW_SAME;
}

/* All of it: whoever opens numbers over time wants the whole picture first. */
static void home(struct view *v)
{
	v->axis->tick = v->axis->first;
	fit(v);
}

static void layout(struct view *v, int full_width, int w, int h)
{
	bool begins = !v->axis->columns && v->tab->placed;

	(void)full_width;
	curves_layout(of(v), w, h);
	if (begins) /* the cursor stays: it may follow what came before there was a window */
		fit(v);
}

/* Curves are drawn in their own part of the screen: see resources_draw(). */
static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	(void)a, (void)v, (void)g, (void)area, (void)e;
	return STATUS_OK;
}

static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	*index = ITEM_NONE;
	return curves_hit(of(v), x, y, tick);
}

/* What there is to choose from. */
static enum status enter(struct app *a, struct view *v, struct error *e)
{
	(void)v;
	return panes_open(a, pane_kind_find("metrics", NULL), e);
}

static void status(struct view *v, int width, struct sbuf *out)
{
	(void)width;
	curves_status(of(v), out);
}

static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	(void)v, (void)width;
	resources_hint(a, out);
}

const struct view_kind curves_view_kind = {
    .metrics = true,
    .make = make,
    .free = view_free,
    .reopen = reopen,
    .progress = progress,
    .home = home,
    .layout = layout,
    .draw = draw,
    .move = timeline_move,
    .scroll = timeline_scroll,
    .center = timeline_center,
    .zoom = timeline_zoom,
    .fit = fit,
    .place = timeline_place,
    .go = timeline_go,
    .go_tick = timeline_go_tick,
    .hit = hit,
    .compare = timed_begin,
    .click = timeline_go,
    .enter = enter,
    .status = status,
    .describe = describe,
};
