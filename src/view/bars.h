/*
 * Bars over several lines of cells, filled from below in eighths of a cell: what curves are drawn in.
 *
 * A number that is known fills at least one eighth, so that zero is told from nothing, and over
 * several lines at most all but one, so that what stands above stays apart. A grid of ASCII has
 * characters of its own for them.
 */
#ifndef PIPEGLASS_VIEW_BARS_H
#define PIPEGLASS_VIEW_BARS_H

#include <stdint.h>

enum { BAR_EIGHTHS = 8, BAR_FULL = 0x2588, BAR_SHADE = 0x2591 };

/* Eighths that a part of the whole, from 0 to 1 and cut there, fills of so many lines. */
int bar_eighths(double part, int lines);
/* The line in which the bar ends, from the top. */
int bar_top(int eighths, int lines);
/* The character of a line, from the top; ' ': above the bar. */
uint32_t bar_char(int eighths, int lines, int line);

#endif
