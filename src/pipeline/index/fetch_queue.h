/*
 * Fetched rows in fetch order, for the rule of the overtaken (formats/pipetrace.md 7.2).
 *
 * The queue of a thread is first in, first out: whoever was fetched before a row that reaches
 * decode and is still in fetch was thrown away without a record. O(1) amortised; memory follows
 * the number in fetch.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_FETCH_QUEUE_H
#define PIPEGLASS_PIPELINE_INDEX_FETCH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fetched {
	uint64_t id, row;
	uint16_t thread;
	bool gone;
};

struct fetch_queue {
	struct fetched *ring;
	size_t cap, first, count;
};

void fetch_queue_free(struct fetch_queue *q);
bool fetch_queue_push(struct fetch_queue *q, uint64_t id, uint64_t row, uint16_t thread);
/*
 * Rows fetched up to row, by its thread, and still waiting: one at a time, oldest first, into
 * *out; *at starts at 0. False: no more.
 */
bool fetch_queue_overtaken(struct fetch_queue *q, uint64_t row, uint16_t thread, size_t *at,
			   struct fetched *out);

#endif
