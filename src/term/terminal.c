#include "config.h"

#include "term/terminal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* its macros are named like anybody's variables */
#include <term.h>

/* TERM begins so: private modes and questions that it does not know do no harm there. */
static const char *const modern[] = {
    "alacritty",   "contour", "foot", "ghostty", "gnome", "iterm", "kitty", "konsole", "mintty",
    "ms-terminal", "putty",   "rxvt", "screen",  "st-",   "tmux",  "vte",   "wezterm", "xterm",
};

static const char guess[] = "xterm-256color";

bool terminal_load(const char *name)
{
	int code;

	if (cur_term)
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
