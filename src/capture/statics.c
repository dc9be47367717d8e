#include "config.h"

#include "capture/statics.h"

#ifndef HAVE_LIBDW

enum status statics_open(struct statics **out, const char *path, struct error *e)
{
	(void)path, (void)e;
	*out = NULL;
	return STATUS_OK;
}

void statics_close(struct statics *s)
{
	(void)s;
}

void statics_files(struct statics *s, void (*take)(void *context, const char *path), void *context)
{
	(void)s, (void)take, (void)context;
}

struct variable *statics_at(struct statics *s, uint64_t address)
{
	(void)s, (void)address;
	return NULL;
}

bool statics_symbol(const struct statics *s, const char *name, uint64_t *address)
{
	(void)s, (void)name, (void)address;
	return false;
}

const char *statics_name(struct statics *s, const struct variable *v)
{
	(void)s;
	return v->name;
}

size_t statics_members(struct statics *s, const struct variable *v, const struct member **out)
{
	(void)s, (void)v, (void)out;
	return 0;
}

size_t statics_pointee(struct statics *s, const char *name, uint64_t size,
		       const struct member **out)
{
	(void)s, (void)name, (void)size, (void)out;
	return 0;
}

#else

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/intern.h"
#include "base/sbuf.h"
#include "base/vec.h"

enum { DEPTH_MOST = 8 }; /* of namespaces, of types that name types */

/* A variable that DWARF knows; address 0: not at a fixed one. */
struct declared {
	const char *name;
	uint64_t address;
	Dwarf_Off die;
	size_t next; /* of that name, + 1; 0: none */
};

struct statics {
	int fd;
	Elf *elf;
	Dwarf *dwarf; /* NULL: no debug information */
	VEC(struct variable) variables; /* by address */
	VEC(struct declared) declared;
	struct intern *declared_names;
	VEC(size_t) last_of; /* by name: in declared, + 1 */
	bool walked;
	VEC(struct member) members;
	struct intern *texts;
};

/* ---- the symbol table ---- */

/* "count.3", a static of a function, is told as count. */
static const char *plain_name(struct statics *s, const char *name)
{
	size_t len = strlen(name), digits = len;

	while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits > 1 && digits < len && name[digits - 1] == '.') {
		const int32_t kept = intern_add(s->texts, name, digits - 1);

		return kept < 0 ? name : intern_name(s->texts, kept);
	}
	return name;
}

static bool take_symbol(struct statics *s, const GElf_Sym *sym, const char *name)
{
	const int type = GELF_ST_TYPE(sym->st_info);
	uint64_t end;

	if (!name || !*name || type != STT_OBJECT || !sym->st_size || sym->st_shndx == SHN_UNDEF ||
	    __builtin_add_overflow(sym->st_value, sym->st_size, &end))
		return true;
	return vec_push(&s->variables,
			((struct variable){.address = sym->st_value,
					   .size = sym->st_size,
					   .name = plain_name(s, name)}));
}

static bool read_symbols(struct statics *s)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	GElf_Sym sym;

	while ((section = elf_nextscn(s->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &head) || head.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
			if (!take_symbol(s, &sym, elf_strptr(s->elf, head.sh_link, sym.st_name)))
				return false;
	}
	return true;
}

/* Of several names of one variable the first by the alphabet is kept, whatever their order was. */
static int compare_variables(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void sort_variables(struct statics *s)
{
	size_t kept = 0;

	if (s->variables.count)
		qsort(s->variables.data, s->variables.count, sizeof(s->variables.data[0]),
		      compare_variables);
	for (size_t i = 0; i < s->variables.count; i++)
		if (!kept || s->variables.data[kept - 1].address != s->variables.data[i].address)
			s->variables.data[kept++] = s->variables.data[i];
	s->variables.count = kept;
}

enum status statics_open(struct statics **out, const char *path, struct error *e)
{
	struct statics *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s || !(s->texts = intern_new()) || !(s->declared_names = intern_new()))
		goto no_memory;
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (s->fd < 0) {
		error_errno(e, STATUS_IO, errno, "%s", path);
		statics_close(s);
		*out = NULL;
		return STATUS_IO;
	}
	elf_version(EV_CURRENT);
	s->elf = elf_begin(s->fd, ELF_C_READ, NULL);
	if (!s->elf || elf_kind(s->elf) != ELF_K_ELF)
		return STATUS_OK;
	if (!read_symbols(s))
		goto no_memory;
	sort_variables(s);
	s->dwarf = dwarf_begin_elf(s->elf, DWARF_C_READ, NULL);
	return STATUS_OK;
no_memory:
	statics_close(s);
	*out = NULL;
	return error_set(e, STATUS_NOMEM, "%s: not enough memory for its symbols", path);
}

void statics_close(struct statics *s)
{
	if (!s)
		return;
	dwarf_end(s->dwarf);
	elf_end(s->elf);
	if (s->fd >= 0)
		close(s->fd);
	vec_free(&s->variables);
	vec_free(&s->declared);
	vec_free(&s->last_of);
	intern_free(s->declared_names);
	vec_free(&s->members);
	intern_free(s->texts);
	free(s);
}

struct variable *statics_at(struct statics *s, uint64_t address)
{
	size_t low = 0, high = s ? s->variables.count : 0;
	struct variable *v;

	if (!s)
		return NULL;
	bisect(low, high, i, s->variables.data[i].address <= address);
	if (!low)
		return NULL;
	v = &s->variables.data[low - 1];
	return address - v->address < v->size ? v : NULL;
}

bool statics_symbol(const struct statics *s, const char *name, uint64_t *address)
{
	for (size_t i = 0; s && i < s->variables.count; i++)
		if (strcmp(s->variables.data[i].name, name) == 0) {
			*address = s->variables.data[i].address;
			return true;
		}
	return false;
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

static void declare(struct statics *s, Dwarf_Die *die, const char *name)
{
	const int32_t id = intern_add(s->declared_names, name, strlen(name));
	struct declared d = {name, fixed_address(die), dwarf_dieoffset(die), 0};

	if (id < 0 || ((size_t)id == s->last_of.count && !vec_push(&s->last_of, 0)))
		return;
	d.next = s->last_of.data[id];
	if (vec_push(&s->declared, d))
		s->last_of.data[id] = s->declared.count;
}

static void walk(struct statics *s, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MOST || dwarf_child(parent, &die) != 0)
		return;
	do {
		const int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_variable ? dwarf_diename(&die) : NULL;

		if (tag == DW_TAG_namespace)
			walk(s, &die, depth + 1);
		if (name)
			declare(s, &die, name);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* The unit at *at, which is the next one's then; false: there is none. */
static bool next_unit(const struct statics *s, Dwarf_Off *at, Dwarf_Die *unit)
{
	const Dwarf_Off this = *at;
	size_t head;

	return s->dwarf && dwarf_nextcu(s->dwarf, this, at, &head, NULL, NULL, NULL) == 0 &&
	       *at > this && dwarf_offdie(s->dwarf, this + head, unit);
}

static void walk_all(struct statics *s)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	while (!s->walked && next_unit(s, &at, &unit))
		walk(s, &unit, 0);
	s->walked = true;
}

void statics_files(struct statics *s, void (*take)(void *context, const char *path), void *context)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	while (s && next_unit(s, &at, &unit)) {
		Dwarf_Files *files;
		size_t count;

		if (dwarf_getsrcfiles(&unit, &files, &count) != 0)
			continue;
		for (size_t i = 0; i < count; i++) {
			const char *path = dwarf_filesrc(files, i, NULL, NULL);

			if (path && *path == '/' && strncmp(path, "/usr/", strlen("/usr/")) != 0)
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

static void take_member(struct statics *s, Dwarf_Die *die, const char *of)
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
	kept = intern_take(s->texts, &full);
	if (kept)
		(void)vec_push(&s->members, ((struct member){kept, offset, size}));
}

static size_t members_of(struct statics *s, Dwarf_Die *type, const char *of,
			 const struct member **out)
{
	Dwarf_Die die;

	vec_clear(&s->members);
	if (is_struct(type) && dwarf_child(type, &die) == 0)
		do
			take_member(s, &die, of);
		while (dwarf_siblingof(&die, &die) == 0);
	*out = s->members.data;
	return s->members.count;
}

static const struct declared *declared_at(struct statics *s, uint64_t address)
{
	walk_all(s);
	for (size_t i = 0; i < s->declared.count; i++)
		if (s->declared.data[i].address == address)
			return &s->declared.data[i];
	return NULL;
}

const char *statics_name(struct statics *s, const struct variable *v)
{
	const struct declared *d = declared_at(s, v->address);
	const char *name = d ? d->name : v->name;
	struct sbuf pointer = {0};
	Dwarf_Die die, type;
	int32_t kept = -1;

	if (d && dwarf_offdie(s->dwarf, d->die, &die) && type_of(&die, &type) &&
	    dwarf_tag(&type) == DW_TAG_pointer_type) {
		sbuf_printf(&pointer, "&%s", name);
		kept = pointer.failed ? -1 : intern_add(s->texts, pointer.text, pointer.len);
	}
	sbuf_free(&pointer);
	return kept < 0 ? name : intern_name(s->texts, kept);
}

size_t statics_members(struct statics *s, const struct variable *v, const struct member **out)
{
	const struct declared *d = declared_at(s, v->address);
	Dwarf_Die die, type;

	return d && dwarf_offdie(s->dwarf, d->die, &die) && type_of(&die, &type)
		   ? members_of(s, &type, d->name, out)
		   : 0;
}

/* A declaration that fits: of another unit's static of that name the size will differ. */
size_t statics_pointee(struct statics *s, const char *name, uint64_t size,
		       const struct member **out)
{
	int32_t id;

	if (!s)
		return 0;
	walk_all(s);
	id = intern_find(s->declared_names, name, strlen(name));
	for (size_t i = id < 0 ? 0 : s->last_of.data[id]; i; i = s->declared.data[i - 1].next) {
		const struct declared *d = &s->declared.data[i - 1];
		Dwarf_Die die, pointer, type;
		Dwarf_Word one;

		if (dwarf_offdie(s->dwarf, d->die, &die) &&
		    type_of(&die, &pointer) && dwarf_tag(&pointer) == DW_TAG_pointer_type &&
		    type_of(&pointer, &type) && dwarf_aggregate_size(&type, &one) == 0 && one &&
		    size >= one && size / 2 < one)
			return members_of(s, &type, name, out);
	}
	return 0;
}

#endif
