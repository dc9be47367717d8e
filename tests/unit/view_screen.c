#include "config.h"

#include "view_screen.h"

#include <stdlib.h>
#include <string.h>

#include "view/pipeline/pipeview_private.h"

void view_screen_open(struct screen *sc, struct store *s, int w, int h)
{
	memset(sc, 0, sizeof(*sc));
	palette_init(&sc->palette, DEPTH_256);
	pipeview_init(&sc->view, s);
	view_screen_size(sc, w, h);
}

void view_screen_size(struct screen *sc, int w, int h)
{
	if (!grid_resize(&sc->grid, w, h))
		abort();
	pipeview_layout(&sc->view, w, h);
}

void view_screen_close(struct screen *sc)
{
	struct store *s = sc->view.store;

	pipeview_free(&sc->view);
	store_close(s);
	grid_free(&sc->grid);
	sbuf_free(&sc->text);
}

void view_screen_draw(struct screen *sc)
{
	struct rect all = {0, 0, sc->grid.w, sc->grid.h};

	grid_clear(&sc->grid, palette_style(&sc->palette, ROLE_TEXT));
	if (pipeview_draw(&sc->view, &sc->grid, all, &sc->palette, NULL) != STATUS_OK)
		abort();
}

/* Line y from column x on. */
static const char *line_text(struct screen *sc, int x, int y)
{
	struct grid line = sc->grid;

	line.cells += (size_t)y * (size_t)line.w + (size_t)x;
	line.w -= x;
	line.h = 1;
	sbuf_clear(&sc->text);
	grid_export(&line, GRID_TEXT, &sc->text);
	sc->text.text[--sc->text.len] = '\0';
	return sc->text.text;
}

const char *screen_line(struct screen *sc, int y)
{
	view_screen_draw(sc);
	return line_text(sc, 0, y);
}

const struct cell *screen_cell(struct screen *sc, int column, int line)
{
	return grid_at(&sc->grid, pipeview_gutter_width(&sc->view) + column,
		       pipeview_ruler_lines(&sc->view) + line);
}

const char *screen_cells(struct screen *sc, int line)
{
	view_screen_draw(sc);
	return line_text(sc, pipeview_gutter_width(&sc->view),
			 pipeview_ruler_lines(&sc->view) + line);
}
