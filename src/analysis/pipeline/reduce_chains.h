/*
 * The lengths of the inseparable chains that arcs form, as the arcs come by.
 *
 * Two arcs are in one chain when an instruction lies inside of both; chains that only share a
 * node are two. Once no arc lies around another, the newest chain is the only one that can grow.
 * Before, an arc may reach back over many chains and make them one: as far as the cap.
 * Cost: O(1) amortised an arc.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_CHAINS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_CHAINS_H

#include "analysis/pipeline/reduce_tally.h"

struct open_chain {
	int64_t end; /* its last dependent */
	uint64_t arcs;
};

struct chains {
	VEC(struct open_chain) open; /* from `first` on; ends ascend */
	size_t first;
};

/*
 * Dependents never descend, and no arc from here on has a resolver at or before `behind`. Chains
 * that are done go to lengths. False: no memory.
 */
bool chains_add(struct chains *c, int64_t dependent, int64_t resolver, int64_t behind,
		struct reduce_tally *lengths);
bool chains_end(struct chains *c, struct reduce_tally *lengths);
void chains_free(struct chains *c);

#endif
