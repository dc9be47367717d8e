/*
 * What bins of ticks collect of a series, tick by tick: rates and rows alive from the row index,
 * stages and samples from the text around.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_SERIES_BINS_H
#define PIPEGLASS_PIPELINE_QUERIES_SERIES_BINS_H

#include "pipeline/store_private.h"

/* What a bin collects. */
struct amount {
	double sum;
	uint64_t samples; /* of a statistic */
};

/* Bins given by their edges, and what there is before them: bin k holds ticks [edge[k], edge[k + 1]). */
struct bins {
	int64_t from; /* the first tick of what is before */
	const int64_t *edge;
	size_t n;
	struct amount before, *out;
};

/* Are the rows of the index enough? Else it is the text. */
static inline bool series_of_rows(const struct series *q)
{
	return q->kind <= SERIES_IN_FLIGHT;
}

/*
 * From the rows: births from head on, and those of before that live on. *left: so many rows may
 * be looked at. False: there are more; then what the bins hold is not all.
 */
bool bins_read_rows(struct store *s, const struct series *q, struct bins *b, uint64_t head,
		    uint64_t *left);
/*
 * From the text around. *exact becomes false where that does not tell all: lives go on behind what
 * can be read.
 */
enum status bins_read_text(struct store *s, const struct series *q, struct bins *b, bool *exact,
			   struct error *e);
/*
 * Is some row alive at tick whose end came late, and whose birth is not in the text around? Then
 * its stages there are not, either. Under the read lock.
 */
bool bins_have_stuck(const struct trace_index *ix, int64_t tick);

#endif
