/*
 * A longest common subsequence of two short arrays of numbers, as stretches of both.
 *
 * Knows nothing of traces. Exact: no other way of matching them in order matches more (Myers, "An
 * O(ND) difference algorithm and its variations", 1986, section 4b: from both ends at once, and so
 * on with what lies before and behind the place where they meet). Time O((n + m) * D), D being how
 * many numbers are unmatched, and never more than some four steps for each of n * m pairs; or it is
 * given up. Memory O(n + m), kept from one call to the next.
 */
#ifndef PIPEGLASS_ANALYSIS_LCS_H
#define PIPEGLASS_ANALYSIS_LCS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/diff.h"

struct lcs {
	VEC(struct run) runs;      /* the answer: ascending on both sides, no two touch on both */
	uint64_t work;             /* comparisons, all calls together */
	VEC(int32_t) reach;        /* by diagonal, from either end */
	uint64_t limit;            /* of work in one call; 0: none */
	const atomic_bool *stop; /* set from elsewhere: it is given up; may be NULL */
	bool gave_up;              /* the answer is none */
};

/* n + m <= INT32_MAX / 2; DIFF_NOTHING equals nothing. False: no memory. */
bool lcs_find(struct lcs *l, const uint32_t *a, size_t n, const uint32_t *b, size_t m);
void lcs_free(struct lcs *l);

#endif
