/*
 * What views do that hang on a time axis and on lines, if they have some: they follow the trace, and
 * all keys that move or zoom go there. What a view has beside it comes along by its kind's resize(),
 * came() and settle(). The one that has nothing is that of curves, of traces with metrics that no other view
 * shows. Where one does they lie on its axis, in a part of the window or in all of it
 * (app/commands_resource.h).
 */
#include "config.h"

#include "app/state.h"

enum {
	GUTTER_SHARE = 3, GUTTER_MOST = 33, /* columns for the names of curves and their scales */
	LABEL_TENTHS = 3, LABEL_MOST = 34   /* and of lines */
};

static void settle(struct view *v)
{
	if (v->kind->settle)
		v->kind->settle(v);
}

unsigned timeline_progress(struct view *v, const struct progress *p)
{
	bool saw_all = axis_is_fitted(v->axis), came = axis_follow(v->axis, p);

	if (v->kind->came)
		came = v->kind->came(v, p) || came;
	if (saw_all && axis_has_grown(v->axis)) {
		timeline_fit(v);
		return VIEW_FILLS;
	}
	if (came)
		settle(v);
	return came ? VIEW_FILLS : VIEW_SAME;
}

/* Items, or ends of items; or that was all. */
bool timeline_came(struct view *v, const struct progress *p)
{
	return p->items != v->tab->items_seen || p->reached != v->tab->reached_seen ||
	       p->complete != v->tab->told;
}

/* The cursor stays: it may follow what came before there was a window. */
void timeline_layout(struct view *v, int full_width, int w, int h)
{
	bool begins = !v->axis->columns && v->tab->placed;

	(void)full_width;
	v->kind->resize(v, w, h);
	if (begins)
		timeline_fit(v);
}

void timeline_resize(struct view *v, int w, int h)
{
	const int gutter = w * LABEL_TENTHS / 10;

	axis_layout(v->axis, w, h, gutter < LABEL_MOST ? gutter : LABEL_MOST);
	settle(v);
}

/* All of it: whoever opens numbers over time wants the whole picture first. */
void timeline_home(struct view *v)
{
	v->axis->tick = v->axis->first;
	timeline_fit(v);
}

static struct component_tree *tree_of(const struct view *v)
{
	return v->kind->tree ? v->kind->tree((struct view *)(uintptr_t)v, 0) : NULL;
}

int timeline_lines(const struct view *v)
{
	return v->split ? v->split->part[v->split->in].h : tree_of(v) ? (int)tree_of(v)->room : 0;
}

void timeline_move(struct view *v, int64_t lines, int64_t columns)
{
	if (tree_of(v))
		tree_move(tree_of(v), lines);
	if (v->split && lines)
		split_move(v->split, lines);
	axis_move(v->axis, columns);
	settle(v);
}

void timeline_scroll(struct view *v, int64_t lines, int64_t columns)
{
	if (tree_of(v))
		tree_scroll(tree_of(v), lines);
	if (v->split && lines)
		split_scroll(v->split, lines);
	if (columns)
		axis_scroll(v->axis, columns);
	settle(v);
}

void timeline_center(struct view *v)
{
	axis_center(v->axis);
	if (v->split)
		split_center(v->split);
	settle(v);
}

void timeline_zoom(struct view *v, int items, int ticks)
{
	(void)items;
	axis_zoom(v->axis, ticks);
	settle(v);
}

void timeline_fit(struct view *v)
{
	axis_fit(v->axis);
	settle(v);
}

struct place timeline_place(const struct view *v)
{
	return (struct place){
	    .item = v->current && *v->current != UINT32_MAX ? *v->current : ITEM_NONE,
	    .tick = v->axis->tick,
	    .tick_zoom = v->axis->zoom};
}

void timeline_go_tick(struct view *v, int64_t tick)
{
	axis_goto(v->axis, tick);
	settle(v);
}

void timeline_go(struct view *v, uint64_t item, int64_t tick)
{
	(void)item;
	if (tick != TICK_NONE)
		timeline_go_tick(v, tick);
}

bool timeline_hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	*index = ITEM_NONE;
	return (!v->split || split_hit(v->split, y, index)) && axis_hit(v->axis, x, y, tick);
}

void timeline_click(struct view *v, uint64_t index, int64_t tick)
{
	if (v->split)
		split_goto(v->split, index);
	timeline_go(v, ITEM_NONE, tick);
	settle(v);
}

void timeline_status(struct view *v, int width, struct sbuf *out)
{
	(void)width;
	axis_status(v->axis, out);
}

/* ---- curves ---- */

struct curves_view {
	struct view base; /* first */
	struct axis axis;
};

static void init(struct view *v)
{
	v->axis = &((struct curves_view *)v)->axis;
	axis_open(v->axis, v->tab->trace);
}

static void reopen(struct view *v)
{
	axis_reopen(v->axis, v->tab->trace);
}

static void resize(struct view *v, int w, int h)
{
	axis_layout(v->axis, w, h, w / GUTTER_SHARE < GUTTER_MOST ? w / GUTTER_SHARE : GUTTER_MOST);
}

/* What there is to choose from. */
static enum status enter(struct app *a, struct view *v, struct error *e)
{
	(void)v;
	return panes_open(a, pane_kind_find("metrics", NULL), e);
}

/* Curves are drawn in their own part of the screen: see resources_draw(). */
const struct view_kind curves_view_kind = {
    TIMELINE_ALONE,
    .metrics = true,
    .size = sizeof(struct curves_view),
    .init = init,
    .reopen = reopen,
    .resize = resize,
    .move = timeline_move,
    .hit = timeline_hit,
    .click = timeline_click,
    .enter = enter,
    .status = timeline_status,
};
