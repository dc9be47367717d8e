/*
 * The panes over a trace of instructions that are whole when they are made, on the heap.
 *
 * With a range the counts are those of its rows and ticks, made when the pane is made: at most
 * PANE_RANGE_ROWS rows are read (about a second), beyond which every count is a lower bound and
 * says so. A row belongs to a range when it is one of its rows and lives in its ticks; entries and
 * events count where they happened.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_PANES_H
#define PIPEGLASS_VIEW_PIPELINE_PANES_H

#include "analysis/pipeline/stall_by.h"
#include "analysis/pipeline/why.h"
#include "pipeline/store.h"
#include "source/binary.h"
#include "view/pane.h"

enum { PANE_RANGE_ROWS = 1 << 19 };

/*
 * All that is known of a row; with a binary (borrowed, as the next; NULL: none) its function and
 * line, with an evaluation of its run why it was so late, and without one what stands there instead.
 */
struct pane *inspector_pane(struct store *s, uint64_t row, struct binary *binary,
			    const struct why *why, const char *instead);
/* Stages, events and fates with counts. */
struct pane *legend_pane(struct store *s, const struct selection *range);

/*
 * Where the cycles went, by static instruction, function or source line, those first that cost
 * the run most; Enter goes to the row that did. PANE_RANGE_ROWS are read
 * without a range, too. With a binary it names functions; without one it is always by pc.
 */
struct pane *stalls_pane(struct store *s, const struct selection *range, struct binary *binary,
			 enum stall_by by);

/*
 * Of each instruction how long a row of it lived, or stayed in a stage, at most: of as many rows as
 * stalls_pane() reads; Enter goes to the one by which the table is sorted.
 */
struct pane *longest_pane(struct store *s, const struct selection *range);

#endif
