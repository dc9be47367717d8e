/*
 * A pane over one section of a result (trace/result.h): a table as wide as the pane, in the order
 * that the result has, until the user sorts it by a column.
 *
 * Making one costs O(rows * columns), sorting O(n log n), drawing O(cells).
 */
#ifndef PIPEGLASS_VIEW_TABLE_PANE_H
#define PIPEGLASS_VIEW_TABLE_PANE_H

#include "trace/section.h"
#include "view/pane_list.h"

struct table_pane_of {
	const struct section *section;
	void *result; /* taken over; NULL: there is none, */
	void (*free)(void *result);
	const char *none; /* which is why there are no rows */
	const char *title;
	/* The command of Enter on a row of the result; false: there is none. NULL: never. */
	bool (*command)(const void *result, size_t row, struct sbuf *out);
	/* Or the place that it leads to, in a table sorted by a column. NULL: nowhere. */
	bool (*target)(const void *result, size_t row, const struct section_column *sorted,
		       struct place *to);
	const char *sorted; /* the column that its rows are sorted by; NULL: none */
	size_t below;       /* so many rows at the end stay there: they sum up others */
	const char *about;  /* a line above the table, as long as the result; NULL: none */
	/* A column whose numbers rise where others fall. NULL: none. */
	bool (*rises)(const void *result, const struct field *f);
	/*
	 * What stands above the table and scrolls with it; taken over. Its first line stays on top
	 * until the table's heading does, and the cursor begins below it. NULL: nothing.
	 */
	struct list_pane *above;
};

/* Texts are copied. */
struct pane *table_pane(const struct table_pane_of *of);

#endif
