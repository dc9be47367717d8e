#include "config.h"

#include "capture/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/ids.h"
#include "base/intern.h"
#include "base/vec.h"
#include "capture/program.h"
#include "simulator/simulator.h"

enum {
	TEXT_MOST = 1 << 16,    /* bytes of a name or message */
	OBJECTS_MOST = 1 << 16, /* kept for rules */
	PENDING_MOST = 64
};

/* What has members that are not told of before it is met: until then the program may name them. */
struct pending {
	uint64_t address, size;
	size_t object; /* which it is one of */
};

/* What begins at an address. */
struct start {
	uint32_t alive;  /* objects, but for members */
	uint32_t object; /* whose members are in the trace, + 1; 0: none */
	bool named;      /* by the program, some time: its own names stand */
};

struct capture {
	const char *path;
	struct program *program; /* NULL: it has not begun */
	struct sbuf text, rest;  /* rest: bytes that are no whole record or text yet */
	struct intern *names;
	VEC(const char *) texts; /* by id - 1 */
	struct capture_totals totals;
	struct ids *known; /* rows of objects */
	VEC(struct capture_object) objects;
	struct ids *addresses; /* rows of starts */
	VEC(struct start) starts;
	VEC(struct pending) pending;
	bool failed; /* no memory */
};

struct capture *capture_new(const char *path)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->path = path;
	c->names = intern_new();
	c->known = ids_new();
	c->addresses = ids_new();
	if (c->names && c->known && c->addresses)
		return c;
	capture_free(c);
	return NULL;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->objects.count; i++)
		vec_free(&c->objects.data[i].members);
	vec_free(&c->objects);
	vec_free(&c->texts);
	vec_free(&c->starts);
	vec_free(&c->pending);
	ids_free(c->known);
	ids_free(c->addresses);
	intern_free(c->names);
	sbuf_free(&c->text);
	sbuf_free(&c->rest);
	program_close(c->program);
	free(c);
}

/* ---- objects ---- */

/* What has the same name and place is the same to rules. NULL: there are too many. */
static struct capture_object *know(struct capture *c, const char *name, enum capture_how how,
				   uint64_t address, uint64_t size)
{
	const int32_t kept = intern_add(c->names, name, strlen(name));
	const uint64_t key[] = {(uint64_t)kept, how, how == CAPTURE_NAMED ? 0 : address};
	struct capture_object made = {.how = how, .address = address, .size = size};
	struct id *id;

	if (c->objects.count == OBJECTS_MOST)
		return NULL;
	id = kept < 0 ? NULL : ids_at(c->known, ids_numbers(c->known, key, 3));
	made.name = id ? intern_name(c->names, kept) : NULL;
	if (!id || (id->row == IDS_NONE && !vec_push(&c->objects, made))) {
		c->failed = true;
		return NULL;
	}
	if (id->row == IDS_NONE)
		id->row = (uint32_t)c->objects.count - 1;
	return &c->objects.data[id->row];
}

/* Good until the next one is asked for; NULL: no memory. */
static struct start *start_at(struct capture *c, uint64_t address)
{
	struct id *id = ids_at(c->addresses, ids_number(c->addresses, address));

	if (id && id->row == IDS_NONE && vec_push(&c->starts, (struct start){0}))
		id->row = (uint32_t)c->starts.count - 1;
	c->failed |= !id || id->row == IDS_NONE;
	return c->failed ? NULL : &c->starts.data[id->row];
}

static void put_object(struct capture *c, const struct sim_record *r, const char *name)
{
	struct start *start = start_at(c, r->address);

	if (start)
		start->alive++;
	chiron_put_object(&c->text, name, r->address, r->other, r->cpu);
}

static void put_members(struct capture *c, size_t object, uint64_t address, uint64_t size,
			unsigned cpu)
{
	const members parts = c->objects.data[object].members;
	struct start *start;

	for (size_t i = 0; i < parts.count; i++) {
		const struct member *m = &parts.data[i];
		const uint64_t at = address + m->offset;

		start = start_at(c, at);
		if (!start || start->named || m->offset > size || m->size > size - m->offset)
			continue;
		chiron_put_object(&c->text, m->name, at, m->size, cpu);
		know(c, m->name, CAPTURE_FIXED, at, m->size);
	}
	start = start_at(c, address);
	if (start)
		start->object = (uint32_t)object + 1;
}

/* The one that has an address, which is none any more; false: there is none. */
static bool take_pending(struct capture *c, uint64_t address, struct pending *out)
{
	for (size_t i = 0; i < c->pending.count; i++) {
		*out = c->pending.data[i];
		if (address - out->address >= out->size)
			continue;
		c->pending.data[i] = vec_last(&c->pending);
		c->pending.count--;
		return true;
	}
	return false;
}

/* Static data is told of when it is met: most of a program's is not. */
static void meet_static(struct capture *c, const struct sim_record *r)
{
	struct symbol *v = binary_variable(c->program->binary, r->address);
	struct capture_object *o;

	if (!v || v->seen)
		return;
	v->seen = true;
	chiron_put_object(&c->text, v->name, v->address, v->size, r->cpu);
	o = know(c, v->name, CAPTURE_FIXED, v->address, v->size);
	if (!o)
		return;
	binary_members(c->program->binary, v, &o->members);
	put_members(c, (size_t)(o - c->objects.data), v->address, v->size, r->cpu);
}

static const char *text_of(const struct capture *c, uint32_t id)
{
	return id && id <= c->texts.count ? c->texts.data[id - 1] : NULL;
}

/* One that the program, or a rule, names. */
static bool take_named(struct capture *c, const struct sim_record *r)
{
	const uint64_t real = r->time ? (uint64_t)r->time : r->address; /* without rules */
	const char *name = text_of(c, r->text);
	struct start *start = name ? start_at(c, real) : NULL;

	if (start)
		start->named = true;
	if (name) {
		put_object(c, r, name);
		know(c, name, CAPTURE_NAMED, r->address, r->other);
	}
	return name;
}

static bool take_made(struct capture *c, const struct sim_record *r)
{
	const char *name = program_made(c->program, r->pc);
	const size_t before = c->objects.count;
	struct pending unmet = {.address = r->address, .size = r->other};
	struct capture_object *o;

	if (!name) {
		c->failed = true;
		return true;
	}
	put_object(c, r, name);
	o = know(c, name, CAPTURE_MADE, r->pc, r->other);
	if (c->objects.count > before)
		binary_pointee(c->program->binary, name, o->size, &o->members);
	if (!o || !o->members.count || o->size != r->other || c->pending.count == PENDING_MOST)
		return true;
	unmet.object = (size_t)(o - c->objects.data);
	c->failed |= !vec_push(&c->pending, unmet);
	return true;
}

/* The youngest of an address goes first: members before what they are members of. */
static void put_deletions(struct capture *c, size_t object, uint64_t address, unsigned cpu)
{
	const members parts = c->objects.data[object].members;

	for (size_t i = parts.count; i-- > 0;) {
		const uint64_t at = address + parts.data[i].offset;
		const struct start *start = start_at(c, at);

		if (start && !start->named)
			chiron_put_deletion(&c->text, at, cpu);
	}
}

/* Much that is freed is no object. */
static bool take_deletion(struct capture *c, const struct sim_record *r)
{
	struct start *start = start_at(c, r->address);
	struct pending unmet;
	uint32_t object;

	if (!start || !start->alive)
		return true;
	start->alive--;
	object = start->object;
	start->object = 0;
	if (object)
		put_deletions(c, object - 1, r->address, r->cpu);
	(void)take_pending(c, r->address, &unmet);
	chiron_put_deletion(&c->text, r->address, r->cpu);
	return true;
}

/* ---- records ---- */

static bool take_event(struct capture *c, const struct sim_record *r)
{
	struct capture_totals *t = &c->totals;
	const bool waited = r->type == SIM_READ || r->type == SIM_WRITE;
	struct pending met;

	meet_static(c, r);
	if (take_pending(c, r->address, &met))
		put_members(c, met.object, met.address, met.size, r->cpu);
	if (!chiron_put(&c->text, r, program_source(c->program, r->pc)))
		return false;
	t->misses += r->type == SIM_MISS && r->level == 1;
	t->references += waited;
	if (!waited && r->time > t->cycles)
		t->cycles = r->time;
	return true;
}

static bool take_end(struct capture *c, const struct sim_record *r)
{
	c->totals.state = CAPTURE_ENDED;
	c->totals.cycles = r->time;
	c->totals.references = r->other;
	return true;
}

/* Addresses in it, as "at 0x1234" and "mutex 0x1234", get their names. */
static bool take_reason(struct capture *c, const struct sim_record *r)
{
	const char *why = text_of(c, r->text), *number;
	struct sbuf message = {0};

	c->totals.state = CAPTURE_GAVE_UP;
	while (why && (number = strstr(why, " 0x"))) {
		char *end;
		const uint64_t address = strtoull(++number, &end, 16);

		sbuf_add(&message, why, (size_t)(number - why));
		program_put_address(c->program, address, &message);
		why = end;
	}
	sbuf_puts(&message, why ? why : "");
	c->totals.message = intern_take(c->names, &message);
	c->failed |= !c->totals.message;
	return why;
}

static bool take_begin(struct capture *c, const struct sim_record *r)
{
	if (r->type != SIM_BEGIN || r->time != SIM_RECORDS_VERSION) {
		c->totals.state = CAPTURE_FOREIGN;
		return false;
	}
	c->totals.state = CAPTURE_RUNS;
	c->program = program_open(c->path, r->other);
	c->failed |= !c->program;
	return true;
}

static bool take(struct capture *c, const struct sim_record *r)
{
	if (c->totals.state == CAPTURE_EMPTY)
		return take_begin(c, r);
	switch (r->type) {
	case SIM_CACHES:
		chiron_put_caches(&c->text, r);
		return true;
	case SIM_OBJECT:
		return r->text ? take_named(c, r) : take_made(c, r);
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

/* With the bytes that follow it; 0: they are not all there, or there is no telling how many. */
static size_t take_text(struct capture *c, const struct sim_record *r, const char *p, size_t len)
{
	const uint64_t bytes = (r->other + sizeof(*r) - 1) / sizeof(*r) * sizeof(*r);
	int32_t kept;

	if (r->text != c->texts.count + 1 || r->other > TEXT_MOST) {
		c->totals.state = CAPTURE_FOREIGN;
		c->totals.bad++;
		return 0;
	}
	if (len - sizeof(*r) < bytes)
		return 0;
	kept = intern_add(c->names, p + sizeof(*r), r->other);
	c->failed |= kept < 0 || !vec_push(&c->texts, intern_name(c->names, kept));
	return sizeof(*r) + bytes;
}

/* What comes next; how many bytes it has, 0: it is not all there. */
static size_t take_next(struct capture *c, const char *p, size_t len)
{
	struct sim_record r;

	if (len < sizeof(r))
		return 0;
	memcpy(&r, p, sizeof(r));
	if (c->totals.state != CAPTURE_EMPTY && r.type == SIM_TEXT)
		return take_text(c, &r, p, len);
	c->totals.bad += !take(c, &r);
	return sizeof(r);
}

enum status capture_feed(struct capture *c, const void *bytes, size_t len, struct error *e)
{
	struct sbuf *rest = &c->rest;
	size_t done = 0, part = 1;

	sbuf_add(rest, bytes, len);
	while (part && c->totals.state != CAPTURE_FOREIGN && !c->failed) {
		part = take_next(c, sbuf_text(rest) + done, rest->len - done);
		done += part;
		c->failed |= c->text.failed || rest->failed;
	}
	if (done)
		memmove(rest->text, rest->text + done, rest->len -= done);
	return c->failed ? error_set(e, STATUS_NOMEM, "not enough memory to record") : STATUS_OK;
}

struct sbuf *capture_text(struct capture *c)
{
	return &c->text;
}

const struct intern *capture_files(const struct capture *c)
{
	return c->program ? c->program->files : NULL;
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
