/*
 * What an executable says of its data: the extents of static variables, and the members of those that
 * are structs, also of what a static pointer to a struct points to.
 *
 * Extents come from the symbol table, types from DWARF, both read with libdw; without it, or from a
 * stripped program, there are none. Addresses are those that the program was linked to. Opening reads
 * the symbols, O(symbols log symbols); the first question about members walks over what the compilation
 * units declare, not over functions. The file is hostile: what it says is checked, what cannot be read
 * is not there. Texts live as long as the statics.
 */
#ifndef PIPEGLASS_CAPTURE_STATICS_H
#define PIPEGLASS_CAPTURE_STATICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct variable {
	uint64_t address, size;
	const char *name; /* of the symbol */
	bool seen;        /* the user's */
};

/* A part of a struct; those of structs in it are not told. */
struct member {
	const char *name; /* "Global.GS" */
	uint64_t offset, size;
};

struct statics;

enum status statics_open(struct statics **out, const char *path, struct error *e);
void statics_close(struct statics *s); /* may be NULL */

/* The source files of all its parts, but for the system's. */
void statics_files(struct statics *s, void (*take)(void *context, const char *path), void *context);
/* The variable at an address; NULL: none. O(log n). */
struct variable *statics_at(struct statics *s, uint64_t address);
/* Where a symbol is; false: the program has none of that name. */
bool statics_symbol(const struct statics *s, const char *name, uint64_t *address);

/*
 * As the source calls it, also in C++ if there is DWARF; without namespaces and classes. A pointer is
 * `&name`: what it points to is called by its name (program_made()).
 */
const char *statics_name(struct statics *s, const struct variable *v);
/* The members of a variable of a struct's type. Good until the next question; returns how many. */
size_t statics_members(struct statics *s, const struct variable *v, const struct member **out);
/*
 * Those of what the static variable `name`, a pointer, points to, if that is one struct: size bytes
 * have room for one, and not for two.
 */
size_t statics_pointee(struct statics *s, const char *name, uint64_t size,
		       const struct member **out);

#endif
