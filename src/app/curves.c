#include "config.h"

#include "app/curves.h"

#include "app/state.h"
#include "view/curves.h"

struct curves_view {
	struct view base; /* first */
	struct curves curves;
};

static struct curves *of(const struct view *v)
{
	return &((struct curves_view *)(uintptr_t)v)->curves;
}

static void init(struct view *v)
{
	curves_init(of(v), v->tab->trace);
	v->axis = &of(v)->axis;
}

static void reopen(struct view *v)
{
	curves_reopen(of(v), v->tab->trace);
}

static void resize(struct view *v, int w, int h)
{
	curves_layout(of(v), w, h, curves_gutter(w));
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

/* Curves are drawn in their own part of the screen: see resources_draw(). */
const struct view_kind curves_view_kind = {
    TIMELINE_ALONE,
    .metrics = true,
    .size = sizeof(struct curves_view),
    .init = init,
    .reopen = reopen,
    .resize = resize,
    .move = timeline_move,
    .hit = hit,
    .click = timeline_go,
    .enter = enter,
    .status = timeline_status,
};
