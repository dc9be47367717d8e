#include "config.h"

#include "app/overview.h"
#include "app/state.h"

/* Of the current trace; the window is laid out anew behind the command. NULL, and e set: none. */
static struct overview_view *need(struct call *c, struct error *e)
{
	struct overview_view *v = overview_of(c->app->tab);

	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	if (!v)
		error_set(e, STATUS_NOT_FOUND, "this trace has no metrics");
	return v;
}

static enum status view_overview(struct call *c, struct error *e)
{
	return need(c, e) ? view_switch(c, &overview_view_kind, e) : STATUS_NOT_FOUND;
}

static enum status choose(struct call *c, struct error *e)
{
	struct overview_view *v = need(c, e);
	const char *metric = c->argc ? c->argv[0] : NULL;

	return v ? overview_choose(&v->overview, c->command->arg, metric, e) : STATUS_NOT_FOUND;
}

static enum status sort(struct call *c, struct error *e)
{
	struct overview_view *v = need(c, e);

	return v ? overview_sort(&v->overview, c->argc ? c->argv[0] : NULL, e) : STATUS_NOT_FOUND;
}

static enum status resize(struct call *c, struct error *e)
{
	struct overview_view *v = need(c, e);
	int64_t n;

	if (!v || call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	overview_resize(&v->overview, c->command->arg * n);
	return STATUS_OK;
}

/* ---- of any view with a tree of components ---- */

/* The window is laid out anew: labels may be wider. */
static enum status fold(struct call *c, struct error *e)
{
	struct view *v = c->app->tab->view;
	struct component_tree *t = v->kind->tree ? v->kind->tree(v, c->command->arg) : NULL;

	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	if (!t || !tree_fold(t))
		return error_set(e, STATUS_NOT_FOUND, "no component holds others here");
	app_relayout(c->app);
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
	app_relayout(c->app);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return STATUS_OK;
}

const struct command overview_commands[] = {
    {"view overview", "", "show all components, a panel each: stages, caches, cores",
     .run = view_overview, .flags = CMD_TRACE},
    {"overview metric", "METRIC", "choose the metric that the panels show", .run = choose,
     .flags = CMD_TRACE},
    {"overview second", "[METRIC]", "choose a second metric, drawn as dots; no argument: none",
     .run = choose, .flags = CMD_TRACE, .arg = 1},
    {"overview sort", "[METRIC]",
     "sort by a metric's mean over the cycles shown now; no argument: by name", .run = sort,
     .flags = CMD_TRACE},
    {"overview higher", "[N]", "make panels N lines higher", .run = resize, .flags = CMD_TRACE,
     .arg = 1},
    {"overview lower", "[N]", "make panels N lines lower; of one line: shades and digits",
     .run = resize, .flags = CMD_TRACE, .arg = -1},
    {"fold", "", "fold the components below this one into one panel or row, or unfold them",
     .run = fold, .flags = CMD_TRACE},
    {"fold column", "", "fold the receivers of requests below this one into one column, or unfold them",
     .run = fold, .flags = CMD_TRACE, .arg = 1},
    {"fold level", "[N]", "fold to N levels of names; no argument: unfold all", .run = fold_level,
     .flags = CMD_TRACE},
    {.name = NULL},
};
