/*
 * Files that are part of the program: the default keymaps and palette and one small sample trace.
 *
 * build-aux/embed.sh turns them into arrays at build time, so the program needs no installed data
 * to start. They live in read-only memory for the whole run; nothing here allocates or fails, and
 * a look-up costs one comparison per embedded file (a handful).
 */
#ifndef PIPEGLASS_BASE_EMBEDDED_H
#define PIPEGLASS_BASE_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
	const char *name;           /* without folder: "default.keys" */
	const unsigned char *bytes; /* len bytes, then a NUL that len does not count */
	size_t len;
};

/* In the order of Makefile.am; a row whose name is NULL ends the table. */
extern const struct embedded_file embedded_files[];

/* The file of that name, or NULL. */
const struct embedded_file *embedded_find(const char *name);

#endif
