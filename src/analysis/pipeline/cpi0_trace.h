/*
 * A trace, or a range of it, as the model wants it: its mix, its cycles, how often it missed, the
 * machine's CPI for its instructions in their own order, and CPI0 along it.
 *
 * The mix is of what was executed, micro-ops folded into their instructions (cpi0_mix.h); a nop that
 * decode consumed never got to a queue and is left out. An instruction belongs to the cycles in
 * which it was committed, and the measured CPI is those cycles over these instructions; of a range
 * that leaves out rows of its cycles it is one of the rows, and nothing is measured. Shares of
 * misses are those of committed rows. Each question is one walk over the index of the range:
 * O(rows), memory O(distinct code + windows).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_TRACE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_TRACE_H

#include <stdatomic.h>

#include "analysis/pipeline/codemap.h"
#include "analysis/pipeline/cpi0.h"
#include "analysis/pipeline/executed.h"
#include "analysis/pipeline/range.h"

enum { CPI0_WINDOWS = 32 };

#define CPI0_METRIC "cpi0" /* what cpi0_series() is called among the metrics of a trace */

struct cpi0_trace {
	struct cpi0_mix mix;
	/* along the range, windows of equally many rows; for cpi0_drift() */
	struct cpi0_mix windows[CPI0_WINDOWS];
	struct executed_counts counts;
	double cpi; /* measured; < 0: no committed instruction, no time, or some rows of it only */
};

/* Errors of executed_walk() and store_series(). r: with both of its ticks inside the trace. */
enum status cpi0_trace_mix(struct cpi0_trace *out, struct store *s, const struct codemap *map,
			   const struct range *r, const atomic_bool *stop, struct error *e);

/* c: of the mix of that range. */
enum status cpi0_trace_simulate(double *cpi, struct store *s, const struct codemap *map,
				const struct range *r, const struct machine *m,
				const struct cpi0 *c, const atomic_bool *stop, struct error *e);

/*
 * Assumption 2: by how much of itself the p of any queue that has at least a twentieth of the
 * instructions still moves over the last quarter of the range.
 */
double cpi0_drift(const struct cpi0_trace *t, const struct machine *m);

/* CPI0 of one bin; no limits and NaN: nothing was committed there. */
struct cpi0_point {
	uint64_t instructions;
	double cpi;
	unsigned limiting; /* a set of limits: all that reach it */
};

/* The n bins of the range's ticks, as of store_series(); an instruction is where it was committed. */
enum status cpi0_series(struct cpi0_point *out, size_t n, struct store *s,
			const struct codemap *map, const struct range *r, const struct machine *m,
			const atomic_bool *stop, struct error *e);

#endif
