/*
 * What two traces of a kind are compared by beside their metrics: one result of sections
 * (trace/result.h) of pairs (metrics.h). Texts live as long as both traces.
 */
#ifndef PIPEGLASS_ANALYSIS_PAIRING_H
#define PIPEGLASS_ANALYSIS_PAIRING_H

#include "analysis/metrics.h"

struct pairing {
	const struct trace_kind *kind;
	const struct section *sections;
	size_t size; /* of its result, which is allocated */
	enum status (*make)(void *result, struct trace *const sides[METRIC_SIDES], struct error *e);
	void (*free)(void *result); /* as free(); also after a failure */
};

#endif
