/*
 * Where a pane's line goes on below when it is wider than the pane.
 *
 * Lines break at newlines and blanks, words that are too long anywhere. What follows stands under
 * the last stretch that begins in the left half, so that a value goes on under itself, or where the
 * line says. A line takes
 * at most WRAP_ROWS rows, so that every line can be seen whole in a pane of that height; the rest
 * of a longer one is cut. O(bytes of the line).
 */
#ifndef PIPEGLASS_VIEW_PANE_WRAP_H
#define PIPEGLASS_VIEW_PANE_WRAP_H

#include "view/pane.h"

enum { WRAP_ROWS = 8 };

/* One row of a line: bytes [from, to), indent columns from the left. */
struct wrap_row {
	size_t from, to;
	int indent;
	int number; /* from 1; 0: before the first */
	bool cut;   /* the last row, and there is more */
};

/* The next row of l in width columns (start with *r zeroed); false: no more. Never none. */
bool pane_wrap_next(const struct pane_line *l, int width, struct wrap_row *r);
int pane_wrap_count(const struct pane_line *l, int width);

#endif
