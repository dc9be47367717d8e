/*
 * What caches of two levels did while a program ran, as a kind of trace: Chiron's form
 * (formats/chiron.md).
 */
#ifndef PIPEGLASS_MEMORY_KIND_H
#define PIPEGLASS_MEMORY_KIND_H

#include "trace/trace.h"

/* The kind's own in struct trace_settings. Zeros: not set. */
struct memory_settings {
	uint64_t radix;       /* 8, 10, 16 */
	/* Where the header is missing: L1 and L2 block bytes, L1 and L2 caches. */
	uint64_t geometry[4];
};

extern const struct trace_kind memory_trace_kind;

/* Caches can be so: blocks are powers of two, L2 blocks not the smaller, L2 caches not the more. */
bool memory_geometry_fits(const uint64_t geometry[4]);

#endif
