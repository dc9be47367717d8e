/*
 * A section of an analysis result as aligned columns, for a terminal of some width.
 *
 * Everything is shown when it fits; else, in this order, until it does: columns that are zero
 * in every row go, headings are abbreviated, texts are cut, and the minor columns and those
 * that add up to least are left out. How many were is in the struct: whoever shows a table says so.
 * All text is harmless. Making one costs O(rows * columns), a line O(columns).
 */
#ifndef PIPEGLASS_VIEW_TABLE_H
#define PIPEGLASS_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/result.h"
#include "base/sbuf.h"
#include "base/vec.h"

enum { TABLE_TEXT = 32 }; /* columns of a text at most */

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
};

/* Over the first `rows` rows; shown whole. False: no memory. */
bool table_new(struct table *t, const struct section *s, const void *result, size_t rows);
void table_free(struct table *t);
/* Into so many columns; 0: as wide as it is. */
void table_fit(struct table *t, int width);

/* Append a line, without newline. */
void table_heading(const struct table *t, struct sbuf *out);
void table_row(const struct table *t, size_t row, struct sbuf *out);

/* Append one value as people read it (raw bytes of a text): the cell of a table or a CSV. */
void table_value(struct sbuf *out, struct value v);

#endif
