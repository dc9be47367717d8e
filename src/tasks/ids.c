/*
 * Open addressing with the hash as the key: two ids of one hash would be taken for one, which a
 * keyed hash of 64 bits makes less likely than a broken disk. Ids that are numbers never share one.
 */
#include "config.h"

#include <stdlib.h>

#include "base/hash.h"
#include "tasks/tasks_private.h"

enum { IDS_FIRST = 1 << 10 };

struct task_ids {
	uint64_t key, count, mask;
	struct task_id *slots; /* free: no row */
};

static struct task_id *new_slots(uint64_t count)
{
	struct task_id *slots = malloc(count * sizeof(*slots));

	for (uint64_t i = 0; slots && i < count; i++)
		slots[i].row = TASK_NONE;
	return slots;
}

struct task_ids *task_ids_new(void)
{
	struct task_ids *ids = malloc(sizeof(*ids));

	if (!ids)
		return NULL;
	*ids = (struct task_ids){hash_key(ids), 0, IDS_FIRST - 1, new_slots(IDS_FIRST)};
	if (ids->slots)
		return ids;
	free(ids);
	return NULL;
}

void task_ids_free(struct task_ids *ids)
{
	if (ids)
		free(ids->slots);
	free(ids);
}

uint64_t task_id_text(const struct task_ids *ids, const char *p, size_t len)
{
	return hash_bytes(ids->key, p, len);
}

/* A product with an odd number and a shift can both be undone: no two numbers get the same. */
uint64_t task_id_number(const struct task_ids *ids, int64_t number)
{
	uint64_t hash = (uint64_t)number * ids->key;

	return hash ^ hash >> 32;
}

static struct task_id *slot_of(const struct task_ids *ids, uint64_t hash)
{
	uint64_t i = hash & ids->mask;

	while (ids->slots[i].row != TASK_NONE && ids->slots[i].hash != hash)
		i = (i + 1) & ids->mask;
	return &ids->slots[i];
}

static bool grow(struct task_ids *ids)
{
	uint64_t before = ids->mask + 1;
	struct task_id *old = ids->slots, *slots = new_slots(before * 2);

	if (!slots)
		return false;
	ids->slots = slots;
	ids->mask = before * 2 - 1;
	for (uint64_t i = 0; i < before; i++)
		if (old[i].row != TASK_NONE)
			*slot_of(ids, old[i].hash) = old[i];
	free(old);
	return true;
}

struct task_id *task_ids_at(struct task_ids *ids, uint64_t hash)
{
	struct task_id *slot = slot_of(ids, hash);

	if (slot->row != TASK_NONE)
		return slot;
	if (++ids->count > (ids->mask + 1) / 4 * 3) {
		if (!grow(ids))
			return NULL;
		slot = slot_of(ids, hash);
	}
	slot->hash = hash;
	return slot;
}

uint32_t task_ids_find(const struct task_ids *ids, uint64_t hash)
{
	return slot_of(ids, hash)->row;
}

void task_ids_fetch(const struct task_ids *ids, uint64_t hash)
{
	__builtin_prefetch(&ids->slots[hash & ids->mask]);
}
