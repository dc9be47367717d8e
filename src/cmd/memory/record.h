/*
 * What whoever shows a trace while it is recorded has to know of `record`.
 */
#ifndef PIPEGLASS_CMD_MEMORY_RECORD_H
#define PIPEGLASS_CMD_MEMORY_RECORD_H

#include "base/sbuf.h"
#include "base/status.h"
#include "base/vec.h"

/* With --live another one of us records, without it. */
struct record_live {
	VEC(char *) words; /* to be run; point into argv and self; end with NULL */
	struct sbuf trace; /* a file that is empty so far */
	char self[4096];
};

/*
 * argv[0] is the subcommand; without words behind it is no `record --live`, or one that the command will
 * complain of. Errors are those that are known before the program runs. record_live_free() in any case.
 */
enum status record_live_begin(struct record_live *l, char **argv, struct error *e);
/* When the terminal is there again: where the trace is, on standard error. */
void record_live_end(const struct record_live *l);
void record_live_free(struct record_live *l);

#endif
