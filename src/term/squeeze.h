/*
 * Leaving out what does nothing: sequences that curses writes right before others which make
 * them void. A tenth of a page of coloured cells. O(bytes), in place.
 */
#ifndef PIPEGLASS_TERM_SQUEEZE_H
#define PIPEGLASS_TERM_SQUEEZE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sbuf.h"

/*
 * Of the bytes of out from `from` on (at least one). `unknown`: the terminal may be in any
 * state, so it is told once that its characters are ASCII.
 */
void squeeze(struct sbuf *out, size_t from, bool unknown);

#endif
