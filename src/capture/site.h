/*
 * What is made at a line of C or C++, as its text says it.
 *
 * Not a parser: an assignment or a new expression on one line, or broken into few, is found; what is
 * not has no name. Pure. O(length).
 */
#ifndef PIPEGLASS_CAPTURE_SITE_H
#define PIPEGLASS_CAPTURE_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sbuf.h"

/*
 * Appends the class of a new expression ("Node"), else the left-hand side ("Global", "p->next", "rows[i]");
 * blanks are left out. False: text has neither.
 */
bool site_name(const char *text, struct sbuf *out);

/* A name without the blanks that it does not need; appends. */
void site_put(const char *text, size_t len, struct sbuf *out);
/* The statement on line `line` (from 1) of text: begins up to three lines earlier if it is broken. Appends. */
bool site_statement(const char *text, size_t len, int line, struct sbuf *out);

#endif
