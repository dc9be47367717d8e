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

struct ids;

struct id {
	uint64_t hash;
	uint32_t row; /* IDS_NONE: it is new */
};

struct ids *ids_new(void); /* NULL: no memory */
void ids_free(struct ids *ids);

/* The hash of an id. */
uint64_t ids_text(const struct ids *ids, const char *p, size_t len);
uint64_t ids_number(const struct ids *ids, uint64_t number);
uint64_t ids_numbers(const struct ids *ids, const uint64_t *numbers, size_t count);

/* The entry of an id, to which the caller gives a row; good until the next call. NULL: no memory.
 */
struct id *ids_at(struct ids *ids, uint64_t hash);
void ids_fetch(const struct ids *ids, uint64_t hash);    /* it will be asked for soon */
uint32_t ids_find(const struct ids *ids, uint64_t hash); /* a row, or IDS_NONE */

#endif
