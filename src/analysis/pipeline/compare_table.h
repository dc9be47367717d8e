/*
 * Two runs of a program compared, as tables: the parts of the run time, and the static
 * instructions, each with the numbers of both.
 *
 * Making one costs O(static instructions).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_TABLE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_TABLE_H

#include "analysis/pipeline/compare.h"
#include "trace/result.h"

/* list of static instructions, heading */
#define COMPARE_LIST_INFO(_)                                                                       \
	_(ALL, "pcs")                                                                              \
	_(LOST, "slower in B")                                                                     \
	_(GAINED, "faster in B")

enum compare_list {
#define COMPARE_LIST_ENUM(list, name) COMPARE_LIST_##list,
	COMPARE_LIST_INFO(COMPARE_LIST_ENUM)
#undef COMPARE_LIST_ENUM
};

struct compare_table {
	const struct compare *of; /* borrowed */
	bool wide;
	uint32_t *order; /* of its static instructions, as the sections show them */
	size_t shown;    /* how many of them */
	size_t part_order[COMPARE_PARTS_MOST], parts_shown;
	/* What JSON holds; and for people. */
	struct section stages, pcs, part_list, people;
};

/*
 * All parts, and all instructions in the order of the analysis. wide: for people, with the change
 * in each part. False: no memory. The table must not be moved.
 */
bool compare_table_new(struct compare_table *t, const struct compare *of, bool wide);
void compare_table_free(struct compare_table *t);

/* The sections become a list: all lines, or those that lost or gained, most first. */
void compare_table_list(struct compare_table *t, enum compare_list list);
/* Sorted by a field of `people` its numbers rise: of a change, if B is the faster run. */
bool compare_table_rises(const void *result, const struct field *f);
/* Only the parts that are not zero. */
void compare_table_hide_zero(struct compare_table *t);

#endif
