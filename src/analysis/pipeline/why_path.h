/*
 * Where on the critical path a cause and a static instruction show most: one walk more over a
 * result of why.h. O(instructions), memory O(pcs).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_PATH_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_PATH_H

#include "analysis/pipeline/why.h"

/* The row that one wait of it was longest for. */
struct why_dearest {
	uint64_t row;
	int64_t tick, cycles; /* where the wait shows; 0 cycles: there is none */
};

struct why_path {
	size_t causes;
	struct why_dearest *dearest; /* of w->pcs, for each its causes */
};

/* Free it also after an error. */
enum status why_path_new(struct why_path *out, const struct why *w, const atomic_bool *stop,
			 struct error *e);
void why_path_free(struct why_path *p);

/* The place of a pc in w->pcs, and a cause by its number. */
static inline const struct why_dearest *why_path_at(const struct why_path *p, size_t pc,
						    unsigned cause)
{
	return &p->dearest[pc * p->causes + cause];
}

#endif
