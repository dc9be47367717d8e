/*
 * The evaluation: each time of each instruction from its constraints, in program order.
 *
 * Of the run as it was, each time is that observed, and what its constraints leave is its residue:
 * constraints never exceed what was observed, so the times come back exactly (a constraint that
 * does is counted and not used). Of a what-if, the constraints and residues that are left give
 * other times. An instruction's second half (a micro-op behind the load or store that it belongs to) makes
 * one group with it, whose commits wait for all its results.
 *
 * O(structures) an instruction; memory O(sizes + WHY_REACH).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_EVALUATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_EVALUATE_H

#include "analysis/pipeline/why_columns.h"
#include "analysis/pipeline/why_places.h"

/* The constraint of a time that arrived last. */
struct why_arrival {
	int64_t at;
	int64_t second; /* when the time could have been without it, of the run as it was */
	uint32_t who; /* the instruction whose time `from` it counts from; WHY_NOBODY: the start */
	uint8_t rule, from;
};

/* An instruction, evaluated. A time is by.at, the wait for a slot (of X) and the residue. */
struct why_step {
	int64_t times[WHY_TIMES], residues[WHY_TIMES];
	int64_t slot; /* X: cycles until a slot was free */
	struct why_arrival by[WHY_TIMES];
};

/* Instructions fetched in [from, to). */
struct why_span {
	int64_t from, to;
};

/* One evaluation, and what it has to remember. */
struct why_run {
	const struct why_machine *machine;
	uint64_t gone; /* causes that are taken away; of the run as it was: none */
	bool observed; /* the run as it was */
	struct why_span span; /* what-ifs: all others stay as they were */
	size_t first;         /* and those before this one */
	bool fixed;           /* this one does */
	unsigned group_flags; /* WHY_MEMORY: a part of the instruction takes its place together with it */
	bool use[WHY_RULES];
	uint64_t breaches[WHY_RULES], binding[WHY_RULES];
	struct why_ring places[WHY_PLACES];
	struct why_slots slots;
	int64_t (*results)[2]; /* X and W of the last WHY_REACH instructions */
	struct why_left last[WHY_TIMES], stores;
	int64_t before[WHY_TIMES]; /* of the last whole instruction */
	uint32_t before_who;
	unsigned before_flags;
	uint8_t before_op;
	int64_t missed, misses; /* observed: cycles of marked fetches that waited, and how many */
	int64_t seen; /* no constraint may exceed it */
	bool tied;    /* others were as late as the structure: it does not count as reached */
};

/* False: no memory; free it all the same. */
bool why_run_new(struct why_run *r, const struct why_machine *m, uint64_t gone, bool observed);
void why_run_free(struct why_run *r);

/*
 * The group of `count` nodes. Observed: fills steps. Else residues of the steps are those of
 * the run as it was, and times are filled, nothing else.
 */
void why_run_group(struct why_run *r, const struct why_columns *c, const struct why_node *nodes,
		   size_t count, struct why_step *steps);

/*
 * How many instructions before one still hold it up: a run that begins there, from nothing, is as
 * if it had begun at the start.
 */
size_t why_run_memory(const struct why_machine *m);

/* What the residue of a time of an instruction is called: an enum why_cause_id, or a front's. */
unsigned why_residue_cause(const struct why_insn *insn, enum why_time t);

#endif
