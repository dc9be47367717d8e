#include "config.h"

#include "term/terminal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term/curses.h"

/* after curses, which it needs */
#include <term.h>

/* TERM begins so: private modes and questions that it does not know do no harm there. */
static const char *const modern[] = {
    "alacritty",   "contour", "foot", "ghostty", "gnome", "iterm", "kitty", "konsole", "mintty",
    "ms-terminal", "putty",   "rxvt", "screen",  "st-",   "tmux",  "vte",   "wezterm", "xterm",
};

static const char guess[] = "xterm-256color";

/* Colours of a description, 0 without; -1 when there is no such description. */
static int described_colors(const char *name)
{
	int code, colors;

	if (setupterm(name, STDOUT_FILENO, &code) != OK)
		return -1;
	colors = tigetnum("colors");
	del_curterm(cur_term);
	return colors > 0 ? colors : 0;
}

static bool try_name(struct terminal *t, const char *name)
{
	int colors = described_colors(name);

	if (colors < 0 || strlen(name) >= sizeof(t->name))
		return false;
	strcpy(t->name, name);
	t->colors = colors;
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
}

enum color_depth term_depth(const struct term_options *o)
{
	const char *no_color = getenv("NO_COLOR");
	struct terminal t;

	if (o->color == COLOR_NEVER || (o->color == COLOR_AUTO && no_color && *no_color))
		return DEPTH_MONO;
	terminal_pick(&t, o);
	if (t.colors >= 256 && o->color != COLOR_8)
		return DEPTH_256;
	return t.colors >= 8 ? DEPTH_8 : DEPTH_MONO;
}

bool term_ascii(const struct term_options *o)
{
	return o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}
