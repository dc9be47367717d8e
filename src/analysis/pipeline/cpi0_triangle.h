/*
 * The triangle of mixes: x is the share of memory instructions, y that of integers, what is missing
 * to 1 is the rest; of instructions with several places in queues (cpi0_mix.h) they are shares of
 * the places. Which queue limits where is a picture of the machine; a run is a dot in it.
 *
 * The sides are those of the machine's memory and integer queues; of a machine that has none of a
 * kind, of the classes themselves. Away from the dot each of the three kinds consists of the
 * classes that it has in the run. O(2^units) a point.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_TRIANGLE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_TRIANGLE_H

#include "analysis/pipeline/cpi0.h"

struct cpi0_triangle {
	const struct machine *machine; /* borrowed */
	struct cpi0_mix mix;
	class_set sides[2]; /* of x, of y */
};

/* mix: by classes, as of a trace. */
void cpi0_triangle_init(struct cpi0_triangle *t, const struct machine *m,
			const struct cpi0_mix *mix);
/* Where a mix lies. */
void cpi0_triangle_dot(const struct cpi0_triangle *t, const struct cpi0_mix *mix, double *x,
		       double *y);
/* The first limit there (0 <= x, 0 <= y, x + y <= 1). */
int cpi0_triangle_limit(const struct cpi0_triangle *t, double x, double y);

#endif
