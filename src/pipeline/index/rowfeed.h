/*
 * The row feed: runs of rows come in the order of the text, leaves go out in the order of time.
 *
 * Either within a window: rows wait until FEED_WINDOW more rows have come, so that the first screen
 * comes while indexing goes on (of live text they wait less, that a slow or silent program be seen
 * where it is: pipeline/index/horizon.h). What was given out stays: a row that is older than that comes too
 * late, starts where the others are by then, and is a warning.
 *
 * Or all are sorted first: runs wait in a temporary file until the text has ended, and are merged.
 * Cost: O(log runs) a row; memory: the rows within the window, some 110 bytes each.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_ROWFEED_H
#define PIPEGLASS_PIPELINE_INDEX_ROWFEED_H

#include "pipeline/index/horizon.h"
#include "pipeline/index/rowleaf.h"
#include "pipeline/index/stitch.h"

enum { FEED_WINDOW = 48 << 10 };

struct row_feed;

/* ticks: they are not cycles, how many make one is to be found. */
struct row_feed *row_feed_new(struct trace_index *ix, struct trace_counts *counts,
			      struct names *names, bool ticks);
void row_feed_free(struct row_feed *f);
/* Sort all first; before the first run. False: no temporary file. */
bool row_feed_sort(struct row_feed *f);

/*
 * Takes over the run of the next piece; lexer: the one that read it; now: seconds of any clock,
 * HORIZON_TIMELESS where the text is not live; idle: all that has come by now is in the feed, so that
 * the clock counts. False: no memory, or no room in the temporary file.
 */
bool row_feed_add(struct row_feed *f, struct row_run *run, const struct row_lexer *lexer,
		  double now, bool idle);
/* No more text has come: publish what waited long enough. False: nothing has. */
bool row_feed_elapse(struct row_feed *f, double now);
bool row_feed_waits(const struct row_feed *f); /* rows, for the clock */
struct row_run *row_feed_recycle(struct row_feed *f); /* a run no longer needed; NULL: none */
void row_feed_show(struct row_feed *f);               /* publish the page being filled as it is */
bool row_feed_finish(struct row_feed *f);             /* the text has ended; false: no memory */
uint64_t row_feed_records(const struct row_feed *f);  /* lines of the format so far */

#endif
