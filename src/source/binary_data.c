/* The static data of an executable: see binary.h. */
#include "config.h"

#include "source/binary.h"

#ifndef HAVE_LIBDW

bool binary_load(struct binary *b, const char *variable, uint64_t address)
{
	(void)b, (void)variable, (void)address;
	return false;
}

struct variable *binary_variable(struct binary *b, uint64_t address, uint64_t *start)
{
	(void)b, (void)address, (void)start;
	return NULL;
}

const char *binary_name(struct binary *b, const struct variable *v)
{
	(void)b;
	return v->name;
}

size_t binary_members(struct binary *b, const struct variable *v, const struct member **out)
{
	(void)b, (void)v, (void)out;
	return 0;
}

size_t binary_pointee(struct binary *b, const char *name, uint64_t size, const struct member **out)
{
	(void)b, (void)name, (void)size, (void)out;
	return 0;
}

void binary_files(struct binary *b, void (*take)(void *context, const char *path), void *context)
{
	(void)b, (void)take, (void)context;
}

#else

#include <dwarf.h>

#include "base/bisect.h"
#include "base/sbuf.h"
#include "source/binary_private.h"

enum { DEPTH_MOST = 8 }; /* of namespaces */

bool binary_load(struct binary *b, const char *variable, uint64_t address)
{
	for (size_t i = 0; b && i < b->variables.count; i++)
		if (strcmp(b->variables.data[i].name, variable) == 0) {
			b->bias = address - b->variables.data[i].address;
			return true;
		}
	return false;
}

struct variable *binary_variable(struct binary *b, uint64_t address, uint64_t *start)
{
	const uint64_t linked = b ? address - b->bias : 0;
	size_t low = 0, high = b ? b->variables.count : 0;
	struct variable *v;

	bisect(low, high, i, b->variables.data[i].address <= linked);
	v = low ? &b->variables.data[low - 1] : NULL;
	if (!v || linked - v->address >= v->size)
		return NULL;
	*start = v->address + b->bias;
	return v;
}

/* ---- what DWARF declares ---- */

static uint64_t fixed_address(Dwarf_Die *die)
{
	Dwarf_Attribute at;
	Dwarf_Op *op;
	size_t count;

	return dwarf_attr_integrate(die, DW_AT_location, &at) &&
		       dwarf_getlocation(&at, &op, &count) == 0 && count == 1 &&
		       op[0].atom == DW_OP_addr
		   ? op[0].number
		   : 0;
}

static void declare(struct binary *b, Dwarf_Die *die, const char *name)
{
	const int32_t id = intern_add(b->declared_names, name, strlen(name));
	struct declared d = {name, fixed_address(die), dwarf_dieoffset(die), 0};

	if (id < 0 || ((size_t)id == b->last_of.count && !vec_push(&b->last_of, 0)))
		return;
	d.next = b->last_of.data[id];
	if (vec_push(&b->declared, d))
		b->last_of.data[id] = b->declared.count;
}

static void walk(struct binary *b, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MOST || dwarf_child(parent, &die) != 0)
		return;
	do {
		const int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_variable ? dwarf_diename(&die) : NULL;

		if (tag == DW_TAG_namespace)
			walk(b, &die, depth + 1);
		if (name)
			declare(b, &die, name);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void walk_all(struct binary *b)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	while (!b->walked && binary_next_unit(b, &at, &unit))
		walk(b, &unit, 0);
	b->walked = true;
}

void binary_files(struct binary *b, void (*take)(void *context, const char *path), void *context)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	while (b && binary_next_unit(b, &at, &unit)) {
		Dwarf_Files *files;
		size_t count;

		if (dwarf_getsrcfiles(&unit, &files, &count) != 0)
			continue;
		for (size_t i = 0; i < count; i++) {
			const char *path = dwarf_filesrc(files, i, NULL, NULL);

			if (path && *path == '/' && !binary_is_system(path))
				take(context, path);
		}
	}
}

/* Of its type; typedefs, const and the like are looked through. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute at;

	return dwarf_attr_integrate(die, DW_AT_type, &at) && dwarf_formref_die(&at, type) &&
	       dwarf_peel_type(type, type) == 0;
}

static bool is_struct(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static void take_member(struct binary *b, Dwarf_Die *die, const char *of)
{
	const char *name = dwarf_diename(die);
	struct sbuf full = {0};
	Dwarf_Attribute at;
	Dwarf_Word offset, size;
	Dwarf_Die type;
	const char *kept;

	if (dwarf_tag(die) != DW_TAG_member || !name ||
	    !dwarf_attr_integrate(die, DW_AT_data_member_location, &at) ||
	    dwarf_formudata(&at, &offset) != 0 || !type_of(die, &type) ||
	    dwarf_aggregate_size(&type, &size) != 0 || !size)
		return;
	sbuf_printf(&full, "%s.%s", of, name);
	kept = intern_take(b->texts, &full);
	if (kept)
		(void)vec_push(&b->members, ((struct member){kept, offset, size}));
}

static size_t members_of(struct binary *b, Dwarf_Die *type, const char *of,
			 const struct member **out)
{
	Dwarf_Die die;

	vec_clear(&b->members);
	if (is_struct(type) && dwarf_child(type, &die) == 0)
		do
			take_member(b, &die, of);
		while (dwarf_siblingof(&die, &die) == 0);
	*out = b->members.data;
	return b->members.count;
}

static const struct declared *declared_at(struct binary *b, uint64_t address)
{
	walk_all(b);
	for (size_t i = 0; i < b->declared.count; i++)
		if (b->declared.data[i].address == address)
			return &b->declared.data[i];
	return NULL;
}

/* A static of a function is not declared by its unit: its symbol is name.3. */
const char *binary_name(struct binary *b, const struct variable *v)
{
	const struct declared *d = declared_at(b, v->address);
	const char *name = d ? d->name : v->name, *dot = strrchr(name, '.');
	Dwarf_Die die, type;
	bool pointer = d && dwarf_offdie(b->dwarf, d->die, &die) && type_of(&die, &type) &&
		       dwarf_tag(&type) == DW_TAG_pointer_type;
	struct sbuf text = {0};
	int32_t kept;

	sbuf_puts(&text, pointer ? "&" : "");
	sbuf_add(&text, name, dot > name && !d ? (size_t)(dot - name) : strlen(name));
	kept = text.failed ? -1 : intern_add(b->texts, sbuf_text(&text), text.len);
	sbuf_free(&text);
	return kept < 0 ? name : intern_name(b->texts, kept);
}

size_t binary_members(struct binary *b, const struct variable *v, const struct member **out)
{
	const struct declared *d = declared_at(b, v->address);
	Dwarf_Die die, type;

	return d && dwarf_offdie(b->dwarf, d->die, &die) && type_of(&die, &type)
		   ? members_of(b, &type, d->name, out)
		   : 0;
}

/* A declaration that fits: of another unit's static of that name the size will differ. */
size_t binary_pointee(struct binary *b, const char *name, uint64_t size,
		       const struct member **out)
{
	int32_t id;

	if (!b)
		return 0;
	walk_all(b);
	id = intern_find(b->declared_names, name, strlen(name));
	for (size_t i = id < 0 ? 0 : b->last_of.data[id]; i; i = b->declared.data[i - 1].next) {
		const struct declared *d = &b->declared.data[i - 1];
		Dwarf_Die die, pointer, type;
		Dwarf_Word one;

		if (dwarf_offdie(b->dwarf, d->die, &die) &&
		    type_of(&die, &pointer) && dwarf_tag(&pointer) == DW_TAG_pointer_type &&
		    type_of(&pointer, &type) && dwarf_aggregate_size(&type, &one) == 0 && one &&
		    size >= one && size / 2 < one)
			return members_of(b, &type, name, out);
	}
	return 0;
}

#endif
