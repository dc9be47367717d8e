/*
 * Tasks of components as a kind of trace: what Akita's tracers write (formats/daisen.md).
 */
#ifndef PIPEGLASS_TASKS_KIND_H
#define PIPEGLASS_TASKS_KIND_H

#include "trace/trace.h"

extern const struct trace_kind tasks_trace_kind;

#endif
