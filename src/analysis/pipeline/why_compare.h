/*
 * Why one of two runs was faster: both evaluated (why.h), cause by cause and instruction by
 * instruction. Either way the differences add up to the difference in cycles.
 *
 * Instructions are the same by what align.h tells them apart by; where that is their text alone,
 * those of one text are one line. O(instructions) to make.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_COMPARE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_COMPARE_H

#include "analysis/pipeline/align.h"
#include "analysis/pipeline/why.h"

struct why_difference {
	const char *name; /* of the cause */
	unsigned cause[ALIGN_SIDES]; /* its number there; WHY_NO_CAUSE: an in-order stage it has not */
	int64_t cycles[ALIGN_SIDES];
};

/* What an instruction owns in each run; code CODE_NONE: it never committed there. */
struct why_pc_pair {
	struct why_pc of[ALIGN_SIDES];
};

struct why_compare {
	const struct why *of[ALIGN_SIDES]; /* borrowed, and their stores; NULL: nothing yet */
	struct why own[ALIGN_SIDES];       /* which they may be; freed with it */
	/* The greatest difference first. */
	VEC(struct why_difference) differences; /* of causes that own cycles in either */
	VEC(struct why_pc_pair) pcs;
};

/* Into one that is zeroed but for `own`. Free it also after an error. */
enum status why_compare_new(struct why_compare *out, const struct why *a, const struct why *b,
			    struct error *e);
void why_compare_free(struct why_compare *c);
/* Of the instructions those that changed for the cause are left, with what they own of it alone. */
void why_compare_narrow(struct why_compare *c, const struct why_difference *d);

/* "B is 3 210 cycles faster: dcache -2 900, width -500, branch +190"; first that the formats differ */
void why_compare_tell(const struct why_compare *c, struct sbuf *out);

/* JSON and text of a struct why_compare: differences, pcs. */
extern const struct section why_compare_sections[];

#endif
