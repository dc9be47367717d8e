/*
 * Which object is where: those that live may lie within each other, or overlap.
 *
 * An object covers the largest aligned slots of sixteen to some power of bytes that lie in it as a
 * whole, some thirty of each size at most; a slot has a list of those that cover it, the smallest
 * first. So an address is in the objects of the slots around it, one of each size, and the smallest
 * of them is the smallest of the firsts. The dead leave a list when they are met in it.
 */
#include "config.h"

#include <stdlib.h>

#include "base/ids.h"
#include "memory/memory_private.h"

enum {
	SLOT_BITS = 4,
	SIZES = 64 / SLOT_BITS,
	NESTED_MOST = 64, /* objects looked at for the place among those around another */
	AGAIN_MOST = 8    /* and for one that is made again */
};

/* An object in the list of a slot. */
struct cover {
	uint32_t object, next;
};

struct memory_objects {
	struct ids *slots;     /* rows of firsts */
	VEC(uint32_t) firsts;  /* covers */
	VEC(struct cover) covers;
	uint32_t unused;       /* covers, by next */
	struct ids *starts;    /* the object that was made last at an address */
	VEC(uint32_t) below;   /* by object: made there before it, and not known to be dead then */
};

static bool dead(const struct memory *m, uint32_t object)
{
	return m->objects.data[object].died != MEMORY_OPEN;
}

/* The smaller one, of two of one size the younger. */
static bool is_before(const struct memory *m, uint32_t a, uint32_t b)
{
	const uint64_t sizes[2] = {m->objects.data[a].size, m->objects.data[b].size};

	return sizes[0] != sizes[1] ? sizes[0] < sizes[1] : a > b;
}

/* ---- slots ---- */

/* The first of a list that lives; the dead before it are gone. */
static uint32_t living(const struct memory *m, uint32_t *list)
{
	struct memory_objects *o = m->alive;

	while (*list != MEMORY_NONE && dead(m, o->covers.data[*list].object)) {
		const uint32_t gone = *list;

		*list = o->covers.data[gone].next;
		o->covers.data[gone].next = o->unused;
		o->unused = gone;
	}
	return *list == MEMORY_NONE ? MEMORY_NONE : o->covers.data[*list].object;
}

/* The slot of 16^size bytes around an address. */
static uint64_t slot_of(const struct memory_objects *o, unsigned size, uint64_t address)
{
	return ids_numbers(o->slots, (const uint64_t[]){address >> size * SLOT_BITS, size}, 2);
}

/* Behind the smaller ones; one that is around very many is left out. */
static bool cover(struct memory *m, unsigned size, uint64_t address, uint32_t object)
{
	struct memory_objects *o = m->alive;
	struct id *slot = ids_at(o->slots, slot_of(o, size, address));
	uint32_t *list, made = o->unused, other;
	int before = 0;

	if (!slot || (slot->row == IDS_NONE && !vec_push(&o->firsts, MEMORY_NONE)))
		return false;
	if (slot->row == IDS_NONE)
		slot->row = (uint32_t)o->firsts.count - 1;
	if (made == MEMORY_NONE && !vec_push(&o->covers, ((struct cover){0, MEMORY_NONE})))
		return false;
	made = made == MEMORY_NONE ? (uint32_t)o->covers.count - 1 : made;
	o->unused = o->covers.data[made].next;
	list = &o->firsts.data[slot->row];
	while ((other = living(m, list)) != MEMORY_NONE && is_before(m, other, object) &&
	       before++ < NESTED_MOST)
		list = &o->covers.data[*list].next;
	o->covers.data[made] = (struct cover){object, *list};
	*list = made;
	return true;
}

/* [first, last]: slots that grow as far as the address is a multiple of them, and end within it. */
static bool cover_all(struct memory *m, uint64_t first, uint64_t last, uint32_t object)
{
	for (;;) {
		unsigned size = 0;
		uint64_t within = 0;

		while (size + 1 < SIZES) {
			const uint64_t wider = within << SLOT_BITS | (SIZES - 1);

			if (first & wider || wider > last - first)
				break;
			within = wider;
			size++;
		}
		if (!cover(m, size, first, object))
			return false;
		if (first + within == last)
			return true;
		first += within + 1;
	}
}

uint32_t memory_object_at(struct memory *m, uint64_t address)
{
	const struct memory_objects *o = m->alive;
	uint32_t best = MEMORY_NONE;

	for (unsigned size = 0; size < SIZES; size++) {
		const uint32_t row = ids_find(o->slots, slot_of(o, size, address));
		const uint32_t here = row == IDS_NONE ? MEMORY_NONE : living(m, &o->firsts.data[row]);

		if (here != MEMORY_NONE && (best == MEMORY_NONE || is_before(m, here, best)))
			best = here;
	}
	return best;
}

/* ---- creation and deletion ---- */

static int64_t now(const struct memory *m)
{
	return m->lines.last < m->lines.first ? 0 : m->lines.last;
}

/* The smallest that has all of [first, last]. */
static uint32_t object_around(struct memory *m, uint64_t first, uint64_t last)
{
	uint32_t object = memory_object_at(m, first);

	for (int i = 0; i < NESTED_MOST && object != MEMORY_NONE; i++) {
		const struct memory_object *o = &m->objects.data[object];

		if (o->address <= first && o->address + (o->size - 1) >= last)
			return object;
		object = o->parent;
	}
	return MEMORY_NONE;
}

/* One that lives there already: it is made again. */
static bool lives_there(const struct memory *m, uint32_t object, const char *name, size_t len,
			uint64_t size)
{
	for (int i = 0; i < AGAIN_MOST && object != MEMORY_NONE; i++) {
		const struct memory_object *o = &m->objects.data[object];

		if (!dead(m, object) && o->size == size &&
		    intern_find(m->classes, name, len) == (int32_t)o->class)
			return true;
		object = m->alive->below.data[object];
	}
	return false;
}

static uint32_t youngest_living(const struct memory *m, uint32_t object)
{
	while (object != MEMORY_NONE && dead(m, object))
		object = m->alive->below.data[object];
	return object;
}

static bool number_class(struct memory *m, const char *name, size_t len, struct memory_object *out)
{
	const int32_t class = intern_add(m->classes, name, len);

	if (class < 0 || (m->instances.count <= (size_t) class && !vec_push(&m->instances, 0)))
		return false;
	out->class = (uint32_t) class;
	out->ordinal = m->instances.data[class]++;
	return true;
}

static bool create(struct memory *m, const struct memory_record *r)
{
	struct memory_objects *o = m->alive;
	struct memory_object made = {.address = r->address, .born = now(m), .died = MEMORY_OPEN};
	const uint64_t most = UINT64_MAX - r->address; /* the last byte of all belongs to nobody */
	const uint32_t row = (uint32_t)m->objects.count;
	struct id *start = ids_at(o->starts, ids_number(o->starts, r->address));

	made.size = r->size < most ? r->size : most;
	if (start && lives_there(m, start->row, r->name, r->name_len, made.size))
		return true;
	if (!start || row == MEMORY_NONE || !number_class(m, r->name, r->name_len, &made))
		return false;
	made.parent = made.size ? object_around(m, made.address, made.address + (made.size - 1))
				: memory_object_at(m, made.address);
	if (!vec_reserve(&m->objects, 1) || !vec_push(&o->below, youngest_living(m, start->row)))
		return false;
	vec_push(&m->objects, made);
	start->row = row;
	m->version++;
	return !made.size ||
	       cover_all(m, made.address, made.address + (made.size - 1), row);
}

void memory_create(struct memory *m, const struct memory_record *r)
{
	if (!create(m, r))
		m->lines.failed = true;
}

/* The youngest that starts there. The dead before it are not looked at again. */
void memory_delete(struct memory *m, const struct memory_record *r)
{
	struct memory_objects *o = m->alive;
	const uint64_t id = ids_number(o->starts, r->address);
	uint32_t object = ids_find(o->starts, id);

	while (object != MEMORY_NONE && dead(m, object) && o->below.data[object] != MEMORY_NONE)
		object = o->below.data[object];
	if (object == MEMORY_NONE || dead(m, object)) {
		memory_note(m, MEMORY_NOTE_DELETED, "an object is deleted where none is");
	} else {
		m->objects.data[object].died = now(m);
		m->version++;
	}
	if (object != MEMORY_NONE)
		ids_at(o->starts, id)->row = object;
}

bool memory_objects_begin(struct memory *m)
{
	struct memory_objects *o = calloc(1, sizeof(*o));

	m->alive = o;
	if (!o)
		return false;
	o->unused = MEMORY_NONE;
	o->starts = ids_new();
	m->version = 1;
	o->slots = ids_new();
	return o->starts && o->slots;
}

void memory_objects_free(struct memory *m)
{
	struct memory_objects *o = m->alive;

	if (!o)
		return;
	ids_free(o->starts);
	ids_free(o->slots);
	vec_free(&o->firsts);
	vec_free(&o->covers);
	vec_free(&o->below);
	free(o);
	m->alive = NULL;
}
