/*
 * Two sequences of numbers, matched: which stretches of one are stretches of the other.
 *
 * Knows nothing of traces. What is looked for is a shortest script (Myers, "An O(ND) difference
 * algorithm and its variations", 1986, section 4b: from both ends at once, and so on with what lies
 * before and behind the place where they meet). Where that takes too many edits and leads astray,
 * it is looked for between anchors: stretches of 32 numbers, then of 8, that both have but once, as
 * many as keep their order (patience diff uses single lines so). Where it goes on together all the
 * same, or there are no anchors, it goes on from the place that it got furthest to, as other
 * programs do: then more might have been matched, which is said. Of what is found short matches
 * that stand alone are chance, and left out.
 *
 * Time near linear in both lengths, some DIFF_WORK steps in all; memory O(n + m).
 */
#ifndef PIPEGLASS_ANALYSIS_DIFF_H
#define PIPEGLASS_ANALYSIS_DIFF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"

enum {
	DIFF_MOST = 1 << 27, /* numbers of a side: of more those behind are not matched */
	DIFF_WORK = 1 << 27, /* steps that scripts may take; when they are used up */
	DIFF_EDITS = 256,    /* only so many edits are looked for at one place */
	DIFF_RUNS = 1 << 22  /* matched stretches kept, at most */
};

/* Stands for itself alone: it equals nothing. */
#define DIFF_NOTHING 0

struct diff_side {
	const uint32_t *keys;
	uint64_t count;
};

/* Numbers [a, a + length) of one are numbers [b, b + length) of the other. */
struct run {
	uint64_t a, b, length;
};

struct diff {
	VEC(struct run) runs; /* ascending on both sides; no two touch on both */
	uint64_t matched;     /* sum of lengths */
	bool bounded;         /* more might have been matched */
};

/* Append what is matched between two sequences, which are [a0, ...) and [b0, ...) of longer ones.
 */
enum status diff_match(struct diff *d, const struct diff_side *a, uint64_t a0,
		       const struct diff_side *b, uint64_t b0, const atomic_bool *stop,
		       struct error *e);
void diff_free(struct diff *d);

/* Append a run, joining it to the last one where they touch. False: no memory; there being too
 * many is none, it is left out and `bounded` set. */
bool diff_add(struct diff *d, uint64_t a, uint64_t b, uint64_t length);

#endif
