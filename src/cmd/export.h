/*
 * `pipeglass export`: the trace, or a range of it, in a form that other programs read.
 *
 * A format of a kind of trace is one row of export_formats[]. What it writes to is made before the
 * trace is read: nobody waits for an index to hear that the file exists. A file has its name only
 * when it is whole (cmd/newfile.h).
 */
#ifndef PIPEGLASS_CMD_EXPORT_H
#define PIPEGLASS_CMD_EXPORT_H

#include <stdbool.h>

#include "base/status.h"
#include "cmd/output.h"
#include "trace/trace.h"

struct cmd_options;

/* Where it goes. */
struct export_target {
	struct output *out;   /* its text */
	struct output *notes; /* its notes */
	const char *path;     /* of the trace; hostile */
	const char *made;     /* the file that is asked for; NULL: standard output */
	const char *file;     /* where it lies until it is whole: below some folder */
};

struct export_part;
struct export_table;
struct tables;

struct export_format {
	const char *name;
	const struct trace_kind *kind;
	bool is_database; /* not text: the format opens the file by itself, and needs it */
	/* Of a trace that is complete, and stays the caller's. */
	enum status (*write)(const struct export_format *f, struct trace *t,
			     const struct cmd_options *o, const struct export_target *x,
			     struct error *e);
	/* Of what tables_write() and tables_write_csv() write: a kind's own tables, and their rows */
	const struct export_table *tables;
	enum status (*fill)(struct tables *d, const struct export_part *part, struct error *e);
};

extern const struct export_format *const export_formats[]; /* NULL-terminated; in cmds.c */

/* kind: NULL is any; NULL: there is none. */
const struct export_format *export_format_find(const char *name, const struct trace_kind *kind);

/* STATUS_USAGE: a database is text to nobody, so that it needs a file of its own. */
enum status export_need_file(const struct export_target *x, const char *format, struct error *e);

/* What is written of a trace: [from, to). */
struct export_part {
	struct trace *trace;
	int64_t from, to;
	int64_t first, last; /* ticks of the trace, inclusive */
	bool whole;          /* the range is all of it */
};

enum status export_part_of(struct export_part *p, struct trace *t, const struct cmd_options *o,
			   struct error *e);

enum { EXPORT_BINS = 4096 };

/* The mean of a metric over [from, to), whole cycles but at the trace's end; rates are per cycle. */
struct export_bin {
	const struct metric_info *metric;
	int64_t from, to;
	double value;
	bool exact;
};

typedef enum status export_bin_fn(void *arg, const struct export_bin *bin, struct error *e);

/*
 * A metric (its name and component count) over the range, EXPORT_BINS at most; those without data
 * are left out, and all of a metric that needs a component. exact: values() is asked with it.
 */
enum status export_curve(const struct export_part *p, const struct metric_info *metric, bool exact,
			 export_bin_fn *put, void *arg, struct error *e);

#endif
