/*
 * Two runs of a program compared: where one lost the cycles that the other did not. As tables:
 * compare_table.h.
 *
 * A step of the path (path.h: a committed instruction with its micro-ops) is charged the ticks
 * between the latest commit before it and its own, [that, its end); the first one those since
 * the first tick. A step that commits with or before an earlier one costs nothing. So the
 * charges of all steps and the ticks after the last commit add up to the run time exactly, on
 * each side. Each charged tick goes to the part in which the step was when the tick was over: the
 * stage that the row stood in which committed last (before that row's birth, its instruction's
 * own stage); `not fetched` before the birth of the instruction; `other` where it was in no
 * stage. So the last charged tick of each goes to the stage that it commits from: those are the
 * ticks in which something was done, and all others are waiting, by what was waited for. Only
 * the pipeline itself counts, not the lanes of stalls beside it. A squashed row costs what it
 * delays the rows that do commit.
 *
 * A static instruction of A and one of B are one line when they are the same by the alignment's
 * key; where that is the text alone, when most of their matched steps are each other's, or when
 * their pcs are the same. In a range, A is charged its ticks inside and B the same part of the
 * program (align_range.h). The instructions of a range are those whose charge ends in it, in A
 * where they are matched. So ranges side by side from A's first tick to its end add up to the
 * whole.
 *
 * Of the executions of an instruction the one to look at is that in which B lost most of the cycles
 * that the instruction lost, or gained most of those it gained.
 *
 * Time: the alignment's, three readings of the row index, and the text of the rows once; memory
 * O(static instructions * stages).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/pipeline/align_range.h"
#include "analysis/pipeline/differ.h"
#include "base/status.h"

/* Parts of the run time that are no stage, behind the stages of both: name */
#define COMPARE_PART_INFO(_)                                                                       \
	_(NOT_FETCHED, "not fetched")                                                              \
	_(OTHER, "other")                                                                          \
	_(TAIL, "after last commit")

enum compare_part {
#define COMPARE_PART_ENUM(part, name) COMPARE_##part,
	COMPARE_PART_INFO(COMPARE_PART_ENUM)
#undef COMPARE_PART_ENUM
	    COMPARE_PARTS
};

enum { COMPARE_PARTS_MOST = STAGE_MAX * ALIGN_SIDES + COMPARE_PARTS };

/* One execution, of either or both; its row where a side has none: ROW_NONE. */
struct compare_worst {
	uint64_t row[ALIGN_SIDES];
	int64_t delta; /* charge in B less that in A */
};

/* One static instruction of either or both. */
struct compare_code {
	uint32_t code[ALIGN_SIDES];  /* CODE_NONE: the side does not have it, in whatever range */
	uint64_t count[ALIGN_SIDES]; /* charges that end in the range */
	int64_t cycles[ALIGN_SIDES];
	int64_t *parts[ALIGN_SIDES]; /* the same by part */
	struct compare_worst worst;
	struct compare_worst extreme[2]; /* private: what lost most, what gained most */
};

struct compare {
	const struct align *al; /* borrowed */
	size_t stages, parts;   /* of both: those of A, then those that only B has; and in all */
	const char *part_names[COMPARE_PARTS_MOST];
	uint8_t part_of[ALIGN_SIDES][STAGE_MAX];
	uint64_t pairs;               /* instructions charged that have one on the other side */
	uint64_t matched;             /* committed rows that have one, with micro-ops */
	uint64_t steps[ALIGN_SIDES];  /* instructions charged */
	uint64_t rows[ALIGN_SIDES];   /* the same with their micro-ops: committed rows */
	int64_t cycles[ALIGN_SIDES];  /* run time: what the parts add up to */
	int64_t *totals[ALIGN_SIDES]; /* by part */
	struct difference first;
	struct compare_code *codes; /* most cycles lost in B first, most gained last */
	size_t code_count;
	/* private */
	uint32_t *slot_of[ALIGN_SIDES]; /* by static instruction; until they are sorted */
	size_t slot_count;              /* the last one is of all whose text is not kept */
	int64_t *cells;
};

/* range: ticks of A, TICK_NONE and INT64_MIN: open; see above for those of B. */
enum status compare_new(struct compare *out, const struct align *al,
			const struct align_ticks *range, const atomic_bool *stop, struct error *e);
void compare_free(struct compare *r);

/* Of an instruction that a range cuts off there are only cycles in it. */
static inline bool compare_has(const struct compare_code *c, int side)
{
	return c->count[side] || c->cycles[side];
}

static inline int64_t compare_delta(const struct compare_code *c)
{
	return c->cycles[ALIGN_B] - c->cycles[ALIGN_A];
}

#endif
