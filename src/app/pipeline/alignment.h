/*
 * Two runs of a program in one window: tabs joined (app/joined.h) through the alignment of their
 * traces.
 *
 * Matching the traces, adding up where the cycles went, and looking for the next difference run
 * on threads of their own. Matching begins when both traces are read, adding up with the pane.
 */
#ifndef PIPEGLASS_APP_PIPELINE_ALIGNMENT_H
#define PIPEGLASS_APP_PIPELINE_ALIGNMENT_H

#include "analysis/pipeline/compare.h"
#include "app/joined.h"
#include "app/pipeline/analysing.h"
#include "view/pipeline/compareview.h"

struct pane;

/* Where the cycles went: of the cycles selected in A, or of the whole runs. */
struct costing {
	struct analysing of; /* first */
	const struct align *al;
	struct compare *out, *costs, *old;
};

struct alignment {
	struct joined joined; /* first */
	struct align_options options;
	struct align al; /* of the thread until it is joined.ready, as are the next */
	struct differ differ;
	struct compareview view;    /* its layout: from the beginning */
	struct costing costing;     /* when they are matched */
	unsigned kinds;             /* of differences that are looked for */
	/* of the seek */
	struct background seek;
	struct differ seeker;
	struct difference found;
	struct place from[ALIGN_SIDES];
	uint64_t seek_row;
	int seek_side, dir;
};

/* Of two tabs that are joined so, or are to be. */
struct alignment_wish {
	struct tab *side[ALIGN_SIDES];
	struct align_options options;
	enum compare_layout layout;
};

void alignment_begin(struct app *a, const struct alignment_wish *wish);
/* How a tab is joined; false: it is not so. */
bool alignment_wish(const struct tab *t, struct alignment_wish *out);
/* That of a tab, ready or not, and that on the screen; NULL: none. */
struct alignment *alignment_of_tab(const struct tab *t);
struct alignment *alignment_shown(const struct app *a);

/* From the cursor on (`dir`), or from the beginning of all (dir 0). */
void alignment_seek(struct app *a, int dir, unsigned kinds);
struct pane *alignment_pane(struct app *a); /* where the cycles went */

#endif
