/*
 * Why a run took so long: where every cycle went, and what each cause would save if it were gone.
 *
 * From the trace alone, after Fields, Rubin and Bodik, "Focusing processor policies via
 * critical-path prediction" (ISCA 2001). Each of an instruction's five times is the greatest of its
 * constraints plus a residue that the trace does not explain. Sizes, widths and latencies are those
 * seen in the trace; a rule that the trace breaks once is not used. Evaluated forward this gives
 * the observed times back, and those of what-ifs. Walked back from the last commit along the
 * constraints that arrived last, it is the critical path: causes are cycles of it and add up to the
 * run. What they save comes from what-ifs, and two together may save more or less than their sum.
 *
 * O(text) to read, then O(instructions) for each evaluation; memory some 40 bytes an instruction.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_H

#include <stdatomic.h>

#include "analysis/pipeline/range.h"
#include "base/status.h"
#include "base/vec.h"
#include "trace/result.h"

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
 * cause, key, its letter, what is taken away when it is gone, what a number of saved cycles is
 * (NULL: a prediction), what it means. Residues are what the trace does not explain, or explains by
 * a mark.
 */
#define WHY_CAUSE_INFO(_)                                                                          \
	_(BRANCH, "branch", 'b', RULES, "upper", "mispredicted branches and misfetches")           \
	_(ICACHE, "icache", 'i', RESIDUES, NULL, "fetches that missed")                            \
	_(DCACHE, "dcache", 'd', RESIDUES, NULL, "latency beyond a hit, and waits before a miss")  \
	_(DATA, "data", 'o', RULES, NULL, "operands that were not ready")                          \
	_(WINDOW, "window", 'w', RULES, NULL, "a full window or load-store queue")                 \
	_(QUEUE, "queue", 'q', RULES, NULL, "a full issue queue or fetch buffer")                  \
	_(WIDTH, "width", 'W', RULES, NULL,                                                        \
	  "instructions fetched, dispatched or committed per cycle")                               \
	_(ISSUE, "issue", 'I', RULES, NULL, "instructions or memory accesses issued per cycle")    \
	_(TAKEN_BRANCH, "taken-branch", 't', RULES, NULL, "one taken branch per cycle")            \
	_(MEMORY_ORDER, "memory-order", 'm', RULES, NULL,                                          \
	  "loads behind addresses of earlier stores")                                              \
	_(EXECUTE, "execute", 'x', NOTHING, NULL, "latency of operations, and hits")               \
	_(FRONT_END, "front-end", 'e', NOTHING, NULL, "stages from fetch to dispatch")             \
	_(COMMIT, "commit", 'c', NOTHING, NULL, "from the result to commit, and what delays it")   \
	_(DISPATCH, "dispatch", 'D', RESIDUES, NULL,                                               \
	  "to issue, and unexplained waits for dispatch")                                          \
	_(FETCH, "fetch", 'f', RESIDUES, NULL, "waits for fetch that nothing explains")            \
	_(CONTENTION, "contention", 'n', RESIDUES, NULL, "waits for issue that nothing explains")  \
	_(START, "start", 's', NOTHING, NULL, "before the first instruction")

#define WHY_METRIC "why" /* all causes over time; one: "why:branch" */

enum why_gone { WHY_GONE_NOTHING, WHY_GONE_RULES, WHY_GONE_RESIDUES };

enum why_cause_id {
#define WHY_CAUSE_ENUM(id, ...) WHY_##id,
	WHY_CAUSE_INFO(WHY_CAUSE_ENUM)
#undef WHY_CAUSE_ENUM
	    WHY_CAUSES
};

/* Behind those: stays in in-order stages with names of their own, "stage:F". */
enum { WHY_FRONTS = 15, WHY_CAUSES_ALL = WHY_CAUSES + WHY_FRONTS };
#define WHY_BIT(cause) (UINT64_C(1) << (cause))

struct why_cause_info {
	const char *key, *bound;
	char letter;
	enum why_gone gone;
};

extern const char *const why_time_names[WHY_TIMES];
extern const struct why_cause_info why_causes[WHY_CAUSES];

/* ---- a run --------------------------------------------------------------------------------- */

struct why_cause {
	unsigned number;
	const char *name; /* of the reading, as that of a parameter */
	int64_t cycles;   /* of the path */
	double share, cpi;
	int64_t saved;    /* without it; -1: nothing can be taken away */
	const char *bound; /* "upper" (of a size: if nothing else fills up); NULL: a prediction */
};

struct why_parameter {
	const char *name;
	unsigned number; /* of the rule that it is of, or of the operation: why_private.h */
	int64_t value;
	bool reached; /* else it is a lower bound */
	unsigned cause; /* that it is when this structure is full; WHY_CAUSES: it is none */
};

/* The row that waited longest, and where that shows; 0 cycles: none did. */
struct why_dearest {
	uint64_t row;
	int64_t tick, cycles;
};

/* What one static instruction owns of the path. */
struct why_pc {
	uint32_t code;
	int64_t causes[WHY_CAUSES_ALL];
	struct why_dearest dearest[WHY_CAUSES_ALL];
};

/*
 * A what-if as it is asked for, before there is a trace: words that commas or blanks part, causes
 * that are taken away ("dcache,branch") and settings ("window=128"); set: no causes.
 */
struct why_asked {
	bool set;
	const char *words;
};

/* Cycles from `from` to the last commit; the first instruction that is explained, and the end. */
struct why_span {
	int64_t from, to;
	size_t first, end;
};

struct why_setting {
	const struct why_parameter *of;
	int64_t value;
};

struct why_note {
	char text[200];
};

/* The shortest setting, lsq=1, takes six bytes with what parts it from the next one. */
enum { WHY_NOTES = 16, WHY_WORDS = 192, WHY_SETTINGS_MOST = WHY_WORDS / 6 };

/* A machine without some causes, or with something set. */
struct why_whatif {
	uint64_t gone; /* set of causes, by their number */
	struct why_setting set[WHY_SETTINGS_MOST];
	size_t set_count;
	char words[WHY_WORDS]; /* as it was asked for: "dcache,window=128" */
	int64_t cycles, saved;
	uint64_t differences; /* times that are not as they were */
	const char *bound;
};

/* What is to be found out of a trace; all may be 0 or NULL. */
struct why_question {
	/* Of its rows those fetched in its ticks; NULL: all. The trace is read as a whole either way:
	 * its machine explains every part of it. */
	const struct range *range;
	const struct why_asked *asked;
	size_t asked_count;
	/* It has read the trace: both have the reading then, until they are freed, by one thread. */
	const struct why *known;
	/* Of the five times the stages whose start they are, in order, that commas part, "F,Sc,Is,-,Cm",
	 * -: none; NULL or "": as the trace shows. Not where it is known. */
	const char *stages;
	bool path; /* is kept as well */
	const atomic_bool *stop;
	atomic_int *percent; /* of the work that is done, also of why_try(): lives as long as the result */
};

/*
 * Which row every cycle of the run was spent in, and why: steps in the order of time, each from
 * where the one before ends. A step of another row than the one before is that row's wait for it;
 * without cycles it only leads from row to row. What led nowhere is left out. 16 bytes a step; a
 * look-up is O(log steps).
 */
struct why_path_step {
	int64_t to;   /* tick */
	uint32_t row;
	uint8_t cause, time; /* as struct why_part has them */
};

struct why_path {
	VEC(struct why_path_step) steps;
	int64_t from; /* tick of the first one */
};

struct why_reading;

struct why {
	struct store *store; /* borrowed */
	struct why_reading *reading; /* what was evaluated: why_private.h */
	struct range_clock clock;    /* cycle 0 begins at its first tick */
	struct why_span span;
	uint64_t instructions; /* of the span, without second halves */
	int64_t cycles;
	double cpi, residue_share;
	uint64_t differences; /* times that did not come back: none, or it is a defect */
	unsigned cause_count; /* WHY_CAUSES, and those stays in in-order stages that the trace has */
	struct why_cause causes[WHY_CAUSES_ALL]; /* by number */
	VEC(struct why_parameter) parameters;
	VEC(struct why_pc) pcs; /* those that own cycles */
	VEC(struct why_whatif) whatifs;
	struct why_note notes[WHY_NOTES]; /* what the trace cannot show, and what was left out */
	size_t note_count;
	struct why_path path; /* no steps: nobody asked for it */
};

/* Why its rows have no times that a processor took; NULL: they have. */
const char *why_not(const struct store *s);

/*
 * What a range saves is of its own cycles. STATUS_USAGE: a word of asked that names nothing;
 * STATUS_INPUT: nothing can be evaluated, and which part is missing; STATUS_INTERRUPTED soon after
 * *stop. O(instructions of the range), and where nobody has read the trace O(text).
 */
enum status why_new(struct why *out, struct store *s, const struct why_question *q,
		    struct error *e);
void why_free(struct why *w);

/* One more what-if. */
enum status why_try(const struct why *w, const struct why_asked *asked, struct why_whatif *out,
		    const atomic_bool *stop, struct error *e);

/* Of a why_pc or whatif: "branch", "stage:F". */
const char *why_cause_name(const struct why *w, unsigned cause);
enum { WHY_NO_CAUSE = WHY_CAUSES_ALL };
/* Also before there is a run: of one of the causes that all have. */
unsigned why_cause_named(const struct why *w, const char *name);

/* A cycle as a tick of the trace. */
static inline int64_t why_tick(const struct why *w, int64_t cycle)
{
	return w->clock.first + cycle * w->clock.ticks;
}

/* ---- the critical path --------------------------------------------------------------------- */

/*
 * Of each cause in turn its share of each bin of [from, to), ticks, as far as the path goes; NaN: it
 * does not go there. values: WHY_CAUSES_ALL * bins. O(steps in there, bins). False: no memory.
 */
bool why_path_shares(const struct why_path *p, int64_t from, int64_t to, size_t bins,
		     double *values);

/* The first step that ends behind the tick, which is steps.count behind the last one. */
size_t why_path_at(const struct why_path *p, int64_t tick);

static inline int64_t why_path_from(const struct why_path *p, size_t i)
{
	return i ? p->steps.data[i - 1].to : p->from;
}

/* " of dcache until its result; waited for row 1 234 (data)" */
void why_path_tell(const struct why *w, size_t i, struct sbuf *out);

/* ---- one instruction ----------------------------------------------------------------------- */

/*
 * Why it was so late: for each of its times what arrived last, by how much, and how many cycles
 * later it could have come. Slack is found by trying: the run goes on with a delay until it is
 * again as it was, or as it was but later, which is exact within the model. A run that is neither
 * after some thousand instructions leaves a bound.
 */
struct why_reason {
	const char *rule; /* what arrived last; NULL: the row has no such time of its own */
	int64_t margin;   /* cycles from the second latest to it */
	uint64_t row;     /* whose time it counts from, or the row itself; ROW_NONE: the start */
	enum why_time from;
	int64_t tick;     /* of that time */
	int64_t residue;  /* cycles behind it */
	const char *residue_cause;
	bool explained; /* by a mark of the trace: the residue is a miss */
	int64_t slack; /* cycles; at_least: or more */
	bool at_least;
};

struct why_late {
	struct why_reason of[WHY_TIMES];
};

/*
 * STATUS_NOT_FOUND: the row did not commit, or is not one of those that were evaluated.
 * O(what waits for it), milliseconds at most.
 */
enum status why_late(const struct why *w, uint64_t row, struct why_late *out, struct error *e);

#endif
