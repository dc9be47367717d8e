/*
 * The commands that somebody can have meant who typed a word that is none: those with a name like
 * it, else those whose help or arguments speak of it.
 */
#ifndef PIPEGLASS_APP_NEAREST_H
#define PIPEGLASS_APP_NEAREST_H

#include <stddef.h>

#include "base/sbuf.h"

/* "write FILE [FORMAT], write-pane FILE [FORMAT]"; appends nothing when there are none. O(table). */
void nearest_commands(const char *word, size_t len, struct sbuf *out);

#endif
