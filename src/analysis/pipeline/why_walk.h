/*
 * The critical path of the run as it was: from the last commit back, each time along the
 * constraint that arrived last.
 *
 * Steps telescope: each ends where the one told before it begins, down to the start, so that their cycles are those
 * of the run. A constraint of length 0 leads on and costs nothing. Evaluates a block of
 * instructions at a time from the columns: O(instructions), memory O(WHY_WALK).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_WALK_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_WALK_H

#include <stdatomic.h>

#include "analysis/pipeline/why_evaluate.h"
#include "base/status.h"

enum { WHY_WALK = 4096 }; /* instructions of a block */

/* Some instructions, evaluated as it was. */
struct why_steps {
	const struct why_columns *c;
	const struct why_machine *m;
	size_t first, count; /* whole groups */
	struct why_step *of;
};

bool why_steps_new(struct why_steps *b, const struct why_columns *c, const struct why_machine *m);
void why_steps_free(struct why_steps *b);
/* From the group of `first` on, WHY_WALK instructions at most, to `end`, where one ends. False: no memory. */
bool why_steps_load(struct why_steps *b, size_t first, size_t end);

static inline bool why_steps_has(const struct why_steps *b, size_t index)
{
	return index >= b->first && index < b->first + b->count;
}

/* Cycles [from, to) that went to a cause. */
struct why_part {
	size_t index;       /* the instruction that waited, */
	enum why_time time; /* this time of it, */
	size_t owner;       /* and the one that it is charged to */
	unsigned cause;     /* enum why_cause_id, or WHY_CAUSES + a front */
	bool residue;       /* not explained by the trace */
	int rule;           /* enum why_rule; -1: a residue */
	int64_t from, to;
};

/* False ends the walk, which is no error. */
typedef bool why_part_fn(void *arg, const struct why_part *part);

/* The one that commits last of those fetched in the span; false: there is none. */
bool why_last(const struct why_columns *c, struct why_span span, size_t *index);

/*
 * From the last commit of the span back to span.from, latest first. What is left where the path
 * goes to instructions from before it is `start`. *stop may be NULL.
 */
enum status why_walk(const struct why_columns *c, const struct why_machine *m, struct why_span span,
		     why_part_fn *fn, void *arg, const atomic_bool *stop, struct error *e);

#endif
