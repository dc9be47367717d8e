/*
 * What commands about tasks have in common: the trace, what it is asked about, how it is written.
 */
#ifndef PIPEGLASS_CMD_TASKS_TASKS_H
#define PIPEGLASS_CMD_TASKS_TASKS_H

#include "analysis/tasks/answers.h"
#include "cmd/export.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "trace/trace.h"

extern const struct export_format export_akita, export_tasks_sqlite;

/*
 * Open the trace, ask it and write; warnings become a note. Errors as open_trace() and open_need();
 * STATUS_USAGE: a regular expression is wrong.
 */
enum status tasks_answer(const struct task_answer *of, const struct cmd_options *o,
			 struct output *out, struct error *e);

#endif
