/*
 * What the files of the diff share: the sequences as pages, and the anchors between which
 * edits are looked for. A page holds DIFF_PAGE numbers; look-ups near each other cost O(1).
 */
#ifndef PIPEGLASS_ANALYSIS_DIFF_PRIVATE_H
#define PIPEGLASS_ANALYSIS_DIFF_PRIVATE_H

#include <stdatomic.h>

#include "analysis/diff.h"

enum { DIFF_PAGE = 1 << 14, DIFF_PAGES = 16 };

struct diff_pages {
	const struct diff_side *side;
	const atomic_bool *stop;
	bool stopped;
	uint32_t *keys;            /* DIFF_PAGES pages */
	uint64_t held[DIFF_PAGES]; /* page number + 1 */
};

/* A pair of places at which some numbers are the same, if their hashes do not lie. */
struct anchor {
	uint64_t a, b;
	uint32_t gram; /* how many */
};

struct anchors {
	VEC(struct anchor) list; /* ascending on both sides */
};

void diff_page_load(struct diff_pages *p, uint64_t page);

static inline uint32_t diff_key(struct diff_pages *p, uint64_t at)
{
	uint64_t page = at / DIFF_PAGE, slot = page % DIFF_PAGES;

	if (p->held[slot] != page + 1)
		diff_page_load(p, page);
	return p->keys[slot * DIFF_PAGE + at % DIFF_PAGE];
}

/*
 * Where the whole of one lies in the other, if its hash does not lie: the first such place. One
 * pass over both.
 */
bool diff_find_whole(struct diff_pages *part, struct diff_pages *whole, uint64_t *at);

/*
 * Find the anchors of two sequences. O(n) reads and O(DIFF_SAMPLES log DIFF_SAMPLES). Every
 * one is within those that the numbers on its right allow; false: no memory.
 */
bool diff_anchors(struct anchors *out, struct diff_pages *a, struct diff_pages *b);

#endif
