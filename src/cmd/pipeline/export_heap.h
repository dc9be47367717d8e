/*
 * What is due next: a binary heap of items that begin with their place in time.
 *
 * O(log n) a push or pop, O(1) the first; memory: the items in it at the same time.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_EXPORT_HEAP_H
#define PIPEGLASS_CMD_PIPELINE_EXPORT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of every item: by tick, those of one tick by order. */
struct due {
	int64_t tick;
	uint64_t order;
};

struct heap {
	char *data;
	size_t count, cap, size; /* of items; size: bytes of one */
};

void heap_begin(struct heap *h, size_t size);
void heap_free(struct heap *h);
/* item: the first member of size bytes, which are copied. False: no memory, nothing changed. */
bool heap_push(struct heap *h, const struct due *item);
/* The item that is due first, copied out and removed; false: there is none. */
bool heap_pop(struct heap *h, struct due *item);
/* NULL: there is none. Valid until the next change. */
const struct due *heap_first(const struct heap *h);

#endif
