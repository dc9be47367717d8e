/*
 * The instructions of two stores, numbered alike where they are the same.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_KEYS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_KEYS_H

#include "analysis/pipeline/align.h"

/*
 * Fill codes, code_keys and keys of both sides, and say by what they were told apart. O(text of the
 * static instructions). Steps whose text the store does not keep (codes.h: a bound on memory) are
 * alike, as those without any text are.
 */
enum status align_keys(struct align *al, const atomic_bool *stop, struct error *e);
/* Of the static instructions alone, for whoever matches no steps: codes and code_keys. */
enum status align_code_keys(struct align *al, struct error *e);

enum { ALIGN_KEY_UNKNOWN = 1, ALIGN_KEY_FIRST }; /* numbers of static instructions count from it */
/* All numbers are less. */
static inline size_t align_key_limit(const struct align *al)
{
	return ALIGN_KEY_FIRST + al->side[ALIGN_A].codes + al->side[ALIGN_B].codes;
}

/* Of a step. */
static inline uint32_t align_key_of(const struct align_side *side, uint64_t index)
{
	return index < side->keyed ? side->keys[index] : DIFF_NOTHING;
}

#endif
