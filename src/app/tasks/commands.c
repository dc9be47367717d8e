#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "app/state.h"
#include "app/tasks/view.h"
#include "base/bisect.h"
#include "base/xalloc.h"

/* Commands about tasks of components. */

static struct gantt *gantt_of(const struct call *c)
{
	return &tasks_view_of(c->app->tab)->gantt;
}

/* The task that a command is about: under the cursor, else the one that is open. */
static enum status need_task(const struct call *c, uint32_t *row, struct error *e)
{
	const struct gantt *g = gantt_of(c);

	*row = g->current;
	if (g->current == TASK_NONE && g->family)
		*row = g->opened;
	return *row != TASK_NONE ? STATUS_OK : error_set(e, STATUS_NOT_FOUND,
								    "no task here: open one first "
								    "(Enter on one in the component view)");
}

static enum status view_component(struct call *c, struct error *e)
{
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	if (c->argc && !gantt_choose(gantt_of(c), c->argv[0]))
		return error_set(e, STATUS_NOT_FOUND, "the trace has no component %s", c->argv[0]);
	gantt_of(c)->family = false;
	return view_show(c->app, &component_view_kind, e);
}

/* Of the task under the cursor, else of the one that is open, else of the nearest. */
static enum status view_task(struct call *c, struct error *e)
{
	struct gantt *g = gantt_of(c);
	uint32_t row = g->current == TASK_NONE && g->family ? g->opened : g->current;

	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return row != TASK_NONE ? tasks_open(c->app, row, e) : tasks_open_nearest(c, e);
}

/* In the task view it is opened, in the component view gone to. */
static enum status show_task(struct call *c, uint32_t row, struct error *e)
{
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	if (gantt_of(c)->family)
		return tasks_open(c->app, row, e);
	places_jumped(&c->app->tab->places, tab_place(c->app->tab));
	gantt_goto(gantt_of(c), row, TICK_NONE);
	return STATUS_OK;
}

static enum status task_row(struct call *c, struct error *e)
{
	const struct task_columns *columns = tasks_lock(c->app->tab->trace);
	const int64_t count = columns->count;
	enum status status;
	int64_t row, until;

	tasks_unlock(c->app->tab->trace);
	status = call_number(c, 0, 0, &row, e);
	if (!status && (row < 0 || row >= count))
		status = error_set(e, STATUS_NOT_FOUND, "no such task: %s", c->argv[0]);
	if (!status && c->argc > 1 && !axis_parse(&gantt_of(c)->axis, c->argv[1], &until))
		status = error_set(e, STATUS_USAGE, "not a time: %s", c->argv[1]);
	if (!status)
		status = tasks_open(c->app, (uint32_t)row, e);
	if (!status && c->argc > 1)
		gantt_frame(gantt_of(c), gantt_of(c)->axis.tick, until);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return status;
}

static enum status task_parent(struct call *c, struct error *e)
{
	struct trace *t = c->app->tab->trace;
	uint32_t row, parent;

	if (need_task(c, &row, e))
		return STATUS_NOT_FOUND;
	parent = tasks_lock(t)->parent[row];
	tasks_unlock(t);
	if (parent == TASK_ORPHAN)
		return error_set(e, STATUS_NOT_FOUND,
				 "the parent of this task is not in the trace");
	if (parent == TASK_NONE)
		return error_set(e, STATUS_NOT_FOUND, "this task has no parent");
	return show_task(c, parent, e);
}

/* The n-th by start, or the last. */
static enum status task_child(struct call *c, struct error *e)
{
	struct trace *t = c->app->tab->trace;
	const struct task_columns *columns;
	uint32_t row, from, to, child = TASK_NONE;
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	if (need_task(c, &row, e))
		return STATUS_NOT_FOUND;
	columns = tasks_lock(t);
	tasks_children(columns, row, &from, &to);
	if (from < to)
		child = columns->by_parent[n < 1           ? from
					   : n < to - from ? from + (uint32_t)n - 1
							   : to - 1];
	tasks_unlock(t);
	if (child == TASK_NONE)
		return error_set(e, STATUS_NOT_FOUND, "this task has no subtasks");
	return show_task(c, child, e);
}

static enum status task_step(struct call *c, struct error *e)
{
	if (!gantt_step(gantt_of(c), c->command->arg))
		return error_set(e, STATUS_NOT_FOUND, "no further task in this line of the window");
	return STATUS_OK;
}

/*
 * Tasks of one kind and what, or like the one under the cursor, keep their colours, others are
 * grey; the same again: all have them.
 */
static enum status highlight(struct call *c, struct error *e)
{
	struct gantt *g = gantt_of(c);
	const struct task_columns *columns = tasks_lock(g->trace);
	uint32_t key = KEY_NONE;

	if (c->argc)
		key = keys_find(&g->keys, c->argv[0]);
	else if (g->current < columns->count)
		key = keys_of(&g->keys, columns, g->current);
	tasks_unlock(g->trace);
	if (c->argc && key == KEY_NONE)
		return error_set(e, STATUS_NOT_FOUND, "the trace has no tasks of %s", c->argv[0]);
	g->highlight = key == g->highlight ? KEY_NONE : key;
	return STATUS_OK;
}

/* ---- searching ---- */

struct hunt {
	const struct gantt *g;
	const struct task_columns *c;
	bool *pairs;      /* of kind and what: it matches */
	bool *components; /* it is shown */
	bool anywhere;    /* in all components */
};

static bool is_hit(const struct hunt *h, uint32_t row)
{
	uint32_t component = tasks_tables(h->g->trace)->slots.data[h->c->slot[row]].component;

	return h->pairs[keys_of(&h->g->keys, h->c, row)] &&
	       (h->anywhere || h->components[component]);
}

/*
 * Its place in the order of starts; of what has none: the first that starts at the cursor or later.
 */
static uint32_t cursor_place(const struct hunt *h)
{
	const struct task_columns *c = h->c;
	const uint32_t row = h->g->current < c->count ? h->g->current : 0;
	const int64_t tick = h->g->current < c->count ? c->start[row] : h->g->axis.tick;
	size_t low = 0, high = c->count;

	bisect(low, high, i, c->start[c->by_start[i]] < tick ||
			 (c->start[c->by_start[i]] == tick && c->by_start[i] < row));
	return (uint32_t)low;
}

/* The first one behind the cursor, or before it, round and round. */
static uint32_t next_hit(const struct hunt *h, int dir)
{
	uint32_t n = h->c->count, at = cursor_place(h);
	bool skip = h->g->current < n || dir < 0; /* what is under the cursor */

	for (uint32_t i = skip; i < n + skip; i++) {
		uint32_t row = h->c->by_start[((uint64_t)at + (dir > 0 ? i : n - i % n)) % n];

		if (is_hit(h, row))
			return row;
	}
	return TASK_NONE;
}

/* In the components that are shown, else in any. False: no kind and what matches. */
static bool hunt(const struct gantt *g, const struct regex *re, int dir, uint32_t *row)
{
	struct hunt h = {.g = g, .c = tasks_lock(g->trace)};
	const struct task_keys *keys = &g->keys;
	struct sbuf name = {0};
	bool any = false;

	h.pairs = xcalloc(keys->keys.count + 1, sizeof(*h.pairs));
	h.components = xcalloc((size_t)h.c->component_count + 1, sizeof(*h.components));
	for (size_t i = 0; i < keys->keys.count; i++) {
		sbuf_clear(&name);
		keys_name(g->trace, &keys->keys.data[i], &name);
		h.pairs[i] = regex_match(re, sbuf_text(&name), name.len, NULL, NULL);
		any = any || h.pairs[i];
	}
	for (size_t i = 0; i < g->components.count; i++)
		h.components[g->components.data[i]] = true;
	*row = any ? next_hit(&h, dir) : TASK_NONE;
	h.anywhere = true;
	*row = any && *row == TASK_NONE ? next_hit(&h, dir) : *row;
	tasks_unlock(g->trace);
	sbuf_free(&name);
	free(h.pairs);
	free(h.components);
	return any;
}

/* A kind or a what that matches; else the id of a task, exactly. */
enum status tasks_find(struct call *c, const struct regex *re, int dir, struct error *e)
{
	uint32_t row;

	if (!hunt(gantt_of(c), re, dir, &row))
		row = tasks_find_id(c->app->tab->trace, regex_pattern(re));
	if (row == TASK_NONE)
		return error_set(e, STATUS_NOT_FOUND, "no kind, what or id matches %s",
				 regex_pattern(re));
	return show_task(c, row, e);
}

const struct command task_commands[] = {
    {"view component", "[COMPONENT]", "show the tasks of a component over time",
     .run = view_component, .flags = CMD_TRACE},
    {"view task", "", "show the task under the cursor with its ancestors and subtasks",
     .run = view_task, .flags = CMD_TRACE | CMD_MOVES},
    {"component", "COMPONENT", "show the tasks of a component over time", .run = view_component,
     .flags = CMD_TRACE},
    {"task row", "N [CYCLE]", "open the task in this row of the file; show it up to a time",
     .run = task_row, .flags = CMD_TRACE | CMD_MOVES},
    {"task parent", "", "go to the task that this one is part of", .run = task_parent,
     .flags = CMD_TRACE | CMD_MOVES},
    {"task child", "[N]", "go to the first subtask, or the Nth", .run = task_child,
     .flags = CMD_TRACE | CMD_MOVES},
    {"task next", "", "go to the next task in the line", .run = task_step,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"task prev", "", "go to the previous task in the line", .run = task_step,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"summary", "", "list the kinds of tasks and how long they take", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"requests", "", "list which component sent requests to which", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"highlight kind", "[TEXT]",
     "highlight tasks of a kind and what, or like the one here; repeat to undo", .run = highlight,
     .flags = CMD_TRACE},
    {.name = NULL},
};
