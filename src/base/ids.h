/*
 * Which row has which id: ids are texts or numbers, rows are small numbers of the caller's.
 *
 * Open addressing with a keyed hash of 64 bits as the key, so that nobody can choose ids that
 * collide: two ids of one hash would be taken for one, which is less likely than a broken disk.
 * Ids that are one number never share one. O(1), for texts O(length).
 */
#ifndef PIPEGLASS_BASE_IDS_H
#define PIPEGLASS_BASE_IDS_H

#include <stddef.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX /* no row */

struct id {
	uint64_t hash;
	uint32_t row; /* IDS_NONE: it is new */
};

/* Private but for what is inline here. */
struct ids {
	uint64_t key, count, mask;
	struct id *slots; /* free: no row */
};

struct ids *ids_new(void); /* NULL: no memory */
void ids_free(struct ids *ids);

/* The hash of an id. */
uint64_t ids_text(const struct ids *ids, const char *p, size_t len);
uint64_t ids_numbers(const struct ids *ids, const uint64_t *numbers, size_t count);

/*
 * A product with an odd number can be undone: no two numbers get the same. Its highest bits depend
 * on all of the number, so they come to where slots are taken from.
 */
static inline uint64_t ids_number(const struct ids *ids, uint64_t number)
{
	return __builtin_bswap64(number * ids->key);
}

static inline struct id *ids_slot(const struct ids *ids, uint64_t hash)
{
	uint64_t i = hash & ids->mask;

	while (ids->slots[i].row != IDS_NONE && ids->slots[i].hash != hash)
		i = (i + 1) & ids->mask;
	return &ids->slots[i];
}

struct id *ids_add(struct ids *ids, uint64_t hash); /* of ids_at() */

/* The entry of an id, to which the caller gives a row; good until the next call. NULL: no memory. */
static inline struct id *ids_at(struct ids *ids, uint64_t hash)
{
	struct id *slot = ids_slot(ids, hash);

	return slot->row == IDS_NONE ? ids_add(ids, hash) : slot;
}

/* A row, or IDS_NONE. */
static inline uint32_t ids_find(const struct ids *ids, uint64_t hash)
{
	return ids_slot(ids, hash)->row;
}

void ids_fetch(const struct ids *ids, uint64_t hash); /* it will be asked for soon */

#endif
