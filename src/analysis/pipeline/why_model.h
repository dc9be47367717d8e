/*
 * The words of `why`: the five times of an instruction, the causes that cycles go to, the
 * constraints that times wait for, and the machine that they are measured of.
 *
 * After Fields, Rubin and Bodik, "Focusing processor policies via critical-path prediction" (ISCA
 * 2001). Each time is the greatest of its constraints plus a residue that the trace does not
 * explain. Sizes, widths and latencies are those seen in the trace; a rule that the trace breaks
 * once is not used. Times are cycles from the first one of the trace.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_MODEL_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/formats/reader.h"

/* time, name */
#define WHY_TIME_INFO(_)                                                                           \
	_(F, "fetch")    /* fetched */                                                             \
	_(D, "dispatch") /* entered the window */                                                  \
	_(X, "issue")    /* began to execute */                                                    \
	_(W, "result")   /* its result was ready */                                                \
	_(C, "commit")

enum why_time {
#define WHY_TIME_ENUM(id, name) WHY_##id,
	WHY_TIME_INFO(WHY_TIME_ENUM)
#undef WHY_TIME_ENUM
	    WHY_TIMES
};

/*
 * cause, key, what is taken away when it is gone, what a number of saved cycles is (NULL: a
 * prediction), what it means. Residues are what the trace does not explain, or explains by a mark.
 */
#define WHY_CAUSE_INFO(_)                                                                          \
	_(BRANCH, "branch", RULES, "upper", "mispredicted branches and misfetches")                \
	_(ICACHE, "icache", RESIDUES, NULL, "fetches that missed")                                 \
	_(DCACHE, "dcache", RESIDUES, NULL, "latency of loads and stores beyond a hit")            \
	_(DATA, "data", RULES, NULL, "operands that were not ready")                               \
	_(WINDOW, "window", RULES, NULL, "a full window or load-store queue")                      \
	_(QUEUE, "queue", RULES, NULL, "a full issue queue or fetch buffer")                       \
	_(WIDTH, "width", RULES, NULL, "instructions fetched, dispatched or committed per cycle")  \
	_(ISSUE, "issue", RULES, NULL, "instructions or memory accesses issued per cycle")         \
	_(MEMORY_ORDER, "memory-order", RULES, NULL, "loads behind addresses of earlier stores")   \
	_(TAKEN_BRANCH, "taken-branch", RULES, NULL, "one taken branch per cycle")                 \
	_(EXECUTE, "execute", NOTHING, NULL, "latency of operations, and hits")                    \
	_(FRONT_END, "front-end", NOTHING, NULL, "stages from fetch to dispatch")                  \
	_(DISPATCH, "dispatch", RESIDUES, NULL, "from dispatch to issue; waits for dispatch that nothing explains") \
	_(COMMIT, "commit", NOTHING, NULL, "from the result to commit, and what delays it")        \
	_(FETCH, "fetch", RESIDUES, NULL, "waits for fetch that nothing explains")                 \
	_(CONTENTION, "contention", RESIDUES, NULL, "waits for issue that nothing explains")       \
	_(START, "start", NOTHING, NULL, "before the first instruction")

#define WHY_METRIC "why" /* all causes over time; one: "why:branch" */

enum why_gone { WHY_GONE_NOTHING, WHY_GONE_RULES, WHY_GONE_RESIDUES };

enum why_cause_id {
#define WHY_CAUSE_ENUM(id, key, gone, bound, what) WHY_##id,
	WHY_CAUSE_INFO(WHY_CAUSE_ENUM)
#undef WHY_CAUSE_ENUM
	    WHY_CAUSES
};

/* Behind those: stays in in-order stages with names of their own, "stage:F". */
enum { WHY_FRONTS = 15, WHY_CAUSES_ALL = WHY_CAUSES + WHY_FRONTS };
#define WHY_BIT(cause) (UINT64_C(1) << (cause))

/*
 * Structures that hold so many and no more: the time of a younger instruction waits until one of
 * them has left. Name, time that waits, time at which a place is left, how many cycles later it
 * can be taken, who takes one, cause.
 */
#define WHY_PLACE_INFO(_)                                                                          \
	_(FETCH_WIDTH, "fetch-width", F, F, 1, FETCHED, WIDTH)                                     \
	_(BUFFER, "buffer", F, D, 0, FETCHED, QUEUE)                                               \
	_(DISPATCH_WIDTH, "dispatch-width", D, D, 1, FETCHED, WIDTH)                               \
	_(WINDOW_SIZE, "window", D, C, 0, WHOLE, WINDOW)                                           \
	_(LSQ, "lsq", D, C, 0, MEMORY, WINDOW)                                                     \
	_(QUEUE_SIZE, "queue", D, X, 0, QUEUED, QUEUE)                                             \
	_(COMMIT_WIDTH, "commit-width", C, C, 1, WHOLE, WIDTH)

enum why_place_id {
#define WHY_PLACE_ENUM(id, ...) WHY_PLACE_##id,
	WHY_PLACE_INFO(WHY_PLACE_ENUM)
#undef WHY_PLACE_ENUM
	    WHY_PLACES
};

/* All other constraints: name, time that waits, cause. */
#define WHY_EDGE_INFO(_)                                                                           \
	_(ORIGIN, "start", F, START)                                                               \
	_(FETCH_ORDER, "fetch-order", F, FETCH)                                                    \
	_(REDIRECT, "redirect", F, BRANCH)                                                         \
	_(MISFETCH, "misfetch", F, BRANCH)                                                         \
	_(TAKEN, "taken-branch", F, TAKEN_BRANCH)                                                  \
	_(DEPTH, "depth", D, FRONT_END)                                                            \
	_(DISPATCH_ORDER, "dispatch-order", D, FRONT_END)                                          \
	_(READY, "dispatch-to-issue", X, DISPATCH)                                                 \
	_(OPERAND, "data", X, DATA)                                                                \
	_(STORES, "memory-order", X, MEMORY_ORDER)                                                 \
	_(ISSUE_ORDER, "issue-order", X, ISSUE)                                                    \
	_(ISSUE_WIDTH, "issue-width", X, ISSUE)                                                    \
	_(MEMORY_WIDTH, "memory-width", X, ISSUE)                                                  \
	_(LATENCY, "latency", W, EXECUTE)                                                          \
	_(RETIRE, "result-to-commit", C, COMMIT)                                                   \
	_(PARTS, "micro-ops-together", C, COMMIT)                                                  \
	_(COMMIT_ORDER, "commit-order", C, COMMIT)

/* Places first: a rule's number is that of its place. */
enum why_rule {
	WHY_RULE_EDGES = WHY_PLACES - 1,
#define WHY_EDGE_ENUM(id, ...) WHY_RULE_##id,
	WHY_EDGE_INFO(WHY_EDGE_ENUM)
#undef WHY_EDGE_ENUM
	    WHY_RULES
};

struct why_cause_info {
	const char *key, *bound;
	enum why_gone gone;
};

struct why_place_info {
	enum why_time waits, left;
	int64_t turn;
	unsigned who; /* WHY_... flags, one of which says so */
};

struct why_rule_info {
	const char *name;
	enum why_time waits;
	enum why_cause_id cause;
};

extern const char *const why_time_names[WHY_TIMES];
extern const struct why_cause_info why_causes[WHY_CAUSES];
extern const struct why_place_info why_places[WHY_PLACES];
extern const struct why_rule_info why_rules[WHY_RULES];

/* What an instruction is to the constraints. */
enum {
	WHY_FETCHED = 1,      /* it has a fetch of its own */
	WHY_WHOLE = 2,        /* takes a place in the window: not the second half of a load or store */
	WHY_MEMORY = 4,       /* accesses memory */
	WHY_QUEUED = 8,       /* waits for issue in the queue */
	WHY_ISSUED = 16,      /* issues */
	WHY_LOAD = 32,
	WHY_ADDRESS = 64,     /* makes the address of a store */
	WHY_FETCH_MISS = 128, /* marked */
	WHY_MISPREDICTED = 256,
	WHY_MISFETCHED = 512, /* repaired at dispatch */
	WHY_BEHIND_TAKEN = 1024, /* does not stand behind the one before it in memory */
	WHY_MISS = 2048,      /* marked, behind fetch */
	WHY_UNREAD = 4096,    /* what it does is not known: it may access memory */
	WHY_LENT = 8192       /* its line was brought in by a wrong path: see why_lent.h */
};

enum {
	WHY_OPS = 255,      /* operations told apart; the last one stands for all others */
	WHY_SIZE_MOST = 4096 /* a structure that held more bounds nothing */
};

/* From the latest of another instruction's times that is never after, by so many cycles at least. */
struct why_edge {
	int8_t from; /* enum why_time; -1: there is none */
	int64_t length;
};

/* The fetch behind a misprediction, by its operation: most count from the same time. */
struct why_redirect {
	int64_t length; /* of those that count from `usual` */
	int8_t usual;   /* -1: there was none */
	struct why_edge of[WHY_OPS + 1];
};

static inline int64_t why_redirect_length(const struct why_redirect *r, uint8_t op)
{
	return r->of[op].from == r->usual ? r->length : r->of[op].length;
}

/*
 * Operands, by the operations of producer and consumer: some consumers do not wait for what they
 * seem to read (a conditional move for the old value of its destination).
 */
struct why_operands {
	int8_t from[WHY_OPS + 1][WHY_OPS + 1]; /* WHY_W, WHY_X or -1 */
	int32_t length[WHY_OPS + 1][WHY_OPS + 1];
};

/* What the trace shows of the machine. */
struct why_machine {
	int64_t size[WHY_PLACES];             /* 0: it bounds nothing */
	int64_t issue_width, memory_width;
	int64_t depth, ready, retire;         /* least cycles from F to D, D to X, W to C */
	struct why_redirect redirect, misfetch;
	const struct why_operands *operands;  /* borrowed */
	int64_t latency[WHY_OPS + 1];         /* by operation: that of a hit */
	int64_t set_latency[WHY_OPS + 1];     /* instead; below 0: as observed */
	int64_t lent;                         /* the mean wait of a marked fetch */
	bool used[WHY_RULES];
	uint64_t breaches[WHY_RULES]; /* as far as they were counted: one is enough */
	uint64_t binding[WHY_RULES]; /* how often a time waited for it, and for nothing else */
};

#endif
