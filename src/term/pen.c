#include "config.h"

#include "term/pen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "term/terminal.h"
enum { WAY_BYTES = 64 }; /* a style's longest has 40 */

/* The sequences used here that every terminal must have just so. */
static const struct {
	const char *capability, *text;
} needed[] = {
    {"cup", "\033[%i%p1%d;%p2%dH"}, {"el", "\033[K"},       {"cuf", "\033[%p1%dC"},
    {"cub", "\033[%p1%dD"},         {"cuu", "\033[%p1%dA"}, {"cud", "\033[%p1%dB"},
};

static const struct {
	unsigned attr, video; /* bit in no_color_video */
	const char *capability, *text;
} attributes[] = {
    {ATTR_BOLD, 32, "bold", "\033[1m"},     {ATTR_DIM, 16, "dim", "\033[2m"},
    {ATTR_UNDERLINE, 2, "smul", "\033[4m"}, {ATTR_BLINK, 8, "blink", "\033[5m"},
    {ATTR_REVERSE, 4, "rev", "\033[7m"},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* But for its padding, which is for links without flow control. */
static bool says(const char *capability, const char *text)
{
	const char *found = terminal_string(capability);
	size_t len = strlen(text);

	return strncmp(found, text, len) == 0 && (!found[len] || found[len] == '$');
}

bool pen_suits(struct pen_terminal *t)
{
	int video = terminal_number("ncv");

	*t = (struct pen_terminal){
	    .goes_to_column = says("hpa", "\033[%i%p1%dG"),
	    .goes_to_row = says("vpa", "\033[%i%p1%dd"),
	    .goes_up = says("ri", "\033M"),
	    .erases_cells = says("ech", "\033[%p1%dX"),
	    .moves_cells = says("ich", "\033[%p1%d@") && says("dch", "\033[%p1%dP"),
	    .scrolls = says("indn", "\033[%p1%dS") && says("rin", "\033[%p1%dT"),
	    .moves_rows = says("csr", "\033[%i%p1%d;%p2%dr") && says("il", "\033[%p1%dL") &&
			  says("dl", "\033[%p1%dM"),
	    .blocks = says("Ss", "\033[%p1%d q"),
	    .waits_at_edge = terminal_flag("xenl"),
	    .color = terminal_number("colors") >= 8,
	    .plain = terminal_string("sgr0"),
	};
	for (size_t i = 0; i < COUNT(needed); i++)
		if (!says(needed[i].capability, needed[i].text))
			return false;
	if (!*t->plain || strchr(t->plain, '$'))
		t->plain = "\033[m\017";
	for (size_t i = 0; i < COUNT(attributes); i++)
		if (says(attributes[i].capability, attributes[i].text)) {
			t->attrs |= attributes[i].attr;
			t->colorless |=
			    video > 0 && video & (int)attributes[i].video ? attributes[i].attr : 0;
		}
	return true;
}

/* ---- places ---- */

static void keep_shorter(char best[WAY_BYTES], const char *way)
{
	if (strlen(way) < strlen(best))
		memcpy(best, way, strlen(way) + 1);
}

/* A sequence of a terminal takes 1 for granted. */
static void counted(char out[WAY_BYTES], int n, char final)
{
	if (n == 1)
		snprintf(out, WAY_BYTES, "\033[%c", final);
	else
		snprintf(out, WAY_BYTES, "\033[%d%c", n, final);
}

static void repeated(char out[WAY_BYTES], char c, int n)
{
	memset(out, c, (size_t)n);
	out[n] = '\0';
}

/* The shortest way along a row. */
static void across(const struct pen *p, int from, int to, char best[WAY_BYTES])
{
	char way[WAY_BYTES];

	*best = '\0';
	if (from == to)
		return;
	counted(best, abs(to - from), to > from ? 'C' : 'D');
	if (to == 0)
		keep_shorter(best, "\r");
	if (to < from && from - to < 4) {
		repeated(way, '\b', from - to);
		keep_shorter(best, way);
	}
	if (p->terminal->goes_to_column) {
		counted(way, to + 1, 'G');
		keep_shorter(best, way);
	}
}

static void along(const struct pen *p, int from, int to, char best[WAY_BYTES])
{
	char way[WAY_BYTES];

	*best = '\0';
	if (from == to)
		return;
	counted(best, abs(to - from), to > from ? 'B' : 'A');
	if (to > from && to - from < 5) {
		repeated(way, '\n', to - from);
		keep_shorter(best, way);
	}
	if (from - to == 1 && p->terminal->goes_up)
		keep_shorter(best, "\033M");
	if (p->terminal->goes_to_row) {
		counted(way, to + 1, 'd');
		keep_shorter(best, way);
	}
}

static void straight(int x, int y, char out[WAY_BYTES])
{
	if (x == 0)
		counted(out, y + 1, 'H');
	else if (y == 0)
		snprintf(out, WAY_BYTES, "\033[;%dH", x + 1);
	else
		snprintf(out, WAY_BYTES, "\033[%d;%dH", y + 1, x + 1);
}

void pen_move(struct pen *p, int x, int y)
{
	char direct[WAY_BYTES], horizontal[WAY_BYTES] = "", vertical[WAY_BYTES] = "";
	const bool known = p->x >= 0 && p->y >= 0;

	straight(x, y, direct);
	if (known) {
		across(p, p->x, x, horizontal);
		along(p, p->y, y, vertical);
	}
	if (known && strlen(horizontal) + strlen(vertical) < strlen(direct))
		sbuf_printf(p->out, "%s%s", vertical, horizontal);
	else
		sbuf_puts(p->out, direct);
	p->x = x;
	p->y = y;
}

/* ---- styles ---- */

void pen_style(struct pen *p, struct style s)
{
	/* a parameter left out is 0: all off */
	char best[STYLE_SGR + 1] = ";", way[STYLE_SGR];

	if (p->styled && style_same(p->style, s))
		return;
	style_sgr(STYLE_PLAIN, s, best + 1);
	if (p->styled && !(p->style.attrs & ~s.attrs)) {
		style_sgr(p->style, s, way);
		keep_shorter(best, way);
	}
	if (!style_same(s, STYLE_PLAIN))
		sbuf_printf(p->out, "\033[%sm", best + 1);
	else
		sbuf_puts(p->out, p->styled ? "\033[m" : p->terminal->plain);
	p->style = s;
	p->styled = true;
}

bool pen_leaves_blanks(const struct pen *p, int bg)
{
	return p->styled && p->style.bg == bg &&
	       !(p->style.attrs & (ATTR_REVERSE | ATTR_UNDERLINE));
}

/* ---- cells ---- */

void pen_cells(struct pen *p, const packed_cell *cells, int count)
{
	char utf8[4];

	for (int i = 0; i < count; i++) {
		uint32_t cp = packed_cp(cells[i]);

		if (cp) /* the other half came with it */
			sbuf_add(p->out, utf8, text_encode(cp, utf8));
	}
	p->x += count;
	if (p->x >= p->w) /* it waits for a line break, or does not */
		p->x = p->y = -1;
}

static void put_counted(struct pen *p, int n, char final)
{
	char text[WAY_BYTES];

	counted(text, n, final);
	sbuf_puts(p->out, text);
}

void pen_erase(struct pen *p, int count)
{
	put_counted(p, count, 'X');
}

void pen_erase_tail(struct pen *p)
{
	sbuf_puts(p->out, "\033[K");
}

void pen_insert(struct pen *p, int count)
{
	put_counted(p, count, '@');
}

void pen_delete(struct pen *p, int count)
{
	put_counted(p, count, 'P');
}

void pen_scroll(struct pen *p, int top, int bottom, int count)
{
	sbuf_printf(p->out, "\033[%d;%dr", top + 1, bottom);
	p->x = p->y = 0; /* so the cursor goes with a new region */
	if (p->terminal->scrolls) {
		put_counted(p, abs(count), count > 0 ? 'S' : 'T');
	} else {
		pen_move(p, 0, top);
		put_counted(p, abs(count), count > 0 ? 'M' : 'L');
	}
	sbuf_puts(p->out, "\033[r");
	p->x = p->y = 0;
}
