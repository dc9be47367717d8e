#include "config.h"

#include <string.h>

#include "app/state.h"
#include "app/text_private.h"

void shell_quoted(struct sbuf *out, const char *text, bool zsh)
{
	sbuf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			sbuf_puts(out, "'\\''");
		else if (zsh && strchr("[]:\\", *text))
			sbuf_printf(out, "\\%c", *text);
		else
			sbuf_putc(out, *text);
	}
	sbuf_putc(out, '\'');
}

static void bash_words(struct sbuf *out, const char *variable, const struct app_word *w,
		       const char *prefix)
{
	sbuf_printf(out, "\tlocal %s='", variable);
	for (bool first = true; w && w->name; w++) {
		if (!w->help)
			continue;
		sbuf_printf(out, "%s%s%s%s", first ? "" : " ", prefix, w->name,
			    *prefix && w->value ? "=" : "");
		first = false;
	}
	sbuf_puts(out, "'\n");
}

static void bash(const struct app_word *options, const struct app_word *subcommands,
		 struct sbuf *out)
{
	const struct command *c;

	sbuf_puts(out, "# bash completion for pipeglass; made by pipeglass --generate-bash\n"
		       "_pipeglass()\n{\n"
		       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n");
	bash_words(out, "options", options, "--");
	bash_words(out, "subcommands", subcommands, "");
	sbuf_puts(out, "\tlocal IFS=$'\\n'\n\tlocal commands='");
	for (size_t i = 0; (c = command_at(i)); i++)
		sbuf_printf(out, "%s%s", i ? "\n" : "", c->name);
	sbuf_puts(
	    out,
	    "'\n\tCOMPREPLY=()\n"
	    "\tcase $prev in\n"
	    "\t-c|--command)\n"
	    "\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n"
	    "\t\tCOMPREPLY=(\"${COMPREPLY[@]// /\\\\ }\")\n"
	    "\t\treturn ;;\n"
	    "\t--keymap) COMPREPLY=($(compgen -W $'default\\nvi\\nless\\nkonata' -- \"$cur\"))\n"
	    "\t\treturn ;;\n"
	    "\tesac\n"
	    "\tif [[ $cur == -* ]]; then\n"
	    "\t\tCOMPREPLY=($(compgen -W \"${options// /$'\\n'}\" -- \"$cur\"))\n"
	    "\t\treturn\n"
	    "\tfi\n"
	    "\t[[ $COMP_CWORD -eq 1 ]] &&\n"
	    "\t\tCOMPREPLY=($(compgen -W \"${subcommands// /$'\\n'}\" -- \"$cur\"))\n"
	    "\tCOMPREPLY+=($(compgen -f -- \"$cur\"))\n"
	    "}\n"
	    "complete -o filenames -o nospace -F _pipeglass pipeglass\n");
}

static void zsh_option(struct sbuf *out, const struct app_word *w)
{
	struct sbuf text = {0};

	sbuf_printf(&text, "--%s%s", w->name, w->value ? "=" : "");
	sbuf_puts(out, " \\\n\t\t");
	shell_quoted(out, sbuf_text(&text), false);
	out->len--; /* the description belongs inside the quotes */
	sbuf_putc(out, '[');
	sbuf_clear(&text);
	shell_quoted(&text, w->help, true);
	sbuf_add(out, text.text + 1, text.len - 2);
	sbuf_putc(out, ']');
	if (strcmp(w->name, "command") == 0)
		sbuf_puts(out, ":command:_pipeglass_commands");
	else if (w->value)
		sbuf_printf(out, ":%s:%s", w->value, strcmp(w->value, "FILE") == 0 ? "_files" : "");
	sbuf_putc(out, '\'');
	sbuf_free(&text);
}

static void zsh_described(struct sbuf *out, const char *name, const char *help)
{
	struct sbuf text = {0};

	sbuf_puts(out, "\n\t\t");
	shell_quoted(&text, name, true);
	sbuf_add(out, text.text, text.len - 1);
	sbuf_putc(out, ':');
	sbuf_clear(&text);
	shell_quoted(&text, help, false);
	sbuf_puts(out, text.text + 1);
	sbuf_free(&text);
}

static void zsh(const struct app_word *options, const struct app_word *subcommands,
		struct sbuf *out)
{
	const struct command *c;

	sbuf_puts(out, "#compdef pipeglass\n# made by pipeglass --generate-zsh\n"
		       "_pipeglass_commands()\n{\n\tlocal -a commands\n\tcommands=(");
	for (size_t i = 0; (c = command_at(i)); i++)
		zsh_described(out, c->name, c->help);
	sbuf_puts(out, "\n\t)\n\t_describe command commands\n}\n"
		       "_pipeglass_first()\n{\n\tlocal -a subcommands\n\tsubcommands=(");
	for (const struct app_word *w = subcommands; w && w->name; w++)
		zsh_described(out, w->name, w->help);
	sbuf_puts(out, "\n\t)\n\t_describe subcommand subcommands\n\t_files\n}\n"
		       "_pipeglass()\n{\n\t_arguments");
	for (const struct app_word *w = options; w && w->name; w++)
		if (w->help)
			zsh_option(out, w);
	sbuf_puts(out, " \\\n\t\t'1:trace or subcommand:_pipeglass_first' '*:trace:_files'\n}\n"
		       "_pipeglass \"$@\"\n");
}

static void fish(const struct app_word *options, const struct app_word *subcommands,
		 struct sbuf *out)
{
	const struct command *c;

	sbuf_puts(out, "# fish completion for pipeglass; made by pipeglass --generate-fish\n");
	for (const struct app_word *w = options; w && w->name; w++) {
		if (!w->help)
			continue;
		sbuf_printf(out, "complete -c pipeglass -l %s", w->name);
		if (w->letter)
			sbuf_printf(out, " -s %c", w->letter);
		sbuf_puts(out, w->value ? " -r -d " : " -d ");
		shell_quoted(out, w->help, false);
		sbuf_putc(out, '\n');
	}
	for (const struct app_word *w = subcommands; w && w->name; w++) {
		sbuf_printf(out, "complete -c pipeglass -n __fish_use_subcommand -a %s -d ",
			    w->name);
		shell_quoted(out, w->help, false);
		sbuf_putc(out, '\n');
	}
	for (size_t i = 0; (c = command_at(i)); i++) {
		struct sbuf word = {0};

		sbuf_puts(out,
			  "complete -c pipeglass -n "
			  "'string match -qr -- \"^(-c|--command)\\$\" (commandline -opc)[-1]' "
			  "-x -a ");
		sbuf_printf(&word, "\"%s\"", c->name);
		shell_quoted(out, sbuf_text(&word), false);
		sbuf_puts(out, " -d ");
		shell_quoted(out, c->help, false);
		sbuf_putc(out, '\n');
		sbuf_free(&word);
	}
}

void shell_text(enum app_text which, const struct app_word *options,
		const struct app_word *subcommands, struct sbuf *out)
{
	if (which == APP_TEXT_BASH)
		bash(options, subcommands, out);
	else if (which == APP_TEXT_ZSH)
		zsh(options, subcommands, out);
	else
		fish(options, subcommands, out);
}
