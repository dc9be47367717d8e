/*
 * The recorded program, as far as it explains what it does: the source line of a pc, what is made
 * there, and its static data.
 *
 * What is inlined from the system's headers counts as the line that it is inlined to. Names of what is made come from the text of the line (site.h), else they are FILE:LINE. Without
 * libdw, or where the program has no debug information, a line is the place in the program: its file is
 * "PROGRAM+0x40000", its number the rest. O(1) for a pc that was met before. Texts live as long as the
 * program; they are as hostile as it is.
 */
#ifndef PIPEGLASS_CAPTURE_PROGRAM_H
#define PIPEGLASS_CAPTURE_PROGRAM_H

#include "base/intern.h"
#include "base/sbuf.h"
#include "base/status.h"
#include "source/binary.h"

#define PROGRAM_MARK "pgmem_version" /* what libpgmem has in every program, by this name */

struct program;

/* STATUS_IO: cannot be read; STATUS_INPUT: it was not built for it. The message names the file. */
enum status program_check(const char *path, struct error *e);
enum status program_open(struct program **out, const char *path, struct error *e);
void program_close(struct program *p); /* may be NULL */

/* Where the program that runs has PROGRAM_MARK. */
void program_load(struct program *p, uint64_t mark);

/*
 * The source of a pc (a return address), as chiron.h counts; files are numbered as
 * they are met, behind those of the program.
 */
uint64_t program_source(struct program *p, uint64_t pc);
/* Paths of the files: number n is name n - 1. */
const struct intern *program_files(const struct program *p);
/* "vecadd.c:56"; appends. */
void program_put_place(struct program *p, uint64_t pc, struct sbuf *out);
/* What is made at a pc; NULL: no memory. */
const char *program_made(struct program *p, uint64_t pc);

/* Its data; NULL: nothing is known. */
struct binary *program_binary(struct program *p);

#endif
