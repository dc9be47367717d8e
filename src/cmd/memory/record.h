/*
 * What whoever shows a trace while it is recorded has to know of `record`.
 */
#ifndef PIPEGLASS_CMD_MEMORY_RECORD_H
#define PIPEGLASS_CMD_MEMORY_RECORD_H

#include "cmd/options.h"

/* The trace that it will write; o->files has the program. Appends. */
void record_name(const struct cmd_options *o, struct sbuf *out);

#endif
