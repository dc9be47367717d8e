/* A trace from a text in memory, one of the samples, or one made here: opened and indexed. */
#ifndef PIPEGLASS_TESTS_TEXT_STORE_H
#define PIPEGLASS_TESTS_TEXT_STORE_H

#include "pipeline/store.h"

/* All without a cache and with one thread; they fail the test when it cannot be had. */
struct store *text_store(const char *text);
struct store *text_store_in_ticks(const char *text, int64_t ticks_per_cycle); /* 0: the format's own */
struct store *sample_store(const char *name); /* a path from samples/ on */
/*
 * A pipetrace of rows through a machine that is four wide and in order, with misses of the cache and
 * the TLB; of each forty rows the 31st to the 33rd are squashed. Of another seed other rows miss.
 */
struct store *machine_store(unsigned rows, unsigned seed);

#endif
