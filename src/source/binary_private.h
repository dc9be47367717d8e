/*
 * What is known of an executable (binary.h), where there is libdw: binary.c has its code, binary_data.c
 * its variables.
 */
#ifndef PIPEGLASS_SOURCE_BINARY_PRIVATE_H
#define PIPEGLASS_SOURCE_BINARY_PRIVATE_H

#include <elfutils/libdw.h>
#include <string.h>

#include "base/intern.h"
#include "base/vec.h"
#include "source/binary.h"

struct symbol {
	uint64_t address, end; /* end 0: not told */
	const char *name;
	int rank; /* the lowest names an address that has several */
};

/* A variable that DWARF knows; address 0: not at a fixed one. */
struct declared {
	const char *name;
	uint64_t address;
	Dwarf_Off die;
	size_t next; /* of that name, + 1; 0: none */
};

struct binary {
	int fd;
	Elf *elf;
	Dwarf *dwarf;      /* NULL: no debug information */
	uint64_t from, to; /* that it was linked to */
	uint64_t bias;     /* from there to the trace, modulo 2^64 */
	bool is_arm;
	VEC(struct symbol) symbols; /* ascending, no address twice */
	VEC(struct variable) variables; /* in that order, too */
	bool walked;
	VEC(struct declared) declared;
	struct intern *declared_names, *texts;
	VEC(size_t) last_of; /* by name: in declared, + 1 */
	VEC(struct member) members;
};

/* The unit at *at, which is the next one's then; false: there is none. */
bool binary_next_unit(const struct binary *b, Dwarf_Off *at, Dwarf_Die *unit);

static inline bool binary_is_system(const char *path)
{
	return strncmp(path, "/usr/", strlen("/usr/")) == 0;
}

#endif
