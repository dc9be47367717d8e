/* Tasks as tables for SQLite: those that are there in the range, and what happened to them. */
#include "config.h"

#include "cmd/export_tables.h"
#include "cmd/tasks/tasks.h"
#include "tasks/kind.h"
#include "tasks/tasks.h"

enum { TASKS, MARKS, LINKS, TABLES };

static const struct export_table tables[TABLES + 1] = {
    [TASKS] = {"tasks",
	       {{"row", "integer primary key", "number of the task in the trace, from 0", NULL},
		{"id", "text", "its id in the trace file", ""},
		{"parent", "integer", "the row of its parent, be it in the range or not; null: it has none", ""},
		{"kind", "text", "what kind of task it is", "what"},
		{"what", "text", "what it does", NULL},
		{"component", "text", "where it is", "start"},
		{"start", "integer", "tick at which it starts; about: unit", ""},
		{"end", "integer", "tick at which it ends", NULL}}},
    [MARKS] = {"marks",
	       {{"row", "integer", "the task that it happened to", "tick"},
		{"tick", "integer", "when", NULL},
		{"kind", "text",
		 "of a milestone: what held the task up until then; null: it is a tag", "what"},
		{"what", "text", "which one held it up; of a tag: what the task is", NULL},
		{"component", "text", "where that was", NULL}}},
    [LINKS] = {"links",
	       {{"row", "integer", "the task that waited: a request that was sent", ""},
		{"producer", "integer", "the task that it waited for: where the request came in", ""},
		{"tick", "integer", "when it came in", NULL}}},
};

struct database {
	struct tables *made;
	struct trace *trace;
	const struct task_columns *c;
	const struct task_tables *tables;
	uint32_t in, out; /* kinds of requests */
	struct sbuf id;
};

static const struct task_slot *slot_of(const struct database *d, uint32_t row)
{
	return &d->tables->slots.data[d->c->slot[row]];
}

static enum status add_task(struct database *d, uint32_t row, struct error *e)
{
	const struct task_slot *slot = slot_of(d, row);
	const uint32_t parent = d->c->parent[row];
	bool known;

	sbuf_clear(&d->id);
	known = tasks_id(d->trace, row, &d->id);

	const struct value values[] = {
	    value_count(row),
	    known ? value_bytes(sbuf_text(&d->id), d->id.len) : value_none(),
	    parent < d->c->count ? value_count(parent) : value_none(),
	    value_text(tasks_kind(d->trace, slot->kind)),
	    value_text(tasks_what(d->trace, slot->what)),
	    value_text(tasks_component(d->trace, slot->component)),
	    value_ticks(d->c->start[row]),
	    value_ticks(d->c->end[row]),
	};
	return tables_put(d->made, TASKS, values, e);
}

static enum status add_mark(const struct database *d, const struct task_mark *mark, struct error *e)
{
	const struct task_label *label = &d->tables->labels.data[mark->label];
	const char *own = tasks_component(d->trace, slot_of(d, mark->task)->component);
	const struct value values[] = {
	    value_count(mark->task),
	    value_ticks(mark->tick),
	    value_text(label->tag ? NULL : label->kind),
	    value_text(label->what),
	    value_text(*label->where ? label->where : own),
	};

	return tables_put(d->made, MARKS, values, e);
}

/* As analysis/tasks/requests.h pairs them. */
static enum status add_link(const struct database *d, uint32_t row, struct error *e)
{
	const uint32_t parent = d->c->parent[row];
	const struct value values[] = {value_count(parent), value_count(row),
				       value_ticks(d->c->start[row])};

	if (slot_of(d, row)->kind != d->in || parent >= d->c->count ||
	    slot_of(d, parent)->kind != d->out)
		return STATUS_OK;
	return tables_put(d->made, LINKS, values, e);
}

static enum status add_row(struct database *d, uint32_t row, struct error *e)
{
	uint32_t from, to;
	enum status status = add_task(d, row, e);

	tasks_marks(d->c, row, &from, &to);
	for (; !status && from < to; from++)
		status = add_mark(d, &d->c->marks[from], e);
	return status ? status : add_link(d, row, e);
}

/* The trace is complete: nothing changes while it is written. */
static enum status fill(struct tables *made, const struct export_part *part, struct error *e)
{
	struct trace *t = part->trace;
	struct database d = {.made = made, .trace = t, .c = tasks_lock(t), .tables = tasks_tables(t)};
	enum status status = STATUS_OK;

	d.in = tasks_kind_find(t, "req_in");
	d.out = tasks_kind_find(t, "req_out");
	tasks_unlock(t);
	for (uint32_t row = 0; !status && row < d.c->count; row++)
		if (task_is_there(d.c, row, part->from, part->to))
			status = add_row(&d, row, e);
	sbuf_free(&d.id);
	return status;
}

const struct export_format export_tasks_sqlite = {"sqlite", &tasks_trace_kind, true,
						  tables_write, tables, fill};
