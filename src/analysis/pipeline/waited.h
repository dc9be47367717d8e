/*
 * What a row waited for as far as its neighbours tell, where the trace names no links: an older row
 * that had to commit first, and rows of a wrong path that had to be squashed before it was fetched.
 *
 * Both are read off the index around the row, O(WAITED_WINDOW). Rows farther away are not looked at:
 * what is said is true, but something may be left unsaid.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WAITED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WAITED_H

#include "pipeline/store.h"

enum { WAITED_WINDOW = 1024 };

struct waited {
	uint64_t behind; /* it left its last stay when, or the cycle after, this older row committed */
	int64_t until;   /* which it did then; behind ROW_NONE: there is no such row */
	uint64_t squashed; /* so many rows right before it were squashed; 0: none */
	uint64_t before;   /* the row before those: what they were fetched behind; or ROW_NONE */
	int64_t since;     /* when the first of them was born */
};

/*
 * The stay in which it can have waited for its commit: the last one, or, if that took no more than a
 * cycle (of so many ticks), the one before; [from, to), empty if that took no more either.
 */
struct waited_stay {
	int64_t from, to;
};
struct waited_stay waited_stay(const struct row *row, const struct stay *stays, uint32_t count,
			       int64_t cycle);

void waited_for(const struct store *s, const struct row *row, struct waited_stay last,
		struct waited *out);

#endif
