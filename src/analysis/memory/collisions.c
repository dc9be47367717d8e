#include "config.h"

#include "analysis/memory/collisions.h"

#include <stdlib.h>

enum {
	EVICTIONS_LEAST = 4,    /* fewer say little of sets */
	SETS_MOST_BITS = 24,    /* of a cache */
	CROWDED = 4,            /* times the average: that set is full, the cache may be not */
	DISTANCES = 64          /* bits */
};

static const double common_least = 0.8; /* of distances: others are of blocks around that went */

/* One of the trace's, with what it is counted by. */
struct hit {
	uint32_t victim, by, set;
	enum memory_level level;
	uint64_t block, count;
};

struct level {
	uint64_t distances[DISTANCES]; /* by how often two divides them */
	uint64_t count;
	uint32_t sets;
	uint64_t *by_set;
	bool room; /* half of the sets push out next to nothing */
};

struct work {
	const struct memory_index *x;
	VEC(struct hit) hits;
	struct level levels[MEMORY_LEVELS];
};

/* The class of what a block holds, by its dearest word. */
static uint32_t held_by(const struct memory_index *x, const uint32_t *dearest, uint32_t block)
{
	const uint32_t word = dearest[block];
	const uint32_t object = word == MEMORY_NONE ? MEMORY_NONE : x->words[word].object;

	return object == MEMORY_NONE ? MEMORY_NONE : x->objects[object].class;
}

/* Those of blocks that are published. */
static bool gather(struct work *w, uint32_t *const dearest[MEMORY_LEVELS])
{
	bool done = true;

	for (uint32_t i = 0; done && i < w->x->eviction_count; i++) {
		const struct memory_eviction *v = &w->x->evictions[i];
		const struct memory_block *blocks = w->x->blocks;
		struct hit hit = {.count = v->count};
		uint64_t distance;
		int twos = 0;

		if (v->victim >= w->x->block_count || v->by >= w->x->block_count)
			continue;
		hit.level = (enum memory_level)blocks[v->victim].level;
		hit.victim = held_by(w->x, dearest[hit.level], v->victim);
		hit.by = held_by(w->x, dearest[hit.level], v->by);
		hit.block = blocks[v->victim].address / w->x->block_bytes[hit.level];
		distance = blocks[v->by].address / w->x->block_bytes[hit.level] ^ hit.block;
		while (twos + 1 < DISTANCES && !(distance >> twos & 1))
			twos++;
		w->levels[hit.level].distances[twos] += v->count;
		w->levels[hit.level].count += v->count;
		done = vec_push(&w->hits, hit);
	}
	return done;
}

/* The greatest power of two that divides nearly all distances; one says nothing. */
static bool find_sets(struct level *l)
{
	uint64_t common = 0;
	int bits = DISTANCES;

	while (bits > 0 && (double)common < common_least * (double)l->count)
		common += l->distances[--bits];
	if (l->count >= EVICTIONS_LEAST && bits > 0 && bits <= SETS_MOST_BITS)
		l->sets = UINT32_C(1) << bits;
	l->by_set = calloc((size_t)l->sets + 1, sizeof(*l->by_set));
	return l->by_set;
}

static void find_room(struct level *l)
{
	uint32_t idle = 0;

	for (uint32_t i = 0; i < l->sets; i++)
		idle += l->by_set[i] * CROWDED * l->sets < l->count;
	l->room = l->sets && idle >= l->sets / 2;
}

static bool put_in_sets(struct work *w)
{
	for (int level = 0; level < MEMORY_LEVELS; level++)
		if (!find_sets(&w->levels[level]))
			return false;
	for (size_t i = 0; i < w->hits.count; i++) {
		struct hit *hit = &w->hits.data[i];
		struct level *l = &w->levels[hit->level];

		hit->set = l->sets ? (uint32_t)(hit->block & (l->sets - 1)) : 0;
		l->by_set[hit->set] += hit->count;
	}
	for (int level = 0; level < MEMORY_LEVELS; level++)
		find_room(&w->levels[level]);
	return true;
}

/* ---- rows ---- */

static int by_pair(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->victim != y->victim)
		return x->victim < y->victim ? -1 : 1;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return (x->set > y->set) - (x->set < y->set);
}

static int by_count(const void *a, const void *b)
{
	const struct memory_collision *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->victim != y->victim)
		return x->victim < y->victim ? -1 : 1;
	return (x->by > y->by) - (x->by < y->by);
}

/* The pair that begins here; behind it. */
static const struct hit *add_pair(const struct work *w, const struct hit *from,
				  struct memory_collision *row)
{
	const struct hit *end = w->hits.data + w->hits.count, *h = from;
	const struct level *l = &w->levels[from->level];
	uint64_t crowded = 0;

	*row = (struct memory_collision){
	    .victim = from->victim, .by = from->by, .level = from->level, .sets = l->sets};
	for (; h < end && h->level == row->level && h->victim == row->victim && h->by == row->by;
	     h++) {
		row->count += h->count;
		row->hit += h == from || h->set != h[-1].set;
		crowded += l->by_set[h->set] >= EVICTIONS_LEAST &&
				   l->by_set[h->set] * l->sets >= CROWDED * l->count
			       ? h->count
			       : 0;
	}
	if (l->sets && row->count >= EVICTIONS_LEAST)
		row->misfit = l->room && 2 * crowded >= row->count ? MEMORY_CONFLICT
			      : l->count >= l->sets		   ? MEMORY_CAPACITY
								   : MEMORY_MISFIT_UNKNOWN;
	return h;
}

/* All of a victim stand together. */
static void add_lost(memory_collisions *c)
{
	for (size_t i = 0, end; i < c->count; i = end) {
		const struct memory_collision *first = &c->data[i];
		uint64_t lost = 0;

		for (end = i; end < c->count && c->data[end].victim == first->victim &&
			      c->data[end].level == first->level;
		     end++)
			lost += c->data[end].count;
		for (size_t k = i; k < end; k++) {
			c->data[k].lost = lost;
			c->data[k].share = lost ? (double)c->data[k].count / (double)lost : 0;
		}
	}
}

static bool add_rows(memory_collisions *c, struct work *w)
{
	const struct hit *h = w->hits.data, *end;
	struct memory_collision row;

	if (!w->hits.count)
		return true;
	end = h + w->hits.count;
	qsort(w->hits.data, w->hits.count, sizeof(*w->hits.data), by_pair);
	while (h < end) {
		h = add_pair(w, h, &row);
		if (!vec_push(c, row))
			return false;
	}
	add_lost(c);
	qsort(c->data, c->count, sizeof(*c->data), by_count);
	return true;
}

enum status memory_collide(memory_collisions *c, const struct memory_index *x, struct error *e)
{
	uint32_t *const dearest[] = {memory_dearest_words(x, MEMORY_L1),
				     memory_dearest_words(x, MEMORY_L2)};
	struct work w = {.x = x};
	const bool done = dearest[MEMORY_L1] && dearest[MEMORY_L2] && gather(&w, dearest) &&
			  put_in_sets(&w) && add_rows(c, &w);

	vec_free(&w.hits);
	for (int level = 0; level < MEMORY_LEVELS; level++) {
		free(w.levels[level].by_set);
		free(dearest[level]);
	}
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}
