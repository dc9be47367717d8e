/*
 * Which object is where: those that live may lie within each other, or overlap.
 *
 * Memory is cut into buckets of each power of two bytes. An object is in the list of the one or two
 * that it touches of the least size that is not below its own, the youngest first. So whatever has
 * an address is in the list of one bucket of each size, with few others of about its size. The dead
 * leave a list when they are met in it.
 */
#include "config.h"

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

static uint64_t bucket_of(const struct memory *m, unsigned bits, uint64_t address)
{
	return ids_numbers(m->ids[OBJECT_IDS], (const uint64_t[]){address >> bits, bits}, 2);
}

/* That lives; the dead before it are gone. */
static uint32_t next_entry(const struct memory *m, uint32_t entry)
{
	uint32_t *next = &m->alive.next.data[entry];

	while (*next != MEMORY_NONE && dead(m, *next))
		*next = m->alive.next.data[*next];
	return *next;
}

static bool list(struct memory *m, unsigned bits, uint64_t address, uint32_t entry)
{
	struct id *bucket = ids_at(m->ids[OBJECT_IDS], bucket_of(m, bits, address));

	if (!bucket)
		return false;
	m->alive.next.data[entry] = bucket->row;
	bucket->row = entry;
	m->alive.sizes |= UINT64_C(1) << bits;
	return true;
}

/* ---- finding ---- */

static bool has(const struct memory_object *o, uint64_t first, uint64_t last)
{
	return o->size && o->address <= first && o->address + (o->size - 1) >= last;
}

/*
 * The smallest that has all of [first, last]; start: any that begins there. Of equals the youngest.
 */
static uint32_t find(const struct memory *m, uint64_t first, uint64_t last, bool start)
{
	uint32_t best = MEMORY_NONE;
	uint64_t least = 0;

	for (uint64_t left = m->alive.sizes; left; left &= left - 1) {
		const unsigned bits = (unsigned)__builtin_ctzll(left);
		uint32_t entry = ids_find(m->ids[OBJECT_IDS], bucket_of(m, bits, first));

		for (int i = 0; i < LOOKED_AT && entry != MEMORY_NONE;
		     i++, entry = next_entry(m, entry)) {
			const struct memory_object *o = &m->objects.data[entry / 2];
			const uint64_t size = start ? 0 : o->size;

			if (dead(m, entry) ||
			    !(start ? o->address == first : has(o, first, last)) ||
			    (best != MEMORY_NONE &&
			     (size > least || (size == least && entry / 2 <= best))))
				continue;
			best = entry / 2;
			least = size;
		}
	}
	return best;
}

uint32_t memory_object_at(struct memory *m, uint64_t address)
{
	return find(m, address, address, false);
}

/* ---- creation and deletion ---- */

void memory_create(struct memory *m, const struct memory_record *r)
{
	const uint64_t most = UINT64_MAX - r->address; /* the last byte of all belongs to nobody */
	const uint64_t size = r->size < most ? r->size : most, first = r->address;
	const uint64_t last = size ? first + (size - 1) : first;
	const unsigned bits = bucket_bits(size);
	const uint32_t entry = 2 * (uint32_t)m->objects.count;
	const int32_t class = intern_add(m->classes, r->name, r->name_len);
	struct memory_object made = {.address = first,
				     .size = size,
				     .class = (uint32_t) class,
				     .born = memory_now(m),
				     .died = MEMORY_OPEN};

	if (class < 0 || m->objects.count >= MEMORY_NONE / 2 ||
	    (m->instances.count <= (size_t) class && !vec_push(&m->instances, 0))) {
		m->lines.failed = true;
		return;
	}
	made.parent = find(m, first, last, false);
	if (made.parent != MEMORY_NONE && m->objects.data[made.parent].size == size &&
	    m->objects.data[made.parent].class == made.class)
		return; /* it is made again */
	made.ordinal = m->instances.data[class]++;
	m->version++;
	m->lines.failed |= !vec_push(&m->alive.next, MEMORY_NONE) ||
			   !vec_push(&m->alive.next, MEMORY_NONE) || !vec_push(&m->objects, made) ||
			   !list(m, bits, first, entry) ||
			   (first >> bits != last >> bits && !list(m, bits, last, entry + 1));
}

/* The youngest that starts there. */
void memory_delete(struct memory *m, const struct memory_record *r)
{
	const uint32_t object = find(m, r->address, r->address, true);

	if (object == MEMORY_NONE) {
		memory_note(m, MEMORY_NOTE_DELETED, "an object is deleted where none is");
	} else {
		m->objects.data[object].died = memory_now(m);
		m->version++;
	}
}
