/*
 * Who held the head of the commit queue, and for how long.
 *
 * A machine that commits in program order commits nothing younger than its oldest row. So a
 * committed row holds the head from its own birth, or the end of the committed row before it in
 * program order when that is later, to its own end; or, tick by tick: each belongs to the first
 * row in program order that ends after it, if that is born. The stretches never overlap. Over a
 * range their sum is its ticks less those in which the next row to commit was not born: it is
 * the run time, told by instruction. This is what Gottschall, Eeckhout and Jahre charge to the
 * oldest instruction in "TIP: Time-Proportional Instruction Profiling", MICRO 2021; other than
 * there, of rows that end in one tick the first takes it all, and the ticks without a born row,
 * a flush's and the front end's, are charged to the row that is born at their end: beside its own.
 *
 * Program order is that of program.h. Where rows end out of order, the latest end so far counts
 * as the end before. Rows whose birth the trace does not show hold nothing: what became of them
 * is unknown.
 *
 * O(rows), from the index alone: no text is read. Memory O(PROGRAM_WINDOW).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_STALLS_HEAD_H
#define PIPEGLASS_ANALYSIS_PIPELINE_STALLS_HEAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/pipeline/range.h"
#include "base/status.h"
#include "pipeline/store.h"

struct head {
	const struct row *row;
	int64_t held;  /* cycles (range_cycles()) of the range that it held the head */
	int64_t empty; /* and those right before, in which it was the next to commit and not born */
	bool refill;   /* it is the first behind rows of a wrong path, or behind a misprediction */
};

typedef void head_fn(void *arg, const struct head *head);

/*
 * Calls fn for each committed row of the range among rows [first, last) (of range_rows()), in
 * program order. Rows around the range count for what they kept from those in it; what is empty
 * before the first row that commits, or behind the last one, is nobody's. *stop (may be NULL), set
 * from elsewhere, and no memory end it with an error.
 */
enum status head_walk(const struct store *s, const struct range *range, uint64_t first,
		      uint64_t last, const atomic_bool *stop, head_fn *fn, void *arg,
		      struct error *e);

#endif
