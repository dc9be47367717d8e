#include "config.h"

#include "app/state.h"

/* Searching, in the pane with the focus, else in the view; and the filter of all views. */

/* n and N inside a pane walk the pane's own search. */
static enum status walk_pane(struct pane_slot *slot, int dir, struct error *e)
{
	if (!slot->pane->search)
		return error_set(e, STATUS_NOT_FOUND, "no search in this pane yet");
	if (!pane_find(slot->pane, dir))
		return error_set(e, STATUS_NOT_FOUND, "not found in this pane: %s",
				 regex_pattern(slot->pane->search));
	return STATUS_OK;
}

static enum status take_pattern(struct regex **search, const char *pattern, struct error *e)
{
	struct regex *re;

	if (regex_new(&re, pattern, e))
		return STATUS_USAGE;
	regex_free(*search);
	*search = re;
	return STATUS_OK;
}

/* In the first tree that has any. */
static enum status find_component(struct view *v, const struct regex *re, int dir, struct error *e)
{
	struct component_tree *t;

	if (!v->kind->tree)
		return error_set(e, STATUS_NOT_FOUND, "there is nothing to look for here");
	for (int i = 0; (t = v->kind->tree(v, i)); i++)
		if (tree_search(t, re, dir))
			return STATUS_OK;
	return error_set(e, STATUS_NOT_FOUND, "no component matches %s", regex_pattern(re));
}

/* Where no component matches: in the first other view that finds something; `e` says what did not. */
static enum status find_beside(struct call *c, int dir, struct error *e)
{
	struct tab *t = c->app->tab;
	const struct view_kind *from = t->view->kind;
	struct error why = {STATUS_OK, ""}, none = *e;

	for (int i = 0; i < t->view_count; i++) {
		const struct view_kind *k = t->views[i]->kind;

		if (!k->find || view_show(c->app, k, e))
			continue;
		if (!k->find(c, t->search, dir, &why)) {
			app_message(c->app, false, "%s; found in the view %s", none.text, k->name);
			return STATUS_OK;
		}
		view_show(c->app, from, e);
		return error_set(e, STATUS_NOT_FOUND, "%s; %s", none.text, why.text);
	}
	return STATUS_NOT_FOUND;
}

static enum status find(struct call *c, int dir, struct error *e)
{
	struct tab *t = c->app->tab;
	enum status status;

	if (!t->search)
		return error_set(e, STATUS_NOT_FOUND,
				 "nothing to look for: search for something first");
	status = t->view->kind->find ? t->view->kind->find(c, t->search, dir, e)
				     : find_component(t->view, t->search, dir, e);
	if (status && !t->view->kind->find && t->view->kind->tree)
		status = find_beside(c, dir, e);
	t->paused = t->paused || (t->follow && !status);
	c->react |= REACT_RELAYOUT;
	return status;
}

/* Without a pattern for the one before. */
static enum status search(struct call *c, struct error *e)
{
	struct pane_slot *slot = panes_focused(c->app);
	struct tab *t = c->app->tab;

	if (!slot && t->view->kind->search)
		return t->view->kind->search(c, e);
	if (c->argc && take_pattern(slot ? &slot->pane->search : &t->search, c->argv[0], e))
		return STATUS_USAGE;
	if (slot)
		return walk_pane(slot, c->command->arg, e);
	t->search_dir = c->command->arg;
	return find(c, t->search_dir, e);
}

static enum status again(struct call *c, struct error *e)
{
	struct pane_slot *slot = panes_focused(c->app);
	struct tab *t = c->app->tab;

	if (slot)
		return walk_pane(slot, c->command->arg, e);
	if (t->view->kind->again)
		return t->view->kind->again(c, e);
	return find(c, c->command->arg * t->search_dir, e);
}

/* In all views of the trace. */
static enum status filter_component(struct call *c, struct error *e)
{
	struct regex *re = NULL;

	if (c->argc && regex_new(&re, c->argv[0], e))
		return STATUS_USAGE;
	if (!tab_filter(c->app->tab, re))
		return error_set(e, STATUS_NOT_FOUND, "no stage or component matches %s", c->argv[0]);
	c->react |= REACT_RELAYOUT;
	return STATUS_OK;
}

const struct command search_commands[] = {
    {"search", "[REGEX]",
     "search forward in text and pc, in names of components, in kinds of tasks and their ids, in names "
     "and addresses of memory; no pattern: repeat the last search",
     .run = search, .flags = CMD_PANE, .arg = 1},
    {"search-back", "[REGEX]", "search backward", .run = search, .flags = CMD_PANE, .arg = -1},
    {"next", "[N]", "go to the next match of the last search or highlight", .run = again,
     .flags = CMD_BESIDE | CMD_PANE, .arg = 1},
    {"prev", "[N]", "go to the previous match", .run = again,
     .flags = CMD_BESIDE | CMD_PANE, .arg = -1},
    {"filter component", "[REGEX]",
     "show only stages and components whose name matches; no pattern: all",
     .run = filter_component, .flags = CMD_TRACE},
    {.name = NULL},
};
