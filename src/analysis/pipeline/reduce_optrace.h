/*
 * The reduction of an optrace (pipeline/formats/optrace.h), straight from its text.
 *
 * Rows are instructions, numbered from 0; codes stand for distinct addresses, in order of first
 * appearance. Lines that are no instruction are left out and counted, those with a slip in them
 * are counted too. One pass over the text; memory that of reduce_run.h, O(distinct names), and
 * O(distinct addresses) where arcs are charged.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_OPTRACE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_OPTRACE_H

#include <stdatomic.h>

#include "analysis/pipeline/reduce_run.h"
#include "base/vec.h"
#include "pipeline/formats/optrace.h"
#include "source/source.h"

enum { OPTRACE_SLIPS = 1000 };

/* What is wrong with a line. */
struct optrace_slip {
	uint64_t line;
	enum optrace_problem problem;
};

struct reduced_optrace {
	struct run_result run;
	VEC(uint64_t) pcs;              /* by code; none where arcs are not charged */
	VEC(struct optrace_slip) slips; /* the first OPTRACE_SLIPS of them */
	uint64_t slip_count, bad_lines; /* those that are no instruction */
};

/* Errors of source_next() and run_end(); STATUS_INPUT: not one instruction. *stop may be NULL. */
enum status reduce_optrace(struct reduced_optrace *out, struct source *source,
			   const struct run_options *o, const atomic_bool *stop,
			   struct error *e);
void reduced_optrace_free(struct reduced_optrace *r);

#endif
