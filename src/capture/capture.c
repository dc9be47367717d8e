#include "config.h"

#include "capture/capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ids.h"
#include "base/intern.h"
#include "base/vec.h"
#include "simulator/simulator.h"

enum {
	TEXT_MOST = 1 << 16,    /* bytes of a name or message */
	OBJECTS_MOST = 1 << 16, /* kept for rules */
	MEMBERS_MOST = 256,     /* of one object */
	PENDING_MOST = 64
};

/* What has members that are not told of before it is met: until then the program may name them. */
struct pending {
	uint64_t address, size;
	const char *name;
};

/* The members of an object, which go with it. */
typedef VEC(uint64_t) addresses;

struct capture {
	struct program *program;
	enum capture_state state;
	struct sbuf text, rest; /* rest: the beginning of a record, or of a text's bytes */
	uint64_t text_bytes;    /* that come next, with padding; 0: a record comes next */
	uint64_t text_len;      /* without */
	struct intern *names;
	VEC(const char *) texts; /* by id - 1 */
	struct sbuf message;
	struct capture_totals totals;
	const struct capture_object *expected; /* by the rules */
	size_t expected_count;
	struct ids *known; /* of objects */
	VEC(struct capture_object) objects;
	struct ids *starts; /* of objects with members: a row of */
	VEC(addresses) members;
	VEC(struct pending) pending;
	struct ids *named; /* addresses of what the program named */
	struct ids *there; /* addresses of objects: how many of them begin there now */
	bool failed; /* no memory */
};

struct capture *capture_new(struct program *p)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->program = p;
	c->names = intern_new();
	c->known = ids_new();
	c->starts = ids_new();
	c->named = ids_new();
	c->there = ids_new();
	if (c->names && c->known && c->starts && c->named && c->there)
		return c;
	capture_free(c);
	return NULL;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->members.count; i++)
		vec_free(&c->members.data[i]);
	vec_free(&c->members);
	vec_free(&c->objects);
	vec_free(&c->texts);
	ids_free(c->known);
	ids_free(c->starts);
	ids_free(c->named);
	ids_free(c->there);
	vec_free(&c->pending);
	intern_free(c->names);
	sbuf_free(&c->text);
	sbuf_free(&c->rest);
	sbuf_free(&c->message);
	free(c);
}

void capture_expect(struct capture *c, const struct capture_object *moved, size_t count)
{
	c->expected = moved;
	c->expected_count = count;
}

/* ---- objects ---- */

static struct binary *data_of(const struct capture *c)
{
	return c->program ? program_binary(c->program) : NULL;
}

/* One that rules can name; what has the same name and place is the same to them. */
static void know(struct capture *c, const char *name, enum capture_how how, uint64_t address,
		 uint64_t size)
{
	const int32_t kept = intern_add(c->names, name, strlen(name));
	const uint64_t key[] = {(uint64_t)kept, how, how == CAPTURE_NAMED ? 0 : address};
	struct id *id;

	if (c->objects.count == OBJECTS_MOST)
		return;
	id = kept < 0 ? NULL : ids_at(c->known, ids_numbers(c->known, key, 3));
	if (!id) {
		c->failed = true;
		return;
	}
	if (id->row != IDS_NONE) {
		c->objects.data[id->row].count++;
		return;
	}
	id->row = (uint32_t)c->objects.count;
	c->failed |= !vec_push(&c->objects, ((struct capture_object){intern_name(c->names, kept), how,
								     address, size, 1}));
}

/* Where the members of an object at an address are kept; NULL: no memory. */
static addresses *members_at(struct capture *c, uint64_t address)
{
	struct id *id = ids_at(c->starts, ids_number(c->starts, address));

	if (!id)
		return NULL;
	if (id->row == IDS_NONE) {
		if (!vec_push(&c->members, (addresses){0}))
			return NULL;
		id->row = (uint32_t)c->members.count - 1;
	}
	return &c->members.data[id->row];
}

static void put_members(struct capture *c, const struct member *members, size_t count,
			uint64_t address, uint64_t size, unsigned cpu)
{
	addresses *kept = count ? members_at(c, address) : NULL;

	c->failed |= count && !kept;
	for (size_t i = 0; kept && i < count && i < MEMBERS_MOST; i++) {
		const struct member *m = &members[i];
		const uint64_t named = ids_number(c->named, address + m->offset);
		uint64_t end;

		if (__builtin_add_overflow(m->offset, m->size, &end) || end > size ||
		    ids_find(c->named, named) != IDS_NONE) /* the program's own name stands */
			continue;
		chiron_put_object(&c->text, m->name, address + m->offset, m->size, cpu);
		know(c, m->name, CAPTURE_FIXED, address + m->offset, m->size);
		c->failed |= !vec_push(kept, address + m->offset);
	}
}

static void meet_pending(struct capture *c, const struct sim_record *r)
{
	for (size_t i = 0; i < c->pending.count; i++) {
		const struct pending p = c->pending.data[i];
		const struct member *members;
		size_t count;

		if (r->address - p.address >= p.size)
			continue;
		c->pending.data[i] = vec_last(&c->pending);
		c->pending.count--;
		count = binary_pointee(data_of(c), p.name, p.size, &members);
		put_members(c, members, count, p.address, p.size, r->cpu);
		return;
	}
}

static void forget_pending(struct capture *c, uint64_t address)
{
	for (size_t i = 0; i < c->pending.count; i++)
		if (c->pending.data[i].address == address) {
			c->pending.data[i] = vec_last(&c->pending);
			c->pending.count--;
			return;
		}
}

/* Static data is told of when it is met: most of a program's is not. */
static void meet_static(struct capture *c, const struct sim_record *r)
{
	const struct member *members;
	struct variable *v;
	const char *name;
	uint64_t start;
	size_t count;

	v = binary_variable(data_of(c), r->address, &start);
	if (!v || v->seen)
		return;
	v->seen = true;
	name = binary_name(data_of(c), v);
	chiron_put_object(&c->text, name, start, v->size, r->cpu);
	know(c, name, CAPTURE_FIXED, start, v->size);
	count = binary_members(data_of(c), v, &members);
	put_members(c, members, count, start, v->size, r->cpu);
}

/* Static data, or a part of it, that a rule moved: told of when it all begins. */
static const char *moved_name(struct capture *c, const struct sim_record *r)
{
	uint64_t start;
	struct variable *v;

	for (size_t i = 0; i < c->expected_count; i++)
		if (c->expected[i].how == CAPTURE_FIXED && c->expected[i].address == (uint64_t)r->time)
			return c->expected[i].name;
	v = binary_variable(data_of(c), (uint64_t)r->time, &start);
	return v ? binary_name(data_of(c), v) : "?";
}

static const char *text_of(const struct capture *c, uint32_t id)
{
	return id && id <= c->texts.count ? c->texts.data[id - 1] : NULL;
}

static bool take_object(struct capture *c, const struct sim_record *r)
{
	const char *given = r->text || r->pc ? text_of(c, r->text) : moved_name(c, r), *made;
	const uint64_t real = r->time ? (uint64_t)r->time : r->address; /* without rules */
	struct id *id = given ? ids_at(c->named, ids_number(c->named, real)) : NULL;
	struct id *there = ids_at(c->there, ids_number(c->there, r->address));
	const struct member *members;

	if (r->text && !given)
		return false;
	made = given ? given : c->program ? program_made(c->program, r->pc) : "?";
	if (!made) {
		c->failed = true;
		return true;
	}
	chiron_put_object(&c->text, made, r->address, r->other, r->cpu);
	know(c, made, given ? CAPTURE_NAMED : CAPTURE_MADE, given ? r->address : r->pc, r->other);
	if (id)
		id->row = 0;
	if (there)
		there->row = there->row == IDS_NONE ? 1 : there->row + 1;
	if (!given && c->program && c->pending.count < PENDING_MOST &&
	    binary_pointee(data_of(c), made, r->other, &members))
		c->failed |= !vec_push(&c->pending, ((struct pending){r->address, r->other, made}));
	return true;
}

/*
 * The youngest of an address goes first: members before what they are members of. Much that is freed
 * is no object.
 */
static bool take_deletion(struct capture *c, const struct sim_record *r)
{
	const uint32_t row = ids_find(c->starts, ids_number(c->starts, r->address));
	struct id *there = ids_slot(c->there, ids_number(c->there, r->address));

	if (there->row == IDS_NONE || !there->row)
		return true;
	there->row--;
	if (row != IDS_NONE) {
		addresses *members = &c->members.data[row];

		while (members->count)
			chiron_put_deletion(&c->text, members->data[--members->count], r->cpu);
	}
	forget_pending(c, r->address);
	chiron_put_deletion(&c->text, r->address, r->cpu);
	return true;
}

/* ---- records ---- */

static bool take_event(struct capture *c, const struct sim_record *r)
{
	struct capture_totals *t = &c->totals;
	const bool waited = r->type == SIM_READ || r->type == SIM_WRITE;

	meet_static(c, r);
	meet_pending(c, r);
	if (!chiron_put(&c->text, r, c->program ? program_source(c->program, r->pc) : 0))
		return false;
	t->misses += r->type == SIM_MISS && r->level == 1;
	t->references += waited;
	if (waited)
		t->waited += (uint64_t)r->time;
	else if (r->time > t->cycles)
		t->cycles = r->time;
	return true;
}

static bool take_end(struct capture *c, const struct sim_record *r)
{
	c->state = CAPTURE_ENDED;
	c->totals.cycles = r->time;
	c->totals.references = r->other;
	c->totals.waited = r->address;
	return true;
}

static bool take_text(struct capture *c, const struct sim_record *r)
{
	if (r->text != c->texts.count + 1 || r->other > TEXT_MOST) {
		c->state = CAPTURE_FOREIGN; /* where the next record begins is not known */
		return false;
	}
	c->text_len = r->other;
	c->text_bytes = (r->other + sizeof(*r) - 1) / sizeof(*r) * sizeof(*r);
	if (!r->other)
		c->failed |= !vec_push(&c->texts, "");
	return true;
}

/* "at 0x1234" is a place in the source, "mutex 0x1234" a variable, if there is one. */
static void put_address(struct capture *c, uint64_t address, bool is_code)
{
	const struct variable *v;
	uint64_t start;

	v = is_code ? NULL : binary_variable(data_of(c), address, &start);
	if (is_code)
		program_put_place(c->program, address, &c->message);
	else if (v && start == address)
		sbuf_puts(&c->message, binary_name(data_of(c), v));
	else
		sbuf_printf(&c->message, "0x%" PRIx64, address);
}

static bool take_reason(struct capture *c, const struct sim_record *r)
{
	const char *why = text_of(c, r->text), *number;

	c->state = CAPTURE_GAVE_UP;
	sbuf_clear(&c->message);
	while (c->program && why && (number = strstr(why, " 0x"))) {
		char *end;
		const uint64_t address = strtoull(++number, &end, 16);

		sbuf_add(&c->message, why, (size_t)(number - why));
		put_address(c, address,
			    number - why >= 3 && memcmp(number - 3, "at ", 3) == 0);
		why = end;
	}
	sbuf_puts(&c->message, why ? why : "");
	return why != NULL;
}

static bool take_begin(struct capture *c, const struct sim_record *r)
{
	if (r->type != SIM_BEGIN || r->time != SIM_RECORDS_VERSION) {
		c->state = CAPTURE_FOREIGN;
		return false;
	}
	c->state = CAPTURE_RUNS;
	if (c->program)
		program_load(c->program, r->other);
	return true;
}

static bool take(struct capture *c, const struct sim_record *r)
{
	if (c->state == CAPTURE_EMPTY)
		return take_begin(c, r);
	switch (r->type) {
	case SIM_CACHES:
		chiron_put_caches(&c->text, r);
		return true;
	case SIM_TEXT:
		return take_text(c, r);
	case SIM_OBJECT:
		return take_object(c, r);
	case SIM_DELETED:
		return take_deletion(c, r);
	case SIM_GAVE_UP:
		return take_reason(c, r);
	case SIM_END:
		return take_end(c, r);
	default:
		return take_event(c, r);
	}
}

/* ---- bytes ---- */

/* The bytes of a text, as far as they are there; how many were taken. */
static size_t take_bytes(struct capture *c, const char *p, size_t len)
{
	const size_t part = len < c->text_bytes ? len : (size_t)c->text_bytes;
	int32_t kept;

	sbuf_add(&c->rest, p, part);
	c->text_bytes -= part;
	if (c->text_bytes)
		return part;
	kept = c->rest.failed ? -1 : intern_add(c->names, sbuf_text(&c->rest), c->text_len);
	c->failed |= kept < 0 || !vec_push(&c->texts, intern_name(c->names, kept));
	sbuf_clear(&c->rest);
	return part;
}

/* A record that is there as a whole, or as much of one as there is. */
static size_t take_record(struct capture *c, const char *p, size_t len)
{
	struct sim_record r;
	const size_t had = c->rest.len, missing = sizeof(r) - had,
		     part = len < missing ? len : missing;

	if (part < missing) {
		sbuf_add(&c->rest, p, part);
		return part;
	}
	memcpy(&r, sbuf_text(&c->rest), had);
	memcpy((char *)&r + had, p, part);
	sbuf_clear(&c->rest);
	c->totals.bad += !take(c, &r);
	return part;
}

enum status capture_feed(struct capture *c, const void *bytes, size_t len, struct error *e)
{
	const char *p = bytes, *const end = p + len;

	while (p < end && c->state != CAPTURE_FOREIGN && !c->failed) {
		const size_t left = (size_t)(end - p);

		if (c->text_bytes)
			p += take_bytes(c, p, left);
		else
			p += take_record(c, p, left);
		c->failed |= c->text.failed || c->rest.failed;
	}
	return c->failed ? error_set(e, STATUS_NOMEM, "not enough memory to record") : STATUS_OK;
}

struct sbuf *capture_text(struct capture *c)
{
	return &c->text;
}

enum capture_state capture_state(const struct capture *c)
{
	return c->state;
}

const char *capture_message(const struct capture *c)
{
	return sbuf_text(&c->message);
}

const struct capture_totals *capture_totals(const struct capture *c)
{
	return &c->totals;
}

size_t capture_objects(const struct capture *c, const struct capture_object **out)
{
	*out = c->objects.data;
	return c->objects.count;
}
