/*
 * The critical path as it is shown: which row every cycle of the run was spent in, and why.
 *
 * Steps are in the order of time; each begins where the one before ends. A step of another row than
 * the one before is that row's wait for it; without cycles it only leads from row to row. What led
 * nowhere is left out. O(instructions) to make, 16 bytes a step; a look-up is O(log steps).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_PATH_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_PATH_H

#include "analysis/pipeline/why.h"

struct why_path_step {
	int64_t to;   /* tick */
	uint32_t row; /* from why_path.row0 */
	uint8_t cause, time; /* as struct why_part has them */
};

struct why_path {
	VEC(struct why_path_step) steps;
	int64_t from; /* tick of the first one */
	uint64_t row0;
	char causes[WHY_CAUSES_ALL][72];
};

/* STATUS_NOT_FOUND: nothing committed. Free it also after an error. */
enum status why_path_new(struct why_path *out, const struct why *w, const atomic_bool *stop,
			 struct error *e);
void why_path_free(struct why_path *p);

/* The first step that ends behind the tick, which is steps.count behind the last one. */
size_t why_path_at(const struct why_path *p, int64_t tick);

static inline int64_t why_path_from(const struct why_path *p, size_t i)
{
	return i ? p->steps.data[i - 1].to : p->from;
}

static inline uint64_t why_path_row(const struct why_path *p, size_t i)
{
	return p->row0 + p->steps.data[i].row;
}

/* "dcache, 57 cycles until its result; waited for row 1 234 (data)" */
void why_path_tell(const struct why_path *p, size_t i, const char *length, struct sbuf *out);

#endif
