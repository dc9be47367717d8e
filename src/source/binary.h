/*
 * The program that ran: which function and which source line a pc belongs to, and its static data.
 *
 * An ELF file of any machine and byte order, linked (not a .o). Functions come from its symbol
 * table (ELF specification, "Symbol Table"; the dynamic one when it is stripped), so an inlined
 * function counts as the one it is part of; lines from its DWARF line tables (DWARF 5, section
 * 6.2), read with libdw. Nothing else is opened: no debug files elsewhere, no network. The file
 * is hostile: what it says of itself is checked, what cannot be read is one error, and
 * allocations follow what was read, not what is said.
 *
 * Static data has its extents from the symbol table, too, and its types from DWARF.
 *
 * Opening reads the symbols, O(symbols * log symbols); the first question about types walks over what
 * the compilation units declare, not over functions; locating decodes the line tables of the
 * compilation units that a pc lies in, O(lines * log pcs). Strings live as long as the binary.
 */
#ifndef PIPEGLASS_SOURCE_BINARY_H
#define PIPEGLASS_SOURCE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* NULL, 0: not known. Raw bytes of the file, hostile. */
struct code_place {
	const char *function;
	const char *file; /* as the compiler was told, with its folder */
	int line;
};

struct binary;

/*
 * load_address: where the trace has the first byte of what the file loads, NULL: where it was
 * linked. STATUS_IO: cannot be read; STATUS_INPUT: is no such file; STATUS_UNSUPPORTED: this
 * build has no libdw. The message names the file.
 */
enum status binary_open(struct binary **out, const char *path, const uint64_t *load_address,
			struct error *e);
void binary_close(struct binary *b); /* may be NULL */

/* The pcs that it takes in the trace, [*from, *to). */
void binary_span(const struct binary *b, uint64_t *from, uint64_t *to);

/* The places of n pcs, which ascend. Debug information that is damaged counts as none. */
enum status binary_locate(struct binary *b, const uint64_t *pcs, size_t n, struct code_place *out,
			  struct error *e);

/*
 * Where the code at a pc was inlined to, outside of the system's headers; false: it was not. In either
 * case function is the class of the C++ library's allocator that it belongs to, as
 * "new_allocator<Node>", or NULL. O(units). b may be NULL.
 */
bool binary_inlined(struct binary *b, uint64_t pc, struct code_place *out);

/* ---- data; b may be NULL: nothing is known ---- */

struct variable {
	uint64_t address, size; /* where it was linked */
	const char *name;       /* of the symbol */
	bool seen;              /* the user's */
};

/* A part of a struct; those of structs in it are not told. */
struct member {
	const char *name; /* "Global.GS" */
	uint64_t offset, size;
};

/* The program is where this puts a variable of its; false: it has none of that name. */
bool binary_load(struct binary *b, const char *variable, uint64_t address);
/* The variable at an address of the trace, which begins at *start; NULL: none. O(log n). */
struct variable *binary_variable(struct binary *b, uint64_t address, uint64_t *start);
/*
 * As the source calls it, also in C++ if there is DWARF; without namespaces and classes. A pointer is
 * `&name`, as what it points to is called by its name.
 */
const char *binary_name(struct binary *b, const struct variable *v);
/* The members of one of a struct's type. Good until the next question; returns how many. */
size_t binary_members(struct binary *b, const struct variable *v, const struct member **out);
/*
 * Those of what the static variable `name`, a pointer, points to, if that is one struct: size bytes
 * have room for one, and not for two.
 */
size_t binary_pointee(struct binary *b, const char *name, uint64_t size, const struct member **out);
/* The source files of all its parts, but for the system's. */
void binary_files(struct binary *b, void (*take)(void *context, const char *path), void *context);

#endif
