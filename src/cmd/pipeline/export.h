/*
 * The formats of `pipeglass export` (cmd/export.h) for instructions: all rows, or those of a range.
 *
 * A format is one row of export_formats[] and one file, export_NAME.c; it gets the rows one after
 * another with all their details and writes at once what it can. Memory: what the walk over the
 * rows needs (analysis/pipeline/walk.h), and in formats that want time order the rows alive at one moment.
 * O(text of the range), and log of the rows alive for each record written.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_EXPORT_H
#define PIPEGLASS_CMD_PIPELINE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/pipeline/walk.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmd/export.h"
#include "pipeline/store.h"

/* What all formats are told. */
struct export {
	const struct export_target *target;
	struct output *out; /* of the target: where the text goes */
	struct store *store;
	int64_t from, to;    /* rows whose life meets [from, to) */
	int64_t first, last; /* ticks of the trace, inclusive */
	bool whole;          /* the range is all of it */
	uint64_t unread;     /* rows written without what their text said */
	void *state;         /* the format's own */
};

struct export_rows {
	struct export_format format; /* first: so that it gives the other */
	/*
	 * Rows in the order of their starts, so that what happened before a row's start is complete
	 * when it comes; else in that of their numbers, in which rows whose birth the trace does
	 * not show may stand behind the others.
	 */
	bool by_start;
	/* Each may be NULL but row; free is called whatever happened, if begin was. */
	enum status (*begin)(struct export *x, struct error *e);
	enum status (*row)(struct export *x, const struct walk_row *row, struct error *e);
	enum status (*end)(struct export *x, struct error *e);
	void (*free)(struct export *x);
};

extern const struct export_rows export_kanata, export_perfetto, export_csv, export_sqlite;

/* What the format of each does first: the trace is opened, and its rows are put into it. */
enum status export_write_rows(const struct export_format *f, const struct cmd_options *o,
			      const struct export_target *x, struct error *e);

/* ---- what formats share ------------------------------------------------------------------ */

void export_unsigned(struct sbuf *out, uint64_t value);
void export_signed(struct sbuf *out, int64_t value);

enum { EXPORT_BINS = 4096 };

/* The mean of a metric over [from, to), whole cycles but at the trace's end; rates are per cycle. */
struct export_bin {
	int64_t from, to;
	double value;
};

typedef enum status export_bin_fn(struct export *x, const char *metric,
				  const struct export_bin *bin, struct error *e);

/*
 * A metric over the range, EXPORT_BINS at most; those without data are left out, and all of a metric
 * that needs a component. *exact as store_series() has it.
 */
enum status export_curve(struct export *x, const char *metric, bool *exact, export_bin_fn *put,
			 struct error *e);

/* "cache-miss(12) mispredict": the events of a stay, names as they are: hostile. */
void export_events(struct sbuf *out, const struct store *s, const struct stay *stay);

#endif
