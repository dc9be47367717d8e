/*
 * The older row that had to commit before a row could, as far as its neighbours tell, where the
 * trace names no links. Read off the index around the row, O(WAITED_WINDOW). Rows farther away are
 * not looked at: what is said is true, but something may be left unsaid.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WAITED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WAITED_H

#include "pipeline/store.h"

enum { WAITED_WINDOW = 1024 };

/* With the stays of the row. False: there is none. */
bool waited_for(const struct store *s, const struct row *row, const struct stay *stays,
		uint32_t count, struct row *out);

#endif
