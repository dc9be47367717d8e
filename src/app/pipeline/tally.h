/*
 * How many places a target has, and which of them one is: "3 of 50".
 *
 * The places are listed once, on the caller's thread, for at most TALLY_MS and TALLY_MAX of
 * them; what was not reached is said to be not known. Asking costs O(log places).
 */
#ifndef PIPEGLASS_APP_PIPELINE_TALLY_H
#define PIPEGLASS_APP_PIPELINE_TALLY_H

#include <stdatomic.h>

#include "app/pipeline/seek.h"
#include "base/vec.h"

enum { TALLY_MS = 50, TALLY_MAX = 1 << 18 };

struct tally {
	bool made, whole; /* whole: the list holds them all */
	const struct filter *filter;
	uint64_t rows, shown; /* of the store and of the filter, when it was made */
	VEC(int64_t) at;      /* ascending: rows; of gaps the ticks they begin at */
};

void tally_forget(struct tally *t); /* the target is another one; frees the list */

/* List the target's places among the rows of the filter, unless the list is there already. */
void tally_make(struct tally *t, struct store *store, const struct filter *filter,
		const struct target *target, const atomic_bool *stop);

/* Which one from 1 a place is; 0: not known. */
uint64_t tally_place(const struct tally *t, int64_t at);

#endif
