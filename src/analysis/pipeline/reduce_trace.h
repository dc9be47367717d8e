/*
 * The reduction of a pipeline trace: its executed instructions (executed.h), reduced (reduce_run.h).
 *
 * Without addresses in the trace, dependencies through memory are missing, and operands that could
 * not be read are: counts says of how many instructions, and then the result is an estimate.
 * O(instructions); memory as there, and O(distinct code).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_TRACE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_TRACE_H

#include <stdatomic.h>

#include "analysis/pipeline/executed.h"
#include "analysis/pipeline/reduce_run.h"

struct reduce_trace_options {
	struct run_options run; /* codes are the store's */
	struct executed_options executed;
	const int64_t *times; /* cycles that each op class executes, for run.setups; NULL: none */
	enum isa isa; /* ISA_UNKNOWN: as the text is */
};

struct reduced_trace {
	struct run_result run;
	struct executed_counts counts;
	enum isa isa;
	bool links; /* its arcs are the trace's own */
};

/* Errors of executed_walk() and of run_end(). *stop may be NULL. */
enum status reduce_trace(struct reduced_trace *out, struct store *s, const struct range *range,
			 const struct reduce_trace_options *o, const atomic_bool *stop,
			 struct error *e);
void reduced_trace_free(struct reduced_trace *r);

/* Every dependency there was is in it. */
bool reduced_trace_exact(const struct reduced_trace *r);

#endif
