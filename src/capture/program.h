/*
 * The recorded program, as far as it explains what it does: the source line of a pc, what is made
 * there, and its static data.
 *
 * What is inlined from the system's headers counts as the line that it is inlined to. Names of what
 * is made come from the text of the line, else they are FILE:LINE. Without libdw, or where the
 * program has no debug information, a line is the place in the program: its file is
 * "PROGRAM+0x40000", its number the rest. O(1) for a pc that was met before. Texts live as long as
 * the program; they are as hostile as it is.
 */
#ifndef PIPEGLASS_CAPTURE_PROGRAM_H
#define PIPEGLASS_CAPTURE_PROGRAM_H

#include "base/intern.h"
#include "base/sbuf.h"
#include "base/vec.h"
#include "source/binary.h"

struct place;

struct program {
	const char *path;
	uint64_t address;      /* of its first byte */
	struct binary *binary; /* its data; NULL: nothing is known */
	struct intern *files;  /* paths: number n is name n - 1 */
	struct regex *makes;   /* this and the rest: private */
	struct ids *known;
	VEC(struct place) places;
	struct intern *names;
};

/* One that runs; path: good as long as the program; NULL: no memory. */
struct program *program_open(const char *path, uint64_t address);
void program_close(struct program *p); /* may be NULL */

/*
 * The source of a pc (a return address), as chiron.h counts; files are numbered as
 * they are met, behind those of the program.
 */
uint64_t program_source(struct program *p, uint64_t pc);
/* The name of data that begins there, or the line that is before a return address; appends. */
void program_put_address(struct program *p, uint64_t address, struct sbuf *out);
/* What is made at a pc; NULL: no memory. */
const char *program_made(struct program *p, uint64_t pc);
/*
 * What is made at a line (from 1) of C or C++, as its text says it: the class of a new expression
 * ("Node"), else the left-hand side ("Global", "p->next", "rows[i]"), without blanks; appends. Not
 * a parser: what is broken into few lines is found. False: text has neither. O(length).
 */
bool program_put_name(const struct program *p, const char *text, size_t len, int line,
		      struct sbuf *out);

#endif
