/*
 * A canvas of dots finer than cells, for lines: drawn dot by dot, then put into a grid as
 * characters.
 *
 * A cell holds 2 x 4 dots as a braille pattern, 1 x 2 as a half block or 1 x 3 as one of the
 * ASCII characters that lie low, in the middle or high. Each cell has one owner (who drew there
 * last), from which its style comes; dots of several owners share a cell. A canvas costs two bytes
 * a cell, a line O(dots).
 */
#ifndef PIPEGLASS_VIEW_BRAILLE_H
#define PIPEGLASS_VIEW_BRAILLE_H

#include "view/grid.h"

/* kind of cell, name for `set dots`, dots across, dots down */
#define DOTS_INFO(_)                                                                               \
	_(BRAILLE, "braille", 2, 4)                                                                \
	_(BLOCKS, "blocks", 1, 2)                                                                  \
	_(ASCII, "ascii", 1, 3)

enum dots {
#define DOTS_ENUM(name, text, across, down) DOTS_##name,
	DOTS_INFO(DOTS_ENUM)
#undef DOTS_ENUM
	    DOTS_COUNT
};

enum { CANVAS_NOBODY = 0xff };

struct canvas {
	enum dots kind;
	int w, h;        /* cells */
	uint8_t *dots;   /* of each cell, a bit for each dot */
	uint8_t *owners; /* of each cell; CANVAS_NOBODY: empty */
	size_t cap;
};

const char *dots_name(enum dots kind);
int dots_across(enum dots kind);
int dots_down(enum dots kind);

/* An empty canvas of w x h cells; sizes below nothing are nothing. Ends with canvas_free(). */
void canvas_begin(struct canvas *c, enum dots kind, int w, int h);
void canvas_free(struct canvas *c);

/* Dot (0, 0) is at the top left; what lies outside is left out. */
void canvas_dot(struct canvas *c, int x, int y, uint8_t owner);
/*
 * From dot to dot, both included. Broken: every second column (of a steep line, row) stays empty,
 * the ends too.
 */
void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1, bool broken, uint8_t owner);

/* The character of a cell, 0: empty. */
uint32_t canvas_char(const struct canvas *c, int x, int y);
/* Put the cells that are not empty at (x, y) of g, each in its owner's style. */
void canvas_put(const struct canvas *c, struct grid *g, int x, int y, const struct style *styles);

#endif
