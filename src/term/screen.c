#include "config.h"

#include "term/screen.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "base/xalloc.h"
#include "term/curses.h"
#include "term/motion.h"
#include "term/painter.h"

enum { COLORS_MOST = 256, PAIRS_MOST = SHRT_MAX };

/* Shapes of the terminal's cursor: what the user has, and one that does not blink. */
enum { CURSOR_USUAL = 0, CURSOR_BLOCK = 2 };

/*
 * Descriptions say REP of terminals that do not know it (mosh is an xterm by name), so it is tried:
 * three more of a bar, in the second row because F3 with modifiers looks like an answer about the
 * first one, and what came of it is wiped away.
 */
enum { REPEAT_ROW = 2, REPEAT_COLUMN = 5 };
static const char ask_repeat[] = "\033[2H\342\226\201\033[3b\033[6n\r\033[K";

struct screen {
	SCREEN *curses;
	FILE *file; /* where curses writes */
	int sink;   /* the memory file behind it; -1: uncorked */
	enum color_depth depth;
	bool ascii, default_colors;
	bool lines_only; /* the cursor cannot be placed */
	bool repaint;
	bool inside; /* the terminal shows our screen, not the shell's */
	int colors, pairs, pairs_used;
	int w, h;
	/* w * h each; shown: what curses' window holds, or what the painter made of the terminal */
	packed_cell *shown, *next;
	packed_cell *row_taken; /* w */
	cchar_t *row;           /* w */
	struct pen_terminal pen_terminal;
	struct painter *painter;                         /* NULL: curses paints */
	bool tries;                                      /* ask_repeat may be sent at all */
	bool asks;                                       /* it goes with the next whole frame */
	bool asked;                                      /* it went, and nothing came back so far */
	bool cursor_shown;                               /* by the painter */
	bool cursor_blocks;                              /* it can be told to be a block */
	short pair_of[COLORS_MOST + 1][COLORS_MOST + 1]; /* [fg + 1][bg + 1]; 0: none yet */
};

/* Terminal description: key strings beyond what the decoder knows by itself. */
static const struct {
	const char *capability;
	struct key key;
} described_keys[] = {
    {"kcuu1", {K_UP, 0}},
    {"kcud1", {K_DOWN, 0}},
    {"kcub1", {K_LEFT, 0}},
    {"kcuf1", {K_RIGHT, 0}},
    {"khome", {K_HOME, 0}},
    {"kend", {K_END, 0}},
    {"kpp", {K_PAGE_UP, 0}},
    {"knp", {K_PAGE_DOWN, 0}},
    {"kich1", {K_INSERT, 0}},
    {"kdch1", {K_DELETE, 0}},
    {"kbs", {K_BACKSPACE, 0}},
    {"kcbt", {K_BACKTAB, 0}},
    {"kent", {K_ENTER, 0}},
    {"kLFT", {K_LEFT, MOD_SHIFT}},
    {"kRIT", {K_RIGHT, MOD_SHIFT}},
    {"kri", {K_UP, MOD_SHIFT}},
    {"kind", {K_DOWN, MOD_SHIFT}},
    {"kHOM", {K_HOME, MOD_SHIFT}},
    {"kEND", {K_END, MOD_SHIFT}},
    {"kf1", {K_F1, 0}},
    {"kf2", {K_F2, 0}},
    {"kf3", {K_F3, 0}},
    {"kf4", {K_F4, 0}},
    {"kf5", {K_F5, 0}},
    {"kf6", {K_F6, 0}},
    {"kf7", {K_F7, 0}},
    {"kf8", {K_F8, 0}},
    {"kf9", {K_F9, 0}},
    {"kf10", {K_F10, 0}},
    {"kf11", {K_F11, 0}},
    {"kf12", {K_F12, 0}},
};

/* grid.h -> curses */
static const struct {
	unsigned ours;
	attr_t theirs;
} attributes[] = {
    {ATTR_BOLD, A_BOLD},       {ATTR_DIM, A_DIM},     {ATTR_UNDERLINE, A_UNDERLINE},
    {ATTR_REVERSE, A_REVERSE}, {ATTR_BLINK, A_BLINK},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const char *screen_capability(const char *name)
{
	/* tigetstr() takes a char * in older versions of curses and changes nothing */
	const char *text = tigetstr(name);

	return text && text != (char *)-1 ? text : "";
}

static bool has_capability(const char *name)
{
	return *screen_capability(name) != '\0';
}

void screen_keys(const struct screen *s, struct input *in)
{
	set_term(s->curses);
	for (size_t i = 0; i < COUNT(described_keys); i++)
		input_string(in, screen_capability(described_keys[i].capability),
			     described_keys[i].key);
}

/* Room for w * h cells. Nothing is known of what they show. */
static void allocate_cells(struct screen *s, int w, int h)
{
	size_t cells = (size_t)w * (size_t)h;

	s->w = w;
	s->h = h;
	s->shown = xreallocarray(s->shown, cells, sizeof(*s->shown));
	s->next = xreallocarray(s->next, cells, sizeof(*s->next));
	s->row = xreallocarray(s->row, (size_t)w, sizeof(*s->row));
	s->row_taken = xreallocarray(s->row_taken, (size_t)w, sizeof(*s->row_taken));
	s->repaint = true;
}

static enum status open_file(struct screen *s, int uncorked, struct error *e)
{
	int fd = uncorked >= 0 ? dup(uncorked) : memfd_create("frame", MFD_CLOEXEC);

	s->sink = uncorked >= 0 ? -1 : fd;
	s->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (s->file)
		return STATUS_OK;
	if (fd >= 0)
		close(fd);
	return error_errno(e, STATUS_IO, errno, "no memory file for the screen");
}

static void start_colors(struct screen *s)
{
	if (s->depth == DEPTH_MONO || !has_colors() || start_color() == ERR)
		return;
	s->default_colors = use_default_colors() != ERR;
	s->colors = COLORS < COLORS_MOST ? COLORS : COLORS_MOST;
	s->pairs = COLOR_PAIRS < PAIRS_MOST ? COLOR_PAIRS : PAIRS_MOST;
}

enum status screen_open(struct screen **out, const struct screen_options *o, struct error *e)
{
	struct screen *s = xcalloc(1, sizeof(*s));
	enum status status;

	s->depth = o->depth;
	s->ascii = o->ascii;
	status = open_file(s, o->uncorked, e);
	if (status != STATUS_OK) {
		free(s);
		return status;
	}
	/* curses reads no keys, but wants a file to ask whether some wait */
	s->curses = newterm(o->name, s->file, stdin);
	if (!s->curses) {
		fclose(s->file);
		free(s);
		if (!*o->name)
			return error_set(e, STATUS_UNSUPPORTED,
					 "no terminal is described here, not even a dumb one: "
					 "install the Debian package ncurses-base");
		return error_set(e, STATUS_UNSUPPORTED, "curses cannot drive a terminal '%s'",
				 o->name);
	}
	typeahead(-1);
	nonl();
	idlok(stdscr, TRUE);
	curs_set(0); /* and with it goes out what newterm() left in curses' buffer */
	s->inside = true;
	start_colors(s);
	s->lines_only = s->sink >= 0 && !has_capability("cup");
	if (s->sink >= 0 && pen_suits(&s->pen_terminal))
		s->painter = painter_new(&s->pen_terminal);
	s->tries = s->painter && o->asks && !o->ascii && s->pen_terminal.repeats;
	screen_repaint(s);
	s->cursor_blocks = s->painter && has_capability("Ss");
	allocate_cells(s, o->w, o->h);
	resizeterm(o->h, o->w);
	*out = s;
	return STATUS_OK;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	set_term(s->curses);
	delscreen(s->curses);
	fclose(s->file);
	free(s->shown);
	free(s->next);
	free(s->row);
	free(s->row_taken);
	painter_free(s->painter);
	free(s);
}

bool screen_awaits(const struct screen *s)
{
	return s->asked;
}

void screen_answered(struct screen *s, int row, int column)
{
	if (s->asked)
		s->pen_terminal.repeats = row == REPEAT_ROW && column == REPEAT_COLUMN;
	s->asked = false;
}

void screen_resize(struct screen *s, int w, int h)
{
	set_term(s->curses);
	if (w != s->w || h != s->h)
		resizeterm(h, w);
	allocate_cells(s, w, h);
}

void screen_repaint(struct screen *s)
{
	s->repaint = true;
	/* it may be another one: a session can be taken up again from elsewhere */
	s->asks = s->tries;
	s->pen_terminal.repeats = false; /* until it has answered */
}

/* A terminal with fewer colours than the grid was drawn for (forced by an option). */
static short reduce_color(const struct screen *s, int color)
{
	static const short cube[8] = {COLOR_BLACK, COLOR_BLUE,    COLOR_GREEN,  COLOR_CYAN,
				      COLOR_RED,   COLOR_MAGENTA, COLOR_YELLOW, COLOR_WHITE};

	if (color < s->colors)
		return (short)color;
	if (color < 16)
		return (short)(color - 8);
	if (color >= 232)
		return color < 244 ? COLOR_BLACK : COLOR_WHITE;
	color -= 16;
	return cube[(color / 36 > 2) * 4 + (color / 6 % 6 > 2) * 2 + (color % 6 > 2)];
}

static short color_pair(struct screen *s, int fg, int bg)
{
	short *pair = &s->pair_of[fg + 1][bg + 1];
	short f = fg < 0 ? (short)-1 : reduce_color(s, fg);
	short b = bg < 0 ? (short)-1 : reduce_color(s, bg);

	if (*pair || (fg < 0 && bg < 0))
		return *pair;
	if (!s->default_colors && f < 0)
		f = COLOR_WHITE;
	if (!s->default_colors && b < 0)
		b = COLOR_BLACK;
	/* out of pairs: the letters still tell */
	if (s->pairs_used + 1 >= s->pairs || init_pair((short)(s->pairs_used + 1), f, b) == ERR)
		return 0;
	*pair = (short)++s->pairs_used;
	return *pair;
}

static attr_t curses_attributes(unsigned attrs)
{
	attr_t a = A_NORMAL;

	for (size_t i = 0; i < COUNT(attributes); i++)
		if (attrs & attributes[i].ours)
			a |= attributes[i].theirs;
	return a;
}

/* The character to send; 0: none, the cell is the right half of a wide one. */
static wchar_t curses_character(const struct screen *s, const packed_cell *row, int x)
{
	uint32_t cp = packed_cp(row[x]);
	int columns = x + 1 < s->w && packed_cp(row[x + 1]) == 0 ? 2 : 1;

	if (cp == 0)
		return x > 0 && wcwidth((wchar_t)packed_cp(row[x - 1])) == 2 ? 0 : L' ';
	if (cp >= 0x80 && s->ascii)
		return L'?';
	/* curses must advance as far as the grid did, whatever the locale's tables say */
	if (cp >= 0x80 && wcwidth((wchar_t)cp) != columns)
		return L'?';
	return (wchar_t)cp;
}

static void put_row(struct screen *s, const packed_cell *row, int y)
{
	int count = 0;

	for (int x = 0; x < s->w; x++) {
		struct cell c = packed_to(row[x]);
		wchar_t text[2] = {curses_character(s, row, x), L'\0'};
		short pair = s->colors ? color_pair(s, c.style.fg, c.style.bg) : 0;

		if (!text[0])
			continue;
		setcchar(&s->row[count++], text, curses_attributes(c.style.attrs), pair, NULL);
	}
	mvwadd_wchnstr(stdscr, y, 0, s->row, count);
}

/* Hand rows that differ from what curses holds over to it. */
static void put_rows(struct screen *s, const packed_cell *cells)
{
	size_t bytes = (size_t)s->w * sizeof(*cells);

	for (int y = 0; y < s->h; y++) {
		size_t at = (size_t)y * (size_t)s->w;

		if (!s->repaint && memcmp(s->shown + at, cells + at, bytes) == 0)
			continue;
		put_row(s, cells + at, y);
		memcpy(s->shown + at, cells + at, bytes);
	}
}

/* Move what curses wrote into the memory file so far to out. */
static enum status drain(struct screen *s, struct sbuf *out, struct error *e)
{
	char bytes[16 * 1024];
	off_t len, done = 0;

	fflush(s->file);
	if (s->sink < 0)
		return STATUS_OK;
	len = lseek(s->sink, 0, SEEK_CUR);
	while (done < len) {
		size_t want =
		    (size_t)(len - done) < sizeof(bytes) ? (size_t)(len - done) : sizeof(bytes);
		ssize_t n = pread(s->sink, bytes, want, done);

		if (n <= 0)
			break;
		sbuf_add(out, bytes, (size_t)n);
		done += n;
	}
	if (done < len || lseek(s->sink, 0, SEEK_SET) < 0)
		return error_errno(e, STATUS_IO, errno, "the frame cannot be read back");
	return STATUS_OK;
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

/*
 * Everything again. curses set the scrolling region when it knew only the size that the
 * terminal's description tells, and not every terminal resets it when it is resized.
 */
static enum status start_afresh(struct screen *s, struct sbuf *out, struct error *e)
{
	enum status status = drain(s, out, e);

	/* outside it would move the cursor that is to be found again afterwards */
	if (s->sink >= 0 && s->inside)
		sbuf_puts(out, tiparm(screen_capability("csr"), 0, s->h - 1));
	s->inside = true;
	clearok(curscr, TRUE);
	return status;
}

static enum status draw_cells(struct screen *s, const struct grid *g, struct sbuf *out,
			      struct error *e)
{
	enum status status = STATUS_OK;
	bool cursor = cursor_wanted(s, g);

	if (s->repaint)
		status = start_afresh(s, out, e);
	if (status != STATUS_OK)
		return status;
	put_rows(s, s->next);
	curs_set(cursor);
	leaveok(stdscr, !cursor);
	if (cursor)
		wmove(stdscr, g->cursor_y, g->cursor_x);
	wnoutrefresh(stdscr);
	doupdate();
	status = drain(s, out, e);
	s->repaint = false;
	return status;
}

/* curses clears the terminal for the painter and knows nothing of what is painted then. */
static enum status clear_canvas(struct screen *s, struct sbuf *out, struct error *e)
{
	enum status status = start_afresh(s, out, e);

	if (status != STATUS_OK)
		return status;
	/* cells are cleared to the colour that the painter wrote in last */
	sbuf_puts(out, s->pen_terminal.plain);
	leaveok(stdscr, FALSE);
	wmove(stdscr, 0, 0);
	wnoutrefresh(stdscr);
	doupdate();
	status = drain(s, out, e);
	if (s->asks && s->w > REPEAT_COLUMN && s->h >= REPEAT_ROW) {
		sbuf_puts(out, ask_repeat);
		s->asks = false;
		s->asked = true;
	}
	painter_blank(s->painter, s->shown, s->w, s->h);
	if (s->cursor_shown)
		sbuf_puts(out, screen_capability("civis"));
	s->cursor_shown = false;
	s->repaint = false;
	return status;
}

/*
 * Does the terminal's own cursor show that of the view? One that blinks or is thin would be missed
 * in a full screen, so only where it can be a block, and looks like what the palette asks for.
 */
static bool shows_spot(const struct screen *s, const struct grid *g)
{
	static const struct style block = {-1, -1, ATTR_REVERSE};
	const struct style *asked = &g->spot.drawn.style;
	const struct cell *behind;

	if (!s->cursor_blocks || cursor_wanted(s, g) || !grid_spot_shows(g) ||
	    g->spot.under.cp == 0)
		return false;
	behind = &g->cells[(size_t)g->spot.y * (size_t)g->w + (size_t)g->spot.x + 1];
	return asked->fg == block.fg && asked->bg == block.bg && asked->attrs == block.attrs &&
	       g->spot.x + 1 < g->w && behind->cp != 0;
}

static void show_cursor(struct screen *s, bool on, struct sbuf *out)
{
	if (on == s->cursor_shown)
		return;
	if (on && s->cursor_blocks)
		sbuf_puts(out, tiparm(screen_capability("Ss"), CURSOR_BLOCK));
	sbuf_puts(out, screen_capability(on ? "cnorm" : "civis"));
	s->cursor_shown = on;
}

static enum status paint_cells(struct screen *s, const struct grid *g, struct sbuf *out,
			       struct error *e)
{
	enum status status = STATUS_OK;
	bool typing = cursor_wanted(s, g), spot = shows_spot(s, g);

	if (s->repaint)
		status = clear_canvas(s, out, e);
	if (status != STATUS_OK)
		return status;
	painter_paint(s->painter, s->shown, s->next,
		      typing ? g->cursor_x
		      : spot ? g->spot.x
			     : -1,
		      typing ? g->cursor_y : g->spot.y, out);
	show_cursor(s, typing || spot, out);
	return STATUS_OK;
}

static short painted_color(const struct screen *s, short color)
{
	return color < 0 || !s->colors ? (short)-1 : reduce_color(s, color);
}

/* The grid as the terminal can show it. */
static void take_grid(struct screen *s, const struct grid *g)
{
	for (long i = 0; i < (long)s->w * s->h; i++)
		s->next[i] = packed_from(&g->cells[i]);
	if (!s->painter)
		return;
	if (shows_spot(s, g))
		s->next[(size_t)g->spot.y * (size_t)s->w + (size_t)g->spot.x] =
		    packed_from(&g->spot.under);
	for (int y = 0; y < s->h; y++) {
		packed_cell *row = s->next + (size_t)y * (size_t)s->w;

		/* what a cell is depends on its neighbours as they came */
		memcpy(s->row_taken, row, (size_t)s->w * sizeof(*row));
		for (int x = 0; x < s->w; x++) {
			struct style style = packed_to(row[x]).style;
			wchar_t c = curses_character(s, s->row_taken, x);

			style.fg = painted_color(s, style.fg);
			style.bg = painted_color(s, style.bg);
			row[x] = painter_cell(&s->pen_terminal, (uint32_t)c, style);
		}
	}
}

enum status screen_draw(struct screen *s, const struct grid *g, struct sbuf *out, struct error *e)
{
	enum status status = STATUS_OK;

	set_term(s->curses);
	take_grid(s, g);
	if (s->lines_only)
		draw_lines(s, g, out);
	else if (s->painter)
		status = paint_cells(s, g, out, e);
	else
		status = draw_cells(s, g, out, e);
	if (status == STATUS_OK && out->failed)
		status = error_set(e, STATUS_NOMEM, "no memory for a frame");
	return status;
}

/* tputs() without its padding. */
static size_t add_bare(char *out, size_t at, size_t size, const char *text)
{
	for (const char *p = text; *p; p++) {
		const char *end = p[0] == '$' && p[1] == '<' ? strchr(p, '>') : NULL;

		if (end)
			p = end;
		else if (at < size)
			out[at++] = *p;
	}
	return at;
}

enum status screen_leave(struct screen *s, struct sbuf *out, struct error *e)
{
	enum status status;
	char clear[32];

	set_term(s->curses);
	if (s->painter && s->inside && !s->repaint)
		painter_rest(s->painter, out);
	if (s->cursor_blocks && s->inside)
		sbuf_puts(out, tiparm(screen_capability("Ss"), CURSOR_USUAL));
	endwin();
	s->inside = false;
	s->repaint = true;
	status = drain(s, out, e);
	/* where no other screen comes back, the shell writes over the last line, or below it */
	if (!status && !has_capability("rmcup"))
		sbuf_add(out, clear,
			 add_bare(clear, 0, sizeof(clear),
				  has_capability("el") ? screen_capability("el") : "\r\n"));
	return status;
}

size_t screen_rescue_bytes(const struct screen *s, char *out, size_t size)
{
	static const char *const restoring[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
	size_t at = 0;

	set_term(s->curses);
	if (has_capability("cup"))
		at = add_bare(out, at, size, tiparm(screen_capability("cup"), s->h - 1, 0));
	for (size_t i = 0; i < COUNT(restoring); i++)
		at = add_bare(out, at, size, screen_capability(restoring[i]));
	if (s->cursor_blocks)
		at = add_bare(out, at, size, tiparm(screen_capability("Ss"), CURSOR_USUAL));
	return add_bare(out, at, size, "\r\n");
}
