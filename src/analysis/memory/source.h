/*
 * What is said of a trace of shared memory: the text of its source, and names and other texts that
 * are kept as long as this is.
 *
 * The source is the files that the trace names (TRACE.files), read once each, when a line of one is
 * asked for. A path is looked for in the folder that --src names, then beside the trace, then as it
 * stands. What is no regular file, or greater than SOURCE_TEXT_MOST, has no text. Text is hostile.
 * O(file), then O(1).
 */
#ifndef PIPEGLASS_ANALYSIS_MEMORY_SOURCE_H
#define PIPEGLASS_ANALYSIS_MEMORY_SOURCE_H

#include "analysis/memory/related.h"
#include "base/intern.h"
#include "base/vec.h"

enum { SOURCE_TEXT_MOST = 16 << 20 };

struct source_text {
	const struct trace *t;
	struct intern *texts; /* one that there is no memory for is NULL */
	struct regex *head;   /* of a function: its name */
	VEC(struct source_file) files;
};

struct source_text *source_text_new(const struct trace *t); /* NULL: no memory */
void source_text_free(struct source_text *s);
/* memory_put_thing(), under the lock. */
const char *source_text_name(struct source_text *s, const struct memory_index *x,
			     enum memory_thing by, uint32_t number);

/*
 * A line without the blanks behind it, and the function that it is in, as `diff -p` and git's diff
 * drivers tell it by the text alone: that of the nearest line above that begins in column 0 and is
 * a head. "work", "Particle::move". What is indented (a method within its class) is not found.
 */
struct source_line {
	const char *text, *function, *path; /* path: where the file is. NULL: not known */
};

/* Of a path, from 1. Good as long as s, or NULL. */
const struct source_line *source_text_line(struct source_text *s, const char *path, uint64_t line);

/* Where a line of the trace is; MEMORY_NONE: nowhere. */
struct source_place {
	const char *file;            /* its path, or "file 1" where no table says more; NULL */
	uint64_t line;               /* UINT64_MAX */
	const char *label;           /* "vecadd.c:56"; "?" */
	const char *function, *text; /* as of a line, without the blanks before it */
	const char *path;            /* where that file is; NULL: the line is not there */
};

/* Under the lock. */
struct source_place source_place(struct source_text *s, const struct memory_index *x,
				 uint32_t line);

#endif
