/*
 * The text of a Chiron trace (shared by what records and what simulates): lines are appended to a
 * buffer, which the caller writes out. Numbers are octal, but for the four of the caches.
 */
#ifndef PIPEGLASS_SIMULATOR_CHIRON_H
#define PIPEGLASS_SIMULATOR_CHIRON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "simulator/records.h"

/* The source of a record: a file's number and a line, 0 if it is not known. */
static inline uint64_t chiron_source(uint64_t file, uint64_t line)
{
	const uint64_t lines = UINT64_C(1) << 18; /* six octal digits */

	return file * lines + (line < lines ? line : 0);
}

/* A SIM_CACHES: four lines. */
void chiron_put_caches(struct sbuf *out, const struct sim_record *i);
/* SIM_MISS to SIM_WRITE: a line, with the mask of words in loads. false: another type, nothing appended. */
bool chiron_put(struct sbuf *out, const struct sim_record *r, uint64_t source);
/* Blanks and control characters of a name become `_`; without one it is `?`. */
void chiron_put_object(struct sbuf *out, const char *name, uint64_t address, uint64_t size,
		       unsigned cpu);
void chiron_put_deletion(struct sbuf *out, uint64_t address, unsigned cpu);

#endif
