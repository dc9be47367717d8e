/*
 * What a row waited for as far as its neighbours tell, where the trace names no links: the older
 * row that had to commit first, and the wrong path that had to be squashed before its fetch. Read off the index around the row, O(WAITED_WINDOW). Rows farther away are
 * not looked at: what is said is true, but something may be left unsaid.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WAITED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WAITED_H

#include "pipeline/store.h"

enum { WAITED_WINDOW = 1024 };

/* With the stays of the row. False: there is none. */
bool waited_for(const struct store *s, const struct row *row, const struct stay *stays,
		uint32_t count, struct row *out);

/* How many rows right before it were squashed, and the one that they were fetched after; 0: none. */
uint64_t waited_squash(const struct store *s, const struct row *row, struct row *out);

#endif
