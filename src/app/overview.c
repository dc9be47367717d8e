#include "config.h"

#include "app/overview.h"

#include "app/state.h"
#include "base/text.h"

static struct overview *of(const struct view *v)
{
	return &((struct overview_view *)(uintptr_t)v)->overview;
}

struct overview_view *overview_of(const struct tab *t)
{
	return (struct overview_view *)tab_view(t, &overview_view_kind);
}

static void init(struct view *v)
{
	overview_init(of(v), v->tab->trace);
	v->axis = &of(v)->time.axis;
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
	unsigned ignored = REACT_NONE;
	enum status status = STATUS_OK;

	for (int i = 0; i < t->view_count; i++) {
		const struct view_kind *k = t->views[i]->kind;

		if (k->component && k->component(t->views[i], name))
			return view_show(a, k, e);
	}
	if (t->view == t->views[0])
		status = app_run(a, "view resources", -1, &ignored, e);
	else
		status = view_show(a, t->views[0]->kind, e);
	metric_add_line(of(v)->metric[0], name, &line);
	if (!status)
		status = app_run(a, sbuf_text(&line), -1, &ignored, e);
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
	const struct overview *o = of(v);
	struct sbuf more = {0};

	axis_status(v->axis, out);
	if (v->app->resources.look.scale.kind == SCALE_SHARED)
		sbuf_puts(&more, "  shared scale");
	if (*o->sort)
		sbuf_printf(&more, "  by %s", o->sort);
	if (text_width(sbuf_text(out), out->len) + text_width(sbuf_text(&more), more.len) <= width)
		sbuf_add(out, sbuf_text(&more), more.len);
	sbuf_free(&more);
}

/* The whole name, for the label of a line is its end; then keys. */
static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	static const struct {
		const char *command, *second, *what;
	} hints[] = {{"enter", NULL, "open"},
		     {"overview lower", "overview higher", "height"},
		     {"fold", NULL, "fold"},
		     {"set scale", NULL, "scale"},
		     {"ask command overview metric", NULL, "metric"}};
	const struct component_tree *t = &of(v)->tree;
	size_t node = t->node;

	if (node != TREE_NONE)
		text_cut(out, t->nodes.data[node].name, width);
	if (node != TREE_NONE && tree_is_inner(t, node))
		sbuf_printf(out, ": %zu components", t->nodes.data[node].components);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		size_t before = out->len;

		app_hint(a, KEYS_OVERVIEW, hints[i].command, hints[i].second, hints[i].what, out);
		if (text_width(sbuf_text(out), out->len) > width)
			sbuf_take(out, out->text + before);
	}
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
};
