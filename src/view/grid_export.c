#include "config.h"

#include "view/grid.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/grid_private.h"

/* attribute, SGR parameter; reset switches all off */
static const struct {
	uint8_t attr;
	uint8_t sgr;
} sgr_attrs[] = {
    {ATTR_BOLD, 1}, {ATTR_DIM, 2}, {ATTR_UNDERLINE, 4}, {ATTR_BLINK, 5}, {ATTR_REVERSE, 7},
};

static const char *const format_names[] = {
    [GRID_TEXT] = "text",
    [GRID_ANSI] = "ansi",
    [GRID_HTML] = "html",
    [GRID_SVG] = "svg",
};

bool grid_format_parse(const char *name, enum grid_format *out)
{
	for (size_t i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++)
		if (strcmp(name, format_names[i]) == 0) {
			*out = (enum grid_format)i;
			return true;
		}
	return false;
}

static const struct cell *line_of(const struct grid *g, int y)
{
	return g->cells + (size_t)y * (size_t)g->w;
}

bool grid_run_next(const struct grid *g, int y, struct grid_run *r)
{
	const struct cell *line = line_of(g, y);
	int x = r->x + r->w, end;

	if (x >= g->w)
		return false;
	for (end = x + 1; end < g->w && style_same(line[end].style, line[x].style); end++)
		;
	*r = (struct grid_run){x, end - x, line[x].style};
	return true;
}

static void put_cp(uint32_t cp, struct sbuf *out)
{
	char bytes[4];

	if (cp)
		sbuf_add(out, bytes, text_encode(cp, bytes));
}

void grid_run_text(const struct grid *g, int y, const struct grid_run *r, struct sbuf *out)
{
	const struct cell *line = line_of(g, y);

	for (int x = r->x; x < r->x + r->w; x++)
		put_cp(line[x].cp, out);
}

/* Columns of line y that are not trailing blanks; a blank with a look counts when styled. */
static int used_columns(const struct grid *g, int y, bool styled)
{
	const struct cell *line = line_of(g, y);
	int w = g->w;

	while (w > 0 && line[w - 1].cp == ' ' && (!styled || style_same(line[w - 1].style, STYLE_PLAIN)))
		w--;
	return w;
}

static void export_text(const struct grid *g, struct sbuf *out)
{
	for (int y = 0; y < g->h; y++) {
		struct grid_run r = {0, used_columns(g, y, false), STYLE_PLAIN};

		grid_run_text(g, y, &r, out);
		sbuf_putc(out, '\n');
	}
}

static int sgr_color(char *out, int color, int base)
{
	if (color < 0)
		return sprintf(out, ";%d", base + 9);
	if (color < 8)
		return sprintf(out, ";%d", base + color);
	if (color < 16)
		return sprintf(out, ";%d", base + 60 + color - 8);
	return sprintf(out, ";%d;5;%d", base + 8, color);
}

void style_sgr(struct style from, struct style to, char out[STYLE_SGR])
{
	*out = '\0';
	for (size_t i = 0; i < sizeof(sgr_attrs) / sizeof(sgr_attrs[0]); i++)
		if (to.attrs & ~from.attrs & sgr_attrs[i].attr)
			out += sprintf(out, ";%d", sgr_attrs[i].sgr);
	if (from.fg != to.fg)
		out += sgr_color(out, to.fg, 30);
	if (from.bg != to.bg)
		sgr_color(out, to.bg, 40);
}

/* The shortest usual way from one style to another: attributes can only be added singly. */
static void sgr_change(struct sbuf *out, struct style from, struct style to)
{
	const bool off = from.attrs & ~to.attrs;
	char changes[STYLE_SGR];

	if (style_same(from, to))
		return;
	style_sgr(off ? STYLE_PLAIN : from, to, changes);
	if (style_same(to, STYLE_PLAIN))
		sbuf_puts(out, "\033[m");
	else
		sbuf_printf(out, "\033[%s%sm", off ? "0" : "", changes + !off);
}

static void export_ansi(const struct grid *g, struct sbuf *out)
{
	for (int y = 0; y < g->h; y++) {
		const struct cell *line = line_of(g, y);
		struct style now = STYLE_PLAIN;
		int used = used_columns(g, y, true);

		for (int x = 0; x < used; x++) {
			sgr_change(out, now, line[x].style);
			now = line[x].style;
			put_cp(line[x].cp, out);
		}
		sgr_change(out, now, STYLE_PLAIN);
		sbuf_putc(out, '\n');
	}
}

void grid_export(const struct grid *g, enum grid_format format, struct sbuf *out)
{
	switch (format) {
	case GRID_TEXT:
		export_text(g, out);
		break;
	case GRID_ANSI:
		export_ansi(g, out);
		break;
	case GRID_HTML:
		grid_export_html(g, out);
		break;
	case GRID_SVG:
		grid_export_svg(g, out);
		break;
	}
}
