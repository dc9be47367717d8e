/*
 * What must hold of the tasks of a trace, whatever it was read from: numbers lead somewhere, parents
 * come to an end, and names are texts.
 */
#ifndef PIPEGLASS_TESTS_TASKS_ASKING_H
#define PIPEGLASS_TESTS_TASKS_ASKING_H

#include <string.h>

#include "fuzz.h"
#include "tasks/kind.h"
#include "tasks/tasks.h"

static inline void ask_task(struct trace *t, const struct task_columns *c, uint32_t row)
{
	const struct task_tables *tables = tasks_tables(t);
	const struct task_slot *slot = &tables->slots.data[c->slot[row]];
	uint32_t from, to, steps = 0;

	demand(c->slot[row] < tables->slots.count, "a slot that is none");
	demand(tasks_component(t, slot->component) && tasks_kind(t, slot->kind) &&
		   tasks_what(t, slot->what),
	       "a task without names");
	demand(c->start[row] <= c->end[row], "a task that ends before it starts");
	for (uint32_t at = row; at < c->count; at = c->parent[at])
		demand(steps++ < c->count, "parents without an end");
	tasks_children(c, row, &from, &to);
	demand(from <= to && to <= c->count, "children that are no rows");
	tasks_marks(c, row, &from, &to);
	for (uint32_t i = from; i < to; i++) {
		demand(c->marks[i].task < c->count, "a mark of no task");
		demand(c->marks[i].label < tables->labels.count &&
			   tables->labels.data[c->marks[i].label].what,
		       "a mark without a label");
	}
	demand(c->by_start[row] < c->count && c->by_component[row] < c->count &&
		   c->by_parent[row] < c->count,
	       "an order of what are no rows");
}

static inline void ask_texts(const struct task_tables *tables)
{
	size_t length = 0;

	for (size_t i = 0; i < tables->properties.count; i++)
		length += strlen(tables->properties.data[i].value);
	for (size_t i = 0; i < tables->specs.count; i++)
		length += strlen(tables->specs.data[i].spec);
	for (size_t i = 0; i < tables->ports.count; i++)
		length += strlen(tables->ports.data[i].connection);
	for (size_t i = 0; i < tables->figures.count; i++)
		length += strlen(tables->figures.data[i].unit);
	demand(length < SIZE_MAX / 2, "texts without an end");
}

static inline void ask_tasks(struct trace *t)
{
	const struct task_columns *c = tasks_lock(t);
	struct warning w;
	uint32_t from, to;

	for (uint32_t row = 0; row < c->count; row++)
		ask_task(t, c, row);
	for (uint32_t k = 0; k < c->component_count; k++) {
		tasks_overlapping(c, k, c->first, c->last, &from, &to);
		demand(from >= c->component_from[k] && to <= c->component_from[k + 1],
		       "tasks of another component");
	}
	ask_texts(tasks_tables(t));
	tasks_unlock(t);
	for (size_t i = 0; t->kind->warning(t, i, &w); i++)
		demand(w.text != NULL, "a warning without a text");
}

#endif
