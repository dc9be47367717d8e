/*
 * What the model counts about itself.  The counters are kept where the things happen, never derived
 * from the trace, and cost one addition each.
 */
#ifndef SAMPLES_COUNTERS_H
#define SAMPLES_COUNTERS_H

#include "isa.h"
#include "trace.h"

#define COUNTERS(X)                                                                                \
	X(cycles, "simulated; the trace's ticks are 0 to cycles - 1")                              \
	X(instructions, "births, micro-ops included: the sum of all fates")                        \
	X(fetched, "births at fetch")                                                              \
	X(micro_ops, "births at dispatch")                                                         \
	X(committed, "both kinds")                                                                 \
	X(committed_instructions, "births at fetch among them")                                    \
	X(committed_micro_ops, "births at dispatch among them")                                    \
	X(squashed, "both kinds, removed by a recovery")                                           \
	X(squashed_micro_ops, "births at dispatch among them")                                     \
	X(dropped, "no-operations consumed at decode")                                             \
	X(lost, "left in the fetch queue that a misfetch emptied, passed by a younger one")        \
	X(in_flight, "both kinds, at the end")                                                     \
	X(branches, "committed, conditional or not")                                               \
	X(mispredictions, "recoveries by a branch of the right path")                              \
	X(mispredictions_wrong_path, "recoveries by a branch of a wrong path")                     \
	X(misfetches, "taken targets that only decode knew, wrong path included")                  \
	X(forwarded_loads, "got their value from an older store in flight")

/* Why a cycle dispatched fewer than it could: the first obstacle met. One a cycle, so they add up.
 */
#define DISPATCH_LIMITS(X)                                                                         \
	X(WIDTH, "width")                                                                          \
	X(ICACHE, "icache_miss")                                                                   \
	X(RECOVERY, "recovery")                                                                    \
	X(FETCH, "fetch")                                                                          \
	X(ROB, "rob_full")                                                                         \
	X(INT, "int_queue_full")                                                                   \
	X(MEM, "mem_queue_full")                                                                   \
	X(FP, "fp_queue_full")

/* Why a cycle committed fewer than it could: what the oldest instruction left waited for. */
#define COMMIT_LIMITS(X)                                                                           \
	X(WIDTH, "width")                                                                          \
	X(EMPTY, "rob_empty")                                                                      \
	X(INT, "int")                                                                              \
	X(MEM, "mem")                                                                              \
	X(FP, "fp")                                                                                \
	X(MISS, "load_miss")                                                                       \
	X(STORE, "store_port")

enum dispatch_limit {
#define X(id, name) DISPATCH_##id,
	DISPATCH_LIMITS(X)
#undef X
	    DISPATCH_LIMIT_COUNT
};

enum commit_limit {
#define X(id, name) COMMIT_##id,
	COMMIT_LIMITS(X)
#undef X
	    COMMIT_LIMIT_COUNT
};

struct counters {
#define X(name, about) int64_t name;
	COUNTERS(X)
#undef X
	int64_t stage_entries[STAGE_COUNT];
	int64_t stage_cycles[STAGE_COUNT];      /* of stages that ended */
	int64_t stage_open_cycles[STAGE_COUNT]; /* up to the last tick, of those that did not */
	int64_t event[EVENT_COUNT][STAGE_COUNT];
	int64_t event_latency[EVENT_COUNT]; /* by colour */
	int64_t dispatch[DISPATCH_LIMIT_COUNT], commit[COMMIT_LIMIT_COUNT];
	int64_t unit_busy[UNIT_COUNT]; /* operations begun */
	int64_t unit_full[UNIT_COUNT]; /* cycles in which a ready operation found no unit free */
	int64_t mshr_full; /* cycles in which a load or store miss found no register free */
	int64_t committed_unit[UNIT_COUNT];
};

#endif
