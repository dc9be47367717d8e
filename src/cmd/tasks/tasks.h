/*
 * What commands about tasks have in common: the trace, what it is asked about, how it is written.
 */
#ifndef PIPEGLASS_CMD_TASKS_TASKS_H
#define PIPEGLASS_CMD_TASKS_TASKS_H

#include "base/regex.h"
#include "cmd/export.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "trace/trace.h"

/* The regular expressions of the options; NULL: not given. */
struct task_patterns {
	struct regex *component, *kind, *capacity;
};

typedef enum status tasks_fn(struct trace *t, const struct task_patterns *p,
			     const struct cmd_options *o, struct output *out, struct error *e);

extern const struct export_format export_akita, export_tasks_sqlite;

/*
 * Open the trace and answer; warnings become a note. Errors as open_trace() and open_need(); STATUS_USAGE: a regular expression is wrong.
 */
enum status tasks_answer(const struct cmd_options *o, tasks_fn *answer, struct output *out,
			 struct error *e);

/* A result as JSON, as CSV or as a table, as the options say. */
enum status put_table(const struct section *sections, const void *result,
		      const struct cmd_options *o, struct output *out, struct error *e);

#endif
