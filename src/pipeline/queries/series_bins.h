/*
 * What bins of ticks collect of a series, tick by tick: from the text around them, or, where rates
 * and lives are asked for and rows are few, from the row index.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_SERIES_BINS_H
#define PIPEGLASS_PIPELINE_QUERIES_SERIES_BINS_H

#include "pipeline/store_private.h"

/* What a bin collects. */
struct amount {
	double sum;
	uint64_t samples; /* of a statistic */
};

/* Bins given by their edges: bin k holds ticks [edge[k], edge[k + 1]). */
struct bins {
	const int64_t *edge;
	size_t n;
	struct amount *out;
	bool near; /* without rows that have been stuck for very long */
};

/*
 * Is some row alive at tick whose end came late, and whose birth is not in the text around? Then
 * its stages there are not, either.
 */
bool bins_have_stuck(const struct store *s, int64_t tick);
/* All bins from the text: rows alive in them, or samples. O(text around them). */
enum status bins_read_text(struct store *s, const struct series *q, const struct bins *b,
			   struct error *e);
/*
 * All bins from the row index, where the rows alive in them are not too many and no stages are
 * asked for: what a row that never ends makes too much text is still few rows. False: not so.
 */
bool bins_read_heads(struct store *s, const struct series *q, const struct bins *b);
/*
 * The same for who has it looked up which rows, births [from, to), can be alive in the bins, under
 * the read lock. False: what is in the bins is not all.
 */
bool bins_add_heads(struct store *s, const struct series *q, const struct bins *b, uint64_t from,
		    uint64_t to);

#endif
