/*
 * Numbers over time as a kind of trace: it has metrics, but no items (formats/counters.md).
 */
#ifndef PIPEGLASS_COUNTERS_KIND_H
#define PIPEGLASS_COUNTERS_KIND_H

#include "trace/trace.h"

extern const struct trace_kind counters_kind;

#endif
