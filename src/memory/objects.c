/*
 * Which object is where: those that live may lie within each other, or overlap.
 *
 * Memory is cut into buckets of each power of two bytes. An object is in the list of the one or two
 * that it touches of the least size that is not below its own, the youngest first. So whatever has an
 * address is in the list of one bucket of each size, with few others of about its size. The dead leave
 * a list when they are met in it.
 */
#include "config.h"

#include <stdlib.h>

#include "base/ids.h"
#include "memory/memory_private.h"

enum {
	SIZES = 64,
	LOOKED_AT = 64 /* of a list: so many of about one size are nowhere */
};

static bool dead(const struct memory *m, uint32_t entry)
{
	return m->objects.data[entry / 2].died != MEMORY_OPEN;
}

/* ---- lists ---- */

static unsigned bucket_bits(uint64_t size)
{
	const unsigned bits = size > 1 ? SIZES - (unsigned)__builtin_clzll(size - 1) : 0;

	return bits < SIZES ? bits : SIZES - 1;
}

static uint64_t bucket_of(const struct memory_objects *o, unsigned bits, uint64_t address)
{
	return ids_numbers(o->buckets, (const uint64_t[]){address >> bits, bits}, 2);
}

static uint32_t first_entry(const struct memory_objects *o, unsigned bits, uint64_t address)
{
	return ids_find(o->buckets, bucket_of(o, bits, address));
}

/* That lives; the dead before it are gone. */
static uint32_t next_entry(const struct memory *m, uint32_t entry)
{
	uint32_t *next = &m->alive.next.data[entry];

	while (*next != MEMORY_NONE && dead(m, *next))
		*next = m->alive.next.data[*next];
	return *next;
}

static bool list(struct memory_objects *o, unsigned bits, uint64_t address, uint32_t entry)
{
	struct id *bucket = ids_at(o->buckets, bucket_of(o, bits, address));

	if (!bucket)
		return false;
	o->next.data[entry] = bucket->row;
	bucket->row = entry;
	o->sizes |= UINT64_C(1) << bits;
	return true;
}

/* ---- finding ---- */

/* The smaller one, of two of one size the younger. */
static bool is_before(const struct memory *m, uint32_t a, uint32_t b)
{
	const uint64_t sizes[2] = {m->objects.data[a].size, m->objects.data[b].size};

	return sizes[0] != sizes[1] ? sizes[0] < sizes[1] : a > b;
}

static bool has(const struct memory_object *o, uint64_t first, uint64_t last)
{
	return o->size && o->address <= first && o->address + (o->size - 1) >= last;
}

/* The first that has all of [first, last]; start: the youngest that begins there. */
static uint32_t find(const struct memory *m, uint64_t first, uint64_t last, bool start)
{
	uint32_t best = MEMORY_NONE;

	for (uint64_t left = m->alive.sizes; left; left &= left - 1) {
		uint32_t entry = first_entry(&m->alive, (unsigned)__builtin_ctzll(left), first);

		for (int i = 0; i < LOOKED_AT && entry != MEMORY_NONE; i++, entry = next_entry(m, entry)) {
			const uint32_t found = entry / 2;
			const struct memory_object *o = &m->objects.data[found];

			if (dead(m, entry) || !(start ? o->address == first : has(o, first, last)))
				continue;
			if (best == MEMORY_NONE || (start ? found > best : is_before(m, found, best)))
				best = found;
		}
	}
	return best;
}

uint32_t memory_object_at(struct memory *m, uint64_t address)
{
	return find(m, address, address, false);
}

/* ---- creation and deletion ---- */

static int64_t now(const struct memory *m)
{
	return m->lines.last < m->lines.first ? 0 : m->lines.last;
}

static bool create(struct memory *m, const struct memory_record *r)
{
	struct memory_objects *o = &m->alive;
	const uint64_t most = UINT64_MAX - r->address; /* the last byte of all belongs to nobody */
	const uint64_t size = r->size < most ? r->size : most, first = r->address;
	const uint64_t last = size ? first + (size - 1) : first;
	const unsigned bits = bucket_bits(size);
	const uint32_t entry = 2 * (uint32_t)m->objects.count;
	const int32_t class = intern_add(m->classes, r->name, r->name_len);
	struct memory_object made = {.address = first, .size = size, .class = (uint32_t)class,
				     .born = now(m), .died = MEMORY_OPEN};

	if (class < 0 || m->objects.count >= MEMORY_NONE / 2 ||
	    (m->instances.count <= (size_t)class && !vec_push(&m->instances, 0)))
		return false;
	made.parent = find(m, first, last, false);
	if (made.parent != MEMORY_NONE && m->objects.data[made.parent].size == size &&
	    m->objects.data[made.parent].class == made.class)
		return true; /* it is made again */
	made.ordinal = m->instances.data[class]++;
	m->version++;
	return vec_push(&o->next, MEMORY_NONE) && vec_push(&o->next, MEMORY_NONE) &&
	       vec_push(&m->objects, made) && list(o, bits, first, entry) &&
	       (first >> bits == last >> bits || list(o, bits, last, entry + 1));
}

void memory_create(struct memory *m, const struct memory_record *r)
{
	m->lines.failed |= !create(m, r);
}

/* The youngest that starts there. */
void memory_delete(struct memory *m, const struct memory_record *r)
{
	const uint32_t object = find(m, r->address, r->address, true);

	if (object == MEMORY_NONE) {
		memory_note(m, MEMORY_NOTE_DELETED, "an object is deleted where none is");
	} else {
		m->objects.data[object].died = now(m);
		m->version++;
	}
}

bool memory_objects_begin(struct memory *m)
{
	m->version = 1;
	m->alive.buckets = ids_new();
	return m->alive.buckets;
}

void memory_objects_free(struct memory *m)
{
	ids_free(m->alive.buckets);
	vec_free(&m->alive.next);
}
