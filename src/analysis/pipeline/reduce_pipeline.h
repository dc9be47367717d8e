/*
 * A pipeline of setup and execution segments, and the family of pipelines that a design is chosen
 * from: what every question to a reduction names, without the reduction itself.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_PIPELINE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	REDUCE_LENGTH_MOST =
	    4096, /* short branches beyond are full flushes; longest pipeline half */
	DEPTH_RATIO_MOST = 100 /* E and S */
};

/* Segments of its execution section (N_E) and of its setup section (N_S), from 1 on. */
struct pipeline {
	int64_t execute, setup;
};

static inline bool pipeline_same(const struct pipeline *a, const struct pipeline *b)
{
	return a->execute == b->execute && a->setup == b->setup;
}

/* An exact number from the command line, in lowest terms. */
struct fraction {
	int64_t num, den;
};

static inline bool fraction_same(const struct fraction *a, const struct fraction *b)
{
	return a->num == b->num && a->den == b->den;
}

/* "2/3", "168", "0.25": up to 10^9, six decimals. False: not that. */
bool fraction_parse(const char *text, struct fraction *out);

#endif
