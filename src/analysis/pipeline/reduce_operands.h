/*
 * From operands to dependencies: who wrote last what an instruction reads.
 *
 * Operands are small numbers, dense from 0 as base/intern.h gives them; instructions are numbered
 * from 0. Only true dependencies are arcs; sources are looked up before sinks are recorded, so an
 * instruction that reads what it writes depends on the writer before it. O(operands) an
 * instruction; memory O(distinct operands).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_OPERANDS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct resolvers {
	VEC(int64_t) list;             /* distinct, in no order */
	uint64_t sources, cold, ahead; /* counted on: see REDUCE_COUNT_INFO */
};

struct operands {
	VEC(int64_t) writers; /* by operand: the last instruction that wrote it + 1; 0: none */
};

/* What instruction `node` depends on replaces out->list; its sinks are then its own. */
bool operands_resolve(struct operands *o, int64_t node, const uint32_t *sources,
		      size_t source_count, const uint32_t *sinks, size_t sink_count,
		      struct resolvers *out);
/* The same for formats that tell the arcs themselves: instructions given twice, or not older. */
bool resolvers_set(struct resolvers *out, int64_t node, const int64_t *from, size_t count);

void operands_free(struct operands *o);
void resolvers_free(struct resolvers *r);

#endif
