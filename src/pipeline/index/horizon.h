/*
 * How long rows that come in nearly any order wait for older ones before they are given out.
 *
 * Until so many more rows have come. Of live text also no longer than a patience by the clock, that
 * of its age or that of a silence, in which all goes: so a slow or silent program is seen where it
 * is. A straggler older than what went by the clock doubles the patience that was to blame.
 * Cost: O(1) a piece of text.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_HORIZON_H
#define PIPEGLASS_PIPELINE_INDEX_HORIZON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define HORIZON_TIMELESS (-1.0) /* now, where the clock is not to count */

/* Seconds to begin with; a program that hangs is shown after HORIZON_MOST, come what may. */
#define HORIZON_AGE     0.5
#define HORIZON_SILENCE 0.25
#define HORIZON_MOST    16.0

enum horizon_limit { HORIZON_ROWS, HORIZON_BY_AGE, HORIZON_BY_SILENCE, HORIZON_LIMITS };

struct mark {
	uint64_t rows;     /* up to there */
	int64_t start_max; /* of them all */
	double at;         /* when they came; HORIZON_TIMELESS: it does not matter */
};

struct horizon {
	uint64_t rows, taken; /* the limit; rows so far */
	double patience[HORIZON_LIMITS];
	int64_t safe[HORIZON_LIMITS]; /* by each limit, rows that start before it can go */
	int64_t start_max;
	VEC(struct mark) marks; /* of text within the limits */
};

void horizon_init(struct horizon *h, uint64_t rows);
void horizon_free(struct horizon *h);

/* So many rows, the latest of which starts there. now: seconds of any clock. False: no memory. */
bool horizon_take(struct horizon *h, uint64_t rows, int64_t start_max, double now);
/* What can go by now; true: some can because of the clock. */
bool horizon_move(struct horizon *h, double now);
bool horizon_waits(const struct horizon *h); /* something will be able to go later */
/* Rows that start before it can go. */
int64_t horizon_safe(const struct horizon *h);
/* A row that starts there came too late. */
void horizon_widen(struct horizon *h, int64_t start);

#endif
