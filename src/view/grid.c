#include "config.h"

#include "view/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* What stands for the glyphs the views use where the terminal has only ASCII. */
static const struct {
	uint16_t from;
	char to;
} ascii_glyphs[] = {
    {0x00b7, '.'}, {0x00ac, '^'}, {0x00d7, '#'}, {0x2026, '~'}, {0x2190, '<'}, {0x2191, '^'},
    {0x2192, '>'}, {0x2193, 'v'}, {0x2500, '-'}, {0x2502, '|'}, {0x250c, '+'},
    {0x2510, '+'}, {0x2514, '+'}, {0x2518, '+'}, {0x251c, '+'}, {0x2524, '+'},
    {0x252c, '+'}, {0x2534, '+'}, {0x2581, '_'}, {0x2582, '.'}, {0x2583, ':'},
    {0x2584, '-'}, {0x2585, '='}, {0x2586, '+'}, {0x2587, '%'}, {0x2588, '#'},
    {0x258c, '#'}, {0x2590, '#'}, {0x2591, ':'}, {0x2592, '='}, {0x2593, '%'},
};

bool grid_resize(struct grid *g, int w, int h)
{
	struct cell *cells;

	if (w < 0 || h < 0)
		return false;
	cells = reallocarray(g->cells, (size_t)w * (size_t)h + 1, sizeof(*cells));
	if (!cells)
		return false;
	g->cells = cells;
	g->w = w;
	g->h = h;
	g->cursor_x = g->cursor_y = g->spot.x = -1;
	return true;
}

void grid_free(struct grid *g)
{
	free(g->cells);
	*g = (struct grid){.cursor_x = -1, .cursor_y = -1, .spot.x = -1};
}

void grid_clear(struct grid *g, struct style style)
{
	grid_fill(g, (struct rect){0, 0, g->w, g->h}, ' ', style);
	g->cursor_x = g->cursor_y = g->spot.x = -1;
}

void grid_spot(struct grid *g, int x, int y, struct style style)
{
	struct cell *c = grid_at(g, x, y);

	if (!c)
		return;
	g->spot = (struct cursor_cell){.x = x, .y = y, .drawn = *c, .under = *c};
	g->spot.drawn.style = c->style = style;
}

bool grid_spot_shows(const struct grid *g)
{
	const struct cursor_cell *s = &g->spot;
	const struct cell *c;

	if (s->x < 0 || s->x >= g->w || s->y >= g->h)
		return false;
	c = &g->cells[(size_t)s->y * (size_t)g->w + (size_t)s->x];
	return c->cp == s->drawn.cp && style_same(c->style, s->drawn.style);
}

struct cell *grid_at(struct grid *g, int x, int y)
{
	if (x < 0 || y < 0 || x >= g->w || y >= g->h)
		return NULL;
	return &g->cells[(size_t)y * (size_t)g->w + (size_t)x];
}

static uint32_t to_ascii(uint32_t cp)
{
	if (cp < 0x7f)
		return cp;
	for (size_t i = 0; i < sizeof(ascii_glyphs) / sizeof(ascii_glyphs[0]); i++)
		if (ascii_glyphs[i].from == cp)
			return (uint32_t)ascii_glyphs[i].to;
	return '?';
}

/* A wide character that loses one of its halves leaves a blank, not half a glyph. */
static void cut_wide(struct grid *g, struct cell *c, int x)
{
	if (c->cp == 0 && x > 0)
		c[-1].cp = ' ';
	if (x + 1 < g->w && c[1].cp == 0)
		c[1].cp = ' ';
}

void grid_put(struct grid *g, int x, int y, uint32_t cp, struct style style)
{
	struct cell *c = grid_at(g, x, y);

	if (!c)
		return;
	/* a cell holds one character: a mark alone has nothing to stand on */
	cp = text_width_cp(cp) > 0 ? text_harmless(cp) : TEXT_REPLACEMENT;
	if (g->ascii)
		cp = to_ascii(cp);
	cut_wide(g, c, x);
	if (text_width_cp(cp) == 2) {
		if (x + 1 >= g->w) {
			*c = (struct cell){' ', style};
			return;
		}
		cut_wide(g, c + 1, x + 1);
		c[1] = (struct cell){0, style};
	}
	*c = (struct cell){cp, style};
}

static bool intersect(const struct grid *g, struct rect *r)
{
	int64_t x1 = (int64_t)r->x + r->w, y1 = (int64_t)r->y + r->h;

	if (r->x < 0)
		r->x = 0;
	if (r->y < 0)
		r->y = 0;
	if (x1 > g->w)
		x1 = g->w;
	if (y1 > g->h)
		y1 = g->h;
	r->w = (int)(x1 - r->x);
	r->h = (int)(y1 - r->y);
	return r->w > 0 && r->h > 0;
}

int grid_text(struct grid *g, struct rect clip, int x, int y, const char *p, size_t len,
	      struct style style)
{
	int at = x, end;
	size_t used;

	if (!intersect(g, &clip) || y < clip.y || y >= clip.y + clip.h)
		return 0;
	end = clip.x + clip.w;
	for (size_t i = 0; i < len && at < end; i += used) {
		uint32_t cp;
		int width;

		used = text_decode(p + i, len - i, &cp);
		cp = text_harmless(cp);
		width = text_width_cp(cp);
		if (at + width > end)
			break;
		if (at >= clip.x && width > 0)
			grid_put(g, at, y, cp, style);
		at += width;
	}
	return at - x;
}

int grid_puts(struct grid *g, struct rect clip, int x, int y, const char *text, struct style style)
{
	return grid_text(g, clip, x, y, text, strlen(text), style);
}

int grid_right(struct grid *g, struct rect clip, int right, int y, const char *text,
	       struct style style)
{
	return grid_puts(g, clip, right - text_width(text, strlen(text)), y, text, style);
}

int grid_printf(struct grid *g, struct rect clip, int x, int y, struct style style, const char *fmt,
		...)
{
	struct sbuf s = {0};
	va_list ap;
	int used;

	va_start(ap, fmt);
	sbuf_vprintf(&s, fmt, ap);
	va_end(ap);
	used = grid_text(g, clip, x, y, sbuf_text(&s), s.len, style);
	sbuf_free(&s);
	return used;
}

void grid_fill(struct grid *g, struct rect area, uint32_t cp, struct style style)
{
	if (!intersect(g, &area))
		return;
	cp = g->ascii ? to_ascii(cp) : cp;
	for (int y = area.y; y < area.y + area.h; y++) {
		struct cell *row = grid_at(g, 0, y);

		/* contents may be undefined, so only what lies outside is worth mending */
		if (area.x > 0 && row[area.x].cp == 0)
			row[area.x - 1].cp = ' ';
		if (area.x + area.w < g->w && row[area.x + area.w].cp == 0)
			row[area.x + area.w].cp = ' ';
		for (int x = area.x; x < area.x + area.w; x++)
			row[x] = (struct cell){cp, style};
	}
}
