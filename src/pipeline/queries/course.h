/*
 * The likely course of rows whose text is not read: how many ticks they spent in which stage.
 *
 * Of a row the index knows its life and its dominant stage; of any ticks, how long all rows
 * together were in each stage. Over many rows both have to come to the same: what the dominant
 * stages claim beyond the ticks spent there goes to the stages that were in use for longer than is
 * claimed, each at its place in the pipeline, before the dominant one or behind it. An estimate:
 * right for the whole, likely for a row. Making one costs O(log n), using it O(stages) a row.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_COURSE_H
#define PIPEGLASS_PIPELINE_QUERIES_COURSE_H

#include "pipeline/index/index.h"

struct course {
	double keep[STAGE_MAX]; /* by dominant stage: the share of a life spent in it */
	double gain[STAGE_MAX]; /* the share of each stage in what is not kept; they sum to 1, or 0 */
	uint8_t gainers[STAGE_MAX]; /* stages with a gain, in order of the pipeline */
	size_t count;               /* of them */
	double longest;             /* of a longer life no more than of this is given away */
};

struct course_span {
	int64_t start, end;
	uint8_t stage;
};

/* From what b sums up beyond a. False, and all is kept: no lives there. */
bool course_make(struct course *out, const struct sums *a, const struct sums *b);
/* Of the leaves that begin in ticks [t0, t1). Under the read lock. */
bool course_of_ticks(struct course *out, const struct trace_index *ix, int64_t t0, int64_t t1);
/* The spans of a life [start, end), in order and without gaps; returns how many, at least one. */
size_t course_of_row(const struct course *c, int64_t start, int64_t end, uint8_t dominant,
		     struct course_span out[STAGE_MAX + 1]);
/* Add lives[stage] ticks of rows of each dominant stage to ticks[], as they were likely spent. */
void course_of_sum(const struct course *c, const uint64_t *lives, size_t stages, uint64_t *ticks);

#endif
