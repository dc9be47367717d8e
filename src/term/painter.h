/*
 * A picture made into another one in few bytes, on a terminal that a pen suits.
 *
 * Cells are painted colour by colour rather than row by row where that is shorter: in a pipeline
 * a colour costs three times the way to the same stage one row down. What moved is moved on the
 * terminal (rows by a scrolling region, the cells of a row by inserting and deleting): all ways
 * that motion.h suggests are written out, and the shortest is sent. Whatever is not as it
 * should be afterwards is painted, so a wrong guess never shows. O(cells), some ten times over
 * when much changed.
 */
#ifndef PIPEGLASS_TERM_PAINTER_H
#define PIPEGLASS_TERM_PAINTER_H

#include "term/motion.h"
#include "term/pen.h"

struct painter;

struct painter *painter_new(const struct pen_terminal *t); /* which must outlive it */
void painter_free(struct painter *p);

/* The terminal was cleared, everything about it is unknown. shown: w * h cells, blanked. */
void painter_blank(struct painter *p, packed_cell *shown, int w, int h);

/*
 * Append what makes `next` of `shown`, which is `next` then, and brings the terminal's cursor to
 * a cell; x -1: anywhere.
 */
void painter_paint(struct painter *p, packed_cell *shown, const packed_cell *next, int x, int y,
		   struct sbuf *out);

/*
 * As a pen writes it: the colours and attributes that the terminal has, and a blank that looks
 * like a blank has no others than those that show.
 */
packed_cell painter_cell(const struct pen_terminal *t, uint32_t cp, struct style s);

#endif
