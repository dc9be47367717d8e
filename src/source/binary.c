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

void binary_close(struct binary *b)
{
	(void)b;
}

void binary_span(const struct binary *b, uint64_t *from, uint64_t *to)
{
	(void)b;
	*from = *to = 0;
}

enum status binary_locate(struct binary *b, const uint64_t *pcs, size_t n, struct code_place *out,
			  struct error *e)
{
	(void)b, (void)pcs, (void)e;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct code_place){0};
	return STATUS_OK;
}

bool binary_inlined(struct binary *b, uint64_t pc, struct code_place *out)
{
	(void)b, (void)pc, (void)out;
	return false;
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

#include "base/bisect.h"
#include "source/binary_private.h"

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

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx < SHN_LORESERVE && section &&
	       gelf_getshdr(section, &head) && head.sh_flags & SHF_EXECINSTR;
}

static bool take_data(struct binary *b, const GElf_Sym *sym, const char *name)
{
	const struct variable v = {.address = sym->st_value, .size = sym->st_size, .name = name};

	return !v.size || sym->st_shndx == SHN_UNDEF || v.address > UINT64_MAX - v.size ||
	       vec_push(&b->variables, v);
}

/* Data, functions, and the untyped global labels of hand-written code. */
static bool take_symbol(struct binary *b, const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	struct symbol s = {.address = sym->st_value, .name = name};

	if (name && *name && type == STT_OBJECT)
		return take_data(b, sym, name);
	if (!name || !*name || *name == '$' ||
	    (type != STT_FUNC && (type != STT_NOTYPE || bind == STB_LOCAL)) || !is_code(b, sym))
		return true;
	if (b->is_arm && type == STT_FUNC)
		s.address &= ~UINT64_C(1); /* marks Thumb code */
	if (sym->st_size && __builtin_add_overflow(s.address, sym->st_size, &s.end))
		s.end = UINT64_MAX;
	s.rank = (s.end ? 0 : 4) + (bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2);
	return vec_push(&b->symbols, s);
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

/* Of several names of one variable the first by the alphabet is kept, whatever their order was. */
static int compare_variables(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void sort_variables(struct binary *b)
{
	size_t kept = 0;

	if (b->variables.count)
		qsort(b->variables.data, b->variables.count, sizeof(b->variables.data[0]),
		      compare_variables);
	for (size_t i = 0; i < b->variables.count; i++)
		if (!kept || b->variables.data[kept - 1].address != b->variables.data[i].address)
			b->variables.data[kept++] = b->variables.data[i];
	b->variables.count = kept;
}

static bool read_symbols(struct binary *b)
{
	size_t kept = 0;

	if (!read_tables(b, SHT_SYMTAB) || (!b->symbols.count && !read_tables(b, SHT_DYNSYM)))
		return false;
	if (b->symbols.count)
		qsort(b->symbols.data, b->symbols.count, sizeof(b->symbols.data[0]),
		      compare_symbols);
	for (size_t i = 0; i < b->symbols.count; i++)
		if (!kept || b->symbols.data[kept - 1].address != b->symbols.data[i].address)
			b->symbols.data[kept++] = b->symbols.data[i];
	b->symbols.count = kept;
	sort_variables(b);
	return true;
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
	b->texts = intern_new();
	b->declared_names = intern_new();
	if (!status && (!b->texts || !b->declared_names || !read_symbols(b)))
		status = error_set(e, STATUS_NOMEM, "%s: not enough memory for its symbols", path);
	if (status) {
		binary_close(b);
		return status;
	}
	b->dwarf = dwarf_begin_elf(b->elf, DWARF_C_READ, NULL);
	if (load_address)
		b->bias = *load_address - b->from;
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
	vec_free(&b->symbols);
	vec_free(&b->variables);
	vec_free(&b->declared);
	vec_free(&b->last_of);
	vec_free(&b->members);
	intern_free(b->texts);
	intern_free(b->declared_names);
	free(b);
}

void binary_span(const struct binary *b, uint64_t *from, uint64_t *to)
{
	*from = b->from + b->bias;
	*to = b->to + b->bias;
}

/* The last symbol at or before an address, if that reaches so far. */
static const char *function_at(const struct binary *b, uint64_t address)
{
	size_t low = 0, high = b->symbols.count;
	const struct symbol *s;

	bisect(low, high, i, b->symbols.data[i].address <= address);
	if (!low || address >= b->to)
		return NULL;
	s = &b->symbols.data[low - 1];
	return !s->end || address < s->end ? s->name : NULL;
}

struct lookup {
	const struct binary *b;
	const uint64_t *pcs; /* of the trace; ascending by what they are in the file */
	size_t n;
	struct code_place *out;
};

static uint64_t address_of(const struct lookup *l, size_t i)
{
	return l->pcs[i] - l->b->bias;
}

/* The first pc at or behind an address of the file. */
static size_t first_from(const struct lookup *l, uint64_t address)
{
	size_t low = 0, high = l->n;

	bisect(low, high, i, address_of(l, i) < address);
	return low;
}

/* A unit that does not say where its code is may hold any of it. */
static bool has_pcs(const struct lookup *l, Dwarf_Die *unit)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;
	bool any = false;

	while ((at = dwarf_ranges(unit, at, &base, &from, &to)) > 0) {
		size_t i = first_from(l, from);

		any = true;
		if (i < l->n && address_of(l, i) < to)
			return true;
	}
	return !any;
}

/* A row of the line table is good up to the next one (DWARF 5, 6.2.1). */
static void take_line(const struct lookup *l, Dwarf_Line *line, uint64_t from, uint64_t to)
{
	size_t i = first_from(l, from);
	const char *file;
	int number = 0;

	if (i >= l->n || address_of(l, i) >= to || dwarf_lineno(line, &number) || number <= 0)
		return;
	file = dwarf_linesrc(line, NULL, NULL);
	for (; file && i < l->n && address_of(l, i) < to; i++) {
		l->out[i].file = file;
		l->out[i].line = number;
	}
}

static void take_unit(const struct lookup *l, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t count;

	if (!has_pcs(l, unit) || dwarf_getsrclines(unit, &lines, &count))
		return;
	for (size_t i = 0; i + 1 < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Line *next = dwarf_onesrcline(lines, i + 1);
		Dwarf_Addr from, to;
		bool end;

		if (line && next && !dwarf_lineendsequence(line, &end) && !end &&
		    !dwarf_lineaddr(line, &from) && !dwarf_lineaddr(next, &to) && from < to)
			take_line(l, line, from, to);
	}
}

bool binary_next_unit(const struct binary *b, Dwarf_Off *at, Dwarf_Die *unit)
{
	const Dwarf_Off this = *at;
	size_t head;

	return b->dwarf && dwarf_nextcu(b->dwarf, this, at, &head, NULL, NULL, NULL) == 0 &&
	       *at > this && dwarf_offdie(b->dwarf, this + head, unit);
}

static void take_units(const struct lookup *l)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit;

	while (binary_next_unit(l->b, &at, &unit))
		take_unit(l, &unit);
}

/* Only the first run of pcs inside the file: those ascend there too, however the bias wraps. */
enum status binary_locate(struct binary *b, const uint64_t *pcs, size_t n, struct code_place *out,
			  struct error *e)
{
	struct lookup l = {.b = b};
	size_t first = 0, last;

	(void)e;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct code_place){0};
	while (first < n && pcs[first] - b->bias - b->from >= b->to - b->from)
		first++;
	for (last = first; last < n && pcs[last] - b->bias - b->from < b->to - b->from; last++)
		out[last].function = function_at(b, pcs[last] - b->bias);
	l.pcs = pcs + first;
	l.n = last - first;
	l.out = out + first;
	if (l.n && b->dwarf)
		take_units(&l);
	return STATUS_OK;
}

static bool take_call(Dwarf_Die *unit, Dwarf_Die *scope, struct code_place *out)
{
	Dwarf_Attribute at;
	Dwarf_Word file, line;
	Dwarf_Files *files;

	if (dwarf_tag(scope) != DW_TAG_inlined_subroutine ||
	    dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &at), &file) ||
	    dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &at), &line) ||
	    dwarf_getsrcfiles(unit, &files, &(size_t){0}))
		return false;
	out->line = (int)line;
	out->file = dwarf_filesrc(files, file, NULL, NULL);
	return out->file && !binary_is_system(out->file);
}

/* The class that declares a function. */
static void take_class(Dwarf_Die *scope, struct code_place *out)
{
	Dwarf_Die die = *scope, *around = NULL;
	Dwarf_Attribute at;
	const char *name;

	while ((dwarf_attr(&die, DW_AT_abstract_origin, &at) ||
		dwarf_attr(&die, DW_AT_specification, &at)) &&
	       dwarf_formref_die(&at, &die))
		continue;
	name = dwarf_getscopes_die(&die, &around) > 1 ? dwarf_diename(&around[1]) : NULL;
	if (name && strstr(name, "new_allocator<"))
		out->function = name;
	free(around);
}

bool binary_inlined(struct binary *b, uint64_t pc, struct code_place *out)
{
	Dwarf_Off at = 0;
	Dwarf_Die unit, *scopes = NULL, *around = NULL;
	bool found = false;
	int n = 0, calls;

	*out = (struct code_place){0};
	while (b && n <= 0 && binary_next_unit(b, &at, &unit))
		n = dwarf_getscopes(&unit, pc - b->bias, &scopes);
	if (n > 0)
		take_class(&scopes[0], out);
	calls = n > 0 ? dwarf_getscopes_die(&scopes[0], &around) : 0;
	for (int i = 0; !found && i < calls; i++)
		found = take_call(&unit, &around[i], out);
	free(scopes);
	free(around);
	return found;
}

#endif
