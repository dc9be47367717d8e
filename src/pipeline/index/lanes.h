/*
 * Lanes but the first, of formats that have them: the stage that an instruction is in, in each.
 * (The first lane's stands in its entry among the live.) Tables are made when a lane turns up;
 * O(1) a look-up.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_LANES_H
#define PIPEGLASS_PIPELINE_INDEX_LANES_H

#include "pipeline/formats/reader.h"
#include "pipeline/index/live.h"

struct lane_set {
	struct live_table of[LANE_MAX];
};

void lane_set_free(struct lane_set *lanes);
void lane_set_clear(struct lane_set *lanes);
/* The row's entry in a lane, made when there is none; NULL: no memory. */
struct live *lane_entry(struct lane_set *lanes, unsigned lane, uint64_t id, uint64_t row);

#endif
