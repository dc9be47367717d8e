/*
 * A program that runs and is recorded: it is started, what it does goes into a trace, and its end
 * is waited for.
 */
#ifndef PIPEGLASS_CAPTURE_CAPTURE_H
#define PIPEGLASS_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/sbuf.h"
#include "base/status.h"
#include "source/binary.h"

/*
 * ---- from the records of a program (simulator/simulator.h) to the text of a trace ----
 *
 * Bytes go in as they come, in pieces of any length; lines gather in `text`, which whoever writes
 * them clears. Objects get their names here (program.h): those that the program made, static data
 * when it is first met, and the members of what is one struct. The records come from the program
 * and are not trusted: what makes no sense is counted and left out. O(1) a record, but for places
 * and objects that are new.
 */
struct capture;

/* How a what-if names objects: with a rule's words for it. */
enum capture_how {
	CAPTURE_MADE,  /* all that a place in the program makes: `pc` */
	CAPTURE_FIXED, /* what lies at an address: `at` */
	CAPTURE_NAMED  /* what the program named: `name` */
};

/* Objects that a rule can take together. */
struct capture_object {
	const char *name;
	enum capture_how how;
	uint64_t address; /* of the place, of the object */
	uint64_t size;    /* of the first of them */
	members members;  /* of each that has that size */
};

enum capture_state {
	CAPTURE_EMPTY,   /* nothing has come */
	CAPTURE_RUNS,    /* the end is still to come */
	CAPTURE_ENDED,   /* as it should */
	CAPTURE_GAVE_UP, /* the message says why */
	CAPTURE_FOREIGN  /* these are no records, or another version's: no more is taken */
};

struct capture_totals {
	enum capture_state state;
	const char *message; /* one line of the program's; NULL: none */
	uint64_t misses;     /* of L1 caches */
	uint64_t references; /* those that waited; when all is told: all */
	int64_t cycles;      /* the last one */
	uint64_t bad;        /* records that made no sense */
};

/* path: of the program, good as long as this. NULL: no memory. */
struct capture *capture_new(const char *path);
void capture_free(struct capture *c); /* may be NULL */

/* STATUS_NOMEM: it cannot go on. */
enum status capture_feed(struct capture *c, const void *bytes, size_t len, struct error *e);
struct sbuf *capture_text(struct capture *c);
/* The source files that the text numbers, from 1; NULL: none. */
const struct intern *capture_files(const struct capture *c);
const struct capture_totals *capture_totals(const struct capture *c);
size_t capture_objects(const struct capture *c, const struct capture_object **out);

/*
 * ---- the program that runs ----
 *
 * It keeps its standard input, output and error. It runs with addresses that are the same each time
 * (where the system allows that), and in an environment whose length does not depend on the rules
 * of a what-if. The trace is written as records come: TRACE and, beside it, the table of source
 * files TRACE.files; whatever ends the program or the disk, both are whole lines. A trace that is
 * there already is kept as TRACE.old. A signal that somebody sends to us is sent on to the program;
 * those of the terminal reach it anyway, and do not end us before its trace is closed. One at a
 * time.
 */
enum { RULES_MOST = 2048 }; /* bytes */

struct recording_options {
	char *const *argv;   /* ends with NULL */
	const char *path;    /* of the executable: recording_find() */
	const char *machine; /* a preset or the text of a model, that were checked */
	const char *rules;   /* of a what-if, a line each; shorter than RULES_MOST */
	const char *trace;
	void (*told)(void *context, const struct capture_totals *t); /* about once a second */
	void *context;
};

struct recording {
	struct capture *capture; /* what came, to be freed; NULL: it did not start */
	int status;              /* as waitpid() has it */
	bool whole;              /* nothing and nobody ended it early */
	bool moves;              /* the system does not let us fix its addresses */
};

/*
 * The file that a command names, as execvp() finds it; appends. STATUS_INPUT: there is none, or it
 * was not built for it.
 */
enum status recording_find(const char *command, struct sbuf *path, struct error *e);

/* Empties the trace, having kept what is there. STATUS_IO: it cannot be written. */
enum status recording_prepare(const char *trace, struct error *e);

/*
 * STATUS_INPUT: it cannot be run, or nothing that can be used has come, and there is no trace;
 * STATUS_IO: the trace could not be written further, the program was ended.
 */
enum status recording_run(struct recording *r, const struct recording_options *o, struct error *e);
/* "ended by signal 9 (Killed)"; appends. */
void recording_put_end(const struct recording *r, struct sbuf *out);

#endif
