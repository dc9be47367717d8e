/*
 * A grid on the terminal: the bytes that turn what is shown into the grid.
 *
 * They are appended to a buffer, so a frame is one piece that the caller writes at once. Where the
 * terminal speaks as ECMA-48 says they are painter.h's; one with a language of its own, or that
 * cannot place its cursor, gets each frame as lines. The cell under the cursor of a view is
 * reversed in the grid; where the terminal's own cursor can be made a block that stands there
 * instead, which costs no colours. Cost: O(cells).
 */
#ifndef PIPEGLASS_TERM_SCREEN_H
#define PIPEGLASS_TERM_SCREEN_H

#include <stdbool.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "view/grid.h"

struct screen;

/*
 * Of the description that terminal.h has now, and of no size yet. The next frame begins with what
 * taking the terminal needs. ascii: cells beyond it become '?'.
 */
struct screen *screen_new(bool color, bool ascii);
void screen_free(struct screen *s);

void screen_resize(struct screen *s, int w, int h);
void screen_repaint(struct screen *s); /* what is shown is not known any more */

/* Append the bytes that show g (w * h as told) to out. STATUS_NOMEM. */
enum status screen_draw(struct screen *s, const struct grid *g, struct sbuf *out, struct error *e);
/* The terminal shows a frame, not the shell's screen. */
bool screen_inside(const struct screen *s);
/* The bytes that give it back then. */
void screen_farewell(const struct screen *s, struct sbuf *out);
/* They are sent: the next screen_draw() takes it again. */
void screen_left(struct screen *s);

#endif
