/*
 * The row feed: runs of rows come in the order of the text, leaves go out in the order of time.
 *
 * Rows wait until a horizon of so many more rows has brought none that starts before them: so the
 * first screen comes while indexing goes on. Of live text they wait less, that a slow or silent
 * program be seen where it is (pipeline/index/horizon.h). Should one come later than that, the feed says so
 * and is started again from the beginning, with more patience or, where it was the rows, from a
 * pipe with the horizon of a file first, then without one: runs wait in an unlinked temporary file
 * until the text has ended, and are merged.
 * Cost: O(log runs) a row; memory: the rows within the horizon, some 110 bytes each.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_ROWFEED_H
#define PIPEGLASS_PIPELINE_INDEX_ROWFEED_H

#include "pipeline/index/horizon.h"
#include "pipeline/index/rowleaf.h"
#include "pipeline/index/stitch.h"

enum {
	FEED_HORIZON = 48 << 10,
	FEED_HORIZON_PIPE = 8 << 10 /* to begin with, where text comes as slowly as it is made */
};

struct row_feed;

enum feed_result { FEED_OK, FEED_STRAGGLER, FEED_FAILED };

/* horizon: rows; ticks: they are not cycles, how many make one is to be found. */
struct row_feed *row_feed_new(struct trace_index *ix, struct trace_counts *counts,
			      struct names *names, uint64_t horizon, bool ticks);
void row_feed_free(struct row_feed *f);

/*
 * Takes over the run of the next piece; lexer: the one that read it; now: seconds of any clock,
 * HORIZON_TIMELESS where the text is not live. FEED_STRAGGLER: it has a row older than what was
 * published; nothing more can be added before row_feed_restart().
 */
enum feed_result row_feed_add(struct row_feed *f, struct row_run *run,
			      const struct row_lexer *lexer, double now);
/* No more text has come: publish what waited long enough. False: nothing has. */
bool row_feed_elapse(struct row_feed *f, double now);
bool row_feed_waits(const struct row_feed *f); /* rows, for the clock */
struct row_run *row_feed_recycle(struct row_feed *f); /* a run no longer needed; NULL: none */
void row_feed_show(struct row_feed *f);               /* publish the page being filled as it is */
bool row_feed_is_late(const struct row_feed *f); /* it had a straggler; from any thread */
bool row_feed_restart(struct row_feed *f); /* from the first piece, with a farther horizon */
enum feed_result row_feed_finish(struct row_feed *f); /* the text has ended */
uint64_t row_feed_records(const struct row_feed *f);  /* lines of the format so far */

#endif
