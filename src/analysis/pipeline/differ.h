/*
 * Where two aligned runs differ: the next place from a row on, forwards and backwards.
 *
 * A difference is a gap of the alignment (steps of one side that the other does not have), or
 * a matched pair that the two machines treated differently. Looking costs O(steps passed): the
 * row index alone for all kinds but `stages`, which reads the text of the rows too.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_DIFFER_H
#define PIPEGLASS_ANALYSIS_PIPELINE_DIFFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/pipeline/align.h"

/* kind, name, help */
#define DIFFERENCE_INFO(_)                                                                         \
	_(ONLY_A, "only-a", "instructions that only A committed")                                  \
	_(ONLY_B, "only-b", "instructions that only B committed")                                  \
	_(CODE, "code", "a pair of different instructions (a chosen pair and what follows)")       \
	_(CYCLES, "cycles", "it committed sooner or later after the previous one")                \
	_(LIFE, "life", "it took more or less time from birth to commit")                          \
	_(EVENTS, "events", "other events happened to it")                                         \
	_(STAGES, "stages", "it was in other stages, or in them at other times")

enum difference_kind {
#define DIFFERENCE_ENUM(kind, name, help) DIFFERENCE_##kind,
	DIFFERENCE_INFO(DIFFERENCE_ENUM)
#undef DIFFERENCE_ENUM
	    DIFFERENCE_COUNT
};

extern const char *const difference_names[DIFFERENCE_COUNT];

#define DIFFERENCE_ALL ((1U << DIFFERENCE_COUNT) - 1)

struct difference {
	unsigned kinds;              /* set (1 << enum difference_kind); 0: none found */
	uint64_t row[ALIGN_SIDES];   /* the pair; of a gap the first rows, ROW_NONE: none */
	uint64_t steps[ALIGN_SIDES]; /* how many: 1 each, or those in the gap */
	int side;                    /* to look on from: with row[side] */
};

/* The side whose row shows it: what was looked for in one run alone is seen there. */
static inline int difference_side(const struct difference *d)
{
	if (d->kinds == 1U << DIFFERENCE_ONLY_A || d->kinds == 1U << DIFFERENCE_ONLY_B)
		return d->kinds == 1U << DIFFERENCE_ONLY_A ? ALIGN_A : ALIGN_B;
	return d->side;
}

struct differ {
	const struct align *al; /* borrowed */
	const atomic_bool *stop;
	/* private */
	struct path_cursor at[ALIGN_SIDES];
	struct detail held[ALIGN_SIDES];
	uint64_t held_from[ALIGN_SIDES];
};

bool differ_new(struct differ *d, const struct align *al, const atomic_bool *stop);
void differ_free(struct differ *d);

/* What is different about the pair of path indexes, among `kinds`. */
unsigned differ_pair(struct differ *d, const uint64_t index[ALIGN_SIDES], unsigned kinds);

/*
 * The first difference of one of `kinds` behind (dir > 0) or before (dir < 0) a row of a side;
 * row ROW_NONE: the first or last of all. out->kinds 0: there is none. STATUS_INTERRUPTED.
 */
enum status differ_next(struct differ *d, int side, uint64_t row, int dir, unsigned kinds,
			struct difference *out, struct error *e);
/* The first of all kinds from a step of each side on, be it a gap that one of them lies in. */
enum status differ_from(struct differ *d, const uint64_t index[ALIGN_SIDES], struct difference *out,
			struct error *e);

#endif
