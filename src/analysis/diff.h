/*
 * Two sequences of numbers, matched: which stretches of one are stretches of the other.
 *
 * Knows nothing of traces. Equal sequences give one run; insertions and deletions are found by
 * the greedy O(ND) algorithm (Myers, "An O(ND) difference algorithm and its variations", 1986),
 * place by place: up to where the sequences go on together for long, or, where they differ all
 * along and match more than they differ, a piece at a time.
 *
 * Where DIFF_EDITS edits find no such way, the rest is matched exactly (lcs.h), if both sides have
 * about as many numbers and it does not take too long: loops whose turns are all alike, one lost
 * here and one there, have no better answer. Else it goes on at the next anchor: a stretch of up to
 * DIFF_GRAM numbers, sampled by content, that both sequences hold equally often (patience and
 * histogram diff use single lines so). Between anchors that lie far apart shorter ones are looked
 * for, down to four numbers, so that what differs at every few has some, too. Where one sequence is
 * short it has fewer numbers, and every stretch is looked at: eight that are there but once are
 * found wherever they lie. What lies before an anchor is matched exactly as well, or crossed in
 * pieces, each on the path that got furthest, which get smaller while that goes on. Of both what
 * may be chance is left out: short matches of what is there often that stand alone. The script is
 * minimal where differences are apart and near it elsewhere.
 *
 * A sequence that is a stretch of the other one, as a whole, is found first, and of short ones the
 * shortest script is taken if it matches an eighth more than all this.
 *
 * Time near linear in both lengths; all exact matches together take some seconds at most. Memory
 * O(DIFF_SAMPLES + runs), whatever the lengths, and some 20 MB for exact matches: the sequences are
 * read a few times, in pages, and never held as a whole.
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
	DIFF_GRAM = 32,         /* numbers in an anchor, at most */
	DIFF_EDITS = 256,       /* looked for at one place, at most */
	DIFF_SAMPLES = 1 << 20, /* anchors' candidates of each sequence, at most */
	DIFF_RUNS = 1 << 22     /* matched stretches kept, at most */
};

/* Stands for itself alone: it equals nothing. */
#define DIFF_NOTHING 0

/* A sequence: read() gives numbers [first, first + n) of it and returns how many it could. */
struct diff_side {
	uint64_t count;
	size_t (*read)(void *arg, uint64_t first, size_t n, uint32_t *out);
	void *arg;
};

/* Numbers [a, a + length) of one are numbers [b, b + length) of the other. */
struct run {
	uint64_t a, b, length;
};

struct diff {
	VEC(struct run) runs; /* ascending on both sides; no two touch on both */
	uint64_t matched;     /* sum of lengths */
	uint64_t work;        /* comparisons it took */
	bool clipped;         /* there would be more runs than DIFF_RUNS: the rest is unmatched */
};

enum status diff_new(struct diff *out, const struct diff_side *a, const struct diff_side *b,
		     const atomic_bool *stop, struct error *e);
void diff_free(struct diff *d);

/* Append a run, joining it to the last one where they touch. False: no memory; clipped is set. */
bool diff_add(struct diff *d, uint64_t a, uint64_t b, uint64_t length);

#endif
