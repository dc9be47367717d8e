/*
 * The columns of a section as people see them: a scalar field, or one part of an object; by their
 * headings, in turn, and as what the rows are sorted by.
 *
 * Numbers fall, texts and pcs rise, and what is not known stands last.
 */
#ifndef PIPEGLASS_TRACE_SECTION_H
#define PIPEGLASS_TRACE_SECTION_H

#include "trace/result.h"
#include "base/status.h"

/* field NULL: before the first one. */
struct section_column {
	const struct field *field;
	size_t part;
};

bool section_next(const struct section *s, const void *result, struct section_column *c);
const char *section_heading(const void *result, const struct section_column *c);
/* STATUS_USAGE: no such column, with a list. */
enum status section_find(const struct section *s, const void *result, const char *heading,
			 struct section_column *out, struct error *e);
/* The heading behind (dir < 0: before) one, in a circle; of an unknown one: the first. */
const char *section_beside(const struct section *s, const void *result, const char *heading,
			   int dir);

/* The order of two values: as they rise; and as a column of them is sorted. */
int value_compare(struct value a, struct value b);
int section_compare(const struct section_column *c, struct value a, struct value b);

#endif
