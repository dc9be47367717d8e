/*
 * Which data push each other out of the caches, and whether more room would help (capacity: the
 * evictions spread over all sets) or another place (conflict: few sets have most of them).
 *
 * What a block holds is told by its dearest word. O(cells + evictions); the caller holds the lock.
 */
#ifndef PIPEGLASS_ANALYSIS_MEMORY_COLLISIONS_H
#define PIPEGLASS_ANALYSIS_MEMORY_COLLISIONS_H

#include "analysis/memory/related.h"
#include "base/vec.h"

enum memory_misfit { MEMORY_MISFIT_UNKNOWN, MEMORY_CAPACITY, MEMORY_CONFLICT };

/* Whose caches, and of what: an object or a class, MEMORY_NONE: of all. */
struct memory_collision_question {
	enum memory_level level;
	enum memory_thing by; /* MEMORY_BY_OBJECT or MEMORY_BY_CLASS */
	uint32_t number;
	uint32_t sets; /* that the caches have; 0: not known */
};

struct memory_opponent {
	uint32_t number; /* MEMORY_NONE: outside of all */
	uint64_t count;
};

typedef VEC(struct memory_opponent) memory_opponents;

struct memory_collisions {
	memory_opponents evictors, victims; /* the most first */
	uint64_t lost, taken;               /* blocks that others pushed out; that it pushed out */
	uint32_t sets;    /* as asked, or as all distances have in common; 0: not known */
	uint64_t *by_set; /* evictions of it */
	enum memory_misfit misfit;
};

enum status memory_collide(struct memory_collisions *c, const struct memory_index *x,
			   const struct memory_collision_question *q, struct error *e);
void memory_collisions_free(struct memory_collisions *c);

#endif
