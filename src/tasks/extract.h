/*
 * A part of a trace of tasks, written in the form that the file has.
 *
 * Tasks that are there in a range of time, whole, and all their ancestors; of a database also their
 * milestones and tags, segments cut to the range, and the other tables that Akita's tracers write,
 * as they are. Rows keep their order, values their storage classes, and tables their indexes. Tables
 * are made from our own text: whatever else the file's schema says is left out. Rows that the reader
 * left out are not there either. O(log of the tasks) a task, and all milestones and tags are read.
 */
#ifndef PIPEGLASS_TASKS_EXTRACT_H
#define PIPEGLASS_TASKS_EXTRACT_H

#include "base/status.h"
#include "tasks/tasks.h"

struct sqlite3;

struct tasks_extract {
	int64_t from, to; /* INT64_MIN, INT64_MAX: no bound */
	struct sqlite3 *into; /* of a database: an empty one, in a transaction that is ended here */
	/* Of text: a line, as it stands there without its end; hostile. */
	enum status (*line)(void *arg, const char *p, size_t len, struct error *e);
	void *arg;
	uint64_t left_out; /* then: tables that are not known */
};

/* Is it text, or a database? */
bool tasks_is_database(const struct trace *t);
/*
 * Of a trace that is complete. STATUS_INPUT: its form is not Akita's; STATUS_IO: what is written to
 * says why.
 */
enum status tasks_extract(struct trace *t, struct tasks_extract *x, struct error *e);

#endif
