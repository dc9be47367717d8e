#include "config.h"

#include "tasks/extract.h"

#include <stdlib.h>
#include <string.h>

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

#define CHOSEN "where is_chosen(rowid)"
/* The plus keeps rows in their order: no index is used. */
#define OF_CHOSEN "where +TaskID in (select ID from made.trace)"
#define SEGMENT_IS_THERE "where StartTime < ?2 and (EndTime > ?1 or StartTime >= ?1)"

/* Those that the file has with all these columns are copied. Tasks come before marks. */
static const struct shape {
	const char *table, *columns, *rows;
} shapes[] = {
    {"exec_info", "Property, Value", ""},
    {"source", "Root, Format, Content", ""},
    {"component_spec", "Name, Type, Spec", ""},
    {"port", "Component, Port, Connection", ""},
    {"trace", "task_id, parent_id, kind, what, location, start_time, end_time", CHOSEN},
    {"trace", "ID, ParentID, Kind, What, Location, StartTime, EndTime", CHOSEN},
    {"location", "ID, Locale", ""},
    {"trace_milestones", "ID, TaskID, Time, Kind, What, Location", OF_CHOSEN},
    {"milestone", "ID, TaskID, Time, Kind, What, Location", OF_CHOSEN},
    {"milestone", "ID, TaskID, Time, Kind, What", OF_CHOSEN}, /* where there is none yet */
    {"tag", "ID, TaskID, Time, What", OF_CHOSEN},
    {"daisen$segments", "max(StartTime, ?1) as StartTime, min(EndTime, ?2) as EndTime",
     SEGMENT_IS_THERE},
    {"mgpusim_metrics", "Location, What, Value, Unit", ""},
};

struct copy {
	struct tasks *t;
	struct tasks_extract *x;
	const bool *chosen;
	sqlite3 *db; /* the trace, and what is made beside it */
};

static enum status told(const struct copy *c, struct error *e)
{
	if (sqlite3_errcode(c->db) == SQLITE_CORRUPT)
		return error_set(e, STATUS_INPUT,
				 "%s: damaged: no part of it can be written; sqlite3 .recover "
				 "makes a database of what is left",
				 source_path(c->t->lines.trace.source));
	return error_set(e, STATUS_IO, "%s: %s", c->x->into, sqlite3_errmsg(c->db));
}

static enum status execute(const struct copy *c, const char *sql, struct error *e)
{
	return sqlite3_exec(c->db, sql, NULL, NULL, NULL) ? told(c, e) : STATUS_OK;
}

static sqlite3_stmt *prepare(const struct copy *c, const char *sql)
{
	sqlite3_stmt *s = NULL;

	sqlite3_prepare_v2(c->db, sql, -1, &s, NULL);
	return s;
}

static enum status run(const struct copy *c, sqlite3_stmt *s, struct error *e)
{
	enum status status = s && sqlite3_step(s) == SQLITE_DONE ? STATUS_OK : told(c, e);

	sqlite3_finalize(s);
	return status;
}

/* Tables of the file that are not in what was made. */
static uint64_t left_out(const struct copy *c)
{
	static const char sql[] =
	    "select count(*) from main.sqlite_schema where type = 'table' and "
	    "name not like 'sqlite\\_%' escape '\\' and name not in "
	    "(select name from made.sqlite_schema)";
	sqlite3_stmt *s = prepare(c, sql);
	uint64_t found = s && sqlite3_step(s) == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 0) : 0;

	sqlite3_finalize(s);
	return found;
}

static enum status copy_table(const struct copy *c, const struct shape *shape, struct error *e)
{
	const double unit = task_unit(c->t);
	struct sbuf sql = {0};
	sqlite3_stmt *s;

	sbuf_printf(&sql, "create table made.\"%s\" as select %s from main.\"%s\" %s", shape->table,
		    shape->columns, shape->table, shape->rows);
	s = prepare(c, sbuf_text(&sql));
	sbuf_free(&sql);
	if (!s)
		return STATUS_OK;
	sqlite3_bind_double(s, 1, (double)c->x->from / unit);
	sqlite3_bind_double(s, 2, (double)c->x->to / unit);
	return run(c, s, e);
}

/* ---- all of it ---- */

static void is_chosen(sqlite3_context *context, int count, sqlite3_value **rowid)
{
	const struct copy *c = sqlite3_user_data(context);
	const uint32_t row = task_row_of(c->t, sqlite3_value_int64(rowid[0]));

	(void)count;
	sqlite3_result_int(context, row != TASK_NONE && c->chosen[row]);
}

static enum status copy_all(const struct copy *c, struct error *e)
{
	enum status status = execute(c, "pragma made.journal_mode = off; "
					"pragma made.synchronous = off; begin", e);

	for (size_t i = 0; !status && i < sizeof(shapes) / sizeof(shapes[0]); i++)
		status = copy_table(c, &shapes[i], e);
	c->x->left_out = left_out(c);
	if (!status)
		return execute(c, "commit", e);
	sqlite3_exec(c->db, "rollback", NULL, NULL, NULL);
	return status;
}

static enum status attach(const struct copy *c, struct error *e)
{
	sqlite3_stmt *s = prepare(c, "attach ? as made");

	sqlite3_bind_text(s, 1, c->x->into, -1, SQLITE_STATIC);
	return run(c, s, e);
}

enum status task_extract_database(struct tasks *t, const bool *chosen, struct tasks_extract *x,
				  struct error *e)
{
	struct copy c = {.t = t, .x = x, .chosen = chosen, .db = task_ask(t)};
	enum status status;

	if (!c.db) {
		status = error_set(e, STATUS_IO, "the trace cannot be read any more");
	} else if (!(status = attach(&c, e))) {
		sqlite3_create_function(c.db, "is_chosen", 1, SQLITE_UTF8, &c, is_chosen, NULL, NULL);
		status = copy_all(&c, e);
		sqlite3_create_function(c.db, "is_chosen", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
		sqlite3_exec(c.db, "detach made", NULL, NULL, NULL);
	}
	if (c.db)
		database_asked(t->database);
	return status;
}

#endif
