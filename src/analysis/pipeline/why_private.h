/*
 * What the parts of `why` share: constraints, columns of instructions, the evaluation, the walk.
 *
 * why_read.c makes columns of the rows of a trace (why_stages.c: which of its stages are the five
 * times) and measures sizes. why_evaluate.c works one instruction out after another, with places
 * that are taken and left (why_machine.c); why_whatif.c whole runs: what the machine does at least,
 * then what-ifs. why_walk.c follows the critical path, why.c adds it all up.
 * Times are cycles from the first one of the trace.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_PRIVATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_PRIVATE_H

#include "analysis/pipeline/walk.h"
#include "analysis/pipeline/why.h"
#include "base/intern.h"

/* ---- constraints --------------------------------------------------------------------------- */

/*
 * Places: a time of a younger instruction waits until one of so many that hold them has left. Name;
 * the time that waits, and who takes a place with it (a flag); the time at which it is left, and by
 * whom; how many cycles later it can be taken; cause. First structures and widths, whose sizes are
 * the most that the trace shows. Of those that always hold as long as each other the first one
 * counts as full.
 */
#define WHY_SIZE_INFO(_)                                                                           \
	_(FETCH_WIDTH, "fetch-width", F, FETCHED, F, FETCHED, 1, WIDTH)                            \
	_(DISPATCH_WIDTH, "dispatch-width", D, FETCHED, D, FETCHED, 1, WIDTH)                      \
	_(COMMIT_WIDTH, "commit-width", C, LAST, C, LAST, 1, WIDTH)                                \
	_(LSQ, "lsq", D, ACCESS, C, MEMORY, 0, WINDOW)                                             \
	_(WINDOW_SIZE, "window", D, WHOLE, C, LAST, 0, WINDOW)                                     \
	_(QUEUE_SIZE, "queue", D, QUEUED, X, QUEUED, 0, QUEUE)                                     \
	_(FLOAT_QUEUE, "float-queue", D, FLOAT, X, FLOAT, 0, QUEUE)                                \
	_(BUFFER, "buffer", F, FETCHED, D, FETCHED, 0, QUEUE)

/* Places that one holds at a time: it comes behind all before it. */
#define WHY_ORDER_INFO(_)                                                                          \
	_(FETCH_ORDER, "fetch-order", F, ANY, F, ANY, 0, FETCH)                                    \
	_(TAKEN, "taken-branch", F, BEHIND_TAKEN, F, FETCHED, 1, TAKEN_BRANCH)                     \
	_(DISPATCH_ORDER, "dispatch-order", D, ANY, D, ANY, 0, FRONT_END)                          \
	_(ISSUE_ORDER, "issue-order", X, QUEUED, X, QUEUED, 0, ISSUE)                              \
	_(STORES, "memory-order", X, LOAD, W, ADDRESS, 0, MEMORY_ORDER)                            \
	_(COMMIT_ORDER, "commit-order", C, LAST, C, LAST, 0, COMMIT)

/*
 * All other constraints: name, cause. First the sizes that are none of those; the numbers of all up
 * to the redirect can be set; three from there on depend on the operation: struct why_edges.
 */
#define WHY_EDGE_INFO(_)                                                                           \
	_(ISSUE_WIDTH, "issue-width", ISSUE)                                                       \
	_(MEMORY_WIDTH, "memory-width", ISSUE)                                                     \
	_(DEPTH, "depth", FRONT_END)                                                               \
	_(REDIRECT, "redirect", BRANCH)                                                            \
	_(MISFETCH, "misfetch", BRANCH)                                                            \
	_(OPERAND, "data", DATA)                                                                   \
	_(ORIGIN, "start", START)                                                                  \
	_(READY, "dispatch-to-issue", DISPATCH)                                                    \
	_(LATENCY, "latency", EXECUTE)                                                             \
	_(RETIRE, "result-to-commit", COMMIT)                                                      \
	_(PARTS, "micro-ops-together", COMMIT)

enum why_rule {
#define WHY_RULE_ENUM(id, ...) WHY_RULE_##id,
	WHY_SIZE_INFO(WHY_RULE_ENUM)
	WHY_EDGE_INFO(WHY_RULE_ENUM)
	WHY_ORDER_INFO(WHY_RULE_ENUM)
#undef WHY_RULE_ENUM
	WHY_RULES,
	WHY_PLACES = WHY_RULE_ISSUE_WIDTH, /* with sizes; orders come last */
	WHY_ORDERS = WHY_RULE_FETCH_ORDER,
	WHY_SIZES = WHY_RULE_DEPTH, /* numbers of the others are the least that was seen */
	WHY_SETTINGS = WHY_RULE_MISFETCH
};

struct why_rule_info {
	const char *name;
	enum why_cause_id cause;
	enum why_time waits, left; /* places, here and below */
	unsigned takers, leavers;  /* a WHY_... flag */
	int64_t turn;
};

extern const struct why_rule_info why_rules[WHY_RULES];

/* Places that are left as others come, not some cycles later. */
static inline bool why_is_structure(unsigned rule)
{
	return rule < WHY_PLACES && why_rules[rule].turn == 0;
}

/* What an instruction is to the constraints; a load or store may be two, that issue one by one. */
enum {
	WHY_ANY = 0,
	WHY_FETCHED = 1,      /* it has a fetch of its own */
	WHY_WHOLE = 2,        /* takes a place in the window: no second half of a load or store */
	WHY_LAST = 4,         /* commits, for the half before it too */
	WHY_ACCESS = 8,       /* a whole one that will access memory */
	WHY_MEMORY = 16,      /* accesses it */
	WHY_LOAD = 32,        /* reads it, and issues */
	WHY_ADDRESS = 64,     /* makes the address of a store */
	WHY_QUEUED = 128,     /* waits for issue in the queue */
	WHY_FLOAT = 256,      /* in that of floating-point operations too */
	WHY_ISSUED = 512,     /* issues */
	WHY_FETCH_MISS = 1024, /* marked */
	WHY_MISS = 2048,      /* marked, behind fetch */
	WHY_MISPREDICTED = 4096,
	WHY_MISFETCHED = 8192, /* repaired at dispatch */
	WHY_BEHIND_TAKEN = 16384, /* does not stand behind the one before it in memory */
	WHY_UNREAD = 32768,   /* what it does is not known: it may access memory */
	WHY_LENT = 65536      /* a wrong path brought its line in: else it would have missed */
};

/* ---- instructions -------------------------------------------------------------------------- */

enum {
	WHY_OPS = 255,     /* operations told apart; the last one stands for all others, */
	WHY_OP_ADDRESS = 0, /* the first one for making the address of a load or store */
	WHY_REACH = 4096,  /* producers farther back are forgotten: they had committed */
	WHY_PRODUCERS = 7  /* of an instruction, at most */
};

#define WHY_NOBODY UINT32_MAX

struct why_insn {
	uint32_t times[WHY_TIMES]; /* cycles; they never fall. C is W of what does not commit itself */
	uint32_t row, code;
	uint32_t producer; /* its first one in why_columns.producers */
	unsigned flags : 17; /* WHY_... */
	unsigned front : 4;  /* 1 + that of the in-order stage it stayed in too long; 0: none */
	unsigned producers : 3;
	unsigned op : 8;
};

/*
 * A line that a wrong path missed before an instruction: marked, or if that one waited for the
 * branch alone and missed, as it was under way then. And who hit there later; WHY_NOBODY.
 */
struct why_loan {
	uint32_t before, who;
	bool marked;
};

/* Committed instructions in program order, 39 bytes each with its producers. */
struct why_columns {
	VEC(struct why_insn) insns;
	VEC(uint16_t) producers; /* how many instructions before */
	VEC(struct why_loan) loans;
};

/* Itself, or the first half of it. */
static inline size_t why_whole(const struct why_columns *c, size_t index)
{
	while (index > 0 && !(c->insns.data[index].flags & WHY_WHOLE))
		index--;
	return index;
}

/* ---- the machine --------------------------------------------------------------------------- */

enum {
	WHY_SIZE_MOST = 4096, /* a structure that held more bounds nothing */
	WHY_EDGES = 3,        /* rules from WHY_RULE_REDIRECT on that depend on the operation */
	WHY_NUMBERS = WHY_RULES + WHY_OPS + 1
};

/*
 * From another instruction: from the latest of its times that is never after, by so many cycles at
 * least. The time depends on the operation: that of the branch; of operands, of the consumer, as
 * some do not wait for what they seem to read (a conditional move for the old value of its
 * destination). Most have the usual one; the cycles from there are the number of the rule.
 */
struct why_edges {
	int8_t usual, from[WHY_OPS + 1]; /* enum why_time; -1: there is none */
	int64_t length[WHY_C];           /* from each */
};

/* What the trace shows of the machine. */
struct why_machine {
	/*
	 * Of a rule: the size or width, 0: it bounds nothing; or the least cycles that it takes.
	 * Behind those, by operation: the latency of a hit; INT64_MAX: never seen.
	 */
	int64_t number[WHY_NUMBERS];
	struct why_edges edges[WHY_EDGES];
	int64_t miss;                 /* the mean wait of a marked fetch */
	bool used[WHY_RULES]; /* never broken; and a size, if it was reached: any larger one may be */
	uint64_t breaches[WHY_RULES]; /* as far as they were counted: one is enough */
	uint64_t binding[WHY_RULES];  /* how often a time waited for it, and for nothing else */
	uint64_t alone[WHY_RULES]; /* of those: no other rule of the same time was as late */
};

static inline void why_least(int64_t *of, int64_t value)
{
	if (value < *of)
		*of = value;
}

/* ---- places that are taken and left -------------------------------------------------------- */

struct why_left {
	int64_t at;
	uint32_t who;
};

/*
 * The `size` latest leaves so far, in a ring from the earliest: that one has to be over before
 * one more can enter. They come nearly in order, so that few change places.
 */
struct why_ring {
	struct why_left *left;
	uint32_t size, first; /* 0: it bounds nothing */
};

bool why_ring_new(struct why_ring *r, int64_t size); /* false: no memory */
void why_ring_put(struct why_ring *r, int64_t at, uint32_t who);

/* How many issued in a cycle, and of them to memory. */
struct why_slot {
	int64_t cycle;
	int64_t all, memory;
};

enum { WHY_SLOTS = 4096 }; /* cycles that are kept apart, zeroed at first; those before are free */

/* The cycle's slots with one more taken, or those of the cycle that stands in its place. */
const struct why_slot *why_slots_take(struct why_slot *slots, int64_t cycle, bool memory);
/* The first cycle from `from` on with fewer taken than these (0: any number). */
int64_t why_slots_free_from(struct why_slot *slots, int64_t from, int64_t width,
			    int64_t memory_width);

/* ---- reading ------------------------------------------------------------------------------- */

/* Which stages of a trace are the five times. */
struct why_stages {
	int8_t of[WHY_TIMES]; /* the stage whose start it is; -1: the end of the row (C), or none */
	bool learned; /* from the order of starts, */
	bool named;   /* or the user says so */
	/* learned: stages between F and D, in order, and the least stay in each */
	char names[WHY_FRONTS][72]; /* "stage:F" */
	unsigned front_count;
	int64_t least[WHY_FRONTS];
	uint8_t front_of[STAGE_MAX]; /* 1 + its number; 0: none */
};

/*
 * Of so many rows, of a thread or (0) of all; named: see struct why_question. Errors of walk_rows();
 * STATUS_USAGE: it names no stage of the trace.
 */
enum status why_stages_new(struct why_stages *out, struct store *s, uint64_t rows,
			   uint16_t thread, const char *named, struct error *e);
/*
 * Ticks of a row; TICK_NONE: those that are not there. 1 + the front it stayed in longer than most
 * need, the longest; or 0.
 */
uint8_t why_stages_times(const struct why_stages *g, const struct walk_row *row,
			 int64_t ticks[WHY_TIMES]);

/* The instructions of a trace, their machine, and what was found and left out. */
struct why_reading {
	struct why_columns columns;
	struct why_machine machine;
	struct why_stages stages;
	struct intern *ops; /* names of operations, by number */
	struct range_clock clock;
	uint16_t thread; /* as store_thread() has it; 0: there is only one */
	uint64_t left_out;  /* rows: their times fall, or lie too far from the others */
	uint64_t others;    /* committed rows of other threads */
	unsigned seen;      /* flags that any of the instructions has */
	unsigned times;     /* set of the times that any row has */
	uint64_t unread; /* instructions whose operands are neither links nor read */
	const char *named;   /* as in struct why_question: while it is read */
	atomic_int *percent; /* of the work that is done (borrowed); NULL: nobody asks */
	bool links, marks;  /* operands are links; mispredictions are marked */
	atomic_uint users; /* results that have it, and only read it */
};

/*
 * The whole trace, into a zeroed one, also for a range of it: a part does not show what the machine
 * is like. *stop (may be NULL): STATUS_INTERRUPTED. Free it also after an error.
 */
enum status why_read(struct why_reading *out, struct store *s, const atomic_bool *stop,
		     struct error *e);
void why_reading_free(struct why_reading *r);

/* ---- evaluation ---------------------------------------------------------------------------- */

/* The constraint of a time that arrived last. */
struct why_arrival {
	int64_t at;
	int64_t second; /* when the time could have been without it, of the run as it was */
	uint32_t who; /* the instruction whose time `from` it counts from; WHY_NOBODY: the start */
	uint8_t rule, from;
};

/* An instruction, evaluated. A time is by.at and the residue. */
struct why_step {
	int64_t times[WHY_TIMES], residues[WHY_TIMES];
	struct why_arrival by[WHY_TIMES];
};

/*
 * One evaluation, and what it has to remember. Of the run as it was, each time is that observed,
 * and what its constraints leave is its residue: constraints never exceed what was observed (one
 * that does is counted and not used). Of a what-if, the constraints and residues that are left give
 * other times.
 */
struct why_run {
	const struct why_columns *c;
	struct why_machine m;
	uint64_t gone; /* causes that are taken away; of the run as it was: none */
	bool observed; /* the run as it was */
	size_t first;  /* what-ifs: all before this one stay as they were, */
	int64_t from;  /* and others come from this cycle on */
	size_t memory; /* how many instructions before one still hold it up */
	struct why_ring places[WHY_RULES];
	struct why_slot *slots;
	int64_t (*results)[WHY_TIMES]; /* times of the last WHY_REACH instructions */
	struct why_left result; /* the last one of both halves */
	/* Observed: where the least cycles are gathered, from each time; NULL: they are known. */
	int64_t (*learned)[WHY_OPS + 1][WHY_C];
};

/*
 * Of a run with all fields up to `from` set: as if it had been evaluated from the start up to
 * `first`. False: no memory; free it all the same.
 */
bool why_run_begin(struct why_run *r);
void why_run_free(struct why_run *r);
/*
 * The next instruction. Observed: fills the step. Else the residues of the step are those of the
 * run as it was, and times are filled, nothing else. O(structures).
 */
void why_run_step(struct why_run *r, size_t index, struct why_step *step);
/* What the residue of a time of an instruction is called: an enum why_cause_id, or a front's. */
unsigned why_residue_cause(const struct why_insn *insn, enum why_time t);
/* Marks explain those of that name. */
static inline bool why_is_marked(unsigned cause)
{
	return cause == WHY_ICACHE || cause == WHY_DCACHE;
}

/*
 * What r->machine takes at least is learned; rules that the trace breaks go out of use, and sizes
 * that it never reached. O(instructions).
 */
enum status why_settle(struct why_reading *r, const atomic_bool *stop, struct error *e);
/*
 * All what-ifs in one pass: O(instructions of the span * (1 + what-ifs)). Fills their cycles, from
 * span.from on, what they save, and what that is.
 */
enum status why_evaluate(const struct why_reading *r, struct why_span span,
			 struct why_whatif *whatifs, size_t count, const atomic_bool *stop,
			 struct error *e);

/* ---- the walk ------------------------------------------------------------------------------ */

enum { WHY_WALK = 4096 }; /* instructions of a block */

/* Some instructions, evaluated as it was, on a machine. */
struct why_steps {
	const struct why_columns *c;
	const struct why_machine *m;
	size_t first, count;
	struct why_step *of; /* NULL at first; free() */
};

/* From `first` up to `end`, WHY_WALK of them at most. False: no memory. */
bool why_steps_load(struct why_steps *s, size_t first, size_t end);

/* Cycles [from, to) that went to a cause. */
struct why_part {
	size_t index;       /* the instruction that waited, */
	enum why_time time; /* this time of it, */
	size_t owner;       /* and the one that it is charged to */
	unsigned cause;     /* enum why_cause_id, or WHY_CAUSES + a front */
	bool residue;       /* not explained by the trace */
	int64_t from, to;
};

/* False: no memory, which the walk returns. */
typedef bool why_part_fn(void *arg, const struct why_part *part);

/*
 * From the last commit of the span back to span.from, latest first. What is left where the path
 * goes to instructions from before it is `start`. Steps telescope: each ends where the one told
 * before it begins, so that their cycles are those of the run. A constraint of length 0 leads on
 * and costs nothing. O(instructions), memory O(WHY_WALK). *stop may be NULL.
 */
enum status why_walk(const struct why_reading *r, struct why_span span, why_part_fn *fn, void *arg,
		     const atomic_bool *stop, struct error *e);

/* A part of the walk as a step of w->path, latest first (false: no memory); it has them all. */
bool why_path_add(struct why *w, const struct why_part *part);
void why_path_end(struct why_path *p);

#endif
