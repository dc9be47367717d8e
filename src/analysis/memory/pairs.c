/*
 * Who takes blocks from whom: by writing to them, or by taking their place in a cache; and of the
 * latter whether more room would help (capacity) or another place (conflict).
 *
 * What a block holds is told by its dearest word. Blocks that push each other out are of one set:
 * the number of sets is what nearly all of their distances have in common. The cache was not full
 * where half of its sets pushed out next to nothing: then what was pushed out again and again of
 * the same sets is a conflict. With fewer evictions than sets, and less than a handful of each,
 * nothing is said.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"

enum {
	EVICTIONS_LEAST = 4, /* fewer say little of sets */
	SETS_MOST_BITS = 24, /* of a cache */
	IDLE = 4,            /* a set is that pushes out less than a fourth of the average */
	DISTANCES = 64       /* bits */
};

static const double common_least = 0.8; /* of distances: others are of blocks around that went */

/* ---- pairs between the same ends are one ---- */

enum { VICTIM_KEYS = 2, END_KEYS = 5, ALL_KEYS };

/* By their ends, the victim first, and within these by the set. */
static int ascending(const void *a, const void *b, void *keys)
{
	const struct sharing_pair *x = a, *y = b;
	const uint64_t key[][2] = {
	    {x->level, y->level},           {x->victim.class, y->victim.class},
	    {x->victim.at, y->victim.at},   {x->culprit.class, y->culprit.class},
	    {x->culprit.at, y->culprit.at}, {x->set, y->set}};
	int order = 0;

	for (int i = 0; !order && i < *(int *)keys; i++)
		order = memory_ascending(key[i][0], key[i][1]);
	return order;
}

static void join(sharing_pairs *pairs)
{
	struct sharing_pair *to = pairs->data;

	if (!pairs->count)
		return;
	qsort_r(to, pairs->count, sizeof(*to), ascending, &(int){ALL_KEYS});
	for (size_t i = 1; i < pairs->count; i++) {
		const struct sharing_pair *p = &pairs->data[i];

		if (ascending(to, p, &(int){END_KEYS}) != 0) {
			*++to = *p;
			continue;
		}
		to->count += p->count;
		to->false_count += p->false_count;
		to->cycles += p->cycles;
		to->hit += p->set != to->set;
		to->set = p->set;
	}
	pairs->count = (size_t)(to - pairs->data) + 1;
}

/* ---- by writing ---- */

bool sharing_take(sharing_pairs *pairs, const struct memory_index *x)
{
	for (uint32_t i = 0; i < x->culprit_count; i++) {
		const struct memory_culprit *c = &x->culprits[i];
		const struct sharing_pair pair = {
		    .victim = {.class = memory_class_of(x, c->victim_object), .at = c->victim_line},
		    .culprit = {.class = memory_class_of(x, c->object), .at = c->line},
		    .level = c->level + UINT64_C(1),
		    .count = c->count,
		    .false_count = c->cause == MEMORY_FALSE ? c->count : 0,
		    .cycles = c->cycles};

		if (!vec_push(pairs, pair))
			return false;
	}
	join(pairs);
	return true;
}

/* ---- by taking the place ---- */

const char sharing_conflict[] = "conflict";

/* A pair for each eviction of a published block of the level; its set is its place as yet. */
static bool add_evictions(sharing_pairs *pairs, const struct memory_index *x,
			  enum memory_level level)
{
	for (uint32_t i = 0; i < x->eviction_count; i++) {
		const struct memory_eviction *v = &x->evictions[i];
		struct sharing_pair pair = {.level = level + UINT64_C(1),
					    .count = v->count,
					    .victim.at = MEMORY_NONE,
					    .culprit.at = MEMORY_NONE};

		if (v->victim >= x->block_count || v->by >= x->block_count ||
		    x->blocks[v->victim].level != level)
			continue;
		pair.victim.class = memory_class_of_word(x, x->blocks[v->victim].word);
		pair.culprit.class = memory_class_of_word(x, x->blocks[v->by].word);
		pair.set = x->blocks[v->victim].address / x->block_bytes[level];
		pair.distance = pair.set ^ x->blocks[v->by].address / x->block_bytes[level];
		if (!vec_push(pairs, pair))
			return false;
	}
	return true;
}

/* The greatest power of two that divides nearly all distances; one says nothing. 0: not known. */
static uint64_t find_sets(const struct sharing_pair *pairs, size_t count, uint64_t all)
{
	uint64_t distances[DISTANCES] = {0}, common = 0; /* by how often two divides them */
	int bits = DISTANCES;

	for (size_t i = 0; i < count; i++)
		distances[pairs[i].distance ? __builtin_ctzll(pairs[i].distance) : DISTANCES - 1] +=
		    pairs[i].count;
	while (bits > 0 && (double)common < common_least * (double)all)
		common += distances[--bits];
	return all < EVICTIONS_LEAST || !bits || bits > SETS_MOST_BITS ? 0 : UINT64_C(1) << bits;
}

/* Of all pairs of a level, one for each eviction. */
static bool find_causes(struct sharing_pair *pairs, size_t count)
{
	uint64_t all = 0, idle = 0, sets, *by_set;
	bool done;

	for (size_t i = 0; i < count; i++)
		all += pairs[i].count;
	sets = find_sets(pairs, count, all);
	by_set = calloc(sets + 1, sizeof(*by_set));
	done = by_set;
	for (size_t i = 0; done && i < count; i++) {
		pairs[i].sets = sets;
		pairs[i].hit = sets > 0;
		pairs[i].set &= sets ? sets - 1 : 0;
		by_set[pairs[i].set] += pairs[i].count;
	}
	for (size_t i = 0; done && i < sets; i++)
		idle += by_set[i] * IDLE * sets < all;
	for (size_t i = 0; sets && i < count; i++)
		pairs[i].cause = idle >= sets / 2 ? sharing_conflict
				 : all >= sets    ? "capacity"
						  : NULL;
	free(by_set);
	return done;
}

/* Of pairs in order: what a victim lost stands beside each other. */
static void share_out(sharing_pairs *pairs)
{
	struct sharing_pair *p = pairs->data;
	int keys = VICTIM_KEYS;

	for (size_t i = 0, end; i < pairs->count; i = end) {
		uint64_t lost = 0;

		for (end = i; end < pairs->count && !ascending(&p[i], &p[end], &keys); end++)
			lost += p[end].count;
		for (size_t k = i; k < end; k++) {
			const uint64_t times = p[k].cause == sharing_conflict ? p[k].hit : 1;

			p[k].share = memory_share(p[k].count, lost);
			p[k].cause = p[k].count < EVICTIONS_LEAST * times ? NULL : p[k].cause;
		}
	}
}

bool sharing_collide(sharing_pairs *pairs, const struct memory_index *x)
{
	for (int level = 0; level < MEMORY_LEVELS; level++) {
		const size_t from = pairs->count;

		if (!add_evictions(pairs, x, (enum memory_level)level) ||
		    (pairs->count > from &&
		     !find_causes(pairs->data + from, pairs->count - from)))
			return false;
	}
	join(pairs);
	share_out(pairs);
	return true;
}

/* ---- when ---- */

uint32_t sharing_first_loss(const struct trace *t, const struct sharing_pair *p)
{
	const struct memory_index *x = memory_lock(t);
	const bool pair = p->victim.at != MEMORY_NONE;
	const struct memory_stay *first = NULL;
	uint32_t row;

	for (uint32_t i = 0; i + pair < x->stay_count; i++) {
		/* Whose it was that made room; or, of a pair, who loaded it next there. */
		const struct memory_stay *s = &x->ordered[i], *next = s + pair;
		const struct memory_cell *victim = memory_access(x, next->cell);
		const struct memory_cell *culprit = memory_access(x, s->taker);

		if (s->ending == (pair ? MEMORY_INVALIDATED : MEMORY_REPLACED) &&
		    s->level + UINT64_C(1) == p->level && next->block == s->block &&
		    next->cache == s->cache &&
		    memory_class_of_word(x, victim->word) == p->victim.class &&
		    memory_class_of_word(x, culprit->word) == p->culprit.class &&
		    (!pair || (culprit->line == p->culprit.at && victim->line == p->victim.at)) &&
		    (!first || s->end < first->end))
			first = s;
	}
	row = first ? first->row : MEMORY_NONE;
	memory_unlock(t);
	return row;
}
