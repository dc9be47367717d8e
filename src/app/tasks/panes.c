#include "config.h"

#include "analysis/tasks/answers.h"
#include "app/answers.h"
#include "app/state.h"
#include "app/tasks/view.h"
#include "base/bisect.h"
#include "view/pane_list.h"
#include "view/tasks/panes.h"

const char *tasks_within(const struct view *v)
{
	return tasks_view_of(v->tab)->gantt.component;
}

static struct gantt *gantt_of(const struct app *a)
{
	return &tasks_view_of(a->tab)->gantt;
}

/* Whatever starts by the tick comes first, and of that the last. */
static bool is_nearer(int64_t start, int64_t than, int64_t tick)
{
	return start <= tick ? than > tick || than < start : than > start;
}

/* Of the components in sight; TASK_NONE: they have none. O(components * log n). */
static uint32_t nearest(const struct gantt *g, const struct task_columns *c, int64_t tick)
{
	uint32_t found = TASK_NONE;

	for (size_t i = 0; i < g->components.count; i++) {
		const uint32_t *from = &c->component_from[g->components.data[i]];
		size_t low = from[0], high = from[1];
		uint32_t row;

		bisect(low, high, n, c->start[c->by_component[n]] <= tick);
		low -= low > from[0];
		if (low == from[1])
			continue;
		row = c->by_component[low];
		if (found == TASK_NONE || is_nearer(c->start[row], c->start[found], tick))
			found = row;
	}
	return found;
}

/* In sight is, in a view of components, the one under the cursor. */
enum status tasks_open_nearest(struct call *c, struct error *e)
{
	struct view *from = c->app->tab->view, *v = tab_view(c->app->tab, &component_view_kind);
	const struct component_tree *t = from->kind->tree ? from->kind->tree(from, 0) : NULL;
	struct gantt *g = gantt_of(c->app);
	struct sbuf name = {0};
	uint32_t row;

	if (t)
		gantt_choose(g, tree_name(t, t->node));
	row = nearest(g, tasks_lock(g->trace), from->axis->tick);
	tasks_unlock(g->trace);
	if (row == TASK_NONE)
		return error_set(e, STATUS_NOT_FOUND, "there are no tasks");
	v->kind->item_text(v, row, &name);
	app_message(c->app, false, "the nearest task: %s", sbuf_text(&name));
	sbuf_free(&name);
	return tasks_open(c->app, row, e);
}

/* The one under the cursor, else the one that is open. */
static uint32_t subject(const struct app *a)
{
	const struct gantt *g = gantt_of(a);

	return g->current == TASK_NONE && g->family ? g->opened : g->current;
}

static struct pane *make_task(struct app *a)
{
	return task_pane(gantt_of(a), subject(a));
}

static struct pane *make_legend(struct app *a)
{
	return tasks_legend_pane(gantt_of(a));
}

static struct pane *make_chain(struct app *a)
{
	return chain_pane(gantt_of(a), subject(a));
}

/* ---- what batch commands say ---- */

enum { HINT_COLUMNS = 76 };

static bool go_component(const void *result, size_t row, struct sbuf *out)
{
	const struct task_components *r = result;

	sbuf_puts(out, "view component ");
	sbuf_put_quoted(out, r->list.data[row].name);
	return true;
}

static const struct pane_ops hint_ops = {LIST_PANE, .command = task_line_command, .width = HINT_COLUMNS};

static const struct answer_shown
    hints = {&hints_answer, "Hints", .hints = &hint_ops},
    summary = {&summary_answer, "Kinds of tasks", .none = "no tasks"},
    components = {&components_answer, "Components  (Enter shows its tasks)", .none = "no components",
		  .command = go_component},
    requests = {&requests_answer, "Requests from component to component",
		.none = "no pairs of requests"};

const struct pane_kind tasks_panes[] = {
    {"inspector", "everything about the task under the cursor", PANE_SIDE, true, true, true,
     FOLLOWS_ROW, .make = make_task},
    {"legend", "letters and colours of tasks", PANE_SIDE, true, true, true, FOLLOWS_SCREEN,
     .make = make_legend},
    {"chain", "what the task is part of and what it waited for", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .make = make_chain},
    {"hints", "what limits the run, and where to look", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &hints},
    {"summary", "kinds of tasks and how long they take", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &summary},
    {"components", "components by how long their tasks took together", PANE_POPUP, true, true,
     false, FOLLOWS_NOTHING, .answer = &components},
    {"requests", "which component sent requests to which", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &requests},
    {.name = NULL},
};
