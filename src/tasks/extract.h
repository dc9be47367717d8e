/*
 * A part of a trace of tasks, written in the form that the file has.
 *
 * Tasks that are there in a range of time, whole, and all their ancestors; of a database also their
 * milestones and tags, segments cut to the range, and the other tables that Akita's tracers write,
 * as they are. Rows keep their order, values their storage classes. Tables are made from our own text:
 * whatever else the file's schema says is left out, indexes too, which Daisen makes for itself. Rows
 * that the reader left out are not there either. O(log of the tasks) a task, and all milestones and
 * tags are read.
 */
#ifndef PIPEGLASS_TASKS_EXTRACT_H
#define PIPEGLASS_TASKS_EXTRACT_H

#include "base/status.h"
#include "tasks/tasks.h"

struct tasks_extract {
	int64_t from, to; /* INT64_MIN, INT64_MAX: no bound */
	const char *into; /* of a database: an empty file; not :memory: or file: */
	/* Of text: a line, as it stands there without its end; hostile. */
	enum status (*line)(void *arg, const char *p, size_t len, struct error *e);
	void *arg;
	uint64_t left_out; /* then: tables that are not known */
};

/* Is it text, or a database? */
bool tasks_is_database(const struct trace *t);
/*
 * Of a trace that is complete. STATUS_INPUT: its form is not Akita's, or it is damaged.
 */
enum status tasks_extract(struct trace *t, struct tasks_extract *x, struct error *e);

#endif
