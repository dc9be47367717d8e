#include "config.h"

#include "base/ids.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

enum { IDS_FIRST = 1 << 10 };

static struct id *new_slots(uint64_t count)
{
	struct id *slots = malloc(count * sizeof(*slots));

	for (uint64_t i = 0; slots && i < count; i++)
		slots[i].row = IDS_NONE;
	return slots;
}

struct ids *ids_new(void)
{
	struct ids *ids = malloc(sizeof(*ids));

	if (!ids)
		return NULL;
	*ids = (struct ids){hash_key(ids), 0, IDS_FIRST - 1, new_slots(IDS_FIRST)};
	if (ids->slots)
		return ids;
	free(ids);
	return NULL;
}

void ids_free(struct ids *ids)
{
	if (ids)
		free(ids->slots);
	free(ids);
}

uint64_t ids_text(const struct ids *ids, const char *p, size_t len)
{
	return hash_bytes(ids->key, p, len);
}

uint64_t ids_numbers(const struct ids *ids, const uint64_t *numbers, size_t count)
{
	uint64_t hash = ~ids->key;

	for (size_t i = 0; i < count; i++)
		hash = hash_step(ids->key, hash ^ numbers[i]);
	return hash ^ hash >> 32;
}

static bool grow(struct ids *ids)
{
	uint64_t before = ids->mask + 1;
	struct id *old = ids->slots, *slots = new_slots(before * 2);

	if (!slots)
		return false;
	ids->slots = slots;
	ids->mask = before * 2 - 1;
	for (uint64_t i = 0; i < before; i++)
		if (old[i].row != IDS_NONE)
			*ids_slot(ids, old[i].hash) = old[i];
	free(old);
	return true;
}

struct id *ids_add(struct ids *ids, uint64_t hash)
{
	struct id *slot;

	if (++ids->count > (ids->mask + 1) / 4 * 3 && !grow(ids))
		return NULL;
	slot = ids_slot(ids, hash);
	slot->hash = hash;
	return slot;
}

void ids_fetch(const struct ids *ids, uint64_t hash)
{
	__builtin_prefetch(&ids->slots[hash & ids->mask]);
}
