#include "config.h"

#include <string.h>

#include "app/state.h"
#include "app/text_private.h"

/* The man page, in the man(7) macros. */

static void man_escape(struct sbuf *out, const char *text)
{
	/* at the beginning of a line these are requests */
	if (*text == '.' || *text == '\'')
		sbuf_puts(out, "\\&");
	for (; *text; text++)
		if (*text == '\\')
			sbuf_puts(out, "\\e");
		else if (*text == '-')
			sbuf_puts(out, "\\-");
		else if (*text == '\'')
			sbuf_puts(out, "\\(aq");
		else if (*text == '`')
			sbuf_puts(out, "\\(ga");
		else if (*text == '^')
			sbuf_puts(out, "\\(ha");
		else if (*text == '~')
			sbuf_puts(out, "\\(ti");
		else
			sbuf_putc(out, *text);
}

/* A tagged paragraph: bold words, italic ones, what they mean. */
void text_tagged(struct sbuf *out, const char *bold, const char *italic, const char *help)
{
	sbuf_puts(out, ".TP\n\\fB");
	man_escape(out, bold);
	sbuf_puts(out, "\\fR");
	if (italic && *italic) {
		sbuf_puts(out, " \\fI");
		man_escape(out, italic);
		sbuf_puts(out, "\\fR");
	}
	sbuf_putc(out, '\n');
	man_escape(out, help);
	sbuf_putc(out, '\n');
}

void text_section(struct sbuf *out, const char *title, const char *text)
{
	sbuf_printf(out, ".SH %s\n", title);
	if (!text)
		return;
	man_escape(out, text);
	sbuf_putc(out, '\n');
}

static void man_head(struct sbuf *out)
{
	sbuf_puts(out, ".TH PIPEGLASS 1 \"\" \"" PACKAGE_STRING "\" \"User Commands\"\n");
	text_section(out, "NAME", "pipeglass - view processor pipeline traces in a terminal");
	text_section(out, "SYNOPSIS", NULL);
	sbuf_puts(out, ".B pipeglass\n[\\fIOPTIONS\\fR] \\fIFILE\\fR...\n.br\n"
		       ".B pipeglass run\n[\\fIOPTIONS\\fR] [\\-\\-] \\fICOMMAND\\fR "
		       "[\\fIARG\\fR]...\n.br\n"
		       ".B pipeglass\n\\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR\n");
	text_section(
	    out, "DESCRIPTION",
	    "Shows what every instruction of a simulated processor did in every cycle: rows are "
	    "instructions, columns are cycles, a letter is the stage an instruction is in, a "
	    "sign an event that happened to it. Of a simulated GPU it shows the tasks of each "
	    "component over time. The trace is indexed in the background; it is never written to.");
}

static void man_options(const struct app_word *w, struct sbuf *out)
{
	if (!w)
		return;
	text_section(out, "OPTIONS", NULL);
	for (; w->name; w++) {
		struct sbuf name = {0};

		if (!w->help)
			continue;
		if (w->letter)
			sbuf_printf(&name, "-%c, ", w->letter);
		sbuf_printf(&name, "--%s", w->name);
		text_tagged(out, sbuf_text(&name), w->value, w->help);
		sbuf_free(&name);
	}
}

/* What a newcomer needs first: as the default keymap binds it (NULL: not), and the command. */
static const struct {
	const char *bound, *command;
} most_used[] = {
    {"move down", "move down"},
    {"pan right", "pan right"},
    {"goto first", "goto first"},
    {"goto last", "goto last"},
    {"ask command goto cycle", "goto cycle"},
    {"zoom in", "zoom in"},
    {"zoom fit", "zoom fit"},
    {"zoom reset", "zoom reset"},
    {"enter", "enter"},
    {"ask search", "search"},
    {"next", "next"},
    {"ask filter", "filter"},
    {"ask command highlight event", "highlight event"},
    {"next stay", "next stay"},
    {"stalls", "stalls"},
    {"view resources", "view resources"},
    {NULL, "metric add"},
    {"legend", "legend"},
    {"help", "help"},
    {"quit", "quit"},
};

static void man_most_used(const struct keymap *m, struct sbuf *out)
{
	text_section(out, "MOST USED",
		     "Keys, and the commands that they run; a command is typed after a colon.");
	for (size_t i = 0; i < sizeof(most_used) / sizeof(most_used[0]); i++) {
		const struct command *c;
		struct sbuf keys = {0}, command = {0};
		size_t at;

		if (most_used[i].bound)
			keymap_keys_of(m, KEYS_MAIN, most_used[i].bound, &keys);
		c = command_named(most_used[i].command, &at, NULL);
		sbuf_printf(&command, ":%s %s", most_used[i].command, c && c->args ? c->args : "");
		text_tagged(out, sbuf_text(&keys), sbuf_text(&command), c ? c->help : "");
		sbuf_free(&keys);
		sbuf_free(&command);
	}
}

static void man_keys(const struct keymap *m, struct sbuf *out)
{
	text_section(out, "KEYS", "The default ones; F1 shows those in force.");
	for (int mode = 0; mode < KEYS_MODES; mode++) {
		sbuf_printf(out, ".SS %s\n", key_mode_help[mode]);
		for (size_t i = 0; i < m->bindings.count; i++) {
			const struct binding *b = &m->bindings.data[i];
			struct sbuf keys = {0};
			const struct command *c;
			const char *args;

			if (b->mode != (enum key_mode)mode || keymap_listed_before(m, i))
				continue;
			keymap_keys_of(m, b->mode, b->command, &keys);
			c = command_meant(b->command, &args);
			text_tagged(out, sbuf_text(&keys), command_typed(b->command), c ? c->help : "");
			sbuf_free(&keys);
		}
	}
}

static void man_commands(struct sbuf *out)
{
	const struct command *c;

	text_section(
	    out, "COMMANDS",
	    "Typed after a colon, given with -c, bound to keys, or written in a file. Any "
	    "unambiguous beginning of a name will do; a lone ; separates commands; words may be "
	    "quoted. Arguments in brackets may be left out.");
	for (size_t i = 0; (c = command_at(i)); i++) {
		if (command_topic(i))
			sbuf_printf(out, ".SS %s\n", command_topic(i));
		text_tagged(out, c->name, c->args, c->help);
	}
	sbuf_puts(out, ".SS Arguments\n");
	for (int t = 0; t < ARG_TYPES; t++)
		text_tagged(out, arg_name((enum arg_type)t), NULL, arg_help((enum arg_type)t));
	sbuf_puts(out, ".SS Second names\n");
	for (const struct command_alias *a = command_aliases; a->name; a++)
		text_tagged(out, a->name, NULL, a->command);
}

static void man_settings(struct sbuf *out)
{
	struct options defaults;

	options_init(&defaults);
	text_section(out, "SETTINGS", "For set and toggle, with their defaults.");
	for (int i = 0; i < OPTION_COUNT; i++) {
		struct sbuf text = {0};

		option_show(&defaults, (enum option)i, &text);
		text_tagged(out, sbuf_text(&text), NULL, option_infos[i].help);
		sbuf_free(&text);
	}
}

static const struct {
	const char *name, *help;
} files[] = {
    {"$XDG_CONFIG_HOME/pipeglass/config",
     "commands run at the start, one a line; # begins a comment"},
    {"$XDG_CONFIG_HOME/pipeglass/keys", "the same, run last: bindings over the keymap chosen"},
    {"$XDG_STATE_HOME/pipeglass/", "histories of the prompts, marks of the traces"},
    {"$XDG_CACHE_HOME/pipeglass/", "indexes of the traces, as many as cache-limit allows; may be deleted at any time"},
};

static const struct {
	const char *name, *help;
} variables[] = {
    {"PIPEGLASS_CONFIG", "a folder that stands for $XDG_CONFIG_HOME/pipeglass"},
    {"PIPEGLASS_SECURE", "if set, and not 0: no shell, no editor, no run, no cc, no writing of files"},
    {"PIPEGLASS_CC, PIPEGLASS_CXX", "the compilers of cc and c++ (gcc, g++), with options if you like"},
    {"NO_COLOR", "if not empty: no colours"},
    {"VISUAL, EDITOR", "the editor of the command edit"},
    {"XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
     "as the XDG Base Directory Specification has it"},
};

static void man_tail(struct sbuf *out)
{
	text_section(out, "FILES", NULL);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		text_tagged(out, files[i].name, NULL, files[i].help);
	text_section(out, "ENVIRONMENT", NULL);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		text_tagged(out, variables[i].name, NULL, variables[i].help);
	text_section(out, "EXIT STATUS", NULL);
	text_tagged(out, "0", NULL, "done, also for a damaged trace, and for a command of screen that finds nothing: its picture is printed");
	text_tagged(out, "1", NULL, "the input could not be used, or a command failed: nothing is printed");
	text_tagged(out, "2", NULL, "wrong usage: nothing is printed");
}

void app_text_of(enum app_text which, const struct app_word *options,
		 const struct app_word *subcommands, struct sbuf *out)
{
	struct app_options none = {.config = "none", .headless = true};
	struct error ignored;
	struct app *a;

	if (which != APP_TEXT_MAN) {
		shell_text(which, options, subcommands, out);
		return;
	}
	if (app_new(&a, &none, &ignored))
		return;
	man_head(out);
	man_most_used(&a->keymap, out);
	man_options(options, out);
	man_keys(&a->keymap, out);
	man_commands(out);
	man_settings(out);
	for (int i = 0; view_kinds[i]; i++)
		if (view_kinds[i]->man)
			view_kinds[i]->man(out);
	man_tail(out);
	app_free(a);
}
