/*
 * `pipeglass export`: the trace, or a range of it, in a form that other programs read.
 *
 * A format belongs to a kind of trace and is one row of export_formats[]; what it writes to is made
 * here before the trace is read: nobody waits for an index to hear that the file exists.
 */
#ifndef PIPEGLASS_CMD_EXPORT_H
#define PIPEGLASS_CMD_EXPORT_H

#include <stdbool.h>

#include "base/status.h"
#include "cmd/output.h"

struct cmd_options;

/* Where it goes. */
struct export_target {
	struct output *out;   /* its text */
	struct output *notes; /* its notes */
	const char *path;     /* of the trace; hostile */
	const char *made;     /* the file that is written; NULL: standard output */
};

struct export_format {
	const char *name;
	bool is_database; /* not text: the format opens the file by itself, and needs it */
	/* Opens the trace, too. */
	enum status (*write)(const struct export_format *f, const struct cmd_options *o,
			     const struct export_target *x, struct error *e);
};

extern const struct export_format *const export_formats[]; /* NULL-terminated; in cmds.c */

const struct export_format *export_format_find(const char *name);

/* STATUS_USAGE: a database is text to nobody, so that it needs a file of its own. */
enum status export_need_file(const struct export_target *x, const char *format, struct error *e);

/* An empty database in the file that was made, within a transaction; close it in any case. */
struct sqlite3;
enum status export_connect(struct sqlite3 **out, const struct export_target *x, struct error *e);

#endif
