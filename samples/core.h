/*
 * An out-of-order core in five stages, fetch IF, dispatch DA, issue EX, writeback WB and commit CT,
 * that really executes: values live in renamed registers, loads look into older stores, and what it
 * does wrongly after a misprediction is done and squashed.  A cycle goes backwards through the
 * pipe, so nothing moves two stages in one.  core_run() costs O(cycles * reorder buffer).
 *
 * An in-order reference steps along as the right path is dispatched.  The core never looks at it to
 * decide anything: it marks mispredictions in the trace before they are found out, and every
 * instruction that commits must have done exactly what the reference did.
 */
#ifndef SAMPLES_CORE_H
#define SAMPLES_CORE_H

#include "cache.h"
#include "counters.h"
#include "isa.h"
#include "predictor.h"
#include "trace.h"

enum {
	RING_MAX = 256, /* fetch queue or reorder buffer */
	PREG_COUNT = 1 + REG_COUNT + RING_MAX,
	PREG_ZERO = 0, /* the physical register of r31 and f31 */
	UNIT_MAX = 4,  /* of one kind */
	MSHR_MAX = 8
};

struct machine {
	int width;       /* fetched, dispatched and committed in a cycle */
	int fetch_queue; /* entries */
	int rob;
	int queue[QUEUE_COUNT]; /* INT, FP: until issue; MEM: until commit */
	int recovery;           /* cycles from a misprediction's detection to the next fetch */
	int mshrs;              /* D-cache blocks on their way at once */
	int memory, tlb_miss;   /* cycles beyond the L2 cache, or to fill a TLB */
	struct {
		int count, latency, interval; /* interval: cycles until the unit takes the next */
	} unit[UNIT_COUNT];
	struct cache_shape icache, dcache, l2, itlb, dtlb;
	struct predictor_shape predictor;
	bool perfect_branches;      /* fetch knows where each instruction leads */
	bool fetch_hits, data_hits; /* caches and TLBs have whatever is asked for */
};

/* One row of the trace: a fetched instruction, or the memory micro-op of a load or store. */
struct entity {
	uint32_t seq;
	enum stage stage;
	int64_t since;   /* cycle it entered the stage */
	int64_t done;    /* cycle it writes back, while in EX */
	unsigned missed; /* its event bits on issue */
};

enum fate { FATE_COMMITTED, FATE_SQUASHED, FATE_DROPPED };

struct inst {
	const struct insn *insn;
	uint64_t pc;
	uint64_t next; /* predicted */
	bool taken;    /* predicted */
	struct predictor_state before;
	struct entity self, memory;
	int src[2], dst, old; /* physical registers; old is what dst replaced */
	struct effect did;
	bool fault;           /* its address is no memory */
	bool on_path;         /* the reference has been here */
	struct effect should; /* and did this */
};

/* First in, first out; the youngest may be taken back. */
struct ring {
	struct inst slot[RING_MAX];
	int head, count;
};

struct fetch {
	uint64_t pc;
	int64_t resume;       /* no fetch before this cycle */
	struct event awaited; /* the miss that ends then */
	bool recovering;      /* nothing has come in since the last redirection */
	/* Entities a misfetch emptied out of the queue, while nobody younger has been decoded. */
	int64_t vanished;
	int64_t vanished_since; /* sum of the cycles they were fetched in */
};

struct core {
	const struct machine *machine;
	const struct text *text;
	struct trace *trace;
	int64_t now;
	uint32_t next_seq;
	struct fetch fetch;
	struct ring fetch_queue, rob;
	int queued[QUEUE_COUNT];
	int map[REG_COUNT];
	int free_preg[PREG_COUNT], free_count;
	struct {
		uint64_t value;
		bool ready;
	} preg[PREG_COUNT];
	int64_t unit_free[UNIT_COUNT][UNIT_MAX]; /* cycle from which it takes an operation */
	struct cache icache, dcache, l2, itlb, dtlb;
	int64_t mshr_done[MSHR_MAX]; /* cycle its block arrives */
	struct predictor predictor;
	struct memory mem; /* as committed */
	struct arch reference;
	struct arch oracle; /* the reference as far as was fetched, where branches are perfect */
	bool on_path; /* the next to be dispatched is what the reference does next */
	bool halted;
	bool unit_was_full[UNIT_COUNT], mshr_was_full; /* in this cycle */
	int64_t last_commit;
	const char *fault; /* why the run cannot go on; NULL while it can */
	struct counters counters;
};

extern const struct machine core_two_wide, core_four_wide;

/* A core about to execute text from start; heap memory, or NULL. */
struct core *core_create(const struct machine *machine, const struct text *text,
			 const struct arch *start, struct trace *trace);

/* Runs until the program halts, or max_cycles (0: no limit); false, core->fault if it cannot. */
bool core_run(struct core *core, int64_t max_cycles);

/* The counters as `name value` lines. */
void core_print(const struct core *core, FILE *out);

/* ---- between the core's own files */

struct inst *ring_at(struct ring *ring, int k); /* k-th oldest */
struct inst *ring_push(struct ring *ring);
void ring_pop(struct ring *ring);

extern const struct event core_no_event;

void core_birth(struct core *core, struct entity *entity, uint64_t pc, const char *text);
void core_enter(struct core *core, struct entity *entity, enum stage stage, struct event event);
void core_leave(struct core *core, struct entity *entity, enum fate fate);

bool core_take_unit(struct core *core, enum unit unit);
int core_mshrs_used(const struct core *core);
void core_redirect(struct core *core, uint64_t pc, int64_t when);

void core_fetch(struct core *core);
void core_dispatch(struct core *core);
void core_issue(struct core *core);
void core_writeback(struct core *core);
void core_commit(struct core *core);

#endif
