/*
 * A mix of instructions: how many of each class, from whatever knows: typed by hand, a pattern, the
 * counters of a real machine (cpi0_counts.h), a trace (cpi0_trace.h).
 *
 * An instruction made of micro-ops counts once, and takes a place for each of its functions: it
 * loads, stores, computes with integers, with floats, branches. What loads and adds takes a place
 * where loads go and one where integers go; what loads and stores takes two, as it uses memory
 * twice. Several micro-ops of one function are one place, of the class that fewest units take
 * (divide, multiply, other): how many there are is the simulator's own cutting, which the rates of a
 * machine, told in instructions, know nothing of. What computes where a branch goes, or moves the
 * stack pointer for it, is the branch, as in instruction sets whose branches do so by themselves;
 * what it loads or stores is not: a return that pops takes a place where loads go. So shares of
 * queues can add up to more than 1.
 *
 * Who counts by queue only cannot tell which of the queue's units they need: those are unsplit, and
 * taken to suit the machine. Cost: O(text * classes).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_MIX_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_MIX_H

#include <stdint.h>

#include "analysis/pipeline/machine.h"
#include "base/status.h"
#include "base/vec.h"

/* Together, so that products of two counts and two terms of rates fit 128 bits. */
#define CPI0_COUNT_MOST (UINT64_C(1) << 50)
enum { CPI0_PATTERN_MOST = 4096 };

/* Of so many tries so many failed; tries 0: not known. */
struct cpi0_share {
	uint64_t failed, tries;
};

struct cpi0_mix {
	uint64_t classes[OP_CLASS_COUNT];
	uint64_t unsplit[MACHINE_QUEUES];
	uint64_t folded;    /* of the sum: of instructions that have another place already, or more
			     * than the counter of all of them says */
	uint64_t beside[OP_CLASS_COUNT]; /* of each class: of instructions with several places */
	uint64_t total;     /* instructions; more than the sum: some are of no known class */
	uint64_t claimed;   /* what the counter of all instructions said; 0: there was none */
	uint64_t cycles;    /* 0: not known */
	uint64_t committed; /* in those cycles */
	struct cpi0_share prediction, data_cache, fetch_cache;
	uint64_t branches;      /* where no class is of branches */
	bool branches_unknown;  /* they were not counted: those of a class are not all */
	bool cycles_uncounted;  /* there is a counter of them, which says nothing */
	uint64_t skipped;       /* counters that nobody has named */
	uint64_t nameless;      /* rows of the trace that tell no instruction: no part of it */
	enum op_class rest;     /* all that no counter is of is of this one; OP_CLASS_COUNT: none */
	class_set uncounted;    /* of loads, stores, branches: not counted, so part of that rest */
	class_set summed;       /* what several counters are of, added up: cpi0_summed_name() */
	double counted; /* the least part of the run that a counter was on; 1: all of it */
};

/* What a queue gets, and all of them together; the rest takes slots only. */
uint64_t cpi0_mix_queue(const struct cpi0_mix *mix, const struct machine *m, int queue);
uint64_t cpi0_mix_queued(const struct cpi0_mix *mix, const struct machine *m);
uint64_t cpi0_mix_branches(const struct cpi0_mix *mix);
/* Instructions whose class is known, or their queue. */
uint64_t cpi0_mix_known(const struct cpi0_mix *mix);

/*
 * One class for each function that the micro-ops of an instruction have, of all their classes;
 * none: OP_UNKNOWN.
 */
class_set cpi0_fold(class_set classes);
/* The classes of a function each: of any of them an instruction has one place at most. */
enum { CPI0_FUNCTIONS = 5 };
extern const class_set cpi0_functions[CPI0_FUNCTIONS];

/* One more instruction, of folded classes. */
void cpi0_mix_add(struct cpi0_mix *mix, class_set classes);

/* The queues in which an instruction of folded classes takes a place, one each; how many. */
int cpi0_places(int8_t out[OP_CLASS_COUNT], const struct machine *m, class_set classes);

/* An empty one, counted all the time. */
struct cpi0_mix cpi0_mix_none(void);

/*
 * "m=9,i=5,f=1,b=2": a queue of the machine or its first letter, `b` for branches, or a class
 * (fp-add). STATUS_USAGE: it is not of that form, or without any instruction.
 */
enum status cpi0_mix_parse(struct cpi0_mix *out, const struct machine *m, const char *text,
			   struct error *e);

/* The queues that instructions go to in turn; MACHINE_NO_QUEUE: a slot only. */
typedef VEC(int8_t) queue_vec;

/*
 * "miii", and "mfff_*+*" when the f's are a multiply, an add and a multiply: first letters of
 * queues, `b` for a branch. Also the mix of it. STATUS_USAGE, STATUS_NOMEM.
 */
enum status cpi0_pattern_parse(struct cpi0_mix *out, queue_vec *order, const struct machine *m,
			       const char *text, struct error *e);

/*
 * The mix in its most uniform order, once around; left empty when that is longer than
 * CPI0_PATTERN_MOST, or when instructions have several places. False: no memory.
 */
bool cpi0_uniform(queue_vec *order, const struct cpi0_mix *mix, const struct machine *m);

#endif
