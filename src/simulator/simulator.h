/*
 * Two levels of coherent caches: who waits how long for which reference, and the records of that, which
 * become a Chiron trace.
 *
 * Every CPU has an L1 cache, some neighbours share an L2 cache, and behind these is the memory. Caches
 * hold blocks in sets, the least recently used goes first; an L2 cache has all that its L1 caches have.
 * A block is shared, or private to one cache, and only then written: the others' copies are invalidated
 * before. A reference waits for the costliest step that it needs (struct sim_machine).
 *
 * This is linked into programs that are recorded, but for the texts: it takes its memory from the
 * system and not from the program's heap, prints nothing, and takes no locks: its user lets one thread
 * in at a time. One `struct sim` knows nothing of another.
 */
#ifndef PIPEGLASS_SIMULATOR_SIMULATOR_H
#define PIPEGLASS_SIMULATOR_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- records: 40 bytes, as this machine stores numbers, also in the pipe from a recorded program ---- */

#define SIM_RECORDS_VERSION 2

/*
 * The simulator emits SIM_MISS to SIM_WRITE; its user adds what it alone knows: the others. All
 * records of one reference follow each other, its SIM_READ or SIM_WRITE last; a reference that does not
 * wait has none. A `pc` is the address behind an instruction's (a return address), or what the caller
 * of the simulator takes for a place in the program.
 */
enum sim_record_type {
	/* first of all; time: SIM_RECORDS_VERSION; other: where the program's file has its first byte */
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

/* ---- machines ---- */

enum { SIM_CPUS_MOST = 64, SIM_BLOCK_MOST = 256, SIM_WORD_BYTES = 4, SIM_LEVELS = 2 };

struct sim_level {
	uint32_t bytes, ways, block; /* blocks and sets are powers of two */
};

/* What they mean, the manual says (MODELS OF CACHES). */
struct sim_machine {
	uint32_t cpus, cpus_per_l2; /* the first a multiple of the second */
	struct sim_level l1, l2;
	uint32_t exclusive, silent_locks; /* 0 or 1: MESI, else MSI; of the recorded program */
	/* cycles: all but the first are waits */
	uint32_t reference, l2_hit, near_dirty, near_upgrade, memory, far_dirty, far_upgrade;
};

#define SIM_DEFAULT "today"

/*
 * The text of a model (model.c has its syntax); the name of a preset is one. false: error is one line,
 * "LINE: what, and what to do", or of no line. O(length).
 */
bool sim_machine_read(struct sim_machine *m, const char *text, char *error, size_t room);

/* ---- simulation ---- */

/* The record is the simulator's; it is valid until the function returns. */
typedef void sim_emit(void *context, const struct sim_record *r);

struct sim;

/* NULL: no memory. */
struct sim *sim_new(const struct sim_machine *m, sim_emit *emit, void *context);
void sim_free(struct sim *s);

/*
 * A reference to `size` bytes at `address` (0 is taken for 1) by a CPU below machine.cpus that has come
 * to cycle `now`. Gives the cycles that it waits, 0 if its L1 cache has the block; the CPU goes on
 * `reference` cycles and these later. What crosses blocks is a reference for each of them: all but the
 * first also wait the `reference` cycles of their own. O(ways) a block, and O(copies) to invalidate.
 */
int64_t sim_access(struct sim *s, unsigned cpu, uint64_t pc, uint64_t address, uint32_t size, bool write,
		   int64_t now);

/*
 * While it is muted, everything is simulated and counted, and nothing emitted but the ends of copies
 * whose beginnings were: who reads the records knows what caches have of what they were told.
 */
void sim_mute(struct sim *s, bool muted);

struct sim_totals {
	uint64_t references, writes; /* blocks accessed; of these, written */
	uint64_t waited;             /* cycles, of all CPUs */
	uint64_t misses[SIM_LEVELS], upgrades[SIM_LEVELS];
	uint64_t lost; /* references that were not simulated: no memory */
};

const struct sim_totals *sim_totals(const struct sim *s);

/* ---- texts: references in, as any tool's output can be turned into by awk ---- */

/*
 * A line: thread pc address size r|w, thread and size decimal, pc and address hexadecimal with or
 * without 0x. `#` begins a comment.
 */
struct sim_reference {
	uint64_t thread, pc, address;
	uint32_t size; /* 1 to 65536 bytes */
	bool write;
};

/*
 * One line, with or without its end, which is cut into words. false: nothing is to be simulated; *why is
 * NULL if nothing is in it, else what is wrong. O(length).
 */
bool sim_reference_read(struct sim_reference *out, char *line, const char **why);

/* ---- texts: Chiron traces out, lines appended to a buffer; octal, but for numbers of the caches ---- */

struct sbuf;

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
