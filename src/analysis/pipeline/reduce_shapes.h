/*
 * What an arc spans, as a number: its distance and the branch targets on its way.
 *
 * All that a dependency can cost follows from its shape and the length of the pipeline (Emma
 * and Davidson, 1987, III-B step 5), so surviving arcs are counted by shape; the counts are the
 * paper's histogram. A shape may also carry the lengths of the short forward branches among its
 * targets, whose flush ends early. Adding costs O(1) + O(lengths); memory O(distinct shapes).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_SHAPES_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

enum { SHAPE_NONE = -1 };

struct shape {
	uint32_t distance; /* instructions from the resolver to the dependent */
	uint32_t branches; /* targets behind the resolver, up to and with the dependent */
	uint32_t shorts;   /* those of them whose branch's length is known */
	const char *lengths;
};

struct shapes {
	struct intern *keys;
	VEC(uint64_t) counts; /* the histogram, indexed by shape */
};

bool shapes_init(struct shapes *s);
void shapes_free(struct shapes *s);

/* lengths ascend; SHAPE_NONE: no memory. */
int32_t shapes_add(struct shapes *s, uint32_t distance, uint32_t branches, const uint32_t *lengths,
		   size_t shorts);
struct shape shapes_get(const struct shapes *s, int32_t id); /* good until shapes_free() */
size_t shapes_count(const struct shapes *s);

/* The k-th of the lengths, k < shorts. */
uint32_t shape_length(const struct shape *s, uint32_t k);
/*
 * Cycles by which the flushes under the arc lengthen it: in full, or as far as a short branch goes
 * (min(setup, length) - 1). O(lengths).
 */
int64_t shape_flush(const struct shape *s, int64_t setup, bool shorts);
/* By distance, branches, lengths: <0, 0, >0. */
int shape_compare(const struct shape *a, const struct shape *b);

#endif
