/*
 * Where the cycles went, by static instruction, function or source line, those first that held
 * the head of the commit queue longest; Enter goes to the row that did.
 *
 * Made when the pane is: PANE_RANGE_ROWS (pane.h) rows are read at most, also without a range.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_STALLS_PANE_H
#define PIPEGLASS_VIEW_PIPELINE_STALLS_PANE_H

#include "analysis/pipeline/stall_by.h"
#include "source/binary.h"
#include "view/pipeline/panes.h"

/* With a binary (borrowed; NULL: none) it names functions; without one it is always by pc. */
struct pane *stalls_pane(struct store *s, const struct selection *range, struct binary *binary,
			 enum stall_by by);

#endif
