#include "config.h"

#include "base/ids.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

enum { IDS_FIRST = 1 << 10 };

struct ids {
	uint64_t key, count, mask;
	struct id *slots; /* free: no row */
};

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

/*
 * A product with an odd number can be undone: no two numbers get the same. Its highest bits depend
 * on all of the number, so they come to where slots are taken from.
 */
uint64_t ids_number(const struct ids *ids, uint64_t number)
{
	return __builtin_bswap64(number * ids->key);
}

uint64_t ids_numbers(const struct ids *ids, const uint64_t *numbers, size_t count)
{
	uint64_t hash = ~ids->key;

	for (size_t i = 0; i < count; i++)
		hash = hash_step(ids->key, hash ^ numbers[i]);
	return hash ^ hash >> 32;
}

static struct id *slot_of(const struct ids *ids, uint64_t hash)
{
	uint64_t i = hash & ids->mask;

	while (ids->slots[i].row != IDS_NONE && ids->slots[i].hash != hash)
		i = (i + 1) & ids->mask;
	return &ids->slots[i];
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
			*slot_of(ids, old[i].hash) = old[i];
	free(old);
	return true;
}

struct id *ids_at(struct ids *ids, uint64_t hash)
{
	struct id *slot = slot_of(ids, hash);

	if (slot->row != IDS_NONE)
		return slot;
	if (++ids->count > (ids->mask + 1) / 4 * 3) {
		if (!grow(ids))
			return NULL;
		slot = slot_of(ids, hash);
	}
	slot->hash = hash;
	return slot;
}

uint32_t ids_find(const struct ids *ids, uint64_t hash)
{
	return slot_of(ids, hash)->row;
}

void ids_fetch(const struct ids *ids, uint64_t hash)
{
	__builtin_prefetch(&ids->slots[hash & ids->mask]);
}
