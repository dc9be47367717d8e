/*
 * A file that a batch command makes, which is never the trace.
 *
 * It has its name only when it is whole: half an answer looks like a whole one. Until then it lies
 * beside it, and goes when the command fails or a signal ends it. One that is there is replaced
 * only when told to, and then as a whole, which a pipe or a device cannot be.
 */
#ifndef PIPEGLASS_CMD_NEWFILE_H
#define PIPEGLASS_CMD_NEWFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "cmd/options.h"

struct newfile {
	FILE *stream;
	const char *path; /* what it will be */
	struct sbuf part; /* what it is called until it is whole */
};

/* Is what fd writes to this trace ("-": standard input)? */
bool newfile_is_trace(int fd, const char *trace);

/*
 * option: what asked for the file, for messages. STATUS_UNSUPPORTED in PIPEGLASS_SECURE;
 * STATUS_USAGE: it is one of o->files, or no regular file; STATUS_IO: it cannot be made, or exists without --force.
 * One at a time.
 */
enum status newfile_open(struct newfile *f, const char *path, const char *option,
			 const struct cmd_options *o, struct error *e);
/* Where it lies now: begins with / or ./ */
const char *newfile_name(const struct newfile *f);
/* Keeps an earlier status. */
enum status newfile_close(struct newfile *f, const struct cmd_options *o, enum status status,
			  struct error *e);

#endif
