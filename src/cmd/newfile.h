/*
 * A file that a batch command makes, which is never the trace.
 *
 * One that is there is replaced only when told to. Half an answer looks like a whole one: what
 * was made here goes again when the command fails.
 */
#ifndef PIPEGLASS_CMD_NEWFILE_H
#define PIPEGLASS_CMD_NEWFILE_H

#include <stdio.h>

#include "base/status.h"
#include "cmd/options.h"

/* Is what fd writes to this trace ("-": standard input)? */
bool newfile_is_trace(int fd, const char *trace);

/*
 * option: what asked for the file, for messages. STATUS_UNSUPPORTED in PIPEGLASS_SECURE;
 * STATUS_USAGE: it is one of o->files; STATUS_IO: it cannot be made, or exists without --force.
 */
enum status newfile_open(FILE **stream, const char *path, const char *option,
			 const struct cmd_options *o, struct error *e);
/* Keeps an earlier status. */
enum status newfile_close(FILE *stream, const char *path, const struct cmd_options *o,
			  enum status status, struct error *e);

#endif
