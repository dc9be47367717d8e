#include "config.h"

#include "term/screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "term/motion.h"
#include "term/painter.h"
#include "term/terminal.h"

/* Shapes of the terminal's cursor: what the user has, and one that does not blink. */
static const char cursor_usual[] = "\033[0 q", cursor_block[] = "\033[2 q";

static const char whole_region[] = "\033[r", clear_all[] = "\033[H\033[J";

struct screen {
	bool ascii;
	bool lines_only; /* the terminal cannot be painted */
	bool repaint;
	bool inside; /* the terminal shows our screen, not the shell's */
	int w, h;
	packed_cell *shown, *next; /* w * h each; shown: what was made of the terminal */
	packed_cell *row_taken;    /* w */
	struct pen_terminal pen;
	struct painter *painter;
	bool cursor_shown;
	const char *enter, *leave; /* the screen that the shell's comes back behind; "" */
	const char *cursor_on, *cursor_off;
};

void screen_resize(struct screen *s, int w, int h)
{
	size_t cells = (size_t)w * (size_t)h;

	s->w = w;
	s->h = h;
	s->shown = xreallocarray(s->shown, cells, sizeof(*s->shown));
	s->next = xreallocarray(s->next, cells, sizeof(*s->next));
	s->row_taken = xreallocarray(s->row_taken, (size_t)w, sizeof(*s->row_taken));
	s->repaint = true;
}

/* Padding was for links without flow control: a capability that wants it is done without. */
static const char *unpadded(const char *capability)
{
	const char *text = terminal_string(capability);

	return strchr(text, '$') ? "" : text;
}

struct screen *screen_new(bool color, bool ascii)
{
	struct screen *s = xcalloc(1, sizeof(*s));

	s->ascii = ascii;
	s->lines_only = !pen_suits(&s->pen);
	s->pen.color = s->pen.color && color;
	s->painter = painter_new(&s->pen);
	s->enter = unpadded("smcup");
	s->leave = unpadded("rmcup");
	s->cursor_on = unpadded("cnorm");
	s->cursor_off = unpadded("civis");
	return s;
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	painter_free(s->painter);
	free(s->shown);
	free(s->next);
	free(s->row_taken);
	free(s);
}

void screen_repaint(struct screen *s)
{
	s->repaint = true;
}

/* The character to send; 0: none, the cell is the right half of a wide one. */
static uint32_t shown_character(const struct screen *s, const packed_cell *row, int x)
{
	uint32_t cp = packed_cp(row[x]);
	int columns = x + 1 < s->w && packed_cp(row[x + 1]) == 0 ? 2 : 1;

	if (cp == 0)
		return x > 0 && text_width_cp(packed_cp(row[x - 1])) == 2 ? 0 : ' ';
	/* half of a wide one may be drawn over */
	if (cp >= 0x80 && (s->ascii || text_width_cp(cp) != columns))
		return '?';
	return cp;
}

static bool cursor_wanted(const struct screen *s, const struct grid *g)
{
	return g->cursor_x >= 0 && g->cursor_x < s->w && g->cursor_y >= 0 && g->cursor_y < s->h;
}

/* No cursor motion: the frame as lines, as a teletype would show it. */
static void draw_lines(struct screen *s, const struct grid *g, struct sbuf *out)
{
	size_t bytes = (size_t)s->w * (size_t)s->h * sizeof(*s->next);
	struct sbuf text = {0};

	if (!s->repaint && memcmp(s->shown, s->next, bytes) == 0)
		return;
	memcpy(s->shown, s->next, bytes);
	s->repaint = false;
	grid_export(g, GRID_TEXT, &text);
	/* the last line ends when the next frame begins: else the first would scroll away */
	while (text.len && text.text[text.len - 1] == '\n')
		text.len--;
	sbuf_puts(out, "\r\n");
	for (size_t i = 0; i < text.len; i++) {
		char c = text.text[i];

		if (c == '\n')
			sbuf_putc(out, '\r');
		sbuf_putc(out, s->ascii && (unsigned char)c >= 0x80 ? '?' : c);
	}
	sbuf_free(&text);
}

/* Takes the terminal if it is not ours already. */
static void clear_canvas(struct screen *s, struct sbuf *out)
{
	if (!s->inside)
		sbuf_puts(out, s->enter);
	if (s->pen.moves_rows)
		sbuf_puts(out, whole_region); /* not every terminal does it when it is resized */
	/* cells are cleared to the colour that was written in last */
	sbuf_puts(out, s->pen.plain);
	sbuf_puts(out, clear_all);
	painter_blank(s->painter, s->shown, s->w, s->h);
	sbuf_puts(out, s->cursor_off);
	s->cursor_shown = false;
	s->repaint = false;
}

/*
 * Does the terminal's own cursor show that of the view? One that blinks or is thin would be missed
 * in a full screen, so only where it can be a block, and looks like what the palette asks for.
 */
static bool shows_spot(const struct screen *s, const struct grid *g)
{
	static const struct style block = {-1, -1, ATTR_REVERSE};
	const struct cell *behind;

	if (!s->pen.blocks || cursor_wanted(s, g) || !grid_spot_shows(g) || g->spot.under.cp == 0)
		return false;
	behind = &g->cells[(size_t)g->spot.y * (size_t)g->w + (size_t)g->spot.x + 1];
	return style_same(g->spot.drawn.style, block) && g->spot.x + 1 < g->w && behind->cp != 0;
}

static void show_cursor(struct screen *s, bool on, struct sbuf *out)
{
	if (on == s->cursor_shown)
		return;
	if (on && s->pen.blocks)
		sbuf_puts(out, cursor_block);
	sbuf_puts(out, on ? s->cursor_on : s->cursor_off);
	s->cursor_shown = on;
}

static void paint_cells(struct screen *s, const struct grid *g, struct sbuf *out)
{
	bool typing = cursor_wanted(s, g), spot = shows_spot(s, g);

	if (s->repaint)
		clear_canvas(s, out);
	painter_paint(s->painter, s->shown, s->next,
		      typing ? g->cursor_x
		      : spot ? g->spot.x
			     : -1,
		      typing ? g->cursor_y : g->spot.y, out);
	show_cursor(s, typing || spot, out);
}

static void take_row(struct screen *s, packed_cell *row)
{
	/* what a cell is depends on its neighbours as they came */
	memcpy(s->row_taken, row, (size_t)s->w * sizeof(*row));
	for (int x = 0; x < s->w; x++)
		row[x] = painter_cell(&s->pen, shown_character(s, s->row_taken, x),
				      packed_to(row[x]).style);
}

/* The grid as the terminal can show it. */
static void take_grid(struct screen *s, const struct grid *g)
{
	size_t cells = (size_t)s->w * (size_t)s->h;

	for (size_t i = 0; i < cells; i++)
		s->next[i] = packed_from(&g->cells[i]);
	if (s->lines_only)
		return;
	if (shows_spot(s, g))
		s->next[(size_t)g->spot.y * (size_t)s->w + (size_t)g->spot.x] =
		    packed_from(&g->spot.under);
	for (int y = 0; y < s->h; y++)
		take_row(s, s->next + (size_t)y * (size_t)s->w);
	if (!s->pen.waits_at_edge) /* the last cell would scroll the screen */
		s->next[cells - 1] = painter_cell(&s->pen, ' ', STYLE_PLAIN);
}

enum status screen_draw(struct screen *s, const struct grid *g, struct sbuf *out, struct error *e)
{
	take_grid(s, g);
	if (s->lines_only)
		draw_lines(s, g, out);
	else
		paint_cells(s, g, out);
	s->inside = true;
	return out->failed ? error_set(e, STATUS_NOMEM, "not enough memory for a frame") : STATUS_OK;
}

bool screen_inside(const struct screen *s)
{
	return s->inside;
}

void screen_farewell(const struct screen *s, struct sbuf *out)
{
	if (s->lines_only) {
		sbuf_puts(out, "\r\n");
		return;
	}
	if (s->pen.moves_rows)
		sbuf_puts(out, whole_region);
	sbuf_puts(out, s->pen.plain);
	/* where no other screen comes back, the shell writes over the last line */
	sbuf_printf(out, "\033[%dH\033[K", s->h);
	sbuf_puts(out, s->leave);
	if (s->pen.blocks)
		sbuf_puts(out, cursor_usual);
	sbuf_puts(out, s->cursor_on);
}

void screen_left(struct screen *s)
{
	s->inside = false;
	s->repaint = true;
}
