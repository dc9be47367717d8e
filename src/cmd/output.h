/*
 * What a subcommand writes: JSON or lines of text, drained to a stream as they come.
 *
 * However long the answer, at most some OUTPUT_DRAIN bytes of it are in memory. The first
 * failed write is kept and ends the command: with a message when the disk is full, without
 * one when the reader of a pipe went away. Text of a trace is sanitised on its way in.
 */
#ifndef PIPEGLASS_CMD_OUTPUT_H
#define PIPEGLASS_CMD_OUTPUT_H

#include <stdio.h>

#include "trace/result.h"
#include "base/json.h"
#include "base/sbuf.h"
#include "base/status.h"

enum {
	OUTPUT_DRAIN = 1 << 16,
	OUTPUT_COLUMNS = 80,
	OUTPUT_TEXT_COLUMNS = 32,
	OUTPUT_LINES = 24 /* of one of several tables, or of a long one, where no number is asked for */
};

struct output {
	FILE *stream;
	struct sbuf text;  /* not yet written */
	struct json json;  /* writes into text */
	struct sbuf notes; /* lines for stderr */
	int code;          /* cmd_run() */
	const char *unit;  /* what UNIT_TICK reads as in headings */
};

void output_begin(struct output *o, FILE *stream);
/* Write what has gathered when it is worth a write. Call between the items of a long list. */
enum status output_drain(struct output *o, struct error *e);
/* Write and flush everything; always call it, it also frees. Keeps an earlier status. */
enum status output_end(struct output *o, enum status status, struct error *e);

/* A line for stderr, sanitised: "pipeglass: FILE: note"; FILE NULL: the note names it. */
void output_note(struct output *o, const char *file, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* One value as JSON. */
void output_json_value(struct output *o, struct value v);
/* All sections of a result into the open object, or as an object on a line of its own. */
enum status output_json_sections(struct output *o, const struct section *sections,
				 const void *result, struct error *e);
enum status output_json_result(struct output *o, const struct section *sections,
			       const void *result, struct error *e);
/* "KEY": [{...}, ...] of a section, at most `limit` rows; O(rows), drained as it goes. */
enum status output_json_section(struct output *o, const struct section *s, const void *result,
				uint64_t limit, struct error *e);
/* Row `row` of a section as the fields of the open object. */
void output_json_fields(struct output *o, const struct field *fields, const void *result,
			size_t row);
/* How a table is to be shown. */
struct output_table {
	uint64_t limit; /* rows at most */
	int columns;    /* that it has to fit into; 0: as many as it takes */
	const char *sorted; /* by this column, which stays; NULL: by none */
};
/* The same section as an aligned table under its heading; what is left out is said. */
enum status output_table(struct output *o, const struct section *s, const void *result,
			 const struct output_table *how, struct error *e);
/* As many lines as it takes, each broken at a blank, the second one and so on indented. */
void output_words(struct output *o, const char *words, int indent);
/* A row of fields as lines of KEY and value. */
void output_lines(struct output *o, const struct field *fields, const void *result, size_t row);
/* All sections of a result that have rows, as tables and lines. */
enum status output_sections(struct output *o, const struct section *sections, const void *result,
			    const struct output_table *how, struct error *e);
/* A value of CSV as programs read it: no blanks between digits, all digits of a real number. */
void output_csv_value(struct output *o, struct value v);
/* The same section as CSV, every text harmless to terminals and spreadsheets. */
enum status output_csv(struct output *o, const struct section *s, const void *result,
		       uint64_t limit, struct error *e);

/* Sanitised text in exactly `columns` columns (cut, or padded when pad is set). */
void output_cell(struct output *o, const char *p, size_t len, int columns, bool pad);

#endif
