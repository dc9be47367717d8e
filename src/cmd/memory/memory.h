/*
 * What the tables of commands have of shared memory.
 */
#ifndef PIPEGLASS_CMD_MEMORY_MEMORY_H
#define PIPEGLASS_CMD_MEMORY_MEMORY_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "trace/trace.h"

/* A report that can be pasted into a review. */
enum status memory_put_sharing(struct output *out, struct trace *t, const void *result,
			       const struct cmd_options *o, struct error *e);

#endif
