/*
 * What the model found, in words and as a sum: for whoever prints or shows it.
 *
 * Words are appended without a full stop, so that they can be set as there is room.
 */
#ifndef PIPEGLASS_ANALYSIS_CPI0_WORDS_H
#define PIPEGLASS_ANALYSIS_CPI0_WORDS_H

#include "analysis/cpi0.h"
#include "base/sbuf.h"

/* id, name, what it is, what a negative one says */
#define CPI0_PARTS_INFO(_)                                                                         \
	_(DISPATCH, "dispatch", "what the width of the machine allows", "")                        \
	_(QUEUE, "queue", "what its limiting queue, or latency over K, adds", "")                  \
	_(ORDER, "order", "clusters that its queues do not bridge",                                \
	  "the simulated machine is below the bound: too few instructions for a steady state")     \
	_(REST, "everything else", "dependencies, misses, mispredictions",                         \
	  "the trace is faster than this machine can be: its own is wider, or holds more")

enum cpi0_part {
#define CPI0_PART_ENUM(id, name, help, negative) CPI0_PART_##id,
	CPI0_PARTS_INFO(CPI0_PART_ENUM)
#undef CPI0_PART_ENUM
	    CPI0_PARTS
};

extern const char *const cpi0_part_names[CPI0_PARTS], *const cpi0_part_helps[CPI0_PARTS],
    *const cpi0_part_negatives[CPI0_PARTS];

/*
 * A measured CPI as a sum: 1/mu, up to CPI0, up to the CPI simulated in the order of the program,
 * up to what was measured. Either may be < 0, which is not known, and so are the parts that need
 * it then (NAN). Parts can be negative: the trace is of another machine than m.
 */
void cpi0_split(double parts[CPI0_PARTS], const struct cpi0 *c, double measured, double simulated);

/* "r10000: 4 dispatched a cycle, 32 in flight (in queues)" */
void cpi0_say_machine(const struct machine *m, struct sbuf *out);
/* "m", "m and i", "m, i and dispatch" */
void cpi0_say_limits(const struct machine *m, unsigned set, struct sbuf *out);
/* "limited by mem, the memory queue" */
void cpi0_say_limiting(const struct machine *m, const struct cpi0 *c, struct sbuf *out);
/* "0.4190 of the instructions, 1 a cycle leaves it": of the first one that limits */
void cpi0_say_why(const struct machine *m, const struct cpi0 *c, struct sbuf *out);
/* "next: dispatch at 60 %"; nothing when nothing else bounds it */
void cpi0_say_next(const struct machine *m, const struct cpi0 *c, struct sbuf *out);

#endif
