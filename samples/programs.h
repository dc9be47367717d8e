/*
 * The programs samplecore runs: assembly source, input data, and the same computation in plain C,
 * against which the memory that a run leaves is checked.
 */
#ifndef SAMPLES_PROGRAMS_H
#define SAMPLES_PROGRAMS_H

#include "isa.h"

struct program {
	const char *name, *about, *source;
	void (*setup)(struct arch *arch);   /* fills memory and argument registers */
	void (*direct)(struct memory *mem); /* the same result, computed in C */
	size_t result, words;               /* where the result is in memory, in words */
};

/* Ends with a row whose name is NULL. */
extern const struct program programs[];

const struct program *program_find(const char *name);

/* FNV-1a over the program's result. */
uint64_t program_checksum(const struct program *program, const struct memory *mem);

#endif
