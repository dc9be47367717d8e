#include "config.h"

#include <string.h>

#include "app/overview.h"
#include "app/state.h"

static struct overview *overview(const struct call *c)
{
	return &overview_of(c->app->tab)->overview;
}

/* Where the trace has one; after a change of what it shows the window is laid out anew. */
static enum status need_overview(struct call *c, struct error *e)
{
	if (!overview_of(c->app->tab))
		return error_set(e, STATUS_NOT_FOUND, "this trace has no metrics");
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return STATUS_OK;
}

static enum status view_overview(struct call *c, struct error *e)
{
	enum status status = need_overview(c, e);

	return status ? status : view_switch(c, &overview_view_kind, e);
}

static enum status choose(struct call *c, struct error *e)
{
	enum status status = need_overview(c, e);

	if (!status)
		status = overview_choose(overview(c), c->command->arg, c->argc ? c->argv[0] : NULL, e);
	return status;
}

static enum status sort(struct call *c, struct error *e)
{
	enum status status = need_overview(c, e);

	return status ? status : overview_sort(overview(c), c->argc ? c->argv[0] : NULL, e);
}

static enum status resize(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	if (need_overview(c, e))
		return STATUS_NOT_FOUND;
	overview_resize(overview(c), c->command->arg * n);
	return STATUS_OK;
}

static enum status fold(struct call *c, struct error *e)
{
	if (need_overview(c, e))
		return STATUS_NOT_FOUND;
	if (!overview_fold(overview(c)))
		return error_set(e, STATUS_NOT_FOUND, "no component holds others here");
	return STATUS_OK;
}

static enum status level(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 0, &n, e))
		return STATUS_USAGE;
	if (need_overview(c, e))
		return STATUS_NOT_FOUND;
	overview_fold_to(overview(c), n > TREE_DEPTH ? 0 : (int)n);
	return STATUS_OK;
}

static enum status again(struct call *c, struct error *e)
{
	struct overview_view *v = overview_of(c->app->tab);

	if (need_overview(c, e))
		return STATUS_NOT_FOUND;
	if (!v->search)
		return error_set(e, STATUS_NOT_FOUND, "no component was looked for yet");
	if (!overview_find(&v->overview, v->search, c->command->arg))
		return error_set(e, STATUS_NOT_FOUND, "no component matches %s",
				 regex_pattern(v->search));
	return STATUS_OK;
}

static enum status find(struct call *c, struct error *e)
{
	struct overview_view *v = overview_of(c->app->tab);
	struct regex *re;

	if (need_overview(c, e))
		return STATUS_NOT_FOUND;
	if (regex_new(&re, c->argv[0], e))
		return STATUS_USAGE;
	regex_free(v->search);
	v->search = re;
	return again(c, e);
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
     .flags = CMD_TRACE, .arg = 0},
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
    {"overview next", "", "go to the next match", .run = again, .flags = CMD_TRACE, .arg = 1},
    {"overview prev", "", "go to the previous match", .run = again, .flags = CMD_TRACE, .arg = -1},
    {"filter component", "[REGEX]",
     "show only stages and components whose name matches; no pattern: all",
     .run = filter_component, .flags = CMD_TRACE},
    {.name = NULL},
};
