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

static enum status fold(struct call *c, struct error *e)
{
	struct overview_view *v = need(c, e);

	if (v && !tree_fold(&v->overview.tree))
		return error_set(e, STATUS_NOT_FOUND, "no component holds others here");
	app_relayout(c->app);
	return v ? STATUS_OK : STATUS_NOT_FOUND;
}

static enum status level(struct call *c, struct error *e)
{
	struct overview_view *v = need(c, e);
	int64_t n;

	if (!v || call_count(c, 0, TREE_DEPTH + 1, &n, e))
		return STATUS_USAGE;
	tree_fold_to(&v->overview.tree, n > TREE_DEPTH ? TREE_DEPTH + 1 : (int)n);
	app_relayout(c->app);
	return STATUS_OK;
}

/* Without a pattern for the one before. */
static enum status find(struct call *c, struct error *e)
{
	struct overview_view *v = need(c, e);
	struct regex *re;

	if (!v || (c->argc && regex_new(&re, c->argv[0], e)))
		return STATUS_USAGE;
	if (c->argc) {
		regex_free(v->search);
		v->search = re;
	}
	if (!v->search)
		return error_set(e, STATUS_NOT_FOUND, "no component was looked for yet");
	if (!tree_search(&v->overview.tree, v->search, c->command->arg))
		return error_set(e, STATUS_NOT_FOUND, "no component matches %s",
				 regex_pattern(v->search));
	app_relayout(c->app);
	return STATUS_OK;
}

/* Of all views of the trace. */
static enum status filter_component(struct call *c, struct error *e)
{
	struct regex *re = NULL;

	if (c->argc && regex_new(&re, c->argv[0], e))
		return STATUS_USAGE;
	if (!tab_filter(c->app->tab, re))
		return error_set(e, STATUS_NOT_FOUND, "no stage or component matches %s", c->argv[0]);
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
    {"overview fold", "", "fold the components below this one into one panel, or unfold them",
     .run = fold, .flags = CMD_TRACE},
    {"overview level", "[N]", "fold to N levels of names; no argument: unfold all", .run = level,
     .flags = CMD_TRACE},
    {"overview find", "REGEX", "go to the next component whose name matches", .run = find,
     .flags = CMD_TRACE, .arg = 1},
    {"overview next", "", "go to the next match", .run = find, .flags = CMD_TRACE, .arg = 1},
    {"overview prev", "", "go to the previous match", .run = find, .flags = CMD_TRACE, .arg = -1},
    {"filter component", "[REGEX]",
     "show only stages and components whose name matches; no pattern: all",
     .run = filter_component, .flags = CMD_TRACE},
    {.name = NULL},
};
