/*
 * Two levels of coherent caches: who waits how long for which reference, and why.
 *
 * Every CPU has an L1 cache, some neighbours share an L2 cache, and behind these is the memory. Caches
 * hold blocks in sets, the least recently used goes first; an L2 cache has all that its L1 caches have.
 * A block is shared, or private to one cache, and only then written: the others' copies are invalidated
 * before. A reference waits for the costliest step that it needs (struct sim_machine).
 *
 * This is linked into programs that are recorded: it takes its memory from the system and not from the
 * program's heap, prints nothing, and takes no locks: its user lets one thread in at a time. One `struct
 * sim` knows nothing of another.
 */
#ifndef PIPEGLASS_SIMULATOR_SIMULATOR_H
#define PIPEGLASS_SIMULATOR_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/records.h"

enum { SIM_CPUS_MOST = 64, SIM_BLOCK_MOST = 256, SIM_WORD_BYTES = 4, SIM_LEVELS = 2 };

/* What a reference takes, in cycles: member, name in a model, help. All but the first are waits. */
#define SIM_LATENCIES(_)                                                                           \
	_(reference, "reference", "every reference, before it waits")                              \
	_(l2_hit, "l2-hit", "the L2 cache has the block")                                          \
	_(near_dirty, "near-dirty", "another L1 cache of the same L2 cache has changed it")        \
	_(near_upgrade, "near-upgrade", "a write to a block that L1 caches of one L2 cache share") \
	_(memory, "memory", "no cache near by has the block")                                      \
	_(far_dirty, "far-dirty", "another L2 cache has changed it")                               \
	_(far_upgrade, "far-upgrade", "a write to a block that L2 caches share")

struct sim_level {
	uint32_t bytes, ways, block; /* blocks and sets are powers of two */
};

struct sim_machine {
	char name[32];
	uint32_t cpus, cpus_per_l2; /* the first a multiple of the second */
	struct sim_level l1, l2;
	bool exclusive; /* a read of what no other cache has makes it private (MESI); else MSI */
	bool silent_locks; /* of the recorded program: locking accesses no memory, as with Mint's locks */
#define SIM_LATENCY(member, name, help) uint32_t member;
	SIM_LATENCIES(SIM_LATENCY)
#undef SIM_LATENCY
};

struct sim_preset {
	const char *name, *help, *text;
};

extern const struct sim_preset sim_presets[]; /* ends with a name of NULL */
#define SIM_DEFAULT "today"

/*
 * The name of a preset, or the text of a model (model.c has its syntax). false: error is one line,
 * "LINE: what, and what to do", or of no line. O(length).
 */
bool sim_machine_read(struct sim_machine *m, const char *text, char *error, size_t room);

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

/* While it is muted, everything is simulated and counted, and nothing emitted. */
void sim_mute(struct sim *s, bool muted);

/*
 * Why a cache did not have a block: name, help. As the memory views define them, but exact: of all words
 * that the reference accesses.
 */
#define SIM_CAUSES(_)                                                                              \
	_(COLD, "cold", "never held before")                                                       \
	_(REPLACED, "replacement", "lost to another block that needed its place")                  \
	_(TRUE, "true", "lost to another CPU, which wrote a word that is accessed now")             \
	_(FALSE, "false", "lost to another CPU, which wrote other words")                          \
	_(INCLUSION, "inclusion", "lost with the L2 block around it, whose other words were written")

enum sim_cause {
#define SIM_CAUSE_ENUM(name, key, help) SIM_CAUSE_##name,
	SIM_CAUSES(SIM_CAUSE_ENUM)
#undef SIM_CAUSE_ENUM
	    SIM_CAUSE_COUNT
};

struct sim_totals {
	uint64_t references, writes; /* blocks accessed; of these, written */
	uint64_t waited;             /* cycles, of all CPUs */
	uint64_t misses[SIM_LEVELS][SIM_CAUSE_COUNT];
	uint64_t upgrades[SIM_LEVELS];
	uint64_t lost; /* references that were not simulated: no memory */
};

const struct sim_totals *sim_totals(const struct sim *s);

#endif
