/*
 * A program that writes the trace: `pipeglass run`.
 *
 * No shell: the words of the command are its arguments. It runs in a session of its own, so that
 * it has no terminal, with /dev/null for standard input. The trace comes through a pipe: its
 * standard output, another descriptor, or a FIFO whose name it is given. What else it writes (to
 * standard error, and to standard output when that is not the trace) is kept as lines: the last
 * SAID_BYTES or SAID_LINES of them, with a count of what was dropped. Two threads, which sleep while
 * it is silent. The words it writes are hostile and as they came: whoever shows them sanitises.
 */
#ifndef PIPEGLASS_APP_CHILD_H
#define PIPEGLASS_APP_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "base/status.h"

enum {
	SAID_BYTES = 4 << 20,
	SAID_LINES = 64 << 10,
	SAID_LINE = 4096, /* bytes; a longer line goes on in the next one */
	CHILD_FD_MOST = 255,
	CHILD_GRACE_MS = 2000 /* between SIGTERM and SIGKILL */
};

struct child_options {
	char *const *argv; /* ends with NULL */
	int trace_fd;      /* its descriptor for the trace; 0: standard output */
	bool trace_file;   /* the trace goes to the file whose name stands for %t in argv */
	const char *trace; /* it goes to this file, which is there: no pipe; NULL: it does not */
};

struct child;

/* Errors: no such program, not executable, too few of some resource; one clear line each. */
enum status child_start(struct child **out, const struct child_options *o, struct error *e);

/* The trace, for source_open_fd(). The caller's from now on; -1 when it was taken before. */
int child_take_trace(struct child *c);
const char *child_name(const struct child *c); /* as given, without folders; hostile */

/* Readable when there is something new; child_heard() drains it. */
int child_wake_fd(const struct child *c);
void child_heard(struct child *c);

bool child_ended(const struct child *c);
bool child_failed(const struct child *c);                   /* ended, and not with status 0 */
void child_status(const struct child *c, struct sbuf *out); /* "running", "status 1" */

/* Its lines by their numbers, [*first, *end) are kept; the last one may be unfinished. */
void child_said(struct child *c, uint64_t *first, uint64_t *end);
bool child_line(struct child *c, uint64_t number, struct sbuf *out); /* appends; false: dropped */

void child_stop(struct child *c, bool stopped); /* SIGSTOP, SIGCONT to all of its group */
/* SIGTERM to its group, SIGKILL to what is left after CHILD_GRACE_MS. */
void child_end(struct child *c);
/* The same if it was not ended, and everything else. */
void child_free(struct child *c);

#endif
