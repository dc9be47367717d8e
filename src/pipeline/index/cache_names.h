/*
 * The names of a trace as they stand in the cache file: fixed-width, nothing of this process.
 * Fixed cost. What is read is checked before it is used.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_CACHE_NAMES_H
#define PIPEGLASS_PIPELINE_INDEX_CACHE_NAMES_H

#include "pipeline/formats/names.h"

struct cache_names {
	struct {
		char name[sizeof(((struct stage_info *)0)->name)];
		uint32_t mask;
		char letter;
		uint8_t role, colour, problem, lasting;
	} stages[STAGE_MAX], events[EVENT_MAX];
	char metrics[METRIC_MAX][32], lanes[LANE_MAX][16];
	uint64_t stage_count, event_count, metric_count, lane_count;
};

void cache_names_out(const struct names *names, struct cache_names *n);
/* Adds what the trace brought to names that hold the configuration; false: they cannot be of it. */
bool cache_names_in(struct names *names, const struct cache_names *n);

#endif
