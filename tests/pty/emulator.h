/*
 * The terminal of the tests: libvterm, seen as a grid of the program's own cells.
 *
 * Bytes go in, cells and answers come out. It counts the marks of synchronised output (which
 * libvterm does not know); it also counts the plain motions and cells it was
 * sent, so that a test can tell moved cells from drawn ones.
 */
#ifndef PIPEGLASS_TESTS_EMULATOR_H
#define PIPEGLASS_TESTS_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <vterm.h>

#include "base/sbuf.h"
#include "view/grid.h"

struct emulator {
	VTerm *vt;
	VTermScreen *screen;
	int w, h;
	bool alternate, cursor_visible, cursor_block;
	int mouse;         /* VTERM_PROP_MOUSE_* */
	int holds, shows;  /* synchronised output: marks seen */
	int bells;
	struct sbuf answers;   /* to be typed into the program */
	struct sbuf clipboard; /* the last OSC 52, still base64 */
	struct sbuf tail;      /* of the stream, for sequences cut in two */
};

void emulator_init(struct emulator *m, int w, int h);
void emulator_free(struct emulator *m);
void emulator_resize(struct emulator *m, int w, int h);
void emulator_feed(struct emulator *m, const char *bytes, size_t len);

/* What stands at x, y; blanks are ' ', the right half of a wide character 0. */
struct cell emulator_cell(const struct emulator *m, int x, int y);
void emulator_row(const struct emulator *m, int y, struct sbuf *out); /* trailing blanks dropped */
void emulator_text(const struct emulator *m, struct sbuf *out);       /* all rows, a line each */
void emulator_cursor(const struct emulator *m, int *x, int *y);

/* Do two cells look the same? libvterm knows no dim, and the colour of a blank's text is none. */
bool emulator_looks_same(struct cell a, struct cell b);

#endif
