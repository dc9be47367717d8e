/*
 * The parts of making a comparison: which static instructions share a line, what a range means, and
 * in which stages the charges were.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_PRIVATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_PRIVATE_H

#include "analysis/pipeline/compare.h"

/* Fill slot_of and slot_count; the last slot is for what the store does not keep. */
enum status compare_slots(struct compare *r, const atomic_bool *stop, struct error *e);

/* The slot of a step of a side with that static instruction. */
static inline size_t compare_slot_of(const struct compare *r, int side, uint32_t code)
{
	return code < r->al->side[side].codes ? r->slot_of[side][code] : r->slot_count - 1;
}

/* One step of a side and the ticks (from, to] that it is charged, clipped to the range. */
struct compare_charge {
	struct path_step step;
	size_t slot;
	int64_t from, to;
	int64_t reached; /* the latest commit up to and with its own */
};

/* A walk along the path of a side. */
struct compare_walk {
	const struct compare *r;
	int side;
	struct path_cursor at;
	struct align_ticks range; /* to which charges are clipped: ticks of this side */
	int64_t reached;            /* the latest commit so far */
};

bool compare_walk_new(struct compare_walk *w, const struct compare *r, int side,
		      struct align_ticks range);
/* The next step, which is that one; false: it is behind the last. */
bool compare_walk_step(struct compare_walk *w, uint64_t index, struct compare_charge *out);

/* What of a walk is charged: steps [from, to), and the latest commit before them. */
struct compare_part_walk {
	uint64_t from, to;
	int64_t reached;
};

/* Add the charges of a side to its parts by the stages of the rows. */
enum status compare_charge_parts(struct compare *r, int side, struct align_ticks range,
				 const struct compare_part_walk *x, const atomic_bool *stop,
				 struct error *e);

static inline int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

#endif
