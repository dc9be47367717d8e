/*
 * How often each number occurred: a sorted list of (key, count).
 *
 * Made for few distinct keys (the lengths of the chains of n instructions have less than
 * sqrt(2n)): adding costs O(log keys), a key that is new O(keys); memory O(keys).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_TALLY_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_entry {
	uint64_t key, count;
};

struct reduce_tally {
	VEC(struct tally_entry) entries; /* keys ascend, no count is 0 */
};

bool tally_add(struct reduce_tally *t, uint64_t key, uint64_t count); /* false: no memory */
/* Add every count of src, weight times. Counts that get too large are the caller's care. */
bool tally_merge(struct reduce_tally *t, const struct reduce_tally *src, uint64_t weight);
/* The sum of the counts; *weighted (may be NULL): of the keys, each as often as it occurred. */
uint64_t tally_total(const struct reduce_tally *t, uint64_t *weighted);
void tally_free(struct reduce_tally *t);

#endif
