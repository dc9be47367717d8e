/*
 * Two runs of a program in one window, locked to each other through their alignment: one above
 * the other, row by row, or one over the other.
 *
 * The runs are ordinary instruction views, with all their state. One of them has the focus:
 * commands move it with its own motions, then compareview_follow() brings the other to the same
 * place: the row that matches the one under the cursor stands on the same line (of the same
 * merged list), born in the same column. So what is drawn side by side began together, and every
 * difference to the right of that is one of the machines. Beside a squashed row the other stays
 * as the matched row before it has it: identical wrong paths are drawn alike.
 *
 * At the left edge each line tells its run and what is different about its row: `~` the other
 * run treated the matching row differently (see differ.h), `-` only A committed it, `+` only B
 * did, blank: nothing, or a row that is not compared (squashed, or a micro-op, which is part of
 * its instruction). The two lists of one row a line show every row, filtered or not.
 *
 * A frame costs what a frame of the instruction view costs for each run, and two reads of 512
 * rows' text.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_COMPAREVIEW_H
#define PIPEGLASS_VIEW_PIPELINE_COMPAREVIEW_H

#include "analysis/pipeline/align_lines.h"
#include "analysis/pipeline/differ.h"
#include "view/pipeline/pipeview.h"

/* layout, name, help */
#define COMPARE_LAYOUT_INFO(_)                                                                     \
	_(STACKED, "stacked", "A above B")                                                         \
	_(INTERLEAVED, "interleaved", "each row of A with that of B below it")                     \
	_(OVERLAID, "overlaid", "matching rows in one line; where they differ is underlined")

enum compare_layout {
#define COMPARE_LAYOUT_ENUM(layout, name, help) COMPARE_##layout,
	COMPARE_LAYOUT_INFO(COMPARE_LAYOUT_ENUM)
#undef COMPARE_LAYOUT_ENUM
	    COMPARE_LAYOUTS
};

extern const char *const compare_layout_names[COMPARE_LAYOUTS];

enum { COMPARE_MARGIN = 2 }; /* columns at the left edge: side and sign */

struct compareview {
	const struct align *al; /* borrowed, as are the two below */
	struct differ *differ;
	struct pipeview *side[ALIGN_SIDES]; /* over the stores of the alignment, in its order */
	enum compare_layout layout;
	int focus;    /* side of the cursor */
	uint64_t top; /* but STACKED: first line, of align_lines() */
	int lines;    /* but STACKED: for rows */
	/* private */
	struct detail held[ALIGN_SIDES];
	uint64_t held_from[ALIGN_SIDES];
};

void compareview_init(struct compareview *v, const struct align *al, struct differ *differ,
		      struct pipeview *a, struct pipeview *b);
void compareview_free(struct compareview *v);

/* Tell the size of the window; lays out both sides. A low stacked one has the focused side alone.
 */
void compareview_layout(struct compareview *v, int w, int h);

/* After the focused side moved, zoomed or changed its cursor: the other comes along. */
void compareview_follow(struct compareview *v);

/* By how much the birth of the cursor's row is later in B than in A, as align_time() counts. */
int64_t compareview_lag(const struct compareview *v);
/* What is different about a row (set of enum difference_kind); 0: nothing, or not compared. */
unsigned compareview_kinds(struct compareview *v, int side, uint64_t row);

enum status compareview_draw(struct compareview *v, struct grid *g, struct rect area,
			     const struct palette *p, struct error *e);
/* The side, index and tick that a cell of the area last drawn shows; false: none. */
bool compareview_hit(const struct compareview *v, int x, int y, int *side, uint64_t *index,
		     int64_t *tick);

#endif
