/*
 * The network view as a view of a tab (view/tasks/network.h). Enter opens the receiving component.
 */
#include "config.h"

#include "app/commands_resource.h"
#include "app/state.h"
#include "app/tasks/view.h"
#include "base/text.h"
#include "view/tasks/network.h"

struct network_view {
	struct view base; /* first */
	struct network network;
};

static struct network *of(const struct view *v)
{
	return &((struct network_view *)(uintptr_t)v)->network;
}

static void init(struct view *v)
{
	network_init(of(v), v->tab->trace);
	v->axis = &of(v)->time;
}

static void view_free(struct view *v)
{
	network_free(of(v));
}

static void reopen(struct view *v)
{
	network_reopen(of(v), v->tab->trace);
}

static void resize(struct view *v, int w, int h)
{
	network_layout(of(v), w, h);
}

static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	return network_draw(of(v), &v->tab->places.marks, g, area, &a->palette, e);
}

static struct component_tree *tree(struct view *v, int which)
{
	return which < NETWORK_ENDS ? &of(v)->side[which].tree : NULL;
}

static void move(struct view *v, int64_t down, int64_t columns)
{
	tree_move(&of(v)->side[NETWORK_SENDERS].tree, down);
	tree_move(&of(v)->side[NETWORK_RECEIVERS].tree, columns);
}

/* The index is the row, then the column. */
static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	size_t cell[NETWORK_ENDS];
	bool there = network_hit(of(v), x, y, cell, tick);

	*index = there ? (uint64_t)cell[NETWORK_SENDERS] << 32 | cell[NETWORK_RECEIVERS] : ITEM_NONE;
	return there;
}

static void click(struct view *v, uint64_t index, int64_t tick)
{
	tree_goto(&of(v)->side[NETWORK_SENDERS].tree, (size_t)(index >> 32));
	tree_goto(&of(v)->side[NETWORK_RECEIVERS].tree, (size_t)(uint32_t)index);
	timeline_go(v, ITEM_NONE, tick);
}

static bool filter(struct view *v, const struct regex *components)
{
	network_filter(of(v), components);
	return true;
}

static enum status enter(struct app *a, struct view *v, struct error *e)
{
	const struct component_tree *t = &of(v)->side[NETWORK_RECEIVERS].tree;
	const char *receiver = tree_name(t, t->node);

	if (!*receiver || !gantt_choose(&tasks_view_of(v->tab)->gantt, receiver))
		return error_set(e, STATUS_NOT_FOUND, "there are no requests");
	return view_show(a, &component_view_kind, e);
}

static void status(struct view *v, int width, struct sbuf *out)
{
	struct sbuf text = {0};

	network_status(of(v), &text);
	text_cut(out, sbuf_text(&text), width);
	sbuf_free(&text);
}

/* It may be asked for before a frame of a window that changed. */
static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	struct error ignored;

	(void)a;
	if (!network_refresh(of(v), &ignored))
		network_describe(of(v), width, out);
}

const struct view_kind network_view_kind = {
    TIMELINE_ALONE,
    .name = "network",
    .items = "tasks",
    .whole = true,
    .mode = KEYS_NETWORK,
    .size = sizeof(struct network_view),
    .init = init,
    .free = view_free,
    .reopen = reopen,
    .resize = resize,
    .draw = draw,
    .tree = tree,
    .move = move,
    .hit = hit,
    .click = click,
    .filter = filter,
    .enter = enter,
    .status = status,
    .describe = describe,
};

/* ---- commands ---- */

/* The window is laid out anew behind the command. */
static struct network *need(struct call *c)
{
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return of(tab_view(c->app->tab, &network_view_kind));
}

static enum status step(struct call *c, struct error *e)
{
	struct network *n = need(c);
	enum status status = network_refresh(n, e);

	if (!status && !network_step(n, c->command->arg))
		return error_set(e, STATUS_NOT_FOUND, "no other requests of this sender in the window");
	return status;
}

const struct command network_commands[] = {
    {"view network", "", "show how many requests components send to which, as a matrix",
     .run = view_named, .flags = CMD_TRACE},
    {"network next", "", "go to the next receiver of requests in the row", .run = step,
     .flags = CMD_TRACE, .arg = 1},
    {"network prev", "", "go to the previous receiver of requests in the row", .run = step,
     .flags = CMD_TRACE, .arg = -1},
    {.name = NULL},
};
