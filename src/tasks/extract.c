#include "config.h"

#include "tasks/extract.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tasks/tasks_private.h"

/* ---- which tasks ---- */

/* Parents lead to a root: rings were cut. */
static bool *choose(const struct trace *t, const struct tasks_extract *x)
{
	const struct task_columns *c = tasks_lock(t);
	bool *chosen = calloc((size_t)c->count + 1, sizeof(*chosen));

	for (uint32_t i = 0; chosen && i < c->count; i++)
		if (task_is_there(c, i, x->from, x->to))
			for (uint32_t row = i; row < c->count && !chosen[row]; row = c->parent[row])
				chosen[row] = true;
	tasks_unlock(t);
	return chosen;
}

bool tasks_is_database(const struct trace *t)
{
	return tasks_of(t)->reader == &akita_task_reader;
}

enum status tasks_extract(struct trace *t, struct tasks_extract *x, struct error *e)
{
	const struct task_reader *reader = tasks_of(t)->reader;
	bool *chosen;
	enum status status;

	if (!reader->extract)
		return error_set(e, STATUS_INPUT, "%s: %s cannot be written in Akita's form",
				 source_path(t->source), reader->format.title);
	chosen = choose(t, x);
	status = chosen ? reader->extract(tasks_of(t), chosen, x, e)
			: error_set(e, STATUS_NOMEM, "out of memory");
	free(chosen);
	return status;
}

#ifdef HAVE_SQLITE

#include <sqlite3.h>

/* ---- tables ---- */

enum { COLUMNS = 7 };

/* What is copied of a table. */
enum part {
	ALL,
	TASKS,   /* those that were chosen; the first column is the id */
	MARKS,   /* those of chosen tasks; the second column is the task */
	SEGMENTS /* cut to the range */
};

static const char *const types_a[COLUMNS] = {
    "varchar(200) null unique", "varchar(200) null", "varchar(100) null", "varchar(100) null",
    "varchar(100) null",	"float null",	     "float null"};

/* Of those with one name the file has one: where all columns are there. Tasks come before marks. */
static const struct shape {
	const char *table;
	enum part part;
	const char *columns[COLUMNS + 1];
	const char *const *types; /* NULL: none is declared */
} shapes[] = {
    {"exec_info", ALL, {"Property", "Value"}, NULL},
    {"source", ALL, {"Root", "Format", "Content"}, NULL},
    {"component_spec", ALL, {"Name", "Type", "Spec"}, NULL},
    {"port", ALL, {"Component", "Port", "Connection"}, NULL},
    {"trace", TASKS, {"task_id", "parent_id", "kind", "what", "location", "start_time", "end_time"},
     types_a},
    {"trace", TASKS, {"ID", "ParentID", "Kind", "What", "Location", "StartTime", "EndTime"}, NULL},
    {"location", ALL, {"ID", "Locale"}, NULL},
    {"trace_milestones", MARKS, {"ID", "TaskID", "Time", "Kind", "What", "Location"}, NULL},
    {"milestone", MARKS, {"ID", "TaskID", "Time", "Kind", "What", "Location"}, NULL},
    {"milestone", MARKS, {"ID", "TaskID", "Time", "Kind", "What"}, NULL},
    {"tag", MARKS, {"ID", "TaskID", "Time", "What"}, NULL},
    {"daisen$segments", SEGMENTS, {"StartTime", "EndTime"}, NULL},
    {"mgpusim_metrics", ALL, {"Location", "What", "Value", "Unit"}, NULL},
};

/* An index has a name of these patterns, with a table and a column; or is one of Daisen's own. */
static const struct {
	const char *before, *after;
} patterns[] = {{"idx_", ""}, {"", "_index"}, {"", "_uindex"}};
static const char *const own_indexes[] = {
    "idx_trace_loc_times",	    "idx_trace_loc_kind_times",	  "idx_trace_loc_time_id",
    "idx_trace_loc_time_kind_what", "idx_milestone_TaskID_Time", "idx_milestone_Kind_What",
    "idx_tag_TaskID_Time"};

struct copy {
	struct tasks *t;
	struct tasks_extract *x;
	const bool *chosen;
	struct task_ids *ids; /* of chosen tasks */
	sqlite3 *from;
	double unit;
	uint64_t made; /* tables */
};

static enum status told(const struct copy *c, struct error *e)
{
	return error_set(e, STATUS_IO, "%s", sqlite3_errmsg(c->x->into));
}

static void put_columns(struct sbuf *out, const struct shape *s, const char *const *types)
{
	for (int i = 0; s->columns[i]; i++)
		sbuf_printf(out, "%s%s%s%s", i ? ", " : "", s->columns[i], types ? " " : "",
			    types ? types[i] : "");
}

/* NULL: the file has no such table, or not with these columns. Tasks are asked for one by one. */
static sqlite3_stmt *select_from(const struct copy *c, const struct shape *s)
{
	struct sbuf sql = {0};
	sqlite3_stmt *made = NULL;

	sbuf_puts(&sql, "select ");
	put_columns(&sql, s, NULL);
	sbuf_printf(&sql, " from \"%s\"%s", s->table, s->part == TASKS ? " where rowid = ?" : "");
	sqlite3_prepare_v2(c->from, sbuf_text(&sql), -1, &made, NULL);
	sbuf_free(&sql);
	return made;
}

/* The table, and the statement that fills it. */
static enum status make_table(struct copy *c, const struct shape *s, sqlite3_stmt **insert,
			      struct error *e)
{
	struct sbuf create = {0}, put = {0};
	enum status status = STATUS_OK;

	sbuf_printf(&create, "create table \"%s\"(", s->table);
	put_columns(&create, s, s->types);
	sbuf_putc(&create, ')');
	sbuf_printf(&put, "insert into \"%s\" values(", s->table);
	for (int i = 0; s->columns[i]; i++)
		sbuf_puts(&put, i ? ", ?" : "?");
	sbuf_putc(&put, ')');
	if (sqlite3_exec(c->x->into, sbuf_text(&create), NULL, NULL, NULL) ||
	    sqlite3_prepare_v2(c->x->into, sbuf_text(&put), -1, insert, NULL))
		status = told(c, e);
	c->made++;
	sbuf_free(&create);
	sbuf_free(&put);
	return status;
}

/* ---- rows ---- */

/* A task without an id that can be one is no row, and no mark has such a task. */
static uint64_t id_of(const struct copy *c, sqlite3_stmt *from, int column)
{
	const char *p;

	if (sqlite3_column_type(from, column) == SQLITE_INTEGER)
		return task_id_number(c->ids, sqlite3_column_int64(from, column));
	p = (const char *)sqlite3_column_text(from, column);
	return task_id_text(c->ids, p ? p : "", (size_t)sqlite3_column_bytes(from, column));
}

static bool remember(struct copy *c, uint64_t hash)
{
	struct task_id *id = task_ids_at(c->ids, hash);

	if (id)
		id->row = 0;
	return id;
}

/* A bound of a segment that lies outside of the range; what is no time stays. */
static bool cut_segment(const struct copy *c, sqlite3_stmt *from, sqlite3_stmt *insert)
{
	const struct tasks_extract *x = c->x;
	int64_t start, end;

	if (!task_ticks(sqlite3_column_double(from, 0), c->unit, &start) ||
	    !task_ticks(sqlite3_column_double(from, 1), c->unit, &end))
		return true;
	if (start < x->from)
		sqlite3_bind_double(insert, 1, (double)x->from / c->unit);
	if (end > x->to)
		sqlite3_bind_double(insert, 2, (double)x->to / c->unit);
	return start < x->to && (end > x->from || start >= x->from);
}

static enum status copy_row(struct copy *c, const struct shape *s, sqlite3_stmt *from,
			    sqlite3_stmt *insert, struct error *e)
{
	int failed = 0;

	if (s->part == MARKS && task_ids_find(c->ids, id_of(c, from, 1)) == TASK_NONE)
		return STATUS_OK;
	for (int i = 0; s->columns[i] && !failed; i++)
		failed = sqlite3_bind_value(insert, i + 1, sqlite3_column_value(from, i));
	if (failed)
		return error_set(e, STATUS_IO, "%s", sqlite3_errstr(failed));
	if (s->part == SEGMENTS && !cut_segment(c, from, insert))
		return STATUS_OK;
	if (s->part == TASKS && !remember(c, id_of(c, from, 0)))
		return error_set(e, STATUS_NOMEM, "out of memory");
	if (sqlite3_step(insert) != SQLITE_DONE)
		return told(c, e);
	sqlite3_reset(insert);
	return STATUS_OK;
}

static enum status copy_tasks(struct copy *c, const struct shape *s, sqlite3_stmt *from,
			      sqlite3_stmt *insert, struct error *e)
{
	enum status status = STATUS_OK;

	for (uint32_t row = 0; !status && row < c->t->columns.count; row++) {
		if (!c->chosen[row])
			continue;
		sqlite3_bind_int64(from, 1, task_rowid(c->t, row));
		if (sqlite3_step(from) == SQLITE_ROW)
			status = copy_row(c, s, from, insert, e);
		sqlite3_reset(from);
	}
	return status;
}

/* As far as the table can be read: a warning of the trace says where it cannot. */
static enum status copy_table(struct copy *c, const struct shape *s, sqlite3_stmt *from,
			      struct error *e)
{
	sqlite3_stmt *insert = NULL;
	enum status status = make_table(c, s, &insert, e);

	if (!status && s->part == TASKS)
		status = copy_tasks(c, s, from, insert, e);
	else
		while (!status && sqlite3_step(from) == SQLITE_ROW)
			status = copy_row(c, s, from, insert, e);
	sqlite3_finalize(insert);
	return status;
}

/* ---- indexes ---- */

/* Our own text for the name of an index; false: it is not known. */
static bool index_name(const struct shape *s, const char *name, struct sbuf *out)
{
	for (size_t i = 0; i < sizeof(own_indexes) / sizeof(own_indexes[0]); i++)
		if (strcmp(own_indexes[i], name) == 0) {
			sbuf_puts(out, own_indexes[i]);
			return true;
		}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		for (int k = 0; s->columns[k]; k++) {
			sbuf_clear(out);
			sbuf_printf(out, "%s%s_%s%s", patterns[i].before, s->table, s->columns[k],
				    patterns[i].after);
			if (strcmp(sbuf_text(out), name) == 0)
				return true;
		}
	return false;
}

/* The columns of an index, in our own text; false: one is none of the table, or no column. */
static bool index_columns(const struct copy *c, const struct shape *s, const char *name,
			  struct sbuf *out)
{
	sqlite3_stmt *from = NULL;
	bool known = true;
	int count = 0;

	sqlite3_prepare_v2(c->from, "select name from pragma_index_info(?)", -1, &from, NULL);
	sqlite3_bind_text(from, 1, name, -1, SQLITE_STATIC);
	for (; known && sqlite3_step(from) == SQLITE_ROW; count++) {
		const char *column = (const char *)sqlite3_column_text(from, 0);
		int k = 0;

		while (s->columns[k] && column && strcasecmp(s->columns[k], column) != 0)
			k++;
		known = column && s->columns[k];
		sbuf_printf(out, "%s%s", count ? ", " : "", known ? s->columns[k] : "");
	}
	sqlite3_finalize(from);
	return known && count;
}

static enum status copy_index(struct copy *c, const struct shape *s, const char *name, bool unique,
			      struct error *e)
{
	struct sbuf sql = {0}, ours = {0}, columns = {0};
	enum status status = STATUS_OK;

	if (index_name(s, name, &ours) && index_columns(c, s, name, &columns)) {
		sbuf_printf(&sql, "create %sindex \"%s\" on \"%s\"(%s)", unique ? "unique " : "",
			    sbuf_text(&ours), s->table, sbuf_text(&columns));
		if (sqlite3_exec(c->x->into, sbuf_text(&sql), NULL, NULL, NULL))
			status = told(c, e);
	}
	sbuf_free(&sql);
	sbuf_free(&ours);
	sbuf_free(&columns);
	return status;
}

/* Those that were made by a statement, of all rows. */
static enum status copy_indexes(struct copy *c, const struct shape *s, struct error *e)
{
	static const char list[] = "select name, \"unique\" from pragma_index_list(?) "
				   "where origin = 'c' and not partial order by seq desc";
	sqlite3_stmt *from = NULL;
	enum status status = STATUS_OK;

	sqlite3_prepare_v2(c->from, list, -1, &from, NULL);
	sqlite3_bind_text(from, 1, s->table, -1, SQLITE_STATIC);
	while (!status && sqlite3_step(from) == SQLITE_ROW)
		status = copy_index(c, s, (const char *)sqlite3_column_text(from, 0),
				    sqlite3_column_int(from, 1), e);
	sqlite3_finalize(from);
	return status;
}

/* ---- all of it ---- */

static uint64_t count_tables(const struct copy *c)
{
	static const char count[] = "select count(*) from sqlite_schema where type = 'table' and "
				    "name not like 'sqlite\\_%' escape '\\'";
	sqlite3_stmt *from = NULL;
	uint64_t tables = 0;

	sqlite3_prepare_v2(c->from, count, -1, &from, NULL);
	if (sqlite3_step(from) == SQLITE_ROW)
		tables = (uint64_t)sqlite3_column_int64(from, 0);
	sqlite3_finalize(from);
	return tables;
}

static enum status copy_all(struct copy *c, struct error *e)
{
	const char *made = ""; /* the table before: two shapes of one name stand together */
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];
		sqlite3_stmt *from = strcmp(made, s->table) == 0 ? NULL : select_from(c, s);

		if (!from)
			continue;
		made = s->table;
		status = copy_table(c, s, from, e);
		sqlite3_finalize(from);
		if (!status)
			status = copy_indexes(c, s, e);
	}
	if (!status && sqlite3_exec(c->x->into, "commit", NULL, NULL, NULL))
		status = told(c, e);
	return status;
}

enum status task_extract_database(struct tasks *t, const bool *chosen, struct tasks_extract *x,
				  struct error *e)
{
	struct copy c = {.t = t, .x = x, .chosen = chosen, .unit = task_unit(t)};
	enum status status;
	uint64_t tables;

	c.ids = task_ids_new();
	c.from = c.ids ? task_ask(t) : NULL;
	if (c.from) {
		status = copy_all(&c, e);
		tables = count_tables(&c);
		x->left_out = tables > c.made ? tables - c.made : 0;
	} else {
		status = error_set(e, STATUS_IO, "the trace cannot be read any more");
	}
	if (t->database && c.ids)
		database_asked(t->database);
	task_ids_free(c.ids);
	return status;
}

#endif
