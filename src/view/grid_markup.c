#include "config.h"

#include "view/grid_private.h"

#include "base/text.h"

/* A cell of the picture; DejaVu Sans Mono fills it exactly: not all readers know textLength. */
enum { CELL_W = 8, CELL_H = 17, BASELINE = 13 };

#define FONT_SIZE "13.288"
#define FONT      "DejaVu Sans Mono,Liberation Mono,Menlo,Consolas,monospace"

/* What "default" looks like where no terminal decides it: light grey on near black. */
static const uint32_t default_fg = 0xd0d0d0, default_bg = 0x1c1c1c;

/* xterm's first sixteen colours, slightly calmer as most terminals have them now. */
static const uint32_t ansi_rgb[16] = {
    0x000000, 0xcd3131, 0x0dbc79, 0xc7a20c, 0x3b78d8, 0xbc3fbc, 0x11a8cd, 0xd0d0d0,
    0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x6a9eff, 0xd670d6, 0x29b8db, 0xffffff,
};

static uint32_t cube_level(int i)
{
	return i ? 55U + 40U * (uint32_t)i : 0;
}

static uint32_t rgb_of(int color)
{
	int c = color - 16;

	if (color < 16)
		return ansi_rgb[color];
	if (color >= 232)
		return (8U + 10U * (uint32_t)(color - 232)) * 0x010101U;
	return cube_level(c / 36) << 16 | cube_level(c / 6 % 6) << 8 | cube_level(c % 6);
}

/* The two colours that are really seen, reverse video carried out. */
static void seen(struct style s, uint32_t *fg, uint32_t *bg)
{
	uint32_t f = s.fg < 0 ? default_fg : rgb_of(s.fg);
	uint32_t b = s.bg < 0 ? default_bg : rgb_of(s.bg);

	*fg = s.attrs & ATTR_REVERSE ? b : f;
	*bg = s.attrs & ATTR_REVERSE ? f : b;
}

static void html_run(const struct grid *g, int y, const struct grid_run *r, struct sbuf *text,
		     struct sbuf *out)
{
	uint32_t fg, bg;

	sbuf_clear(text);
	grid_run_text(g, y, r, text);
	seen(r->style, &fg, &bg);
	if (fg == default_fg && bg == default_bg && !r->style.attrs) {
		text_html(out, sbuf_text(text), text->len);
		return;
	}
	sbuf_puts(out, "<span style=\"");
	if (fg != default_fg)
		sbuf_printf(out, "color:#%06x;", (unsigned)fg);
	if (bg != default_bg)
		sbuf_printf(out, "background:#%06x;", (unsigned)bg);
	if (r->style.attrs & ATTR_BOLD)
		sbuf_puts(out, "font-weight:bold;");
	if (r->style.attrs & ATTR_UNDERLINE)
		sbuf_puts(out, "text-decoration:underline;");
	if (r->style.attrs & ATTR_DIM)
		sbuf_puts(out, "opacity:.6;");
	sbuf_puts(out, "\">");
	text_html(out, sbuf_text(text), text->len);
	sbuf_puts(out, "</span>");
}

void grid_export_html(const struct grid *g, struct sbuf *out)
{
	struct sbuf text = {0};

	sbuf_printf(
	    out,
	    "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>pipeglass</title>"
	    "</head>\n<body style=\"background:#%06x\">\n"
	    "<pre style=\"color:#%06x;background:#%06x;font-family:%s;line-height:1.25\">\n",
	    (unsigned)default_bg, (unsigned)default_fg, (unsigned)default_bg, FONT);
	for (int y = 0; y < g->h; y++) {
		struct grid_run r = {0};

		while (grid_run_next(g, y, &r))
			html_run(g, y, &r, &text, out);
		sbuf_putc(out, '\n');
	}
	sbuf_puts(out, "</pre>\n</body></html>\n");
	sbuf_free(&text);
}

static void svg_back(int y, const struct grid_run *r, struct sbuf *out)
{
	uint32_t fg, bg;

	seen(r->style, &fg, &bg);
	if (bg != default_bg)
		sbuf_printf(out,
			    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
			    r->x * CELL_W, y * CELL_H, r->w * CELL_W, CELL_H, (unsigned)bg);
}

/* Blanks at either end need no text; what is left starts exactly on its cell. */
static bool svg_trim(const struct grid *g, int y, struct grid_run *r)
{
	const struct cell *line = g->cells + (size_t)y * (size_t)g->w;

	while (r->w > 0 && line[r->x].cp == ' ') {
		r->x++;
		r->w--;
	}
	while (r->w > 0 && line[r->x + r->w - 1].cp == ' ')
		r->w--;
	return r->w > 0;
}

static void svg_text(const struct grid *g, int y, struct grid_run r, struct sbuf *text,
		     struct sbuf *out)
{
	uint32_t fg, bg;

	seen(r.style, &fg, &bg);
	if (!svg_trim(g, y, &r))
		return;
	sbuf_clear(text);
	grid_run_text(g, y, &r, text);
	sbuf_printf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\"", r.x * CELL_W,
		    y * CELL_H + BASELINE, r.w * CELL_W);
	if (fg != default_fg)
		sbuf_printf(out, " fill=\"#%06x\"", (unsigned)fg);
	if (r.style.attrs & ATTR_BOLD)
		sbuf_puts(out, " font-weight=\"bold\"");
	if (r.style.attrs & ATTR_UNDERLINE)
		sbuf_puts(out, " text-decoration=\"underline\"");
	if (r.style.attrs & ATTR_DIM)
		sbuf_puts(out, " opacity=\".6\"");
	sbuf_putc(out, '>');
	text_html(out, sbuf_text(text), text->len);
	sbuf_puts(out, "</text>\n");
}

void grid_export_svg(const struct grid *g, struct sbuf *out)
{
	struct sbuf text = {0};

	sbuf_printf(out,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		    "viewBox=\"0 0 %d %d\">\n<rect width=\"100%%\" height=\"100%%\" "
		    "fill=\"#%06x\"/>\n<g font-family=\"%s\" font-size=\"%s\" fill=\"#%06x\" "
		    "xml:space=\"preserve\">\n",
		    g->w * CELL_W, g->h * CELL_H, g->w * CELL_W, g->h * CELL_H,
		    (unsigned)default_bg, FONT, FONT_SIZE, (unsigned)default_fg);
	for (int y = 0; y < g->h; y++) {
		struct grid_run r = {0};

		while (grid_run_next(g, y, &r))
			svg_back(y, &r, out);
		for (r = (struct grid_run){0}; grid_run_next(g, y, &r);)
			svg_text(g, y, r, &text, out);
	}
	sbuf_puts(out, "</g>\n</svg>\n");
	sbuf_free(&text);
}
