/*
 * Completion: what can stand at the cursor of a command line.
 *
 * Candidates come from the command table and, for an argument, from the provider of its
 * type: names of the trace, files, options, keymaps. At most COMPLETION_MAX are kept (the
 * number left out is told). Cost: one pass over the provider's names.
 */
#ifndef PIPEGLASS_APP_COMPLETE_H
#define PIPEGLASS_APP_COMPLETE_H

#include "base/sbuf.h"
#include "base/vec.h"

struct app;

enum { COMPLETION_MAX = 500 };

struct completion {
	VEC(char *) words; /* sorted, distinct */
	size_t from;       /* byte offset in the line of what they replace */
	size_t left_out;
	bool nothing; /* asked for, and none was found: the menu says so */
};

/* For line[0..cursor). */
void complete_line(struct app *a, const char *line, size_t cursor, struct completion *out);
void completion_free(struct completion *c);
/* Length of the beginning that all words share. */
size_t completion_common(const struct completion *c);

#endif
