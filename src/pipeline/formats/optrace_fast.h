/*
 * Plain lines of an optrace, and names of operands: for optrace.c alone.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_OPTRACE_FAST_H
#define PIPEGLASS_PIPELINE_FORMATS_OPTRACE_FAST_H

#include "pipeline/formats/optrace.h"

enum {
	OPTRACE_NAME_SHORT = 16, /* bytes of a name that is remembered */
	OPTRACE_RECENT_BITS = 13,
	OPTRACE_RECENT_WAYS = 2
};

/* Good in its upper bits. */
static inline uint64_t optrace_mix(uint64_t low, uint64_t high)
{
	return low * UINT64_C(0x9e3779b97f4a7c15) + high * UINT64_C(0xc2b2ae3d27d4eb4f);
}

/* Where a short name is if it is remembered, as two words padded with NUL: one of the ways. */
static inline struct recent_name *optrace_recent(const struct optrace *o, uint64_t low,
						 uint64_t high)
{
	return &o->recent[(optrace_mix(low, high) >> (64 - OPTRACE_RECENT_BITS)) *
			  OPTRACE_RECENT_WAYS];
}

/* The number of a name that is none of the `recent` (NULL: it is too long); -1: no memory. */
int64_t optrace_operand(struct optrace *o, const char *name, size_t len,
			struct recent_name *recent);

bool optrace_fast_init(struct optrace *o); /* false: no memory */
void optrace_fast_free(struct optrace *o);

/*
 * The next line, if it is a short one of four columns with one blank between them and nothing
 * wrong, and enough text is behind it. False: it may be anything, and nothing was taken.
 */
bool optrace_fast(struct optrace *o, const char *text, size_t len, struct optrace_op *out);

#endif
