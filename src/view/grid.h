/*
 * A grid of cells: what every view draws into, and what a terminal, a golden test or an
 * HTML export is made from. It knows no terminal: colours are xterm-256 numbers already
 * reduced to the depth asked for, or -1 for the default. Cost: 8 bytes a cell.
 *
 * All text that enters goes through text_harmless(): nothing drawn can be an escape. A cell is one
 * code point, so that of a text the combining marks are left out.
 */
#ifndef PIPEGLASS_VIEW_GRID_H
#define PIPEGLASS_VIEW_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sbuf.h"

enum { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_UNDERLINE = 4, ATTR_REVERSE = 8, ATTR_BLINK = 16 };

struct style {
	int16_t fg, bg; /* -1 default, else 0..255 */
	uint8_t attrs;
};

#define STYLE_PLAIN ((struct style){-1, -1, 0})

static inline bool style_same(struct style a, struct style b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs;
}

struct cell {
	uint32_t cp; /* code point; 0 in the right half of a wide one */
	struct style style;
};

struct rect {
	int x, y, w, h;
};

/* The cursor of a view: the cell as it is drawn, and what it is drawn over. */
struct cursor_cell {
	int x, y; /* x -1: there is none */
	struct cell drawn, under;
};

struct grid {
	int w, h;
	struct cell *cells; /* row by row */
	int cursor_x,
	    cursor_y; /* where text is typed: the terminal's cursor goes there; -1: none */
	struct cursor_cell spot; /* a terminal may show it by its own cursor when nobody types */
	bool ascii;              /* only ASCII glyphs (no UTF-8 on the terminal) */
};

bool grid_resize(struct grid *g, int w, int h); /* contents undefined; false: no memory */
void grid_free(struct grid *g);
void grid_clear(struct grid *g, struct style style);

/* All clip to the grid (and to clip where given) and return the columns used. */
void grid_put(struct grid *g, int x, int y, uint32_t cp, struct style style);
int grid_text(struct grid *g, struct rect clip, int x, int y, const char *p, size_t len,
	      struct style style);
int grid_puts(struct grid *g, struct rect clip, int x, int y, const char *text, struct style style);
/* It ends before the column `right`. */
int grid_right(struct grid *g, struct rect clip, int right, int y, const char *text,
	       struct style style);
int grid_printf(struct grid *g, struct rect clip, int x, int y, struct style style, const char *fmt,
		...) __attribute__((format(printf, 6, 7)));
void grid_fill(struct grid *g, struct rect area, uint32_t cp, struct style style);
void grid_spot(struct grid *g, int x, int y, struct style style); /* the last one is remembered */
bool grid_spot_shows(const struct grid *g);         /* and nothing was drawn over it */
struct cell *grid_at(struct grid *g, int x, int y); /* NULL outside */

enum { STYLE_SGR = 64 }; /* bytes that the longest takes, and more */
/* The parameters of SGR that turn one style into another, each behind a semicolon; nothing is off. */
void style_sgr(struct style from, struct style to, char out[STYLE_SGR]);

/* The four forms of `pipeglass screen --format`. Text drops trailing blanks. */
enum grid_format { GRID_TEXT, GRID_ANSI, GRID_HTML, GRID_SVG };
bool grid_format_parse(const char *name, enum grid_format *out);
void grid_export(const struct grid *g, enum grid_format format, struct sbuf *out);

#endif
