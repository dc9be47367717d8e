/*
 * A stretch of the trace's time: what of it there is, how long that is, the mean of a metric over
 * it.
 *
 * A screen's columns may begin before the trace does, and a trace may end with the first tick of a
 * cycle: whoever tells a length beside a rate asks here for both, so that they agree.
 */
#ifndef PIPEGLASS_ANALYSIS_INTERVAL_H
#define PIPEGLASS_ANALYSIS_INTERVAL_H

#include "trace/trace.h"

/* Ticks [from, to) that the trace has; none: from = to. */
struct interval {
	int64_t from, to;
	uint64_t cycles; /* the one that the last of the ticks lies in counts as a whole */
};

/* Of ticks [from, to). */
struct interval interval_of(const struct trace *t, int64_t from, int64_t to);
uint64_t interval_ticks(const struct interval *i);

/*
 * Mean of a metric over the interval: of a rate, a cycle; NaN without ticks or a value. *exact and
 * errors are those of the trace's values(). O(log n).
 */
enum status interval_mean(struct trace *t, const struct metric_ref *m, const struct interval *i,
			  double *mean, bool *exact, struct error *e);

#endif
