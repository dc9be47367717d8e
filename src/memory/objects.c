/*
 * Which object is where: those that live may lie within each other, or overlap.
 *
 * A tree of addresses, four bits a level. An object covers the largest slots that lie in it as a
 * whole, some thirty a level at most; a slot has those that cover it, the smallest first, as a
 * leftist heap. So an address is in the objects of the slots on its way down, and the smallest of
 * them is the smallest of the firsts. The dead leave a heap when they come to its front.
 */
#include "config.h"

#include <stdlib.h>

#include "base/ids.h"
#include "memory/memory_private.h"

enum {
	SLOT_BITS = 4,
	SLOTS = 1 << SLOT_BITS,
	ROOT_SHIFT = 64 - SLOT_BITS,
	AROUND_MOST = 64, /* objects looked at for the one around another */
	AGAIN_MOST = 8    /* and for one that is made again */
};

struct node {
	uint32_t child[SLOTS]; /* 0: none */
	uint32_t cover[SLOTS]; /* MEMORY_NONE: none */
};

/* An object in a heap; rank: of the shortest way to where one is missing. */
struct cover {
	uint32_t object, left, right, rank;
};

struct memory_objects {
	VEC(struct node) nodes;
	VEC(struct cover) covers;
	uint32_t unused;       /* covers, by left */
	struct ids *starts;    /* the object that was made last at an address */
	VEC(uint32_t) below;   /* by object: made there before it, and not known to be dead then */
	VEC(uint32_t) members; /* by class */
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

/* ---- heaps ---- */

static uint32_t rank_of(const struct memory_objects *o, uint32_t cover)
{
	return cover == MEMORY_NONE ? 0 : o->covers.data[cover].rank;
}

/* The way down is along the right, where a heap of n is at most log2 n deep. */
static uint32_t merge(const struct memory *m, uint32_t a, uint32_t b)
{
	const struct memory_objects *o = m->alive;
	struct cover *top;
	uint32_t swap;

	if (a == MEMORY_NONE || b == MEMORY_NONE)
		return a == MEMORY_NONE ? b : a;
	if (is_before(m, o->covers.data[b].object, o->covers.data[a].object)) {
		swap = a;
		a = b;
		b = swap;
	}
	top = &o->covers.data[a];
	top->right = merge(m, top->right, b);
	if (rank_of(o, top->left) < rank_of(o, top->right)) {
		swap = top->left;
		top->left = top->right;
		top->right = swap;
	}
	top->rank = rank_of(o, top->right) + 1;
	return a;
}

/* The first that lives; the dead before it are gone. */
static uint32_t living(struct memory *m, uint32_t *heap)
{
	struct memory_objects *o = m->alive;

	while (*heap != MEMORY_NONE && dead(m, o->covers.data[*heap].object)) {
		struct cover *gone = &o->covers.data[*heap];
		const uint32_t rest = merge(m, gone->left, gone->right);

		gone->left = o->unused;
		o->unused = *heap;
		*heap = rest;
	}
	return *heap == MEMORY_NONE ? MEMORY_NONE : o->covers.data[*heap].object;
}

static uint32_t new_cover(struct memory_objects *o, uint32_t object)
{
	const struct cover cover = {object, MEMORY_NONE, MEMORY_NONE, 1};
	const uint32_t at = o->unused;

	if (at == MEMORY_NONE)
		return vec_push(&o->covers, cover) ? (uint32_t)o->covers.count - 1 : MEMORY_NONE;
	o->unused = o->covers.data[at].left;
	o->covers.data[at] = cover;
	return at;
}

static bool push(struct memory *m, uint32_t *heap, uint32_t object)
{
	const uint32_t cover = new_cover(m->alive, object);

	if (cover == MEMORY_NONE)
		return false;
	living(m, heap);
	*heap = merge(m, *heap, cover);
	return true;
}

/* ---- the tree ---- */

static uint32_t new_node(struct memory_objects *o)
{
	struct node node = {.child = {0}};

	for (int i = 0; i < SLOTS; i++)
		node.cover[i] = MEMORY_NONE;
	return vec_push(&o->nodes, node) ? (uint32_t)o->nodes.count - 1 : MEMORY_NONE;
}

static uint32_t child_of(struct memory_objects *o, uint32_t node, unsigned slot)
{
	if (!o->nodes.data[node].child[slot]) {
		const uint32_t child = new_node(o);

		if (child == MEMORY_NONE)
			return MEMORY_NONE;
		o->nodes.data[node].child[slot] = child;
	}
	return o->nodes.data[node].child[slot];
}

/* [first, last] lies within the node, whose slots have 2^shift addresses. */
static bool cover(struct memory *m, uint32_t node, unsigned shift, uint64_t first, uint64_t last,
		  uint32_t object)
{
	const uint64_t within = (UINT64_C(1) << shift) - 1;

	for (;;) {
		const unsigned slot = (unsigned)(first >> shift) % SLOTS;
		const uint64_t end = first | within, to = end < last ? end : last;

		if (!(first & within) && to == end) {
			if (!push(m, &m->alive->nodes.data[node].cover[slot], object))
				return false;
		} else {
			const uint32_t child = child_of(m->alive, node, slot);

			if (child == MEMORY_NONE ||
			    !cover(m, child, shift - SLOT_BITS, first, to, object))
				return false;
		}
		if (to == last)
			return true;
		first = to + 1;
	}
}

uint32_t memory_object_at(struct memory *m, uint64_t address)
{
	const struct memory_objects *o = m->alive;
	uint32_t best = MEMORY_NONE, node = 0;

	for (unsigned shift = ROOT_SHIFT;; shift -= SLOT_BITS) {
		const unsigned slot = (unsigned)(address >> shift) % SLOTS;
		const uint32_t here = living(m, &o->nodes.data[node].cover[slot]);

		if (here != MEMORY_NONE && (best == MEMORY_NONE || is_before(m, here, best)))
			best = here;
		node = o->nodes.data[node].child[slot];
		if (!node)
			return best;
	}
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

	for (int i = 0; i < AROUND_MOST && object != MEMORY_NONE; i++) {
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

	if (class < 0 ||
	    (m->alive->members.count <= (size_t) class && !vec_push(&m->alive->members, 0)))
		return false;
	out->class = (uint32_t) class;
	out->ordinal = m->alive->members.data[class]++;
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
	       cover(m, 0, ROOT_SHIFT, made.address, made.address + (made.size - 1), row);
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
	return o->starts && new_node(o) != MEMORY_NONE;
}

void memory_objects_free(struct memory *m)
{
	struct memory_objects *o = m->alive;

	if (!o)
		return;
	ids_free(o->starts);
	vec_free(&o->nodes);
	vec_free(&o->covers);
	vec_free(&o->below);
	vec_free(&o->members);
	free(o);
	m->alive = NULL;
}
