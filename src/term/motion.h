/*
 * How a frame moved against the one before it, so that the terminal can be told to move
 * cells instead of being sent them again.
 *
 * Rows and columns move together in the natural scroll of a pipeline. A wrong guess costs
 * bytes, never a wrong screen: the painter tries what is found and paints whatever is not as it
 * should be. Works on packed cells; knows no terminal. O(rows^2 + sample rows * columns^2), some
 * 0.3 ms at 200x50, and nothing when few cells changed.
 */
#ifndef PIPEGLASS_TERM_MOTION_H
#define PIPEGLASS_TERM_MOTION_H

#include <stdbool.h>
#include <stdint.h>

#include "view/grid.h"

/* A cell in 47 bits, so that rows compare by memcmp. A wide character's right half has cp 0. */
typedef uint64_t packed_cell;

packed_cell packed_from(const struct cell *c);
struct cell packed_to(packed_cell p);
uint32_t packed_cp(packed_cell p);
packed_cell packed_blank(void);
bool packed_has_wide(const packed_cell *row, int begin, int end);

/* to[y][x] == from[y + rows][x + cols] for most of what is not still; 0, 0: nothing moved. */
struct motion {
	int rows, cols;
};

struct motion motion_find(const packed_cell *from, const packed_cell *to, int w, int h);

/* Does `row`, at y now, look as if it had come from y + rows? By its left edge. */
bool motion_took_row(const packed_cell *from, const packed_cell *row, int w, int h, int y,
		     int rows);

/*
 * One row whose columns [begin, end) are to be moved by cols places to the left (cols > 0) or
 * right (cols < 0), with blanks coming in. end == w: up to the edge of the screen.
 */
struct row_shift {
	int begin, end, cols; /* cols 0: stays */
};

/*
 * The shift that makes `from` most like `to`; false when it is cheaper to draw the row again.
 * The columns are those of the row above where they can be, which saves cursor motion.
 */
bool motion_shift(const packed_cell *from, const packed_cell *to, int w, int cols,
		  const struct row_shift *above, struct row_shift *out);

#endif
