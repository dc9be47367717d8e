/*
 * A part of a trace that an analysis is restricted to, and the totals of one.
 *
 * A row belongs to a range when it is one of its rows and lives in its ticks; of such a row,
 * entries and events count where they happened and ticks as far as they lie inside. Whoever
 * has no time to read everything sets a limit and says that the numbers are lower bounds.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_RANGE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/pipeline/walk.h"
#include "base/status.h"
#include "pipeline/store.h"

/* Rows [row0, row1) and ticks [tick0, tick1). */
struct range {
	uint64_t row0, row1;
	int64_t tick0, tick1;
	uint64_t limit; /* rows to read at most; 0: all of them */
};

/* All there is now, without a limit. */
struct range range_all(const struct store *s);

/* Rows [*first, *last) that can belong to the range, clipped to the limit; true: clipped. */
bool range_rows(const struct store *s, const struct range *r, uint64_t *first, uint64_t *last);
bool range_has(const struct range *r, const struct row *row);

/* Ticks of [start, end) inside the range, and whether the start is. */
int64_t range_overlap(const struct range *r, int64_t start, int64_t end);
bool range_starts(const struct range *r, int64_t start);

/* The cycles of a trace: `ticks` each, the first one from tick `first` on. */
struct range_clock {
	int64_t ticks, first;
};
struct range_clock range_clock(const struct store *s);

/*
 * Cycles that begin in [start, end) inside the range: of adjoining stretches the sum is that of
 * the whole, and the cycle that the last tick lies in counts. Where ticks are cycles, the overlap.
 */
int64_t range_cycles(const struct range *r, const struct range_clock *c, int64_t start,
		     int64_t end);

/* Sums of hostile ticks stop at the greatest number. */
static inline void range_add(int64_t *sum, int64_t ticks)
{
	if (__builtin_add_overflow(*sum, ticks, sum))
		*sum = INT64_MAX;
}

/* Add what a row of the range has in it; trace_end as for walk_stay_end(). */
void range_count(const struct range *r, const struct walk_row *row, int64_t trace_end,
		 struct totals *t);
/* No counts yet. */
struct totals range_zero(void);

/*
 * The totals of a range. *clipped: rows were left out for the limit. O(text of the rows);
 * errors of walk_rows().
 */
enum status range_totals(struct store *s, const struct range *r, struct totals *out, bool *clipped,
			 struct error *e);

#endif
