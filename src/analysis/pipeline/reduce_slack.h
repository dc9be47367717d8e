/*
 * Execution times by kind of instruction: the reductions where some results take longer.
 *
 * Emma and Davidson, section VI, correctly: an arc from r matters by its slack, the cycles by which
 * the execution of r outlasts the distance at one instruction a cycle. An arc is redundant when
 * another one to the same or an earlier dependent, of at least its slack, begins at its resolver or
 * later, or with nothing late from there to its resolver. This one rule is all three reductions
 * when all times are equal; the closest resolver is not enough here, and arcs may stay nested.
 *
 * Both sides of the claim are computed beside each other: the recurrence over all arcs, and over
 * those that are kept. An execution that ends before an older one of the same result is not
 * modelled, nor are short flushes. Cost: O(setups * resolvers) an instruction; memory O(longest *
 * setups).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_SLACK_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_SLACK_H

#include "analysis/pipeline/reduce.h"

enum { SLACK_LONGEST = 4096, SLACK_SETUPS = 64 };

struct slack_result {
	uint64_t instructions, targets, self_resolving;
	uint64_t arcs;                     /* all */
	uint64_t positive;                 /* those longer than their distance */
	uint64_t kept;                     /* those that can cost cycles */
	int64_t cycles[SLACK_SETUPS];      /* by setup section: over all arcs */
	int64_t kept_cycles[SLACK_SETUPS]; /* over those kept: the same */
};

struct slack;

/* Setup sections of 1 to REDUCE_LENGTH_MOST segments; no execution takes more than longest. */
enum status slack_new(struct slack **out, const int64_t *setups, size_t n, int64_t longest,
		      struct error *e);
void slack_free(struct slack *s);
/* execute: cycles of this instruction, 1 to longest (what is not is cut). False: no memory. */
bool slack_add(struct slack *s, const struct reduce_step *step, int64_t execute);
/* Of the instructions so far. */
void slack_result_of(const struct slack *s, struct slack_result *out);

#endif
