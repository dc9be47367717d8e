/*
 * The static instructions of two stores, numbered alike where they are the same.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_KEYS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_KEYS_H

#include <stdatomic.h>

#include "analysis/pipeline/align.h"

/*
 * Fill keys and codes of both sides, and say by what they were told apart; and for the steps whose
 * text the store does not keep (codes.h: a bound on memory) read it, so that they are told apart as
 * well: by their number where the other side's store has the text, else by 31 bits of its hash.
 * Of those beyond the first ALIGN_READ steps from the first such on it is not known: they are
 * counted in unread. O(text of the static instructions); where some are not kept, O(text from the
 * births of the steps to their commits).
 */
enum status align_keys(struct align *al, const atomic_bool *stop, struct error *e);

enum { ALIGN_KEY_FIRST = 2 }; /* numbers of static instructions count from it */

#define ALIGN_KEY_HASHED (UINT32_C(1) << 31) /* which these do not have */

/* What all who match say when memory is out. */
enum status align_no_memory(struct error *e);

/* Of step `index` with that static instruction. */
static inline uint32_t align_key_of(const struct align_side *side, uint64_t index, uint32_t code)
{
	if (code < side->codes)
		return side->keys[code];
	if (index >= side->read_from && index - side->read_from < side->read.count)
		return side->read.data[index - side->read_from];
	return DIFF_NOTHING;
}

#endif
