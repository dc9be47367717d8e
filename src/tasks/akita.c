/*
 * Akita's tracers with SQLite behind them. Columns have no declared type in most of their versions:
 * what a value is its storage class says.
 *
 * Each table is read by the first of some statements that SQLite takes, which depends on the
 * columns that are there. No text of the trace comes into one.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/num.h"
#include "tasks/tasks_private.h"

static int detect(const char *text, size_t len)
{
	return len >= 16 && memcmp(text, "SQLite format 3", 16) == 0 ? 90 : 0;
}

#ifdef HAVE_SQLITE

#include <sqlite3.h>

enum { LOOK = 1024 }; /* rows between looks at the clock */

#define COPY_MUCH UINT64_C(1000000000) /* bytes */

static sqlite3 *handle(struct tasks *t)
{
	return database_handle(t->database);
}

/* The first of the statements that the tables have an answer for; NULL: none, or no database. */
static sqlite3_stmt *prepare(sqlite3 *db, const char *const *statements)
{
	sqlite3_stmt *made = NULL;

	for (; db && *statements && !made; statements++)
		sqlite3_prepare_v2(db, *statements, -1, &made, NULL);
	return made;
}

static struct task_text text(sqlite3_stmt *s, int column)
{
	const char *p = (const char *)sqlite3_column_text(s, column);

	return (struct task_text){p ? p : "", p ? (size_t)sqlite3_column_bytes(s, column) : 0};
}

/* ---- which form it is ---- */

/* Columns of a task have one name or the other. */
#define OLD_COLUMNS "rowid, task_id, parent_id, kind, what, location, start_time, end_time"
#define COLUMNS "rowid, ID, ParentID, Kind, What, Location, StartTime, EndTime"

#define BEFORE_B1                                                                                  \
	"Akita v4.2 to v4.4 (MGPUSim v4.1.0 and v4.1.1) wrote it, whose milestones have no "       \
	"times: pipeglass does not read it; trace again with MGPUSim v4.1.2 or later"
#define BEFORE_D2                                                                                  \
	"Akita v5.0.0-beta.1 wrote it: pipeglass does not read it; trace again with "              \
	"v5.0.0-beta.2 or later"

/* Have an answer where there are such columns, */
#define HAS(columns, table) "select count(*) from (select " columns " from " table " limit 0)"
/* where the ID of the first task is a number, */
#define HAS_D "select 1 from (select " COLUMNS " from trace limit 1) where typeof(ID) = 'integer'"
/* or where there is no task, but a table for tags of them. */
#define EMPTY_D                                                                                    \
	"select 1 where not exists (select " COLUMNS                                               \
	" from trace) and (select count(ID) from tag) >= 0"

/* A file is of the first form whose question has an answer. */
static const struct {
	const char *question;
	enum task_form form;
	const char *wrong; /* why it is not read; NULL: it is */
} forms[] = {
    {HAS(OLD_COLUMNS, "trace"), TASK_A, NULL},
    {HAS_D " and typeof(Location) = 'text'", TASK_D, BEFORE_D2},
    {HAS_D, TASK_D, NULL},
    {EMPTY_D, TASK_D, NULL},
    {HAS(COLUMNS ", (select BlockingReason from trace_milestones)", "trace"), TASK_B, BEFORE_B1},
    {HAS(COLUMNS, "trace"), TASK_B, NULL},
};

/* The number that is the answer, or none. */
static int64_t ask_number(struct tasks *t, const char *question, int64_t none)
{
	const char *const statements[] = {question, NULL};
	sqlite3_stmt *s = prepare(handle(t), statements);
	int64_t number = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : none;

	sqlite3_finalize(s);
	return number;
}

static enum status refuse(const struct tasks *t, struct error *e, const char *why)
{
	return error_set(e, STATUS_INPUT, "%s: %s", source_path(t->lines.trace.source), why);
}

/* SQLite says what was missing for the last question: a table, a column, or all sense. */
static enum status refuse_foreign(struct tasks *t, struct error *e)
{
	int rc = sqlite3_errcode(handle(t));
	const char *what = sqlite3_errmsg(handle(t));

	if (rc == SQLITE_NOTADB)
		return refuse(t, e, "encrypted, or no database behind its first bytes");
	if (rc == SQLITE_CORRUPT)
		return refuse(t, e, "the database is damaged where its tables are listed: get the file again");
	return error_set(e, STATUS_INPUT, "%s: an SQLite database, but not Akita's: %s",
			 source_path(t->lines.trace.source), what);
}

static enum status find_form(struct tasks *t, struct error *e)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (ask_number(t, forms[i].question, -1) >= 0) {
			t->form = forms[i].form;
			return forms[i].wrong ? refuse(t, e, forms[i].wrong) : STATUS_OK;
		}
	return refuse_foreign(t, e);
}

/* What is copied to read the file with the journal beside it; 0: there is none. */
static uint64_t copied(const struct tasks *t)
{
	const uint64_t beside = t->beside[0].size + t->beside[1].size;

	return beside ? beside + source_size(t->lines.trace.source, NULL) : 0;
}

/* asking: others may ask for ids while a packed one is opened. */
static enum status akita_open(struct tasks *t, struct error *e)
{
	struct database *opened = NULL;
	char size[32];
	enum status status;

	task_sidecars_find(t->lines.trace.source, t->beside);
	num_bytes(copied(t), size);
	if (t->asks && copied(t) > COPY_MUCH)
		return error_set(e, STATUS_INPUT,
				 "%s: a journal lies beside it, and to read both %s are copied for the "
				 "moment: let 'pipeglass index' do that, then it opens",
				 source_path(t->lines.trace.source), size);
	status = database_open(&opened, t->lines.trace.source, t->cache_dir, e);
	pthread_mutex_lock(&t->asking);
	t->database = opened;
	pthread_mutex_unlock(&t->asking);
	t->counts[TASK_NOTE_JOURNAL] = copied(t) > 0;
	if (copied(t) > COPY_MUCH)
		snprintf(t->note, sizeof(t->note),
			 "a journal lies beside it: to read both, %s were copied for the moment", size);
	return status ? status : find_form(t, e);
}

/* ---- tasks ---- */

double task_unit(const struct tasks *t)
{
	return t->form == TASK_D ? 1 : 1e12;
}

/* 0: that of none is 0 or an empty text. False: neither a number nor a text. */
static bool id_of(const struct tasks *t, sqlite3_stmt *s, int column, uint64_t *out)
{
	struct task_text id;

	switch (sqlite3_column_type(s, column)) {
	case SQLITE_INTEGER:
		*out = ids_number(t->ids, (uint64_t)sqlite3_column_int64(s, column));
		return true;
	case SQLITE_TEXT:
		id = text(s, column);
		*out = id.len ? ids_text(t->ids, id.p, id.len) : 0;
		return true;
	default:
		return false;
	}
}

static bool time_of(sqlite3_stmt *s, int column, double unit, int64_t *out)
{
	int type = sqlite3_column_type(s, column);

	if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
		return false;
	return task_ticks(sqlite3_column_double(s, column), unit, out);
}

static struct task_text place_of(const struct tasks *t, sqlite3_stmt *s, int column)
{
	size_t low = 0, high = t->places.count;
	int64_t id;

	if (sqlite3_column_type(s, column) != SQLITE_INTEGER)
		return text(s, column);
	id = sqlite3_column_int64(s, column);
	bisect(low, high, i, t->places.data[i].id < id);
	return low < t->places.count && t->places.data[low].id == id ? t->places.data[low].name
								     : text(s, column);
}

enum { ROWID, ID, PARENT, KIND, WHAT, WHERE, START, END };

static bool bad_row(struct tasks *t, sqlite3_stmt *s, const char *why)
{
	return task_bad(t, "the task of rowid %lld was left out: %s",
			(long long)sqlite3_column_int64(s, ROWID), why);
}

static bool read_row(struct tasks *t, sqlite3_stmt *s)
{
	struct task_row row = {.rowid = sqlite3_column_int64(s, ROWID)};

	if (!id_of(t, s, ID, &row.id))
		return bad_row(t, s, "its ID is neither a number nor a text");
	ids_fetch(t->ids, row.id);
	if (sqlite3_column_type(s, PARENT) != SQLITE_NULL && !id_of(t, s, PARENT, &row.parent))
		return bad_row(t, s, "its ParentID is neither a number nor a text");
	if (!time_of(s, START, task_unit(t), &row.start) || !time_of(s, END, task_unit(t), &row.end))
		return bad_row(t, s, "a time of it is no number, or too great");
	if (row.end < row.start)
		return bad_row(t, s, "it ends before it starts");
	row.slot = task_slot(t, place_of(t, s, WHERE), text(s, KIND), text(s, WHAT));
	return row.slot != UINT32_MAX && task_add(t, &row);
}

/* How the table ended; what was read of it stays. */
static void check_end(struct tasks *t, int rc, const char *table)
{
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		task_warn(t, "the table %s cannot be read to its end: %s", table,
			  sqlite3_errmsg(handle(t)));
}

/* How far a rowid is in the file, as far as rowids go up evenly. */
static void tell_progress(struct tasks *t, int64_t rowid, int64_t last)
{
	double size = (double)source_size(t->lines.trace.source, NULL);

	if (rowid > 0 && rowid <= last)
		atomic_store(&t->bytes_done, (uint64_t)(size * ((double)rowid / (double)last)));
}

/* Rowids rise, but in a page of noise. */
static bool follows(struct tasks *t, sqlite3_stmt *s, int64_t *before)
{
	int64_t rowid = sqlite3_column_int64(s, ROWID);
	bool rises = rowid > *before || t->growing.count == 0;

	if (!rises)
		task_warn(t, "the table trace is damaged behind rowid %lld: the rest was left out",
			  (long long)*before);
	*before = rowid;
	return rises;
}

static bool read_trace(struct tasks *t)
{
	static const char *const statements[] = {"select " COLUMNS " from trace order by rowid",
						 "select " OLD_COLUMNS " from trace order by rowid",
						 NULL};
	sqlite3_stmt *s = prepare(handle(t), statements);
	int64_t last = ask_number(t, "select max(rowid) from trace", 0), before = INT64_MIN;
	bool ok = s != NULL;
	int rc = SQLITE_DONE;

	for (uint32_t n = 1; ok && !lines_stopped(&t->lines); n++) {
		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW || !follows(t, s, &before))
			break;
		ok = read_row(t, s);
		if (ok && n % LOOK == 0) {
			tell_progress(t, sqlite3_column_int64(s, ROWID), last);
			ok = task_publish_in_time(t);
		}
	}
	check_end(t, rc, "trace");
	if (rc == SQLITE_DONE && before == INT64_MIN)
		task_warn(t, "the table trace is empty: there are no tasks");
	sqlite3_finalize(s);
	return ok;
}

/* ---- milestones and tags ---- */

/* Where a milestone was; nothing, where that is where its task is. */
static struct task_text where_of(const struct tasks *t, uint32_t row, sqlite3_stmt *s, int column)
{
	int32_t component = (int32_t)t->tables.slots.data[task_slot_at(t, row)].component;
	struct task_text where = place_of(t, s, column);

	if (where.len == intern_length(t->components, component) &&
	    memcmp(where.p, intern_name(t->components, component), where.len) == 0)
		return (struct task_text){"", 0};
	return where;
}

/* A task's row and a tick; false: the mark is left out. */
static bool mark_at(struct tasks *t, sqlite3_stmt *s, uint32_t *row, int64_t *tick)
{
	uint64_t task;

	if (!id_of(t, s, 0, &task) || !time_of(s, 1, task_unit(t), tick)) {
		t->counts[TASK_NOTE_BAD]++;
		return false;
	}
	*row = ids_find(t->ids, task);
	t->counts[TASK_NOTE_LOST_MARKS] += *row == TASK_NONE;
	return *row != TASK_NONE;
}

static bool add_milestone(struct tasks *t, sqlite3_stmt *s)
{
	uint32_t row, label;
	int64_t tick;

	if (!mark_at(t, s, &row, &tick))
		return true;
	label = task_label(t, text(s, 3), text(s, 2), where_of(t, row, s, 4), false);
	return label != UINT32_MAX && task_add_mark(t, row, tick, label);
}

static bool add_tag(struct tasks *t, sqlite3_stmt *s)
{
	const struct task_text none = {"", 0};
	uint32_t row, label;
	int64_t tick;

	if (!mark_at(t, s, &row, &tick))
		return true;
	label = task_label(t, none, text(s, 2), none, true);
	return label != UINT32_MAX && task_add_mark(t, row, tick, label);
}

/* ---- the other tables ---- */

static const char *keep(struct tasks *t, sqlite3_stmt *s, int column)
{
	struct task_text kept = text(s, column);

	return task_keep(t, kept.p, kept.len);
}

static bool add_window(struct tasks *t, sqlite3_stmt *s)
{
	struct task_window w;

	return !time_of(s, 0, task_unit(t), &w.start) || !time_of(s, 1, task_unit(t), &w.end) ||
	       vec_push(&t->tables.windows, w);
}

#define ADD_TEXTS(name, table, ...)                                                                \
	static bool add_##name(struct tasks *t, sqlite3_stmt *s)                                   \
	{                                                                                          \
		return vec_push(&t->tables.table, ((struct task_##name){__VA_ARGS__}));            \
	}
ADD_TEXTS(property, properties, keep(t, s, 0), keep(t, s, 1))
ADD_TEXTS(figure, figures, keep(t, s, 0), keep(t, s, 1), keep(t, s, 2), sqlite3_column_double(s, 3))
ADD_TEXTS(spec, specs, keep(t, s, 0), keep(t, s, 1), keep(t, s, 2))
ADD_TEXTS(port, ports, keep(t, s, 0), keep(t, s, 1), keep(t, s, 2))

static bool add_place(struct tasks *t, sqlite3_stmt *s)
{
	struct task_place place = {sqlite3_column_int64(s, 0), text(s, 1)};

	place.name.p = task_keep(t, place.name.p, place.name.len);
	return vec_push(&t->places, place);
}

static const struct table {
	const char *name;
	enum task_table is; /* TASK_TABLE_COUNT: nobody is told that it is not there */
	bool locks;         /* add() takes the lock by itself; else it is held */
	bool (*add)(struct tasks *t, sqlite3_stmt *s); /* false: no memory */
	const char *statements[4];
} tables[] = {
    {"daisen$segments", TASK_WINDOWS, false, add_window,
     {"select StartTime, EndTime from \"daisen$segments\" order by 1"}},
    {"exec_info", TASK_PROPERTIES, false, add_property, {"select Property, Value from exec_info"}},
    {"mgpusim_metrics", TASK_FIGURES, false, add_figure,
     {"select Location, What, Unit, Value from mgpusim_metrics"}},
    {"component_spec", TASK_SPECS, false, add_spec, {"select Name, Type, Spec from component_spec"}},
    {"port", TASK_PORTS, false, add_port, {"select Component, Port, Connection from port"}},
    {"location", TASK_TABLE_COUNT, false, add_place, {"select ID, Locale from location order by 1"}},
}, mark_tables[] = {
    {"milestone", TASK_MILESTONES, true, add_milestone,
     {"select TaskID, Time, What, Kind, Location from milestone",
      "select TaskID, Time, What, Kind, null from milestone",
      "select TaskID, Time, What, Kind, Location from trace_milestones"}},
    {"tag", TASK_TAGS, true, add_tag, {"select TaskID, Time, What from tag"}},
};

static bool read_table(struct tasks *t, const struct table *table)
{
	sqlite3_stmt *s = prepare(handle(t), table->statements);
	bool ok = true;
	int rc = SQLITE_DONE;

	pthread_rwlock_wrlock(&t->lines.lock);
	if (!s)
		t->absent |= 1u << table->is;
	pthread_rwlock_unlock(&t->lines.lock);
	while (s && ok && !lines_stopped(&t->lines) && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		if (!table->locks)
			pthread_rwlock_wrlock(&t->lines.lock);
		ok = table->add(t, s);
		if (!table->locks)
			pthread_rwlock_unlock(&t->lines.lock);
	}
	check_end(t, rc, table->name);
	sqlite3_finalize(s);
	return ok;
}

/* Small tables first: the first screen has them. */
static enum status akita_read(struct tasks *t, struct error *e)
{
	enum status status = t->database ? STATUS_OK : akita_open(t, e);
	bool ok = !status;

	if (status)
		return status;
	for (size_t i = 0; ok && i < sizeof(tables) / sizeof(tables[0]); i++)
		ok = read_table(t, &tables[i]);
	ok = ok && read_trace(t);
	for (size_t i = 0; ok && i < sizeof(mark_tables) / sizeof(mark_tables[0]); i++)
		ok = read_table(t, &mark_tables[i]);
	return ok ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

/* ---- ids ---- */

/*
 * One that came from the cache is opened when it is asked for the first time. NULL: it is gone, or
 * much would have to be copied.
 */
sqlite3 *task_ask(struct tasks *t)
{
	struct database *database;
	struct error ignored;

	pthread_mutex_lock(&t->asking);
	if (!t->database && t->cached && !(t->asks && copied(t) > COPY_MUCH))
		database_open(&t->database, t->lines.trace.source, t->cache_dir, &ignored);
	database = t->database;
	pthread_mutex_unlock(&t->asking);
	return database ? database_ask(database) : NULL;
}

static bool akita_id(struct tasks *t, uint32_t row, struct sbuf *out)
{
	static const char *const statements[] = {"select ID from trace where rowid = ?",
						 "select task_id from trace where rowid = ?", NULL};
	sqlite3 *db = task_ask(t);
	sqlite3_stmt *s;
	bool found;

	if (!db)
		return false;
	if (!t->id_of_row)
		t->id_of_row = prepare(db, statements);
	s = t->id_of_row;
	sqlite3_bind_int64(s, 1, task_rowid(t, row));
	found = s && sqlite3_step(s) == SQLITE_ROW;
	if (found)
		sbuf_add(out, text(s, 0).p, text(s, 0).len);
	sqlite3_reset(s);
	database_asked(t->database);
	return found;
}

/* Ids are numbers or texts, as the form has them. */
static void bind_id(const struct tasks *t, sqlite3_stmt *s, const char *id)
{
	int64_t number;

	if (t->form == TASK_D && num_parse_i64(id, &number))
		sqlite3_bind_int64(s, 1, number);
	else
		sqlite3_bind_text(s, 1, id, -1, SQLITE_STATIC);
}

static uint32_t akita_find(struct tasks *t, const char *id)
{
	static const char *const statements[] = {"select rowid from trace where ID = ?",
						 "select rowid from trace where task_id = ?", NULL};
	sqlite3 *db = task_ask(t);
	sqlite3_stmt *s = prepare(db, statements);
	uint32_t row = TASK_NONE;

	if (s)
		bind_id(t, s, id);
	while (row == TASK_NONE && s && sqlite3_step(s) == SQLITE_ROW)
		row = task_row_of(t, sqlite3_column_int64(s, 0));
	sqlite3_finalize(s);
	if (db)
		database_asked(t->database);
	return row;
}

#define AKITA_WRONG NULL

#else

#define AKITA_WRONG                                                                                \
	"an SQLite database, which this pipeglass was built without: build it with the Debian "    \
	"package libsqlite3-dev"
#define akita_open NULL
#define akita_read NULL
#define akita_id NULL
#define akita_find NULL
#define task_extract_database NULL

#endif

const struct task_reader akita_task_reader = {
    .format = {"akita", "tasks of components: an Akita simulation's SQLite database", "ps", detect,
	       AKITA_WRONG},
    .open = akita_open,
    .read = akita_read,
    .id = akita_id,
    .find = akita_find,
    .extract = task_extract_database,
};
