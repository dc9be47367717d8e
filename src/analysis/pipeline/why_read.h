/*
 * From the rows of a trace to the columns of why_columns.h, and to the machine they ran on.
 *
 * Program order: a micro-op stands behind its parent. The second half of a load or store is one
 * that its parent alone describes; others are instructions of their own. Who made an operand is told by the links of the
 * trace, where it has them, else by operands as the reduction reads them, registers only. A misprediction is
 * a mark, or a run of squashed rows. One thread is read.
 *
 * O(text of the rows); memory as why_columns.h has it.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_READ_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_READ_H

#include <stdatomic.h>

#include "analysis/pipeline/range.h"
#include "analysis/pipeline/why_columns.h"
#include "analysis/pipeline/why_stages.h"
#include "base/intern.h"

/* What was found, and left out. */
struct why_reading {
	struct why_columns columns;
	struct why_machine machine;
	struct why_stages stages;
	struct why_operands *operands; /* of the machine */
	struct intern *ops; /* names of operations, by number */
	struct range_clock clock; /* cycle 0 begins at its first tick */
	uint16_t thread; /* as store_thread() has it; 0: there is only one */
	uint64_t contradictory, far; /* left out: their times fall, or lie too far apart */
	uint64_t others;    /* committed rows of other threads */
	uint64_t fetch_marks, miss_marks; /* fetches, and accesses, marked as misses */
	uint64_t unread; /* instructions whose operands are neither links nor read */
	uint64_t rows;       /* of the range, one at least */
	atomic_int *percent; /* of the work that is done (borrowed); NULL: nobody asks */
	bool links, marks;  /* operands are links; mispredictions are marked */
};

/* Rows of the range; *stop (may be NULL): STATUS_INTERRUPTED. Free it also after an error. */
enum status why_read(struct why_reading *out, struct store *s, const struct range *range,
		     const atomic_bool *stop, struct error *e);
void why_reading_free(struct why_reading *r);

/* A cycle as a tick of the trace. */
static inline int64_t why_tick(const struct why_reading *r, int64_t cycle)
{
	return r->clock.first + cycle * r->clock.ticks;
}

#endif
