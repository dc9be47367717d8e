/*
 * How long rows that come in nearly any order wait for older ones before they are given out.
 *
 * Three limits, whichever comes first: so many more rows; of live text also the age of its text,
 * and a silence, in which all goes. None is certain: a straggler older than what went shows which
 * limit was too narrow, and that one is widened. Widening the rows is the owner's; the others
 * double. Text that is read again is as old as it was, so that what could be seen before can again.
 * Cost: O(1) a piece of text, O(its rows) when it is read again; memory: the pieces of the last
 * HORIZON_MOST seconds.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_HORIZON_H
#define PIPEGLASS_PIPELINE_INDEX_HORIZON_H

#include "pipeline/index/rowrun.h"

#define HORIZON_TIMELESS (-1.0) /* now, of text that is not live */

/* Seconds to begin with; a program that hangs is shown after HORIZON_MOST, come what may. */
#define HORIZON_AGE     0.5
#define HORIZON_SILENCE 0.25
#define HORIZON_MOST    16.0

enum horizon_limit { HORIZON_ROWS, HORIZON_BY_AGE, HORIZON_BY_SILENCE, HORIZON_LIMITS };

/* Of some text: where it ends, when it came (HORIZON_TIMELESS: it does not matter). */
struct arrival {
	uint64_t off_end;
	double at;
};

struct mark {
	uint64_t rows;     /* up to there */
	int64_t start_max; /* of them all */
	double at;
};

struct horizon {
	uint64_t rows, taken; /* the limit; rows so far */
	uint64_t off_end;     /* of the text so far */
	double patience[HORIZON_LIMITS];
	int64_t safe[HORIZON_LIMITS]; /* by each limit, rows that start before it can go */
	int64_t start_max;
	VEC(struct arrival) arrivals;
	VEC(struct mark) marks; /* of text within the limits */
};

void horizon_init(struct horizon *h, uint64_t rows);
void horizon_free(struct horizon *h);
void horizon_restart(struct horizon *h); /* all will be read again */

/* A run, sorted, of text up to off_end. now: seconds of any clock. False: no memory. */
bool horizon_take(struct horizon *h, const struct row_run *run, uint64_t off_end, double now);
/* What can go by now; true: some can because of the clock. */
bool horizon_move(struct horizon *h, double now);
bool horizon_waits(const struct horizon *h); /* something will be able to go later */
/* Rows that start before it can go. */
int64_t horizon_safe(const struct horizon *h);
/* A row that starts there came too late: the limit to blame, widened unless it is HORIZON_ROWS. */
enum horizon_limit horizon_widen(struct horizon *h, int64_t start);

#endif
