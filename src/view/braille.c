#include "config.h"

#include "view/braille.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static const struct {
	const char *name;
	int across, down;
} kinds[DOTS_COUNT] = {
#define DOTS_ROW(name, text, across, down) {text, across, down},
    DOTS_INFO(DOTS_ROW)
#undef DOTS_ROW
};

/* Bits of a cell's dots, [column][row]: those of Unicode's braille patterns, see U+2800. */
static const uint8_t bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

enum { BRAILLE_FIRST = 0x2800, SHORT_GAP = 6 };

/* By the set of dots from the top (1) to the bottom. */
static const uint16_t block_chars[4] = {0, 0x2580, 0x2584, 0x2588};
static const char ascii_chars[8] = {0, '\'', '-', '!', '_', ':', 'i', '|'};

const char *dots_name(enum dots kind)
{
	return kinds[kind].name;
}

int dots_across(enum dots kind)
{
	return kinds[kind].across;
}

int dots_down(enum dots kind)
{
	return kinds[kind].down;
}

void canvas_begin(struct canvas *c, enum dots kind, int w, int h)
{
	size_t cells;

	c->kind = kind;
	c->w = w > 0 ? w : 0;
	c->h = h > 0 ? h : 0;
	cells = (size_t)c->w * (size_t)c->h;
	if (cells > c->cap) {
		c->dots = xreallocarray(c->dots, cells, sizeof(*c->dots));
		c->owners = xreallocarray(c->owners, cells, sizeof(*c->owners));
		c->cap = cells;
	}
	if (cells) {
		memset(c->dots, 0, cells);
		memset(c->owners, CANVAS_NOBODY, cells);
	}
}

void canvas_free(struct canvas *c)
{
	free(c->dots);
	free(c->owners);
	*c = (struct canvas){.kind = c->kind};
}

void canvas_dot(struct canvas *c, int x, int y, uint8_t owner)
{
	int across = kinds[c->kind].across, down = kinds[c->kind].down;
	size_t at;

	if (x < 0 || y < 0 || x / across >= c->w || y / down >= c->h)
		return;
	at = (size_t)(y / down) * (size_t)c->w + (size_t)(x / across);
	/* blocks and ASCII use the first bits in order, which are also braille's left column */
	c->dots[at] |= bits[x % across][y % down];
	c->owners[at] = owner;
}

void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1, bool broken, uint8_t owner)
{
	int dx = abs(x1 - x0), dy = abs(y1 - y0), steps = dx > dy ? dx : dy;

	/* from the left, so that it is the same line whichever end comes first */
	if (x1 < x0) {
		canvas_line(c, x1, y1, x0, y0, broken, owner);
		return;
	}
	for (int i = 0; i <= steps; i++) {
		int64_t x = steps ? ((int64_t)(x1 - x0) * i * 2 + steps) / (2 * steps) : 0;
		int64_t y = steps ? ((int64_t)dy * i * 2 + steps) / (2 * steps) : 0;

		if (y1 < y0)
			y = -y;
		if (!broken || i % 2)
			canvas_dot(c, x0 + (int)x, y0 + (int)y, owner);
	}
}

uint32_t canvas_char(const struct canvas *c, int x, int y)
{
	uint8_t dots;

	if (x < 0 || y < 0 || x >= c->w || y >= c->h)
		return 0;
	dots = c->dots[(size_t)y * (size_t)c->w + (size_t)x];
	if (!dots)
		return 0;
	switch (c->kind) {
	case DOTS_BRAILLE:
		return BRAILLE_FIRST + dots;
	case DOTS_BLOCKS:
		return block_chars[dots & 3];
	default:
		return (uint32_t)ascii_chars[dots & 7];
	}
}

/*
 * A short gap between two cells takes the first one's style where that is not to be seen on
 * blanks: a terminal is told a style less, twice.
 */
static void put_gap(struct grid *g, int x, int y, int n, struct style style)
{
	if (n > SHORT_GAP || style.bg != -1 || style.attrs & (ATTR_REVERSE | ATTR_UNDERLINE))
		return;
	for (int i = 0; i < n; i++)
		grid_put(g, x + i, y, ' ', style);
}

void canvas_put(const struct canvas *c, struct grid *g, int x, int y, const struct style *styles)
{
	for (int row = 0; row < c->h; row++) {
		struct style before = {-1, -1, 0};
		int gap = SHORT_GAP + 1;

		for (int column = 0; column < c->w; column++, gap++) {
			uint32_t cp = canvas_char(c, column, row);
			uint8_t owner = c->owners[(size_t)row * (size_t)c->w + (size_t)column];

			if (!cp)
				continue;
			put_gap(g, x + column - gap, y + row, gap, before);
			before = styles[owner];
			grid_put(g, x + column, y + row, cp, before);
			gap = -1;
		}
	}
}
