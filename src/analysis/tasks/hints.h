/*
 * What limits a run of component tasks, from its trace alone.
 *
 * A dispatcher that starts work at a constant interval for most of a kernel limits it, however fast
 * what it feeds may be; only then comes what is short of work (occupancy against capacity), what
 * queues and what blocks, by how many tasks it holds up at a time, and last who is idle because those
 * before it send too little. Latencies are no sign: they fall when less work comes in.
 *
 * Numbers are of the kernels (from the first to the last one), of all of the trace where it has none.
 * Components whose names differ in the numbers in brackets are one: `GPU[*].L2Cache[*]`.
 */
#ifndef PIPEGLASS_ANALYSIS_TASKS_HINTS_H
#define PIPEGLASS_ANALYSIS_TASKS_HINTS_H

#include "analysis/hints.h"
#include "base/regex.h"

struct task_hint_options {
	/* Tasks that a component can hold at once; 0: not known. NULL: of those with wavefronts. */
	double capacity;
	const struct regex *holds;
};

/* hints_free() also after a failure. A few passes over the tasks. */
enum status task_hints_make(struct hints *h, struct trace *t, const struct task_hint_options *o,
			    struct error *e);

#endif
