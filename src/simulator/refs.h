/*
 * Plain text of references, as any tool's output can be turned into by awk: a line each,
 *
 *     thread pc address size r|w
 *
 * thread and size are decimal, pc and address hexadecimal with or without 0x. `#` begins a comment.
 */
#ifndef PIPEGLASS_SIMULATOR_REFS_H
#define PIPEGLASS_SIMULATOR_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REFS_SIZE_MOST = 1 << 16 }; /* bytes of one reference */

struct refs_line {
	uint64_t thread, pc, address;
	uint32_t size;
	bool write;
};

/*
 * One line, with or without its end. false: nothing is to be simulated; *why is NULL if nothing is in
 * it, else what is wrong. O(length).
 */
bool refs_read(struct refs_line *out, const char *text, size_t len, const char **why);

#endif
