/*
 * The static instructions of two stores, numbered alike where they are the same.
 */
#ifndef PIPEGLASS_ANALYSIS_ALIGN_KEYS_H
#define PIPEGLASS_ANALYSIS_ALIGN_KEYS_H

#include "analysis/align.h"

/*
 * Fill keys and codes of both sides, and say by what they were told apart. Numbers count from
 * ALIGN_KEY_UNKNOWN + 1; O(text of the static instructions). False: no memory.
 */
bool align_keys(struct align *al);

enum { ALIGN_KEY_UNKNOWN = 1 }; /* rows whose text the store did not keep are all alike */

static inline uint32_t align_key_of(const struct align_side *side, uint32_t code)
{
	return code < side->codes ? side->keys[code] : ALIGN_KEY_UNKNOWN;
}

#endif
