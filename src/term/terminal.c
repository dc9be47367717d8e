#include "config.h"

#include "term/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* nothing wide is drawn with it, and among what that takes is another key_name() */
#define NCURSES_WIDECHAR 0
/* their macros are named like anybody's variables */
#include <curses.h>
#include <term.h>

/* TERM begins so: private modes and questions that it does not know do no harm there. */
static const char *const modern[] = {
    "alacritty",   "contour", "foot", "ghostty", "gnome", "iterm", "kitty", "konsole", "mintty",
    "ms-terminal", "putty",   "rxvt", "screen",  "st-",   "tmux",  "vte",   "wezterm", "xterm",
};

static const char guess[] = "xterm-256color";

enum { WIDEST = 4096, HIGHEST = 2048 };

static SCREEN *curses; /* NULL: the terminal was not taken */

bool terminal_load(const char *name)
{
	int code;

	del_curterm(cur_term);
	return setupterm(name, STDOUT_FILENO, &code) == 0;
}

const char *terminal_string(const char *capability)
{
	const char *text = cur_term ? tigetstr(capability) : NULL;

	return text && text != (char *)-1 ? text : "";
}

int terminal_number(const char *capability)
{
	int number = cur_term ? tigetnum(capability) : 0;

	return number > 0 ? number : 0;
}

bool terminal_flag(const char *capability)
{
	return cur_term && tigetflag(capability) == 1;
}

static bool try_name(struct terminal *t, const char *name)
{
	if (strlen(name) >= sizeof(t->name) || !terminal_load(name))
		return false;
	strcpy(t->name, name);
	t->colors = terminal_number("colors");
	return true;
}

static bool says_many_colors(void)
{
	const char *text = getenv("COLORTERM");

	return text && (strcmp(text, "truecolor") == 0 || strcmp(text, "24bit") == 0);
}

/* The description of the same family that knows 256 colours. */
static void pick_colorful(struct terminal *t)
{
	char name[sizeof(t->name) + sizeof("-256color")];

	snprintf(name, sizeof(name), "%s-256color", t->name);
	if (!try_name(t, name))
		try_name(t, guess);
}

static enum color_depth depth(const struct terminal *t, const struct term_options *o)
{
	const char *no_color = getenv("NO_COLOR");

	if (o->color == COLOR_NEVER || (o->color == COLOR_AUTO && no_color && *no_color))
		return DEPTH_MONO;
	if (t->colors >= 256 && o->color != COLOR_8)
		return DEPTH_256;
	return t->colors >= 8 ? DEPTH_8 : DEPTH_MONO;
}

void terminal_pick(struct terminal *t, const struct term_options *o)
{
	const char *name = getenv("TERM");

	*t = (struct terminal){.colors = 0};
	/* an unusual name is a description's file name to terminfo: nothing of that kind */
	if (!name || !*name || strchr(name, '/') || !try_name(t, name)) {
		t->unknown = true;
		if (!try_name(t, guess) && !try_name(t, "xterm") && !try_name(t, "vt100"))
			try_name(t, "dumb");
	}
	for (size_t i = 0; i < sizeof(modern) / sizeof(modern[0]); i++)
		t->modern = t->modern || strncmp(t->name, modern[i], strlen(modern[i])) == 0;
	if (t->modern && t->colors > 0 && t->colors < 256 &&
	    (o->color == COLOR_256 || (o->color != COLOR_8 && says_many_colors())))
		pick_colorful(t);
	t->depth = depth(t, o);
}

enum color_depth term_depth(const struct term_options *o)
{
	struct terminal t;

	terminal_pick(&t, o);
	return t.depth;
}

bool term_ascii(const struct term_options *o)
{
	return o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/*
 * ^C and ^Z are keys: as signals they would overtake what was typed before them, and ^C would end
 * the simulator whose pipe we read. ^\ stays the way out of a hang.
 */
static void begin_raw(const struct terminal *t, int fd)
{
	struct termios modes = t->saved;

	raw();
	noecho();
	nonl();
	tcgetattr(fd, &modes);
	modes.c_lflag |= ISIG | NOFLSH;
	modes.c_cc[VINTR] = modes.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(fd, TCSADRAIN, &modes);
	def_prog_mode();
}

enum status terminal_raw(struct terminal *t, FILE *keys, struct error *e)
{
	if (tcgetattr(fileno(keys), &t->saved) < 0)
		return error_errno(e, STATUS_IO, errno, "the terminal's modes cannot be read");
	if (curses) {
		def_shell_mode();
		reset_prog_mode();
		return STATUS_OK;
	}
	del_curterm(cur_term);
	curses = newterm(t->name, keys, keys);
	if (!curses)
		return error_set(e, STATUS_IO, "ncurses describes no terminal here");
	begin_raw(t, fileno(keys));
	return STATUS_OK;
}

void terminal_size(int *w, int *h)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		size.ws_col = size.ws_row = 0;
	*w = size.ws_col ? size.ws_col : COLS;
	*h = size.ws_row ? size.ws_row : LINES;
	*w = *w > WIDEST ? WIDEST : *w;
	*h = *h > HIGHEST ? HIGHEST : *h;
}

void terminal_raw_again(void)
{
	reset_prog_mode();
}

void terminal_cooked(void)
{
	endwin();
}

void terminal_close(void)
{
	if (curses)
		delscreen(curses);
	curses = NULL;
}
