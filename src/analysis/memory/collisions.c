#include "config.h"

#include "analysis/memory/collisions.h"

#include <stdlib.h>

enum { EVICTIONS_LEAST = 4 }; /* fewer say little of sets */

static const double spiked_sets = 0.125, spiked_least = 0.5;

/* Counts by number, with one more for what is outside of all. */
struct counts {
	uint64_t *evictors, *victims;
	uint32_t count;
};

/* Blocks of a level that are published. */
static bool is_meant(const struct memory_index *x, const struct memory_eviction *v,
		     enum memory_level level)
{
	return v->victim < x->block_count && v->by < x->block_count &&
	       x->blocks[v->victim].level == level;
}

/* What a block holds, by its dearest word. */
static uint32_t held_by(const struct memory_index *x, const uint32_t *dearest, uint32_t block,
			enum memory_thing by)
{
	const uint32_t word = dearest[block];
	const uint32_t object = word == MEMORY_NONE ? MEMORY_NONE : x->words[word].object;

	return object == MEMORY_NONE || by == MEMORY_BY_OBJECT ? object : x->objects[object].class;
}

/* ---- sets ---- */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Blocks that push each other out are of one set: their distances have the sets in common. */
static uint32_t infer_sets(const struct memory_index *x, enum memory_level level)
{
	uint64_t common = 0;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < x->eviction_count; i++) {
		const struct memory_eviction *v = &x->evictions[i];
		uint64_t a, b;

		if (!is_meant(x, v, level))
			continue;
		a = x->blocks[v->victim].address;
		b = x->blocks[v->by].address;
		common = gcd(a > b ? a - b : b - a, common);
		seen += v->count;
	}
	common /= x->block_bytes[level] ? x->block_bytes[level] : 1;
	return seen >= EVICTIONS_LEAST && common > 1 && common <= UINT32_MAX &&
		       !(common & (common - 1))
		   ? (uint32_t)common
		   : 0;
}

static int falling(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* Have few sets most of them? False: no memory. */
static bool judge(struct memory_collisions *c)
{
	const uint32_t few = c->sets * spiked_sets < 1 ? 1 : (uint32_t)(c->sets * spiked_sets);
	uint64_t *sorted = malloc(((size_t)c->sets + 1) * sizeof(*sorted)), most = 0;

	for (uint32_t i = 0; sorted && i < c->sets; i++)
		sorted[i] = c->by_set[i];
	if (sorted)
		qsort(sorted, c->sets, sizeof(*sorted), falling);
	for (uint32_t i = 0; sorted && i < few; i++)
		most += sorted[i];
	free(sorted);
	if (c->lost >= EVICTIONS_LEAST && c->sets > 1)
		c->misfit = (double)most >= spiked_least * (double)c->lost ? MEMORY_CONFLICT
									   : MEMORY_CAPACITY;
	return sorted;
}

/* ---- who and whom ---- */

static int by_count(const void *a, const void *b)
{
	const struct memory_opponent *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void count_all(struct memory_collisions *c, struct counts *n, const struct memory_index *x,
		      const struct memory_collision_question *q, const uint32_t *dearest)
{
	for (uint32_t i = 0; i < x->eviction_count; i++) {
		const struct memory_eviction *v = &x->evictions[i];
		uint32_t victim, by;

		if (!is_meant(x, v, q->level))
			continue;
		victim = held_by(x, dearest, v->victim, q->by);
		by = held_by(x, dearest, v->by, q->by);
		if (q->number == MEMORY_NONE || victim == q->number) {
			n->evictors[by < n->count ? by : n->count] += v->count;
			c->lost += v->count;
			if (c->sets)
				c->by_set[x->blocks[v->victim].address / x->block_bytes[q->level] %
					  c->sets] += v->count;
		}
		if (q->number == MEMORY_NONE || by == q->number) {
			n->victims[victim < n->count ? victim : n->count] += v->count;
			c->taken += v->count;
		}
	}
}

static bool list(const uint64_t *counts, uint32_t count, memory_opponents *out)
{
	bool done = true;

	for (uint32_t i = 0; done && i <= count; i++)
		if (counts[i])
			done = vec_push(out, ((struct memory_opponent){i < count ? i : MEMORY_NONE,
								       counts[i]}));
	if (out->count)
		qsort(out->data, out->count, sizeof(*out->data), by_count);
	return done;
}

enum status memory_collide(struct memory_collisions *c, const struct memory_index *x,
			   const struct memory_collision_question *q, struct error *e)
{
	struct counts n = {.count = memory_thing_count(x, q->by)};
	uint32_t *dearest = memory_dearest_words(x, q->level);
	bool done;

	*c = (struct memory_collisions){.sets = q->sets ? q->sets : infer_sets(x, q->level)};
	c->by_set = calloc((size_t)c->sets + 1, sizeof(*c->by_set));
	n.evictors = calloc((size_t)n.count + 1, sizeof(*n.evictors));
	n.victims = calloc((size_t)n.count + 1, sizeof(*n.victims));
	done = dearest && c->by_set && n.evictors && n.victims;
	if (done)
		count_all(c, &n, x, q, dearest);
	done = done && judge(c) && list(n.evictors, n.count, &c->evictors) &&
	       list(n.victims, n.count, &c->victims);
	free(n.evictors);
	free(n.victims);
	free(dearest);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void memory_collisions_free(struct memory_collisions *c)
{
	vec_free(&c->evictors);
	vec_free(&c->victims);
	free(c->by_set);
}
