/*
 * The last lines of what a program says while it runs: a log of bounded size.
 *
 * Lines have numbers from 0 that stay theirs when older ones are dropped. As in a terminal a
 * carriage return begins the line again, so that a progress bar is one line. When the log is full
 * its older half goes at once: amortised O(1) a byte.
 */
#ifndef PIPEGLASS_APP_CHILD_LINES_H
#define PIPEGLASS_APP_CHILD_LINES_H

#include <stdint.h>

#include "base/sbuf.h"
#include "base/vec.h"

struct child_lines {
	VEC(char) text;
	VEC(size_t) starts;
	uint64_t first; /* number of the first line kept */
	bool returned;  /* a carriage return came last */
	bool open;      /* the last line has no end yet */
};

void child_lines_add(struct child_lines *l, const char *bytes, size_t len);
/* Numbers of those kept: [*first, *end). */
void child_lines_range(const struct child_lines *l, uint64_t *first, uint64_t *end);
/* Appends the line; false: it is not there, any more or yet. */
bool child_lines_get(const struct child_lines *l, uint64_t number, struct sbuf *out);
void child_lines_free(struct child_lines *l);

#endif
