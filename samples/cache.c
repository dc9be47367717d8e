#include "cache.h"

#include <stddef.h>

static uint64_t tag_of(const struct cache *c, uint64_t addr)
{
	return addr / (uint64_t)c->shape->block + 1;
}

static size_t set_of(const struct cache *c, uint64_t addr)
{
	size_t set = (size_t)(addr / (uint64_t)c->shape->block) % (size_t)c->shape->sets;

	return set * (size_t)c->shape->ways;
}

static struct cache_block *victim(struct cache *c, struct cache_block *set)
{
	struct cache_block *oldest = set;
	int way;

	for (way = 1; way < c->shape->ways; way++) {
		if (set[way].used < oldest->used)
			oldest = &set[way];
	}
	return oldest;
}

static const struct cache_block *find(const struct cache *c, uint64_t addr)
{
	const struct cache_block *set = &c->block[set_of(c, addr)];
	int way;

	for (way = 0; way < c->shape->ways; way++) {
		if (set[way].tag == tag_of(c, addr))
			return &set[way];
	}
	return NULL;
}

int cache_access(struct cache *c, uint64_t addr, int64_t now)
{
	const struct cache_block *hit = find(c, addr);
	struct cache_block *block =
	    hit ? &c->block[hit - c->block] : victim(c, &c->block[set_of(c, addr)]);
	int latency = c->shape->latency;

	block->used = (uint64_t)++c->accesses;
	if (!hit) {
		c->misses++;
		latency += c->next ? cache_access(c->next, addr, now + latency) : c->beyond;
		block->tag = tag_of(c, addr);
		block->ready = now + latency;
	} else if (block->ready > now + latency) {
		c->delayed++;
		latency = (int)(block->ready - now);
	}
	return latency;
}

bool cache_has(const struct cache *c, uint64_t addr)
{
	return find(c, addr) != NULL;
}
