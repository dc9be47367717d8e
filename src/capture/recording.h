/*
 * A program that runs and is recorded: it is started, what it does goes into a trace, and its end is
 * waited for.
 *
 * It keeps its standard input, output and error. It runs with addresses that are the same each time
 * (where the system allows that), and in an environment whose length does not depend on the rules of a
 * what-if. The trace is written as records come: TRACE and, beside it, the table of source files
 * TRACE.files; whatever ends the program or the disk, both are whole lines. A trace that is there
 * already is kept as TRACE.old. A signal that somebody sends to us is sent on to the program; those of
 * the terminal reach it anyway, and do not end us before its trace is closed. One at a time.
 */
#ifndef PIPEGLASS_CAPTURE_RECORDING_H
#define PIPEGLASS_CAPTURE_RECORDING_H

#include <stdbool.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "capture/capture.h"

enum { RULES_MOST = 2048 }; /* bytes */

struct recording_options {
	char *const *argv;   /* ends with NULL */
	const char *path;    /* of the executable: recording_find() */
	const char *machine; /* a preset or the text of a model, that were checked */
	const char *rules;   /* of a what-if, a line each; shorter than RULES_MOST */
	const char *trace;
	void (*told)(void *context, const struct capture_totals *t); /* about twice a second */
	void *context;
};

struct recording {
	struct capture *capture; /* what came; NULL: it did not start */
	int status;              /* as waitpid() has it */
	bool whole;              /* nothing and nobody ended it early */
	bool moves;              /* the system does not let us fix its addresses */
};

/*
 * The file that a command names, as execvp() finds it; appends. STATUS_INPUT: there is none, or it was not
 * built for it.
 */
enum status recording_find(const char *command, struct sbuf *path, struct error *e);

/* Empties the trace, having kept what is there. STATUS_IO: it cannot be written. */
enum status recording_prepare(const char *trace, struct error *e);

/*
 * STATUS_INPUT: it cannot be run, or nothing that can be used has come, and there is no trace; STATUS_IO:
 * the trace could not be written further, the program was ended. recording_free() in any case.
 */
enum status recording_run(struct recording *r, const struct recording_options *o, struct error *e);
/* "ended by signal 9 (Killed)"; appends. */
void recording_put_end(const struct recording *r, struct sbuf *out);
void recording_free(struct recording *r);

#endif
