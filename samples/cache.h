/*
 * Set-associative tag arrays with true LRU replacement: caches, and TLBs with pages for blocks.
 * They know when each block's data arrives, so an access to a block on its way waits for it (a
 * delayed hit).  They hold no data, write nothing back and share no bus.  Every call costs O(ways).
 */
#ifndef SAMPLES_CACHE_H
#define SAMPLES_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { CACHE_BLOCKS_MAX = 1024 };

/* All powers of two; latency in cycles. */
struct cache_shape {
	int sets, ways, block, latency;
};

struct cache_block {
	uint64_t tag;  /* block number + 1; 0 is an empty frame */
	int64_t ready; /* cycle its data is there */
	uint64_t used; /* stamp of its last access */
};

struct cache {
	const struct cache_shape *shape;
	struct cache *next; /* where misses go, or NULL */
	int beyond;         /* without next: latency of a miss beyond this level */
	int64_t accesses, misses, delayed;
	struct cache_block block[CACHE_BLOCKS_MAX];
};

/* Cycles until the data is there: shape->latency for a hit, more for a miss or delayed hit. */
int cache_access(struct cache *c, uint64_t addr, int64_t now);

/* Would an access find its block, be it still on its way?  Changes nothing. */
bool cache_has(const struct cache *c, uint64_t addr);

#endif
