/*
 * Names that do not fit, made shorter so that they can still be told apart: all words but the
 * last to their initials, and only then cut. O(bytes).
 */
#ifndef PIPEGLASS_VIEW_ABBREVIATE_H
#define PIPEGLASS_VIEW_ABBREVIATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sbuf.h"

/* Append name, harmless, in at most width columns: "mispredict-detected" in 10: "m-detected". */
void abbreviate(struct sbuf *out, const char *name, int width);

/* Append harmless text in exactly width columns; what is cut ends in an ellipsis. */
void text_fit(struct sbuf *out, const char *p, size_t len, int width, bool pad);

#endif
