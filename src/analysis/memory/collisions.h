/*
 * Which data push each other out of the caches, and whether more room would help (capacity) or
 * another place (conflict).
 *
 * What a block holds is told by its dearest word. Blocks that push each other out are of one set: the
 * number of sets is what nearly all of their distances have in common. It is a conflict only where a set
 * was full while the cache was not: the set pushes out several times as much as the average one, and half
 * of all sets next to nothing. A full cache pushes out of all of them about as often. With fewer
 * evictions than sets, and less than a handful of each, nothing is said.
 */
#ifndef PIPEGLASS_ANALYSIS_MEMORY_COLLISIONS_H
#define PIPEGLASS_ANALYSIS_MEMORY_COLLISIONS_H

#include "analysis/memory/related.h"
#include "base/vec.h"

enum memory_misfit { MEMORY_MISFIT_UNKNOWN, MEMORY_CAPACITY, MEMORY_CONFLICT };

/* Blocks of a class that had to go for those of another, in the caches of a level. */
struct memory_collision {
	uint32_t victim, by; /* classes; MEMORY_NONE: outside of all */
	enum memory_level level;
	uint64_t count, lost; /* lost: by that class at that level, to all others */
	uint32_t sets, hit;   /* of a cache, and those of them where it was; sets 0: not known */
	enum memory_misfit misfit;
	double share; /* of lost */
	const char *class, *by_class, *sets_told, *cause; /* for people: of sharing.c */
};

typedef VEC(struct memory_collision) memory_collisions;

/*
 * The most first. STATUS_NOMEM; vec_free() in any case. The caller holds the lock. O(cells + evictions
 * log evictions).
 */
enum status memory_collide(memory_collisions *c, const struct memory_index *x, struct error *e);

#endif
