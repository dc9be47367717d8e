#include "config.h"

#include "app/tasks/view.h"

#include "app/state.h"

enum { CLOSER = 2 /* steps of zoom into a column of many */ };

struct tasks_view *tasks_view_of(const struct tab *t)
{
	return (struct tasks_view *)tab_view(t, &component_view_kind);
}

static struct gantt *of(const struct view *v)
{
	return &((struct tasks_view *)(uintptr_t)v)->gantt;
}

static void init(struct view *v)
{
	gantt_init(of(v), v->tab->trace);
	v->axis = &of(v)->axis;
	v->split = &of(v)->split;
	v->current = &of(v)->current;
}

static void view_free(struct view *v)
{
	gantt_free(of(v));
}

/* Rows may have other numbers; the component and the zoom stay. */
static void reopen(struct view *v)
{
	struct gantt *g = of(v), old = *g;

	gantt_init(g, v->tab->trace);
	g->component = old.component;
	g->axis = old.axis;
	axis_reopen(&g->axis, v->tab->trace);
	old.component = NULL;
	gantt_free(&old);
}

static void settle(struct view *v)
{
	gantt_settle(of(v));
}

static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	(void)e;
	gantt_draw(of(v), &v->tab->places.marks, g, area, &a->palette);
	return STATUS_OK;
}

static uint64_t all(const struct view *v)
{
	const struct trace *t = v->tab->trace;
	uint64_t n = tasks_lock(t)->count;

	tasks_unlock(t);
	return n;
}

static void item_text(struct view *v, uint64_t row, struct sbuf *out)
{
	struct gantt *g = of(v);
	const struct task_columns *c = tasks_lock(g->trace);

	if (row < c->count)
		gantt_task_name(g->trace, &g->keys, c, (uint32_t)row, out);
	tasks_unlock(g->trace);
}

/* ---- motions ---- */

static void move(struct view *v, int64_t down, int64_t columns)
{
	gantt_move(of(v), down, columns);
}

static void scroll(struct view *v, int64_t down, int64_t columns)
{
	gantt_scroll(of(v), down, columns);
}

static void go(struct view *v, uint64_t row, int64_t tick)
{
	if (row < all(v))
		gantt_goto(of(v), (uint32_t)row, tick);
	else if (tick != TICK_NONE)
		timeline_go_tick(v, tick);
}

static void click(struct view *v, uint64_t index, int64_t tick)
{
	of(v)->current = TASK_NONE;
	timeline_click(v, index, tick);
}

/* ---- closer and back ---- */

enum status tasks_open(struct app *a, uint32_t row, struct error *e)
{
	struct gantt *g = &tasks_view_of(a->tab)->gantt;
	enum status status = STATUS_OK;

	places_jumped(&a->tab->places, tab_place(a->tab));
	if (a->tab->view->kind != &component_view_kind)
		status = view_show(a, &component_view_kind, e);
	gantt_open(g, row);
	return status;
}

static enum status enter(struct app *a, struct view *v, struct error *e)
{
	struct gantt *g = of(v);

	if (g->current == TASK_NONE && g->chart[g->split.in].dense) {
		timeline_zoom(v, 0, -CLOSER);
		return STATUS_OK;
	}
	if (g->current == TASK_NONE)
		return error_set(e, STATUS_NOT_FOUND, "no task here");
	if (g->family && g->current == g->opened)
		return panes_open(a, pane_kind_find("inspector", NULL), e);
	return tasks_open(a, g->current, e);
}

/* From the task to its component; then all tasks are as bright again. */
static void escape(struct view *v)
{
	struct gantt *g = of(v);

	if (!g->family)
		g->highlight = KEY_NONE;
	g->family = false;
	gantt_settle(g);
}

static void status(struct view *v, int width, struct sbuf *out)
{
	gantt_status(of(v), width, out);
}

static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	(void)a;
	(void)width;
	gantt_describe(of(v), out);
}

static bool choose(struct view *v, const char *name)
{
	return gantt_choose(of(v), name);
}

const struct view_kind component_view_kind = {
    TIMELINE,
    .name = "component",
    .items = "tasks",
    .mode = KEYS_TASKS,
    .size = sizeof(struct tasks_view),
    .init = init,
    .free = view_free,
    .reopen = reopen,
    .came = timeline_came,
    .settle = settle,
    .resize = timeline_resize,
    .draw = draw,
    .all = all,
    .lines = timeline_lines,
    .item_text = item_text,
    .move = move,
    .scroll = scroll,
    .center = timeline_center,
    .place = timeline_place,
    .go = go,
    .hit = timeline_hit,
    .click = click,
    .find = tasks_find,
    .component = choose,
    .within = tasks_within,
    .enter = enter,
    .escape = escape,
    .panes = tasks_panes,
    .status = status,
    .describe = describe,
};
