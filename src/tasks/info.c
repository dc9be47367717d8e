/*
 * What `info` says of tasks.
 */
#include "config.h"

#include <stdlib.h>

#include "tasks/tasks_private.h"

struct info {
	const struct tasks *t;
	uint64_t tasks, roots, orphans, marks;
	int64_t traced; /* in windows, or all where none are known */
	const char *writer;
	size_t absent;                             /* how many */
	const char *absent_names[TASK_TABLE_COUNT];
};

static const char *const writers[] = {
#define WRITER(name, writer) writer,
    TASK_FORMS(WRITER)
#undef WRITER
};

static const char *const table_titles[] = {
#define TITLE(name, title) title,
    TASK_TABLES(TITLE)
#undef TITLE
};

static const struct info *info_of(const void *result)
{
	return result;
}

/* Parts of windows that overlap count once: they are sorted. */
static int64_t traced(const struct task_tables *tables, const struct task_columns *c)
{
	int64_t sum = 0, until = INT64_MIN;

	for (size_t i = 0; i < tables->windows.count; i++) {
		const struct task_window *w = &tables->windows.data[i];
		int64_t from = w->start > until ? w->start : until;

		if (w->end > from) {
			sum = tick_add(sum, w->end - from);
			until = w->end;
		}
	}
	return tables->windows.count || c->last < c->first ? sum : c->last - c->first + 1;
}

static void count_tasks(struct info *info, const struct task_columns *c)
{
	uint32_t from, to;

	tasks_children(c, TASK_ORPHAN, &from, &to);
	info->orphans = to - from;
	info->roots = c->count - to;
	info->tasks = c->count;
	info->marks = c->mark_count;
}

void *task_info_make(struct trace *trace)
{
	struct info *info = calloc(1, sizeof(*info));
	const struct task_columns *c;

	if (!info)
		return NULL;
	info->t = tasks_of(trace);
	c = tasks_lock(trace);
	count_tasks(info, c);
	info->traced = traced(&info->t->tables, c);
	info->writer = writers[info->t->form];
	for (int i = 0; i < TASK_TABLE_COUNT; i++)
		if (info->t->absent >> i & 1)
			info->absent_names[info->absent++] = table_titles[i];
	tasks_unlock(trace);
	return info;
}

static size_t absent_parts(const void *result)
{
	return info_of(result)->absent;
}

static const struct field whole_fields[] = {
    {FIELD(COUNT, "spans", NULL, struct info, tasks), .heading = "tasks"},
    {FIELD(COUNT, "roots", NULL, struct info, roots)},
    {FIELD(COUNT, "orphans", NULL, struct info, orphans)},
    {FIELD(COUNT, "marks", NULL, struct info, marks)},
    {FIELD(TICKS, "traced", NULL, struct info, traced), .unit = UNIT_TICK, .heading = "traced time"},
    {FIELD(TEXT, "written_by", NULL, struct info, writer), .heading = "written by"},
    {FIELD(TEXT, "absent", NULL, struct info, absent_names), .parts = absent_parts,
     .shape = FIELD_LIST, .heading = "not in the file"},
    {0},
};

/* ---- lists: they only grow until the trace is complete, which info waits for ---- */

SECTION_ROWS(window, struct info, t->tables.windows)
SECTION_ROWS(property, struct info, t->tables.properties)

static const struct field window_fields[] = {
    {FIELD(TICKS, "start", window_of, struct task_window, start)},
    {FIELD(TICKS, "end", window_of, struct task_window, end)},
    {0},
};

static const struct field property_fields[] = {
    {FIELD(TEXT, "name", property_of, struct task_property, name)},
    {FIELD(TEXT, "value", property_of, struct task_property, value)},
    {0},
};

const struct section task_info_sections[] = {
    {.key = "", .rows = section_one_row, .fields = whole_fields, .form = SECTION_FIELDS},
    {SECTION(LIST, "windows", window_rows, window_fields)},
    {SECTION(LIST, "properties", property_rows, property_fields)},
    {0},
};
