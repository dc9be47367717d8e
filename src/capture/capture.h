/*
 * From the records of a program that runs (simulator/simulator.h) to the text of a trace.
 *
 * Bytes go in as they come, in pieces of any length; lines gather in `text`, which whoever writes them
 * clears. Objects get their names here (program.h): those that the program made, static data when it is
 * first met, and the members of what is one struct. The records come from the program and are not
 * trusted: what makes no sense is counted and left out. O(1) a record, but for places and objects that
 * are new.
 */
#ifndef PIPEGLASS_CAPTURE_CAPTURE_H
#define PIPEGLASS_CAPTURE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "source/binary.h"

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
	uint64_t count;   /* of them, also those that were there one after another */
	members members;  /* of each that has that size */
};

struct capture_totals {
	uint64_t misses;     /* of L1 caches */
	uint64_t references; /* those that waited; when all is told: all */
	uint64_t waited;     /* cycles of all CPUs */
	int64_t cycles;      /* the last one */
	uint64_t bad;        /* records that made no sense */
};

struct capture;

enum capture_state {
	CAPTURE_EMPTY,   /* nothing has come */
	CAPTURE_RUNS,    /* the end is still to come */
	CAPTURE_ENDED,   /* as it should */
	CAPTURE_GAVE_UP, /* capture_message() says why */
	CAPTURE_FOREIGN  /* these are no records, or another version's: no more is taken */
};

/* path: of the program, good as long as this; NULL: nothing is known of it. NULL: no memory. */
struct capture *capture_new(const char *path);
void capture_free(struct capture *c); /* may be NULL */

/* STATUS_NOMEM: it cannot go on. */
enum status capture_feed(struct capture *c, const void *bytes, size_t len, struct error *e);
struct sbuf *capture_text(struct capture *c);
/* The source files that the text numbers, from 1; with a path. */
const struct intern *capture_files(const struct capture *c);

enum capture_state capture_state(const struct capture *c);
const char *capture_message(const struct capture *c); /* one line of the program's; "": none */
const struct capture_totals *capture_totals(const struct capture *c);
size_t capture_objects(const struct capture *c, const struct capture_object **out);

#endif
