#include "config.h"

#include "source/binary.h"

#ifndef HAVE_LIBDW

enum status binary_open(struct binary **out, const char *path, const uint64_t *load_address,
			struct error *e)
{
	(void)load_address;
	*out = NULL;
	return error_set(e, STATUS_UNSUPPORTED,
			 "%s: this pipeglass was built without libdw and cannot read binaries; "
			 "install the Debian package libdw-dev and build it again",
			 path);
}

/* There is no binary to be asked. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

void binary_close(struct binary *b)
{
}

void binary_span(const struct binary *b, uint64_t *from, uint64_t *to)
{
}

void binary_locate(struct binary *b, const uint64_t *pcs, size_t n, struct code_place *out)
{
}

const char *binary_outside(struct binary *b, uint64_t pc, struct code_place *at)
{
	return NULL;
}

struct symbol *binary_variable(struct binary *b, uint64_t address)
{
	return NULL;
}

void binary_members(struct binary *b, const struct symbol *v, members *out)
{
}

void binary_pointee(struct binary *b, const char *name, uint64_t size, members *out)
{
}

void binary_read_data(struct binary *b, void (*take)(void *context, const char *path),
		      void *context)
{
}

#else

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdw.h>

#include "base/bisect.h"
#include "base/intern.h"

enum { DEPTH_MOST = 64 }; /* of scopes */

typedef VEC(struct symbol) symbols;

struct binary {
	int fd;
	Elf *elf;
	Dwarf *dwarf;      /* NULL: no debug information */
	uint64_t from, to; /* that it was linked to */
	uint64_t bias;     /* from there to the trace, modulo 2^64 */
	bool is_arm;
	symbols code, data; /* ascending, no address twice */
	struct intern *texts;
};

static enum status bad(const char *path, const char *what, struct error *e)
{
	return error_set(e, STATUS_INPUT, "%s: %s; expected the simulated program", path, what);
}

static enum status open_file(struct binary *b, const char *path, struct error *e)
{
	struct stat st;

	b->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (b->fd < 0 || fstat(b->fd, &st) < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return bad(path, "not a file", e);
	elf_version(EV_CURRENT);
	b->elf = elf_begin(b->fd, ELF_C_READ, NULL);
	if (!b->elf || elf_kind(b->elf) != ELF_K_ELF)
		return bad(path, "not an ELF file", e);
	return STATUS_OK;
}

/* What is loaded, from its first page on. */
static bool read_span(struct binary *b)
{
	GElf_Phdr p;

	b->from = UINT64_MAX;
	for (int i = 0; gelf_getphdr(b->elf, i, &p); i++) {
		uint64_t align = p.p_align && !(p.p_align & (p.p_align - 1)) ? p.p_align : 1;
		uint64_t end;

		if (p.p_type != PT_LOAD || __builtin_add_overflow(p.p_vaddr, p.p_memsz, &end))
			continue;
		if ((p.p_vaddr & ~(align - 1)) < b->from)
			b->from = p.p_vaddr & ~(align - 1);
		if (end > b->to)
			b->to = end;
	}
	return b->from < b->to;
}

static enum status read_head(struct binary *b, const char *path, struct error *e)
{
	GElf_Ehdr head;

	if (!gelf_getehdr(b->elf, &head))
		return bad(path, "damaged ELF file", e);
	if (head.e_type != ET_EXEC && head.e_type != ET_DYN)
		return bad(path, "an ELF file that is not linked", e);
	if (!read_span(b))
		return bad(path, "an ELF file that loads nothing", e);
	b->is_arm = head.e_machine == EM_ARM;
	return STATUS_OK;
}

static bool is_code(const struct binary *b, const GElf_Sym *sym)
{
	Elf_Scn *section = elf_getscn(b->elf, sym->st_shndx);
	GElf_Shdr head;

	return sym->st_shndx < SHN_LORESERVE && section && gelf_getshdr(section, &head) &&
	       head.sh_flags & SHF_EXECINSTR;
}

/* Data, functions, and the untyped global labels of hand-written code. */
static bool take_symbol(struct binary *b, const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	struct symbol s = {.address = sym->st_value + b->bias, .size = sym->st_size, .name = name};

	if (!name || !*name || sym->st_shndx == SHN_UNDEF)
		return true;
	if (type == STT_OBJECT)
		return !s.size || vec_push(&b->data, s);
	if (*name == '$' || (type != STT_FUNC && (type != STT_NOTYPE || bind == STB_LOCAL)) ||
	    !is_code(b, sym))
		return true;
	if (b->is_arm && type == STT_FUNC)
		s.address -= sym->st_value & 1; /* marks Thumb code */
	s.rank = (s.size ? 0 : 4) + (bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2);
	return vec_push(&b->code, s);
}

static bool read_table(struct binary *b, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
		if (!take_symbol(b, &sym, elf_strptr(b->elf, head->sh_link, sym.st_name)))
			return false;
	return true;
}

static bool read_tables(struct binary *b, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(b->elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == type &&
		    !read_table(b, section, &head))
			return false;
	return true;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->rank != y->rank ? x->rank - y->rank : strcmp(x->name, y->name);
}

/* Of several names of one address one is kept, whatever their order was. */
static void sort(symbols *s)
{
	size_t kept = 0;

	if (s->count)
		qsort(s->data, s->count, sizeof(s->data[0]), compare_symbols);
	for (size_t i = 0; i < s->count; i++)
		if (!kept || s->data[kept - 1].address != s->data[i].address)
			s->data[kept++] = s->data[i];
	s->count = kept;
}

static bool read_symbols(struct binary *b)
{
	if (!read_tables(b, SHT_SYMTAB) || (!b->code.count && !read_tables(b, SHT_DYNSYM)))
		return false;
	sort(&b->code);
	sort(&b->data);
	return true;
}

/* The last one at or before an address, if that reaches so far. */
static struct symbol *symbol_at(const symbols *all, uint64_t address)
{
	size_t low = 0, high = all->count;
	struct symbol *s;

	bisect(low, high, i, all->data[i].address <= address);
	s = low ? &all->data[low - 1] : NULL;
	return s && (!s->size || address - s->address < s->size) ? s : NULL;
}

enum status binary_open(struct binary **out, const char *path, const uint64_t *load_address,
			struct error *e)
{
	struct binary *b = calloc(1, sizeof(*b));
	enum status status;

	*out = NULL;
	if (!b)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = open_file(b, path, e);
	if (!status)
		status = read_head(b, path, e);
	if (!status && load_address)
		b->bias = *load_address - b->from;
	b->texts = intern_new();
	if (!status && (!b->texts || !read_symbols(b)))
		status = error_set(e, STATUS_NOMEM, "%s: not enough memory for its symbols", path);
	if (status) {
		binary_close(b);
		return status;
	}
	b->dwarf = dwarf_begin_elf(b->elf, DWARF_C_READ, NULL);
	*out = b;
	return STATUS_OK;
}

void binary_close(struct binary *b)
{
	if (!b)
		return;
	dwarf_end(b->dwarf);
	elf_end(b->elf);
	if (b->fd >= 0)
		close(b->fd);
	vec_free(&b->code);
	vec_free(&b->data);
	intern_free(b->texts);
	free(b);
}

void binary_span(const struct binary *b, uint64_t *from, uint64_t *to)
{
	*from = b->from + b->bias;
	*to = b->to + b->bias;
}

struct lookup {
	const struct binary *b;
	const uint64_t *pcs; /* ascending */
	size_t n;
	struct code_place *out;
};

/* Of those in [from, to) of a unit, addresses of the file. */
static void take_lines(const struct lookup *l, Dwarf_Die *unit, uint64_t from, uint64_t to)
{
	const uint64_t start = from + l->b->bias;
	size_t low = 0, high = l->n;

	bisect(low, high, i, l->pcs[i] < start);
	for (size_t i = low; i < l->n && l->pcs[i] - start < to - from; i++) {
		Dwarf_Line *line = dwarf_getsrc_die(unit, l->pcs[i] - l->b->bias);
		const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
		int number = 0;

		if (!file || dwarf_lineno(line, &number) || number <= 0)
			continue;
		l->out[i].file = file;
		l->out[i].line = number;
	}
}

/* One that does not say where its code is may hold any of it. */
static void take_unit(const struct lookup *l, Dwarf_Die *unit)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;
	bool any = false;

	while ((at = dwarf_ranges(unit, at, &base, &from, &to)) > 0) {
		any = true;
		take_lines(l, unit, from, to);
	}
	if (!any)
		take_lines(l, unit, l->b->from, l->b->to);
}

/* The unit at *at, which is the next one's then; false: there is none. */
static bool next_unit(const struct binary *b, Dwarf_Off *at, Dwarf_Die *unit)
{
	const Dwarf_Off this = *at;
	size_t head;

	return b->dwarf && dwarf_nextcu(b->dwarf, this, at, &head, NULL, NULL, NULL) == 0 &&
	       *at > this && dwarf_offdie(b->dwarf, this + head, unit);
}

void binary_locate(struct binary *b, const uint64_t *pcs, size_t n, struct code_place *out)
{
	const struct lookup l = {b, pcs, n, out};
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	for (size_t i = 0; i < n; i++) {
		const bool inside = pcs[i] - b->bias - b->from < b->to - b->from;
		const struct symbol *function = inside ? symbol_at(&b->code, pcs[i]) : NULL;

		out[i] = (struct code_place){.function = function ? function->name : NULL};
	}
	while (next_unit(b, &at, &unit))
		take_unit(&l, &unit);
}

/* ---- code of the system's headers ---- */

static bool is_system(const char *path)
{
	return strncmp(path, "/usr/", strlen("/usr/")) == 0;
}

/* False: it is none, or in the system's headers itself. */
static bool take_call(Dwarf_Die *unit, Dwarf_Die *scope, struct code_place *at)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number, line;
	Dwarf_Files *files;
	const char *file;

	if (dwarf_tag(scope) != DW_TAG_inlined_subroutine ||
	    dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &number) ||
	    dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) ||
	    dwarf_getsrcfiles(unit, &files, &(size_t){0}))
		return false;
	file = dwarf_filesrc(files, number, NULL, NULL);
	if (!file || is_system(file))
		return false;
	at->file = file;
	at->line = (int)line;
	return true;
}

/* A function, or the class that declares it, that allocates what its argument is; NULL: neither. */
static const char *template_of(Dwarf_Die *scope)
{
	Dwarf_Die die = *scope, *around = NULL;
	const char *found = NULL;
	Dwarf_Attribute at;
	int count;

	while ((dwarf_attr(&die, DW_AT_abstract_origin, &at) ||
		dwarf_attr(&die, DW_AT_specification, &at)) &&
	       dwarf_formref_die(&at, &die))
		continue;
	count = dwarf_getscopes_die(&die, &around);
	for (int i = 0; i < count && i < 2; i++) {
		const char *name = dwarf_diename(&around[i]);

		if (name && (strstr(name, "new_allocator<") || strstr(name, "make_unique<")))
			found = name;
	}
	free(around);
	return found;
}

const char *binary_outside(struct binary *b, uint64_t pc, struct code_place *at)
{
	Dwarf_Die unit, *scopes = NULL, *around = NULL;
	const char *template = NULL;
	bool outside = false;
	Dwarf_Off offset = 0;
	int found = 0, count = 0;

	if (!b || !at->file || !is_system(at->file))
		return NULL;
	while (found <= 0 && next_unit(b, &offset, &unit))
		found = dwarf_getscopes(&unit, pc - b->bias, &scopes);
	if (found > 0)
		count = dwarf_getscopes_die(&scopes[0], &around);
	for (int i = 0; i < count && !outside; i++) {
		template = template ? template : template_of(&around[i]);
		outside = take_call(&unit, &around[i], at);
	}
	free(scopes);
	free(around);
	return template;
}

/* ---- data ---- */

/* 0: it is not at one that is fixed. */
static uint64_t fixed_address(Dwarf_Die *die)
{
	Dwarf_Attribute at, indexed;
	Dwarf_Addr address = 0;
	Dwarf_Op *op;
	size_t count;

	if (!dwarf_attr_integrate(die, DW_AT_location, &at) ||
	    dwarf_getlocation(&at, &op, &count) != 0 || count != 1)
		return 0;
	if (op[0].atom == DW_OP_addr)
		return op[0].number;
	if (op[0].atom == DW_OP_addrx && dwarf_getlocation_attr(&at, op, &indexed) == 0)
		(void)dwarf_formaddr(&indexed, &address);
	return address;
}

/* Of its type; typedefs, const and the like are looked through. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute at;

	return dwarf_attr_integrate(die, DW_AT_type, &at) && dwarf_formref_die(&at, type) &&
	       dwarf_peel_type(type, type) == 0;
}

static void declare(struct binary *b, Dwarf_Die *die)
{
	const uint64_t address = fixed_address(die) + b->bias;
	struct symbol *v = symbol_at(&b->data, address);
	const char *name = dwarf_diename(die);
	Dwarf_Die type;

	if (!v || v->address != address || v->type || !name || !type_of(die, &type))
		return;
	v->type = dwarf_dieoffset(&type);
	if (dwarf_tag(&type) == DW_TAG_pointer_type)
		name = intern_printf(b->texts, "&%s", name);
	v->name = name ? name : v->name;
}

/* Also over functions: they have static data, too. */
static void walk(struct binary *b, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MOST || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			walk(b, &die, depth + 1);
			break;
		case DW_TAG_variable:
			declare(b, &die);
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

struct symbol *binary_variable(struct binary *b, uint64_t address)
{
	return b ? symbol_at(&b->data, address) : NULL;
}

static void take_member(struct binary *b, Dwarf_Die *die, const char *of, members *out)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute at;
	Dwarf_Word offset, size;
	Dwarf_Die type;

	if (dwarf_tag(die) != DW_TAG_member || !name ||
	    !dwarf_attr_integrate(die, DW_AT_data_member_location, &at) ||
	    dwarf_formudata(&at, &offset) != 0 || !type_of(die, &type) ||
	    dwarf_aggregate_size(&type, &size) != 0 || !size)
		return;
	name = intern_printf(b->texts, "%s.%s", of, name);
	if (name)
		(void)vec_push(out, ((struct member){name, offset, size}));
}

static void take_members(struct binary *b, Dwarf_Die *type, const char *of, members *out)
{
	const int tag = dwarf_tag(type);
	Dwarf_Die die;

	if ((tag == DW_TAG_structure_type || tag == DW_TAG_class_type) &&
	    dwarf_child(type, &die) == 0)
		do
			take_member(b, &die, of, out);
		while (dwarf_siblingof(&die, &die) == 0);
}

void binary_members(struct binary *b, const struct symbol *v, members *out)
{
	Dwarf_Die type;

	if (v->type && dwarf_offdie(b->dwarf, v->type, &type))
		take_members(b, &type, v->name, out);
}

/* The one that fits: of another unit's static of that name the size will differ. */
void binary_pointee(struct binary *b, const char *name, uint64_t size, members *out)
{
	for (size_t i = 0; b && i < b->data.count; i++) {
		const struct symbol *v = &b->data.data[i];
		Dwarf_Die pointer, type;
		Dwarf_Word one;

		if (v->name[0] == '&' && strcmp(v->name + 1, name) == 0 &&
		    dwarf_offdie(b->dwarf, v->type, &pointer) && type_of(&pointer, &type) &&
		    dwarf_aggregate_size(&type, &one) == 0 && one && size >= one &&
		    size / 2 < one) {
			take_members(b, &type, name, out);
			return;
		}
	}
}

void binary_read_data(struct binary *b, void (*take)(void *context, const char *path),
		      void *context)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	while (b && next_unit(b, &at, &unit)) {
		Dwarf_Files *files;
		size_t count;

		walk(b, &unit, 0);
		if (dwarf_getsrcfiles(&unit, &files, &count) != 0)
			continue;
		for (size_t i = 0; i < count; i++) {
			const char *path = dwarf_filesrc(files, i, NULL, NULL);

			if (path && *path == '/' && !is_system(path))
				take(context, path);
		}
	}
}

#endif
