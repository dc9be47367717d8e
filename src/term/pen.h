/*
 * A terminal's cursor and colours, set in the fewest bytes.
 *
 * It knows where the cursor is and in what style it writes, and of each way to the next place
 * and style takes the shortest. For terminals that speak as ECMA-48 says, which is nearly
 * all: pen_suits() asks the terminal's description for the sequences that are used here.
 * O(1) for each call but pen_cells(), which is O(cells).
 */
#ifndef PIPEGLASS_TERM_PEN_H
#define PIPEGLASS_TERM_PEN_H

#include <stdbool.h>

#include "base/sbuf.h"
#include "term/motion.h"

struct pen_terminal {
	bool goes_to_column, goes_to_row; /* CHA, VPA */
	bool goes_up;                     /* RI */
	bool erases_cells;                /* ECH */
	bool moves_cells;                 /* ICH, DCH */
	bool moves_rows;                  /* in a region: IL, DL */
	bool scrolls;                     /* SU, SD: in fewer bytes */
	bool blocks;                      /* its cursor can be told to be a block: DECSCUSR */
	bool waits_at_edge;               /* with the line break until something follows */
	bool color;                       /* any at all */
	unsigned attrs;                   /* ATTR_*: known */
	unsigned colorless;               /* ATTR_*: not together with a colour */
	const char *plain;                /* ends all attributes, and tells the character set */
};

struct pen {
	const struct pen_terminal *terminal;
	struct sbuf *out;
	int w, h;
	int x, y; /* -1: it is not known where */
	bool styled;
	struct style style; /* when styled; else anything */
};

/* Of the description that terminal_load() found. False: it has a language of its own, or none. */
bool pen_suits(struct pen_terminal *t);

void pen_move(struct pen *p, int x, int y);
void pen_style(struct pen *p, struct style s);
/* From where it stands, in the style it has. They end where a cell does. */
void pen_cells(struct pen *p, const packed_cell *cells, int count);

/*
 * What a blank needs: a background, and nothing that shows on a blank. Erased cells want more:
 * terminals do not agree on what becomes of a background then, so they get none.
 */
bool pen_leaves_blanks(const struct pen *p, int bg);
void pen_erase(struct pen *p, int count); /* to the right, without moving */
void pen_erase_tail(struct pen *p);       /* to the edge of the screen, without moving */

void pen_insert(struct pen *p, int count); /* blanks: the rest of the row goes right */
void pen_delete(struct pen *p, int count);
/* Rows [top, bottom) up (count > 0) or down; blank ones come in. */
void pen_scroll(struct pen *p, int top, int bottom, int count);

#endif
