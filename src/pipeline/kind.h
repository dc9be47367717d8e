/*
 * Instructions in a pipeline as a kind of trace: a struct store behind the contract of
 * trace/trace.h. Every store begins with its struct trace, so that each gives the other.
 */
#ifndef PIPEGLASS_PIPELINE_KIND_H
#define PIPEGLASS_PIPELINE_KIND_H

#include "pipeline/settings.h"
#include "pipeline/store.h"
#include "trace/trace.h"

extern const struct trace_kind pipeline_kind;

static inline struct trace *trace_of_store(struct store *s)
{
	return (struct trace *)s;
}

/* NULL: it is of another kind, or there is none. */
static inline struct store *store_of_trace(struct trace *t)
{
	return t && t->kind == &pipeline_kind ? (struct store *)t : NULL;
}

/* A series as a metric of the trace. */
static inline struct metric_ref metric_of_series(const struct series *q)
{
	return (struct metric_ref){.set = q->stages,
				   .kind = q->kind,
				   .index = (uint32_t)q->metric,
				   .rate = series_is_rate(q),
				   .sampled = q->kind == SERIES_STATISTIC,
				   .unit = q->kind == SERIES_IPC ? "instructions/cycle" : NULL};
}

#endif
