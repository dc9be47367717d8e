/*
 * The program that a simulator ran: which function and which source line a pc belongs to.
 *
 * An ELF file of any machine and byte order, linked (not a .o). Functions come from its symbol
 * table (ELF specification, "Symbol Table"; the dynamic one when it is stripped), so an inlined
 * function counts as the one it is part of; lines from its DWARF line tables (DWARF 5, section
 * 6.2), read with libdw. Nothing else is opened: no debug files elsewhere, no network. The file
 * is hostile: what it says of itself is checked, what cannot be read is one error, and
 * allocations follow what was read, not what is said.
 *
 * Opening reads the symbols, O(symbols * log symbols); locating decodes the line tables of the
 * compilation units that a pc lies in, O(lines * log pcs). Strings live as long as the binary.
 */
#ifndef PIPEGLASS_SOURCE_BINARY_H
#define PIPEGLASS_SOURCE_BINARY_H

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

#endif
