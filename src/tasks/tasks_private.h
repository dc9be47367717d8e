/*
 * An open trace of tasks, for the files of this room: how tasks come in, and what was published.
 *
 * One thread reads (a reader: akita.c, csv.c). It alone adds rows, which nobody else sees until
 * task_publish() makes new orders of all of them and swaps the columns, with the lock held for writing. Names,
 * slots and the other tables are added with that lock held, too; the reading thread looks at them
 * without it.
 */
#ifndef PIPEGLASS_TASKS_TASKS_PRIVATE_H
#define PIPEGLASS_TASKS_TASKS_PRIVATE_H

#include <stdatomic.h>

#include "base/ids.h"
#include "base/intern.h"
#include "tasks/extract.h"
#include "tasks/metrics.h"
#include "tasks/tasks.h"
#include "trace/blob.h"
#include "trace/cachefile.h"
#include "trace/lines.h"
#include "trace/result.h"
#include "trace/samples.h"

struct tasks;

/* What is counted while reading: key, help */
#define TASK_NOTES(_)                                                                              \
	_(RINGS, "parent-rings", "tasks that are their own ancestors: cut there")                  \
	_(ORPHANS, "orphans", "tasks whose parent is not in the file")                             \
	_(DUPLICATES, "duplicate-ids", "tasks whose id another has: the first has the children")   \
	_(ZERO, "zero-length", "tasks that end when they start")                                   \
	_(OUTSIDE, "outside-windows", "tasks that reach beyond what was traced")                   \
	_(RUNNING, "running", "tasks that never ended: drawn up to the end of the trace")          \
	_(BAD, "bad-rows", "rows left out, each with a warning")                                   \
	_(LOST_MARKS, "marks-without-task", "marks left out: their task is not in the file")       \
	_(MARKS_OUTSIDE, "marks-outside-task", "marks before their task starts or after it ends")  \
	_(JOURNAL, "journals-left-over", "unfinished write beside the file")

enum task_note {
#define TASK_NOTE_ENUM(name, key, help) TASK_NOTE_##name,
	TASK_NOTES(TASK_NOTE_ENUM)
#undef TASK_NOTE_ENUM
	    TASK_NOTE_COUNT
};

/* The forms of formats/daisen.md, and who writes them. */
#define TASK_FORMS(_)                                                                              \
	_(CSV, "Akita v3.0 to v4.1")                                                               \
	_(A, "Akita v3.0 to v4.1")                                                                 \
	_(B, "Akita v4.2 to v4.9")                                                                 \
	_(D, "Akita v5.0.0-beta.2 or later")                                                       \
	_(STREAM, "libpgtrace")

enum task_form {
#define TASK_FORM_ENUM(name, writer) TASK_##name,
	TASK_FORMS(TASK_FORM_ENUM)
#undef TASK_FORM_ENUM
	    TASK_FORM_COUNT
};

/* Tables that a file may lack. */
#define TASK_TABLES(_)                                                                             \
	_(MILESTONES, "milestones")                                                                \
	_(TAGS, "tags")                                                                            \
	_(WINDOWS, "tracing windows")                                                              \
	_(PROPERTIES, "execution info")                                                            \
	_(FIGURES, "simulator metrics")                                                            \
	_(SPECS, "component specs")                                                                \
	_(PORTS, "ports")

enum task_table {
#define TASK_TABLE_ENUM(name, title) TASK_##name,
	TASK_TABLES(TASK_TABLE_ENUM)
#undef TASK_TABLE_ENUM
	    TASK_TABLE_COUNT
};

/* ---- columns ---- */

/* Rows of the file that follow each other, from this one on. */
struct task_run {
	int64_t row, rowid;
};

struct task_row {
	int64_t start, end;  /* end >= start */
	uint64_t id, parent; /* parent 0: it has none */
	uint32_t slot;
	int64_t rowid; /* in the file; of CSV see csv.c */
};

struct task_growing {
	struct blob start, end, slot, parent; /* parent: an id */
	uint32_t count;                       /* rows */
};

struct task_text {
	const char *p;
	size_t len;
};

/* A journal or a log beside the file. */
enum { TASK_SIDECARS = 2 };
struct task_sidecar {
	uint64_t size;
	int64_t mtime_ns;
};

/* A place that a database has a number for. */
struct task_place {
	int64_t id;
	struct task_text name;
};

struct tasks {
	union { /* first: so that each gives the other */
		struct lines lines;
		struct samples samples; /* which begins with them */
	};
	const struct task_reader *reader;
	enum task_form form;
	bool caches, cached;    /* to be written to the cache file; comes from there */
	bool asks;              /* before much is copied */
	atomic_bool followed;   /* was, at any time */
	const struct trace_options *options; /* while it is opened */
	char *cache_dir;
	struct cachefile cache;
	void *map; /* of the cache file: columns are in it */
	size_t map_len;
	char note[300];
	uint64_t at_line, at_offset; /* of a text: what is read */
	struct error *error;         /* why it is no such text */

	struct task_columns columns;
	struct task_tables tables;
	struct intern *components, *kinds, *whats, *texts;
	struct intern *slot_keys, *label_keys; /* numbers as in the tables */
	struct intern *pairs;                  /* as in the slots; while it is read */
	VEC(struct task_place) places;         /* of the table location, by id */
	struct sbuf key;                       /* one that is looked up */

	struct task_growing growing;
	VEC(struct task_mark) marks; /* as they come; until all is published */
	uint64_t publications;       /* so far */
	VEC(struct task_run) runs;
	struct ids *ids;        /* which row has which id, while it is read */
	uint64_t counts[TASK_NOTE_COUNT]; /* of the reading thread; published with the rest */
	unsigned absent;                  /* tables that the file has not, as bits */

	struct task_sidecar beside[TASK_SIDECARS]; /* when it was opened */
	struct database *database; /* NULL: of CSV, or not needed yet */
	struct sqlite3_stmt *id_of_row; /* of database_ask(), and closed with it; NULL: not yet */
	pthread_mutex_t asking;    /* of it, once all is read */
	pthread_mutex_t naming;    /* of asked: names of metrics, and the components they are of */
	struct intern *asked;
	struct task_stream *stream; /* of pgtrace.c, while it is read */
	_Atomic uint64_t bytes_done;
};

struct task_reader {
	struct trace_format format;
	enum task_form form; /* of text; and the tables that it has not */
	unsigned absent;
	/* Before the thread: whether it can be read, as far as that is known. */
	enum status (*open)(struct tasks *t, struct error *e);
	enum status (*read)(struct tasks *t, struct error *e);
	/* Of text: a line without its end (whole: it has one), and behind the last; or NULL. */
	bool (*line)(struct tasks *t, const char *p, size_t len, bool whole);
	bool (*end)(struct tasks *t);
	bool (*id)(struct tasks *t, uint32_t row, struct sbuf *out);
	uint32_t (*find)(struct tasks *t, const char *id);
	/* Of a whole trace; chosen: of each row. NULL: not in a form of Akita's. */
	enum status (*extract)(struct tasks *t, const bool *chosen, struct tasks_extract *x,
			       struct error *e);
	void (*settle)(struct tasks *t); /* before anything is published; or NULL */
	bool uncached; /* it has what the cache file has no place for */
};

extern const struct task_reader akita_task_reader, csv_task_reader, json_task_reader,
    stream_task_reader;

/* Without its source being read, or closed; NULL: no memory. */
struct tasks *task_trace_new(const struct task_reader *reader, struct source *source);
void task_trace_free(struct tasks *t);

static inline struct tasks *tasks_of(const struct trace *t)
{
	return (struct tasks *)(uintptr_t)t;
}

/* The number of a component, kind and what together; UINT32_MAX: no memory. Of the reading thread. */
uint32_t task_slot(struct tasks *t, struct task_text component, struct task_text kind,
		   struct task_text what);
uint32_t task_label(struct tasks *t, struct task_text kind, struct task_text what,
		    struct task_text where, bool tag);
/* A text that stays; NULL: no memory (lines.failed). Under the lock for writing. */
const char *task_keep(struct tasks *t, const char *p, size_t len);
/* A warning of what is read; takes the lock for writing. */
void task_warn(struct tasks *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same of a row that is left out for it; true: the next one comes. */
#define task_bad(t, ...) ((t)->counts[TASK_NOTE_BAD]++, task_warn(t, __VA_ARGS__), true)

bool task_add(struct tasks *t, const struct task_row *row); /* false: no memory */
/* Also of a row that was published already; false: it would end before it starts. */
bool task_set_end(struct tasks *t, uint32_t row, int64_t end);
uint32_t task_slot_at(const struct tasks *t, uint32_t row);
bool task_add_mark(struct tasks *t, uint32_t row, int64_t tick, uint32_t label);
/* Publish what is there, now or when it is time; false: no memory. */
bool task_publish(struct tasks *t);
bool task_publish_in_time(struct tasks *t);
/* All rows and marks are there. */
bool task_publish_end(struct tasks *t);
void task_columns_free(struct tasks *t, const struct task_columns *c); /* those in memory */
bool task_names_new(struct tasks *t);
void task_names_free(struct tasks *t);  /* with the tables */
/* The row of a rowid, or TASK_NONE; and the other way round. */
uint32_t task_row_of(const struct tasks *t, int64_t rowid);
int64_t task_rowid(const struct tasks *t, uint32_t row);

/*
 * Rows whose parents lead back to them: counted, and made orphans in cut, which is parent (NULL: it
 * ends with the first). False: no memory.
 */
bool task_cut_rings(const uint32_t *parent, uint32_t count, uint32_t *cut, uint64_t *rings);
/* Beyond this and its negative no tick goes. */
#define TASK_TICK_MOST (INT64_C(1) << 61)

/* ---- text.c ---- */

/* A line of a trace (trace/lines.h). False: no memory, or the trace's error. */
bool task_add_line(void *tasks, uint64_t offset, const char *p, size_t len, bool whole);
/* Each line of the source; what comes is published in time, of live text before waiting for more. */
enum status task_read_lines(struct tasks *t, struct error *e);

/* ---- cache.c ---- */

/* True: the trace is there, complete. Else it is as it was. */
bool task_cache_load(struct tasks *t, const struct trace_options *o);
/* From then on columns are mapped from the file; a note says why not. */
void task_cache_save(struct tasks *t);
/* What lies beside a file that is no pipe; a size of 0: nothing. */
extern const char *const task_sidecars[TASK_SIDECARS]; /* how it is called, behind the file's name */
void task_sidecars_find(const struct source *source, struct task_sidecar out[TASK_SIDECARS]);

/* Seconds or picoseconds as ticks; false: no number, or out of range. */
bool task_ticks(double value, double unit, int64_t *out);

/* ---- metrics.c ---- */

/* A text that stays where it is as long as the trace; NULL: no memory. Under the trace's lock. */
const char *task_asked(const struct trace *t, const char *text);

/*
 * ---- sampled.c: levels of metrics that a stream of tasks brings, beside those of metrics.c ----
 *
 * Values are means over the time in which there is a level, of several components averaged. From
 * any thread.
 */
bool task_sampled_find(const struct trace *t, const char *name, const struct regex *component,
		       struct metric_ref *out);
void task_sampled_values(const struct trace *t, const struct metric_ref *m, int64_t from,
			 int64_t to, size_t n, double *values);

/* ---- info.c ---- */

extern const struct section task_info_sections[];
void *task_info_make(struct trace *t);

/* ---- database.c: SQLite ---- */

struct database;
struct sqlite3;

/*
 * The database that a source holds, read only and where it lies. Packed text, a pipe and a file with
 * a journal beside it are copied first, to where nobody else sees it.
 */
enum status database_open(struct database **out, struct source *source, const char *cache_dir,
			  struct error *e);
void database_close(struct database *d);
struct sqlite3 *database_handle(struct database *d); /* of the thread that reads */
/* Another connection, one at a time until database_asked(); NULL: no memory, and it is not held. */
struct sqlite3 *database_ask(struct database *d);
void database_asked(struct database *d);

/* database_ask() of a trace, whose database is opened if it is not yet. NULL: it is gone. */
struct sqlite3 *task_ask(struct tasks *t);
double task_unit(const struct tasks *t); /* ticks in what the database counts time in */
/* extract.c: the part of a reader. */
enum status task_extract_database(struct tasks *t, const bool *chosen, struct tasks_extract *x,
				  struct error *e);

#endif
