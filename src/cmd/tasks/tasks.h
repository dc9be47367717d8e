/*
 * What the tables of commands have of tasks.
 */
#ifndef PIPEGLASS_CMD_TASKS_TASKS_H
#define PIPEGLASS_CMD_TASKS_TASKS_H

#include "analysis/answer.h"
#include "cmd/export.h"
#include "cmd/output.h"

extern const struct export_format export_akita, export_tasks_sqlite;

extern const struct answer tasks_list_answer;
/* Requests whose senders are not known are left out. */
void tasks_note_unpaired(struct output *out, const char *file, const void *requests);

#endif
