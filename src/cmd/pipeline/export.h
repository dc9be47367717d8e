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
#include "pipeline/kind.h"
#include "pipeline/store.h"
#include "trace/result.h"

/* What all formats are told. */
struct export {
	const struct export_target *target;
	struct output *out; /* of the target: where the text goes */
	struct store *store;
	struct export_part part; /* rows whose life meets it */
	uint64_t limit;          /* so many of them at most */
	uint64_t unread;         /* rows written without what their text said */
	void *state;             /* the format's own */
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

/* They are put into it; x->state is the format's from here to the end. */
enum status export_put_rows(struct export *x, const struct export_rows *f, struct error *e);
/* What the format of each does: the rows of the trace are put into it. */
enum status export_write_rows(const struct export_format *f, struct trace *t,
			      const struct cmd_options *o, const struct export_target *x,
			      struct error *e);
#define EXPORT_OF_ROWS(text, database)                                                             \
	{                                                                                          \
		.name = text, .kind = &pipeline_kind, .is_database = database,                     \
		.write = export_write_rows                                                         \
	}

/* ---- what formats share ------------------------------------------------------------------ */

struct value tick_value(int64_t tick); /* TICK_NONE: none */
struct value row_value(uint64_t row);  /* ROW_NONE: none */
struct value text_value(const struct walk_row *row);
struct value note_value(const struct walk_row *row, size_t at, size_t len);
/* Of gem5's CPUs it is 1000 times the thread plus the CPU: pipeline/formats/o3pipeview.h. */
struct value thread_value(const struct store *s, uint16_t thread);
/* Of one event of a stay; the one that is known is that of the slower of several. */
struct value latency_value(const struct stay *stay, unsigned event);

void export_unsigned(struct sbuf *out, uint64_t value);
void export_signed(struct sbuf *out, int64_t value);

/* "cache-miss(12) mispredict": the events of a stay, names as they are: hostile. */
void export_events(struct sbuf *out, const struct store *s, const struct stay *stay);

#endif
