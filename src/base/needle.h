/*
 * What every match of a regular expression must contain: some bytes in a row, each out of a set.
 *
 * Of a(b|cd)[0-9]+x it is [0-9] and x behind it; of an alternation one window for each branch.
 * Whatever is not understood (options, recursion, conditions, rare escapes) yields no needle,
 * which is always right, only slow. Subjects are single lines: no set has the line feed.
 * Cost: O(pattern * NEEDLE_WIDTH).
 */
#ifndef PIPEGLASS_BASE_NEEDLE_H
#define PIPEGLASS_BASE_NEEDLE_H

#include <stdbool.h>
#include <stdint.h>

enum { NEEDLE_WIDTH = 8, NEEDLE_WINDOWS = 16 };

struct byte_set {
	uint64_t bits[4];
};

static inline bool byte_set_has(const struct byte_set *s, unsigned byte)
{
	return s->bits[byte / 64] >> byte % 64 & 1;
}

struct needle_window {
	struct byte_set at[NEEDLE_WIDTH];
	int width;
};

/* Each match contains one of the windows. */
struct needle {
	struct needle_window window[NEEDLE_WINDOWS];
	int count;
};

/*
 * False: none is known. pattern must be one that regex_new() took; caseless: as it is matched. Of
 * several needles the one is chosen whose bytes are rarest in traces.
 */
bool needle_of(const char *pattern, bool caseless, struct needle *out);

/* How often a byte of a trace begins it, about: 0 (never) .. 1. */
double needle_density(const struct needle *n);

/* Some bytes of traces are met more often than others: of all bytes the share in a set, about. */
double byte_set_density(const struct byte_set *s);

#endif
