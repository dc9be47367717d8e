/*
 * Which rows are shown: what the filter in force was made from.
 */
#ifndef PIPEGLASS_APP_PIPELINE_CHOICE_H
#define PIPEGLASS_APP_PIPELINE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/regex.h"
#include "base/status.h"

struct row_choice {
	struct regex *text; /* owned; NULL: any */
	bool invert;
	unsigned fates; /* to keep; 0: all */
	bool no_micro_ops;
	bool *threads; /* owned; to keep, by row.thread; NULL: all */
	size_t thread_count;
};

void row_choice_free(struct row_choice *c);
enum status row_choice_copy(struct row_choice *out, const struct row_choice *from, struct error *e);

#endif
