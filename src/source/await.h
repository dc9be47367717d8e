/*
 * Waiting for a trace that nobody has begun to write, before it is opened: a pipe or a FIFO
 * without its first byte, a file that is still empty. Whoever waits sleeps; a file costs a look
 * a second besides what inotify wakes for.
 */
#ifndef PIPEGLASS_SOURCE_AWAIT_H
#define PIPEGLASS_SOURCE_AWAIT_H

#include <stdbool.h>

#include "base/status.h"

enum await_kind {
	AWAIT_NOTHING, /* source_open() neither waits nor says that it is empty; or fails at once */
	AWAIT_PIPE,    /* a FIFO, or a standard input that is a pipe */
	AWAIT_FILE     /* empty so far */
};

/* What source_open(path) would have to wait for. O(1), opens nothing. */
enum await_kind await_kind(const char *path);

/*
 * The reading end of an AWAIT_PIPE at once, whether or not anybody writes to it yet: for
 * await_bytes() and then source_open_fd(). STATUS_INPUT: it cannot be opened.
 */
enum status await_open_pipe(const char *path, int *fd, struct error *e);

/*
 * Until the pipe fd has bytes or its end; with fd -1, until path names a file with something in
 * it, whichever file that is by then. STATUS_INTERRUPTED once the descriptor stop is readable.
 */
enum status await_bytes(const char *path, int fd, int stop, struct error *e);

#endif
