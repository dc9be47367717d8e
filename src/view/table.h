/*
 * A section of an analysis result as aligned columns, for a terminal of some width.
 *
 * Everything is shown when it fits, of a text TABLE_TEXT columns, of the last column all; else, in
 * this order, until it does: columns that are zero in every row go, headings are abbreviated, texts
 * are cut, dotted names less than others, the minor columns are left out, names are cut, too, and
 * columns that add up to least are left out, at last of those that say who a row is all but the first
 * ones. What it is sorted by stays. How many were left out is in
 * the struct: whoever shows a table says so.
 * All text is harmless. Making one costs O(rows * columns), a line O(columns).
 */
#ifndef PIPEGLASS_VIEW_TABLE_H
#define PIPEGLASS_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/section.h"
#include "base/sbuf.h"
#include "base/vec.h"

enum { TABLE_TEXT = 32, TABLE_PATH = 64 }; /* columns of a text, of a dotted name at most */

/* A scalar field, or one part of an object. */
struct table_column {
	const struct field *field;
	size_t part;
	int heading, cells; /* columns that they would take */
	int width;          /* columns that it has; 0: left out */
	double sum;         /* of its numbers */
};

struct table {
	const struct section *section;
	const void *result; /* borrowed */
	VEC(struct table_column) columns;
	size_t left_out; /* columns that are not shown */
	size_t shift;    /* columns that were scrolled away behind those that say who a row is */
	int fitted;      /* the width that it is fitted to */
	struct section_column sorted; /* what the rows are sorted by: not left out; {NULL, 0}: nothing */
};

/* Over the first `rows` rows; shown whole. False: no memory. */
bool table_new(struct table *t, const struct section *s, const void *result, size_t rows);
void table_free(struct table *t);
/* Numbers of a row behind those have room, too. O(columns). */
void table_widen(struct table *t, size_t row);
void table_sorted(struct table *t, const struct section_column *by);
/* Into so many columns; 0: as wide as it is. */
void table_fit(struct table *t, int width);
/*
 * The same, with as many columns scrolled away, behind which none is left out but at the end.
 * O(1) if it is fitted so.
 */
void table_fit_from(struct table *t, int width, size_t shift);
/* A shift and so many columns more, as far as there is more to see. */
size_t table_scrolled(const struct table *t, size_t shift, int columns);
/* Columns that it would take to show all. */
int table_wanted(const struct table *t);
/* For a title: how many are not shown. Appends. */
void table_tell_left_out(const struct table *t, struct sbuf *out);

/* Append a line, without newline. */
void table_heading(const struct table *t, struct sbuf *out);
void table_row(const struct table *t, size_t row, struct sbuf *out);
/* One column of them, with the gap before it; TABLE_HEADING: not of a row. */
#define TABLE_HEADING SIZE_MAX
void table_cell(const struct table *t, size_t column, size_t row, struct sbuf *out);
/* Columns that all of a line takes. */
int table_width(const struct table *t);

/* Append one value of a field, or of a list all, as people read them (raw bytes of a text). */
void table_value(struct sbuf *out, const struct field *f, struct value v);
void table_values(struct sbuf *out, const struct field *f, const void *result, size_t row,
		  size_t part);

#endif
