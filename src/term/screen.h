/*
 * A grid on the terminal: the bytes that turn what is shown into the grid.
 *
 * curses takes the terminal, clears it and gives it back. What is shown on it is painted by
 * painter.h where the terminal speaks as most do, and by curses elsewhere. Corked (the usual
 * way) curses draws into a memory file and screen_draw() appends what came out to a buffer, so
 * a frame is one piece that the caller writes at once; uncorked curses does everything and
 * writes to the terminal itself. A terminal that cannot place its cursor gets each frame as
 * lines. The cell under the cursor of a view is reversed in the grid; where the terminal's own
 * cursor can be made a block that stands there instead, which costs no colours. Cost: O(cells).
 */
#ifndef PIPEGLASS_TERM_SCREEN_H
#define PIPEGLASS_TERM_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "term/input.h"
#include "view/grid.h"
#include "view/palette.h"

struct screen;

struct screen_options {
	const char *name; /* of the terminal's description: terminal.h */
	enum color_depth depth;
	bool ascii;   /* cells beyond ASCII become '?' */
	bool asks;    /* the terminal may be asked what it knows */
	int uncorked; /* descriptor that curses writes to; -1: corked */
	int w, h;
};

/* Takes the terminal: the next frame begins with what that needs. STATUS_UNSUPPORTED. */
enum status screen_open(struct screen **out, const struct screen_options *o, struct error *e);
void screen_close(struct screen *s); /* after screen_leave() */

void screen_resize(struct screen *s, int w, int h);
void screen_repaint(struct screen *s); /* what is shown is not known any more */

/*
 * A frame that paints all asks whether the terminal repeats characters: is an answer outstanding?
 * It is where the cursor stands then, row and column from 1 as it is told.
 */
bool screen_awaits(const struct screen *s);
void screen_answered(struct screen *s, int row, int column);

/* Append the bytes that show g (w * h as told) to out. STATUS_NOMEM, STATUS_IO. */
enum status screen_draw(struct screen *s, const struct grid *g, struct sbuf *out, struct error *e);
/* Append the bytes that give the terminal back; the next screen_draw() takes it again. */
enum status screen_leave(struct screen *s, struct sbuf *out, struct error *e);

/* The bytes to give it back in an emergency: no padding, at most size. Returns the length. */
size_t screen_rescue_bytes(const struct screen *s, char *out, size_t size);

/* Keys as its description spells them. */
void screen_keys(const struct screen *s, struct input *in);
/* "\e[?1h" and the like: a string capability, or "" */
const char *screen_capability(const char *name);

#endif
