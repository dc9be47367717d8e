/*
 * The two halves of making a comparison: which static instructions share a line, and what each
 * is charged.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_PRIVATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_PRIVATE_H

#include <stdatomic.h>

#include "analysis/pipeline/compare.h"

/*
 * Path indexes [from, to) of a side, and the ticks to which charges are clipped. Of the last step
 * only the beginning of its charge may be in it: `over` is then less than `to`.
 */
struct compare_stretch {
	uint64_t from, to, over;
	int64_t tick0, tick1;
};

/* Fill slot_of and slot_count; the last slot is for what the store does not keep. */
enum status compare_slots(struct compare *r, const atomic_bool *stop, struct error *e);
/* The slot of a step of a side with that static instruction. */
size_t compare_slot_of(const struct compare *r, int side, uint64_t index, uint32_t code);

/* The stretch of A that a range means, and that of B. */
enum status compare_stretches(const struct compare *r, const struct compare_range *range,
			      struct compare_stretch out[ALIGN_SIDES], const atomic_bool *stop,
			      struct error *e);

/* Charge the steps of a stretch to the slots, the totals and cycles. */
enum status compare_charge(struct compare *r, int side, const struct compare_stretch *stretch,
			   const atomic_bool *stop, struct error *e);

/* Cycles from that of a tick to that of another. */
int64_t compare_cycles(const struct align_side *side, int64_t from, int64_t to);

#endif
