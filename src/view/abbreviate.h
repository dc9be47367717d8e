/*
 * Names that do not fit, made shorter so that they can still be told apart: without blanks, else
 * all words but the last to their initials, and only then cut. O(bytes).
 */
#ifndef PIPEGLASS_VIEW_ABBREVIATE_H
#define PIPEGLASS_VIEW_ABBREVIATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sbuf.h"

/* Append name, harmless, in at most width columns: "mispredict-detected" in 10: "m-detected". */
void abbreviate(struct sbuf *out, const char *name, int width);

/*
 * The same of a dotted name, in which the last word says most: as many of the first ones as it takes
 * to their initials, or to their numbered part; then it is cut in front, and in the middle if it is but
 * one word. "board.caches.l1d-cache-0" in 20: "b.caches.l1d-cache-0"; "board.caches.l1d-cache-0.tags"
 * in 14: "b.c.l1d.tags"; "Particle[17]+0x4" in 12: "Par…17]+0x4".
 */
void abbreviate_path(struct sbuf *out, const char *name, size_t len, int width);

/* Append harmless text in exactly width columns; what is cut ends in an ellipsis. */
void text_fit(struct sbuf *out, const char *p, size_t len, int width, bool pad);

#endif
