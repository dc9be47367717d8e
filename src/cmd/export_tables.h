/*
 * A database for SQLite, whatever kind of trace: tables that say of themselves what they hold. Or
 * the first table of a kind as CSV.
 *
 * A kind names its tables, with all that is told of a column in one place; statements and headings
 * are made from that alone. A database gets the tables that every kind has filled, too: about,
 * readme, components and samples. Text of the trace is bound, as other programs read it:
 * text_kept(), and line ends. Indexes are made at the end. All is one transaction without a
 * journal: a file that is not finished is of no use. O(log n) a row.
 */
#ifndef PIPEGLASS_CMD_EXPORT_TABLES_H
#define PIPEGLASS_CMD_EXPORT_TABLES_H

#include "cmd/export.h"
#include "trace/result.h"

enum { EXPORT_TABLES = 12 /* with those of every kind, and an end */, EXPORT_COLUMNS = 14 };

struct export_column {
	const char *name, *type, *meaning;
	const char *index; /* NULL: none; "": of the column; "start": of it and that one */
};

struct export_table {
	const char *name;
	struct export_column columns[EXPORT_COLUMNS + 1]; /* in the order in which they are put */
};

struct tables;

/* own: a kind's, to the first without a name. Ended by tables_free() whatever becomes of it. */
enum status tables_begin(struct tables **out, const struct export_table *own,
			 const struct export_part *part, const struct export_target *x,
			 struct error *e);
enum status tables_end(struct tables *d, struct error *e);
void tables_free(struct tables *d); /* or NULL */

#ifdef HAVE_SQLITE
/* All of it, for the write() of a format that has tables. */
enum status tables_write(const struct export_format *f, struct trace *t,
			 const struct cmd_options *o, const struct export_target *x,
			 struct error *e);
#else
#define tables_write NULL
#endif

/* The same as CSV, of the first table: lines are drained as they come. */
enum status tables_write_csv(const struct export_format *f, struct trace *t,
			     const struct cmd_options *o, const struct export_target *x,
			     struct error *e);

/* A table of the kind's own is written; of no other one there are rows. */
bool tables_has(const struct tables *d, int table);
/* A row of one, by its number: one value a column. */
enum status tables_put(struct tables *d, int table, const struct value *values, struct error *e);
/* The primary key that the last row got, where its value was none: rows are counted from 1. */
int64_t tables_key(const struct tables *d);

#endif
