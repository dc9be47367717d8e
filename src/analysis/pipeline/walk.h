/*
 * All details of a range of rows, one row after another, in memory that does not grow with
 * the range: what per-row output and per-instruction sums are made from.
 *
 * Reads the text of the range once, and the stretch that the last rows of each step outlive
 * again.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WALK_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "pipeline/store.h"

enum {
	WALK_ROWS = 4096,        /* rows a step, at least */
	WALK_ROWS_MAX = 1 << 16, /* and at most */
	WALK_BYTES = 16 << 20    /* of text read in a step: more, and steps grow */
};

struct walk_row {
	const struct detail_row *detail;
	const struct stay *stays; /* detail->stays of them */
	const char *text;         /* detail->text_len raw bytes of the trace */
	const struct link *links; /* detail->links of them, their rows looked up */
	const char *words;        /* what note0 of the row and of its stays counts from, if read */
};

/* False ends the walk early, which is no error. */
typedef bool walk_fn(void *arg, const struct walk_row *row);

/* Besides stages: the links that only debug lines tell of; the notes of rows and stays, for whose
 * sake much more text may be read. */
enum walk_wanted { WALK_STAYS, WALK_LINKS, WALK_NOTES };

/* Rows [first, last), clipped at those published. Errors of store_detail() and no memory. */
enum status walk_rows(struct store *s, uint64_t first, uint64_t last, enum walk_wanted wanted,
		      walk_fn *fn, void *arg, struct error *e);

/* Where a stay ends for whoever adds up ticks: at the end of its row, or of the trace. */
int64_t walk_stay_end(const struct walk_row *row, const struct stay *stay, int64_t trace_end);

#endif
