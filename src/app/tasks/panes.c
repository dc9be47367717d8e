#include "config.h"

#include "app/state.h"
#include "app/tasks/view.h"
#include "view/tasks/panes.h"

const char *tasks_within(const struct view *v)
{
	return tasks_view_of(v->tab)->gantt.component;
}

static struct gantt *gantt_of(const struct app *a)
{
	return &tasks_view_of(a->tab)->gantt;
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

#define ANSWER(name, which)                                                                        \
	static struct pane *make_##name(struct app *a)                                             \
	{                                                                                          \
		return tasks_answer_pane(a, which);                                                \
	}
ANSWER(hints, TASK_HINTS)
ANSWER(summary, TASK_SUMMARY)
ANSWER(components, TASK_COMPONENTS)
ANSWER(requests, TASK_REQUESTS)

const struct pane_kind tasks_panes[] = {
    {"inspector", "everything about the task under the cursor", PANE_SIDE, true, true, true,
     FOLLOWS_ROW, .make = make_task},
    {"legend", "letters and colours of tasks", PANE_SIDE, true, true, true, FOLLOWS_SCREEN,
     .make = make_legend},
    {"chain", "what the task is part of and what it waited for", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .make = make_chain},
    {"hints", "what limits the run, and where to look", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .make = make_hints},
    {"summary", "kinds of tasks and how long they take", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .make = make_summary},
    {"components", "components by how long their tasks took together", PANE_POPUP, true, true,
     false, FOLLOWS_NOTHING, .make = make_components},
    {"requests", "which component sent requests to which", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .make = make_requests},
    {.name = NULL},
};
