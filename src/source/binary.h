/*
 * The program that ran: which function and which source line a pc belongs to, and its static data.
 *
 * An ELF file of any machine and byte order, linked (not a .o). Functions and extents of data come
 * from its symbol table (ELF specification, "Symbol Table"; the dynamic one when it is stripped),
 * so an inlined function counts as the one it is part of; lines from its DWARF line tables (DWARF
 * 5, section 6.2), names and types of data from DWARF, too, read with libdw. Nothing else is
 * opened: no debug files elsewhere, no network. The file is hostile: what it says of itself is
 * checked, what cannot be read is one error, and allocations follow what was read, not what is
 * said.
 *
 * Opening reads the symbols, O(symbols * log symbols); locating decodes the line tables of the
 * compilation units that a pc lies in, O(lines + pcs * log lines). Strings live as long as the
 * binary.
 */
#ifndef PIPEGLASS_SOURCE_BINARY_H
#define PIPEGLASS_SOURCE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"

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
void binary_locate(struct binary *b, const uint64_t *pcs, size_t n, struct code_place *out);

/* ---- for recording: b may be NULL, then nothing is known ---- */

/*
 * Where a place is in the system's headers, it becomes the one that their code was inlined to, if
 * it was. Returns the template of C++'s library that allocates there, as "new_allocator<Node>", or
 * NULL. O(units).
 */
const char *binary_outside(struct binary *b, uint64_t pc, struct code_place *at);

/* A function or static data: an entry of the symbol table. */
struct symbol {
	uint64_t address, size; /* in the trace; size 0: not told */
	/*
	 * As the source calls it, also in C++ if there is DWARF; without namespaces and classes. A
	 * pointer is `&name`, as what it points to is called by its name.
	 */
	const char *name;
	uint64_t type; /* in DWARF; 0: not known; private */
	int rank;      /* the lowest names an address that has several; private */
	bool seen;     /* the user's */
};

/* A part of a struct; those of structs in it are not told. */
struct member {
	const char *name; /* "Global.GS" */
	uint64_t offset, size;
};
typedef VEC(struct member) members;

/*
 * What DWARF has: before it, data has no types. take gets the source files of all parts, but for
 * the system's. O(what the units declare).
 */
void binary_read_data(struct binary *b, void (*take)(void *context, const char *path),
		      void *context);
/* The data at an address; NULL: none. O(log n). */
struct symbol *binary_variable(struct binary *b, uint64_t address);
/* The members of data of a struct's type; appends. */
void binary_members(struct binary *b, const struct symbol *v, members *out);
/*
 * Those of what the static variable `name`, a pointer, points to, if that is one struct: size bytes
 * have room for one, and not for two; appends.
 */
void binary_pointee(struct binary *b, const char *name, uint64_t size, members *out);

#endif
