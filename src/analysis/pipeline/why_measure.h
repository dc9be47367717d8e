/*
 * The machine as its trace shows it: the most that structures held and cycles took, and the least
 * cycles between times.
 *
 * Squashed rows and those still in flight take places too. O(log) a row, but for rows that
 * leave a structure far out of order; memory O(what the structures hold).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_MEASURE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_MEASURE_H

#include "analysis/pipeline/why_columns.h"
#include "analysis/pipeline/why_places.h"

#define WHY_NEVER INT64_MAX
enum { WHY_LATENCIES = 128 }; /* that are told apart when the most frequent is looked for */

/* Those who are in a structure, by when they leave it. */
struct why_holder {
	VEC(int64_t) left; /* ascending from `first` on */
	size_t first;
	size_t most;
};

/* Least cycles from X and from W of a producer to X of a consumer. */
struct why_least {
	int64_t x, w;
};

struct why_measure {
	struct why_holder holders[WHY_PLACES];
	struct why_slots slots;
	uint32_t issued, accesses; /* most in a cycle */
	int64_t depth, ready, retire;
	int64_t (*redirect)[WHY_C], (*misfetch)[WHY_C]; /* by operation: least from each time */
	struct why_least (*operands)[WHY_OPS + 1]; /* by producer and consumer */
	int64_t latency[WHY_OPS + 1];    /* least */
	uint32_t (*latencies)[WHY_LATENCIES]; /* how many instructions of an operation took so long */
	bool no_memory;
};

bool why_measure_new(struct why_measure *m);
void why_measure_free(struct why_measure *m);

/*
 * A row in program order. It is in no structure that it left at WHY_NEVER: where it was squashed
 * is not told well enough.
 */
void why_measure_row(struct why_measure *m, unsigned flags, const int64_t times[WHY_TIMES],
		     bool committed);
/* A committed instruction of c; before: the whole one in program order before it, or NULL. */
void why_measure_node(struct why_measure *m, const struct why_columns *c, const struct why_node *n,
		      const struct why_node *before);
/* All rules are in use. out->operands is filled from `operands`, which must outlive it. */
void why_measure_end(const struct why_measure *m, struct why_operands *operands,
		     struct why_machine *out);

#endif
