/*
 * Files of commands, whoever obeys them: which are the user's, reading one, cutting it into lines.
 *
 * At most LINES_BYTES of a file are read, in one piece; cutting costs one pass. Nothing is run
 * here: the screen runs every line, batch commands take the lines about stages and events.
 */
#ifndef PIPEGLASS_APP_LINES_H
#define PIPEGLASS_APP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sbuf.h"
#include "base/status.h"

enum {
	LINES_BYTES = 4 << 20,
	LINES_DEPTH = 8 /* files inside one another */
};

/* The user's own, in the order they are read. */
enum lines_file { LINES_CONFIG, LINES_KEYS, LINES_FILES };

/*
 * Append the path of one of them, given --config=ASKED (NULL: not given). False: not to be read,
 * because it is not there or none was asked for. One that was asked for must be there.
 */
bool lines_user_file(enum lines_file which, const char *asked, struct sbuf *path);

/* Errors: STATUS_IO, STATUS_USAGE when it is too long. */
enum status lines_read(const char *path, struct sbuf *out, struct error *e);

/* STATUS_USAGE when the file would be inside LINES_DEPTH others. */
enum status lines_check_depth(const char *name, int depth, struct error *e);

/* One line, its number from 1, without blanks before it and the CR after it; false: no more. */
typedef bool lines_fn(void *arg, int number, const char *line);
/* Blank lines and those that begin with # are passed over. STATUS_NOMEM. */
enum status lines_each(const char *text, size_t len, lines_fn *fn, void *arg, struct error *e);

#endif
