/* Traces of tasks in a folder of their own, made by SQL or written as text, and opened. */
#ifndef TESTS_UNIT_TASKS_FILES_H
#define TESTS_UNIT_TASKS_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "testing.h"
#include "tasks/kind.h"
#include "tasks/tasks.h"

/* FIXTURES() of a test: the folder, with a cache folder in it, made and removed with all in it. */
int tasks_folder_new(void **state);
int tasks_folder_free(void **state);
const char *tasks_folder(void);
const char *tasks_cache(void);
/* The path of a file in the folder; good until the next call but three. */
const char *tasks_path(const char *name);

/* The forms of formats/daisen.md: what makes the file of each. */
extern const char sql_a[], sql_b0[], sql_b1[], sql_b2[], sql_d1[], sql_d2[], sql_d3[], csv_text[];

/* A new database; returns its path. */
const char *tasks_database(const char *name, const char *sql);
const char *tasks_text(const char *name, const char *text, size_t len);

/* With the cache of the folder, or without; not waited for. */
struct trace *tasks_open(const char *path, bool cached);
/* All of it read. */
struct trace *tasks_read(const char *path, bool cached);
/* Why it cannot be opened, or read. */
const char *tasks_refusal(const char *path);
uint64_t tasks_noted(const struct trace *t, const char *key);
/* Files in a folder whose names contain something. */
int tasks_files(const char *folder, const char *part);

#endif
