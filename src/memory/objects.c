/*
 * Which object is where: those that live may lie within each other, or overlap.
 *
 * Memory is cut into buckets of each power of two bytes. An object is in the list of the one that
 * it begins in, of the least size that is not below its own, the youngest first. So whatever has an
 * address begins in the bucket around it or the one before that, of some size, with few others of
 * about its size. The dead leave a list when they are met in it.
 */
#include "config.h"

#include "base/ids.h"
#include "memory/memory_private.h"

enum {
	SIZES = 64,
	LOOKED_AT = 64 /* of a list: so many of about one size are nowhere */
};

/* ---- lists ---- */

static unsigned bucket_bits(uint64_t size)
{
	const unsigned bits = size > 1 ? SIZES - (unsigned)__builtin_clzll(size - 1) : 0;

	return bits < SIZES ? bits : SIZES - 1;
}

static uint64_t bucket_of(const struct memory *m, unsigned bits, uint64_t number)
{
	return ids_numbers(m->ids[OBJECT_IDS], (const uint64_t[]){number, bits}, 2);
}

static bool dead(const struct memory_object *o)
{
	return o->died != MEMORY_OPEN;
}

/* The next that lives; the dead before it are gone. */
static uint32_t next_of(const struct memory *m, uint32_t object)
{
	struct memory_object *objects = m->objects.data;
	uint32_t *next = &objects[object].next;

	while (*next != MEMORY_NONE && dead(&objects[*next]))
		*next = objects[*next].next;
	return *next;
}

/* ---- finding ---- */

static bool has(const struct memory_object *o, uint64_t first, uint64_t last)
{
	return o->size && o->address <= first && o->address + (o->size - 1) >= last;
}

/* Of two that live the smaller, of equals the younger; start: the younger. */
static bool better(const struct memory_object *o, const struct memory_object *than, bool start)
{
	return start || o->size == than->size ? o > than : o->size < than->size;
}

/* The best that has all of [first, last]; start: that begins there. NULL: none. */
static struct memory_object *find(const struct memory *m, uint64_t first, uint64_t last, bool start)
{
	struct memory_object *best = NULL, *o;

	for (uint64_t left = m->sizes; left; left &= left - 1)
		for (uint64_t before = 0; before < 2; before++) {
			const unsigned bits = (unsigned)__builtin_ctzll(left);
			const uint64_t bucket = bucket_of(m, bits, (first >> bits) - before);
			uint32_t object = ids_find(m->ids[OBJECT_IDS], bucket);

			for (int i = 0; i < LOOKED_AT && object != MEMORY_NONE; i++) {
				o = &m->objects.data[object];
				if (!dead(o) &&
				    (start ? o->address == first : has(o, first, last)) &&
				    (!best || better(o, best, start)))
					best = o;
				object = next_of(m, object);
			}
		}
	return best;
}

/* MEMORY_NONE: none. */
static uint32_t row_of(const struct memory *m, const struct memory_object *o)
{
	return o ? (uint32_t)(o - m->objects.data) : MEMORY_NONE;
}

uint32_t memory_object_at(struct memory *m, uint64_t address)
{
	return row_of(m, find(m, address, address, false));
}

/* ---- creation and deletion ---- */

void memory_create(struct memory *m, const struct memory_record *r)
{
	const uint64_t most = UINT64_MAX - r->address; /* the last byte of all belongs to nobody */
	const uint64_t size = r->size < most ? r->size : most, first = r->address;
	const unsigned bits = bucket_bits(size);
	const int32_t class = intern_add(m->classes, r->name, r->name_len);
	const struct memory_object *around =
	    find(m, first, size ? first + (size - 1) : first, false);
	struct memory_object made = {.address = first,
				     .size = size,
				     .class = (uint32_t) class,
				     .parent = row_of(m, around),
				     .born = memory_now(m),
				     .died = MEMORY_OPEN};
	struct id *bucket;

	if (class < 0 || m->objects.count >= MEMORY_NONE ||
	    (m->instances.count <= (size_t) class && !vec_push(&m->instances, 0))) {
		m->lines.failed = true;
		return;
	}
	if (around && around->size == size && around->class == made.class)
		return; /* it is made again */
	made.ordinal = m->instances.data[class]++;
	m->version++;
	m->sizes |= UINT64_C(1) << bits;
	bucket = ids_at(m->ids[OBJECT_IDS], bucket_of(m, bits, first >> bits));
	made.next = bucket ? bucket->row : MEMORY_NONE;
	m->lines.failed |= !bucket || !vec_push(&m->objects, made);
	if (!m->lines.failed)
		bucket->row = (uint32_t)m->objects.count - 1;
}

/* The youngest that starts there. */
void memory_delete(struct memory *m, const struct memory_record *r)
{
	struct memory_object *o = find(m, r->address, r->address, true);

	if (!o) {
		memory_note(m, MEMORY_NOTE_DELETED, MEMORY_NONE,
			    "an object is deleted where none is");
		return;
	}
	o->died = memory_now(m);
	m->version++;
}
