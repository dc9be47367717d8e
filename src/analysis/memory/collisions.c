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
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"

enum {
	EVICTIONS_LEAST = 4, /* fewer say little of sets */
	SETS_MOST_BITS = 24, /* of a cache */
	CROWDED = 4,         /* times the average: that set is full, the cache may be not */
	DISTANCES = 64       /* bits */
};

static const double common_least = 0.8; /* of distances: others are of blocks around that went */

/* Evictions by what they are counted by. */
struct hit {
	uint32_t victim, by, set;
	uint64_t count;
};

/* The caches of a level. */
struct work {
	const struct memory_index *x;
	enum memory_level level;
	uint32_t *dearest;   /* words of its blocks */
	uint64_t all, *lost; /* evictions; by class of the victim */
	uint32_t sets;       /* 0: not known */
	uint64_t *by_set;
	bool room; /* half of the sets push out next to nothing */
	VEC(struct hit) hits;
};

/* Of that level and published. */
static bool is_there(const struct work *w, const struct memory_eviction *v)
{
	return v->victim < w->x->block_count && v->by < w->x->block_count &&
	       w->x->blocks[v->victim].level == w->level;
}

static uint64_t place_of(const struct work *w, uint32_t block)
{
	return w->x->blocks[block].address / w->x->block_bytes[w->level];
}

/* The greatest power of two that divides nearly all distances; one says nothing. */
static void find_sets(struct work *w)
{
	uint64_t distances[DISTANCES] = {0}, common = 0; /* by how often two divides them */
	int bits = DISTANCES;

	for (uint32_t i = 0; i < w->x->eviction_count; i++) {
		const struct memory_eviction *v = &w->x->evictions[i];
		int twos = 0;

		if (!is_there(w, v))
			continue;
		while (twos + 1 < DISTANCES &&
		       !((place_of(w, v->victim) ^ place_of(w, v->by)) >> twos & 1))
			twos++;
		distances[twos] += v->count;
		w->all += v->count;
	}
	while (bits > 0 && (double)common < common_least * (double)w->all)
		common += distances[--bits];
	if (w->all >= EVICTIONS_LEAST && bits > 0 && bits <= SETS_MOST_BITS)
		w->sets = UINT32_C(1) << bits;
}

static bool put_in_sets(struct work *w)
{
	uint32_t idle = 0;

	for (uint32_t i = 0; i < w->x->eviction_count; i++) {
		const struct memory_eviction *v = &w->x->evictions[i];
		struct hit hit = {.count = v->count};

		if (!is_there(w, v))
			continue;
		hit.victim = memory_class_of_word(w->x, w->dearest[v->victim]);
		hit.by = memory_class_of_word(w->x, w->dearest[v->by]);
		hit.set = w->sets ? (uint32_t)(place_of(w, v->victim) & (w->sets - 1)) : 0;
		w->by_set[hit.set] += v->count;
		w->lost[hit.victim == MEMORY_NONE ? w->x->class_count : hit.victim] += v->count;
		if (!vec_push(&w->hits, hit))
			return false;
	}
	for (uint32_t i = 0; i < w->sets; i++)
		idle += w->by_set[i] * CROWDED * w->sets < w->all;
	w->room = w->sets && idle >= w->sets / 2;
	return true;
}

/* ---- rows ---- */

static int by_pair(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	int order = memory_ascending(x->victim, y->victim);

	order = order ? order : memory_ascending(x->by, y->by);
	return order ? order : memory_ascending(x->set, y->set);
}

static bool is_crowded(const struct work *w, uint32_t set)
{
	return w->by_set[set] >= EVICTIONS_LEAST && w->by_set[set] * w->sets >= CROWDED * w->all;
}

/* The pair that begins here; behind it. */
static size_t add_pair(const struct work *w, size_t i, struct sharing_pair *row)
{
	const struct hit *from = &w->hits.data[i], *h = from;
	uint64_t crowded = 0;

	*row = (struct sharing_pair){.victim = {.class = from->victim, .at = MEMORY_NONE},
				     .culprit = {.class = from->by, .at = MEMORY_NONE},
				     .level = w->level + UINT64_C(1),
				     .sets = w->sets};
	for (; i < w->hits.count && h->victim == from->victim && h->by == from->by; i++, h++) {
		row->count += h->count;
		row->hit += h == from || h->set != h[-1].set;
		crowded += is_crowded(w, h->set) ? h->count : 0;
	}
	row->share = memory_share(
	    row->count, w->lost[from->victim == MEMORY_NONE ? w->x->class_count : from->victim]);
	if (w->sets && row->count >= EVICTIONS_LEAST) {
		row->conflict = w->room && 2 * crowded >= row->count;
		row->cause = row->conflict ? "conflict" : w->all >= w->sets ? "capacity" : NULL;
	}
	return i;
}

static bool collide(sharing_pairs *c, struct work *w)
{
	struct sharing_pair row;

	find_sets(w);
	w->dearest = memory_dearest_words(w->x, w->level);
	w->lost = calloc((size_t)w->x->class_count + 1, sizeof(*w->lost));
	w->by_set = calloc((size_t)w->sets + 1, sizeof(*w->by_set));
	if (!w->dearest || !w->lost || !w->by_set || !put_in_sets(w))
		return false;
	if (w->hits.count)
		qsort(w->hits.data, w->hits.count, sizeof(*w->hits.data), by_pair);
	for (size_t i = 0; i < w->hits.count;) {
		i = add_pair(w, i, &row);
		if (!vec_push(c, row))
			return false;
	}
	return true;
}

bool sharing_collide(sharing_pairs *c, const struct memory_index *x)
{
	bool done = true;

	for (int level = 0; done && level < MEMORY_LEVELS; level++) {
		struct work w = {.x = x, .level = (enum memory_level)level};

		done = collide(c, &w);
		vec_free(&w.hits);
		free(w.dearest);
		free(w.lost);
		free(w.by_set);
	}
	return done;
}
