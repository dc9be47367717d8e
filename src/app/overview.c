/*
 * The overview as a view of a tab (view/overview.h): all components of the trace as small multiples.
 * Every trace with metrics has one; Enter opens the component under the cursor in the first other view
 * of the tab that knows it, or adds its curves.
 */
#include "config.h"

#include "app/state.h"
#include "base/text.h"
#include "view/overview.h"

enum { SCALE_WIDTH = 14 /* columns of "  shared scale" */ };

struct overview_view {
	struct view base; /* first */
	struct overview overview;
};

static struct overview *of(const struct view *v)
{
	return &((struct overview_view *)(uintptr_t)v)->overview;
}

static void init(struct view *v)
{
	overview_init(of(v), v->tab->trace);
	v->axis = &of(v)->time;
}

static void view_free(struct view *v)
{
	overview_free(of(v));
}

static void reopen(struct view *v)
{
	overview_reopen(of(v), v->tab->trace);
}

static bool came(struct view *v, const struct progress *p)
{
	(void)p;
	return overview_came(of(v));
}

static void resize(struct view *v, int w, int h)
{
	overview_layout(of(v), w, h);
}

static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	return overview_draw(of(v), &a->resources.look, &v->tab->places.marks, g, area, &a->palette,
			     e);
}

static struct component_tree *tree(struct view *v, int which)
{
	return which ? NULL : &of(v)->tree;
}

/* The index is the line. */
static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	size_t line;
	bool there = overview_hit(of(v), x, y, &line, tick);

	*index = there ? line : ITEM_NONE;
	return there;
}

static void click(struct view *v, uint64_t index, int64_t tick)
{
	tree_goto(&of(v)->tree, (size_t)index);
	timeline_go(v, ITEM_NONE, tick);
}

static bool filter(struct view *v, const struct regex *components)
{
	return overview_filter(of(v), components);
}

/* In the first view that knows it; where none does, its curve is added to those of the trace. */
static enum status open_component(struct app *a, struct view *v, const char *name, struct error *e)
{
	struct tab *t = v->tab;
	struct sbuf line = {0};
	enum status status = STATUS_OK;

	for (int i = 0; i < t->view_count; i++) {
		const struct view_kind *k = t->views[i]->kind;

		if (k->component && k->component(t->views[i], name))
			return view_show(a, k, e);
	}
	if (t->view == t->views[0])
		status = app_run(a, "view resources", -1, e);
	else
		status = view_show(a, t->views[0]->kind, e);
	metric_add_line(of(v)->metric[0], name, &line);
	if (!status)
		status = app_run(a, sbuf_text(&line), -1, e);
	sbuf_free(&line);
	return status;
}

static enum status enter(struct app *a, struct view *v, struct error *e)
{
	struct overview *o = of(v);
	size_t node = o->tree.node;

	if (node == TREE_NONE)
		return error_set(e, STATUS_NOT_FOUND, "there are no components");
	if (o->tree.nodes.data[node].component)
		return open_component(a, v, o->tree.nodes.data[node].name, e);
	tree_fold(&o->tree);
	app_relayout(a);
	return STATUS_OK;
}

static void status(struct view *v, int width, struct sbuf *out)
{
	axis_status(v->axis, out);
	if (v->app->resources.look.scale.kind == SCALE_SHARED)
		sbuf_puts(out, text_width(sbuf_text(out), out->len) + SCALE_WIDTH <= width
				   ? "  shared scale"
				   : "  shared");
	if (*of(v)->sort)
		sbuf_printf(out, "  by %s", of(v)->sort);
}

static void narrowed(const struct view *v, int columns, struct sbuf *out)
{
	view_narrowed("components", v->tab->components, columns, out);
	view_narrowed("kinds", of(v)->kinds, columns, out);
}

/* The whole name, for the label of a line is its end; then keys. */
static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	const struct component_tree *t = &of(v)->tree;
	const bool opens = t->node == TREE_NONE || t->nodes.data[t->node].component;
	const struct app_hint hints[] = {
	    {opens ? "enter" : "fold", opens ? NULL : "enter", opens ? "open" : "fold"},
	    {"overview lower", "overview higher", "height"},
	    {opens ? "fold" : NULL, NULL, "fold"},
	    {"set scale", NULL, "scale"},
	    {"ask command overview metric", NULL, "metric"},
	    {"ask command filter component", NULL, "filter"},
	    {.what = NULL}};

	text_cut(out, tree_name(t, t->node), width);
	if (t->node != TREE_NONE && tree_is_inner(t, t->node))
		sbuf_printf(out, ": %zu components", t->nodes.data[t->node].components);
	app_hints(a, KEYS_OVERVIEW, hints, width, out);
}

const struct view_kind overview_view_kind = {
    TIMELINE_ALONE,
    .name = "overview",
    .beside = true,
    .whole = true,
    .metrics = true,
    .mode = KEYS_OVERVIEW,
    .size = sizeof(struct overview_view),
    .init = init,
    .free = view_free,
    .reopen = reopen,
    .came = came,
    .resize = resize,
    .draw = draw,
    .tree = tree,
    .move = timeline_move,
    .hit = hit,
    .click = click,
    .filter = filter,
    .enter = enter,
    .status = status,
    .describe = describe,
    .narrowed = narrowed,
};

/* ---- commands ---- */

/* A trace that is open has metrics. The window is laid out anew behind the command. */
static struct overview *need(struct call *c)
{
	c->react |= REACT_RELAYOUT;
	return of(tab_view(c->app->tab, &overview_view_kind));
}

static enum status choose(struct call *c, struct error *e)
{
	return overview_choose(need(c), c->command->arg, c->argc ? c->argv[0] : NULL, e);
}

static enum status sort(struct call *c, struct error *e)
{
	return overview_sort(need(c), c->argc ? c->argv[0] : NULL, e);
}

static enum status filter_kind(struct call *c, struct error *e)
{
	struct regex *re = NULL;

	if (c->argc && regex_new(&re, c->argv[0], e))
		return STATUS_USAGE;
	if (c->app->tab->view->kind != &overview_view_kind)
		app_message(c->app, false, "the overview counts these kinds: view overview");
	return overview_kinds(need(c), re, e);
}

static enum status heighten(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	overview_resize(need(c), c->command->arg * n);
	return STATUS_OK;
}

/* ---- of any view with a tree of components ---- */

/* The window is laid out anew: labels may be wider. */
static enum status fold(struct call *c, struct error *e)
{
	struct view *v = c->app->tab->view;
	struct component_tree *t = v->kind->tree ? v->kind->tree(v, c->command->arg) : NULL;

	if (!t || !tree_fold(t))
		return error_set(e, STATUS_NOT_FOUND, "no component holds others here");
	c->react |= REACT_RELAYOUT;
	return STATUS_OK;
}

static enum status fold_level(struct call *c, struct error *e)
{
	struct view *v = c->app->tab->view;
	int64_t n;

	if (call_count(c, 0, TREE_DEPTH + 1, &n, e))
		return STATUS_USAGE;
	for (int i = 0; v->kind->tree && v->kind->tree(v, i); i++)
		tree_fold_to(v->kind->tree(v, i), n > TREE_DEPTH ? TREE_DEPTH + 1 : (int)n);
	c->react |= REACT_RELAYOUT;
	return STATUS_OK;
}

const struct command overview_commands[] = {
    {"view overview", "", "show all components, a panel each: stages, caches, cores",
     .run = view_named, .flags = CMD_TRACE},
    {"overview metric", "METRIC", "choose the metric that the panels show", .run = choose,
     .flags = CMD_TRACE},
    {"overview second", "[METRIC]", "choose a second metric, drawn as dots; no argument: none",
     .run = choose, .flags = CMD_TRACE, .arg = 1},
    {"overview sort", "[METRIC]",
     "sort by a metric's mean over the cycles shown now; no argument: by name", .run = sort,
     .flags = CMD_TRACE},
    {"filter kind", "[REGEX]",
     "count only tasks whose kind, or kind and what, matches; no pattern: all", .run = filter_kind,
     .flags = CMD_TRACE},
    {"overview higher", "[N]", "make panels N lines higher", .run = heighten, .flags = CMD_TRACE,
     .arg = 1},
    {"overview lower", "[N]", "make panels N lines lower; of one line: shades and digits",
     .run = heighten, .flags = CMD_TRACE, .arg = -1},
    {"fold", "", "fold the components below this one into one panel or row, or unfold them",
     .run = fold, .flags = CMD_TRACE},
    {"fold column", "", "fold the receivers of requests below this one into one column, or unfold them",
     .run = fold, .flags = CMD_TRACE, .arg = 1},
    {"fold level", "[N]", "fold to N levels of names; no argument: unfold all", .run = fold_level,
     .flags = CMD_TRACE},
    {.name = NULL},
};
