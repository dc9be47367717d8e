/*
 * What find.c needs of formats whose text gives whole rows. All with the read lock held.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_FIND_PRIVATE_H
#define PIPEGLASS_PIPELINE_QUERIES_FIND_PRIVATE_H

#include "pipeline/store_private.h"

/* The ticks of a leaf at which something happens to a row, ascending; to be freed. */
bool find_active_ticks(struct store *s, const struct page_view *v, int leaf, int64_t **ticks,
		       size_t *count);
/* Pages by their least and largest id, a few nanoseconds each, then the leaf's text. */
uint64_t find_id_of_whole_row(struct store *s, uint64_t id, uint64_t from);
/* find.c: among rows [first, first + n), not before from */
uint64_t find_id_in_rows(struct store *s, uint64_t id, uint64_t from, uint64_t first, uint64_t n);

#endif
