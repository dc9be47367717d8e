/*
 * Helpers of the view tests: a grid that is drawn into and read back as lines of text.
 */
#ifndef TESTS_UNIT_VIEW_SCREEN_H
#define TESTS_UNIT_VIEW_SCREEN_H

#include "pipeline/store.h"
#include "view/grid.h"
#include "view/palette.h"
#include "view/pipeline/pipeview.h"

struct screen {
	struct grid grid;
	struct palette palette;
	struct pipeview view;
	struct sbuf text;
};

/* A screen of w x h over s, 256 colours; s is closed with it. */
void view_screen_open(struct screen *sc, struct store *s, int w, int h);
void view_screen_close(struct screen *sc);
void view_screen_size(struct screen *sc, int w, int h);

/* Draw and return line y without trailing blanks; valid until the next call. */
const char *screen_line(struct screen *sc, int y);
void view_screen_draw(struct screen *sc);
/* What the last draw left in the time area's cell (column, line). */
const struct cell *screen_cell(struct screen *sc, int column, int line);
/* The time area's part of a line, trailing blanks removed; drawn anew. */
const char *screen_cells(struct screen *sc, int line);

#endif
