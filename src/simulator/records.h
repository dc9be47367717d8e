/*
 * What is told of a run: records of 40 bytes, as this machine stores numbers, through a pipe from the
 * recorded program to the one that writes the trace.
 *
 * The simulator emits SIM_MISS to SIM_WRITE; its user adds what it alone knows: the others. All
 * records of one reference follow each other, its SIM_READ or SIM_WRITE last; a reference that does not
 * wait has none. A `pc` is the address behind an instruction's (a return address), or what the caller
 * of the simulator takes for a place in the program.
 */
#ifndef PIPEGLASS_SIMULATOR_RECORDS_H
#define PIPEGLASS_SIMULATOR_RECORDS_H

#include <stdint.h>

#define SIM_RECORDS_VERSION 1

enum sim_record_type {
	/* first of all; time: SIM_RECORDS_VERSION; other: where the program has pgmem_version */
	SIM_BEGIN = 'V',
	/* second; address, other: bytes of an L1 and an L2 block; cpu, text: how many L1 and L2 caches */
	SIM_CACHES = 'i',
	/* text: its id, from 1; other: its bytes, which follow, padded to whole records */
	SIM_TEXT = 'N',
	/* an object; address; other: bytes; cpu; pc: where it was made; text: its name, or 0 */
	SIM_OBJECT = 'c',
	SIM_DELETED = 'd', /* address, cpu; there may be no object */

	/* Of these: level 1 or 2; cpu, pc and address of the reference; time. */
	SIM_MISS = 'm',
	SIM_LOAD_SHARED = 'g',  /* other: the words that others wrote since the cache lost the block, */
	SIM_LOAD_PRIVATE = 'h', /* a bit each, the lowest one of the first word */
	/* a block had to go for another; other: the address of its first byte; cpu: at level 1 whose
	 * cache lost it, at level 2 the reference's */
	SIM_REPLACE_CLEAN = 'b',
	SIM_REPLACE_DIRTY = 'a',
	/* a block was taken away; cpu: whose cache lost it, at level 2 the first one of the cache's;
	 * address: of the reference if it is in the block, else of the block's first byte */
	SIM_INVALIDATE_CLEAN = 'f',
	SIM_INVALIDATE_DIRTY = 'e',
	SIM_UPGRADE = 'p', /* from shared to private */

	/* cpu, pc, address; time: cycles waited */
	SIM_READ = 'R',
	SIM_WRITE = 'W',

	SIM_GAVE_UP = '!', /* text: why, one line */
	/* the normal end; time: the last cycle; other: references; address: cycles waited by all */
	SIM_END = 'E'
};

struct sim_record {
	char type; /* enum sim_record_type */
	uint8_t level;
	uint16_t cpu;
	uint32_t text;
	uint64_t pc, address, other;
	int64_t time;
};

_Static_assert(sizeof(struct sim_record) == 40, "records have 40 bytes");

#endif
