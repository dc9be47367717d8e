#include "config.h"

#include <string.h>

#include "app/state.h"
#include "view/pane_list.h"

/* The help is what the tables and the keymap say; nothing of it is written by hand. */

static bool enter_command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct list_pane *list = p->data;
	const struct command *c;

	if (i >= list->count || list->lines[i].row == ROW_NONE)
		return false;
	c = command_at((size_t)list->lines[i].row);
	sbuf_printf(out, "ask command %s", c->name);
	return true;
}

static const struct pane_ops help_ops = {
    .name = "help",
    .help = "keys, commands and options",
    .title = list_pane_title,
    .count = list_pane_count,
    .line = list_pane_line,
    .command = enter_command,
    .free = list_pane_free,
};

static void add_key_line(struct list_pane *p, const struct keymap *m, const struct binding *b,
			 const struct command *c, size_t index)
{
	struct pane_line *l = list_pane_add(p, index, 0);
	struct sbuf keys = {0};

	keymap_keys_of(m, b->mode, b->command, &keys);
	pane_line_add(l, ROLE_KEY, "  %-22s ", sbuf_text(&keys));
	pane_line_add(l, ROLE_PANE, "%-28s ", b->command);
	pane_line_add(l, ROLE_DIM, "%s", c->help);
	if (strcmp(b->origin, "default.keys") != 0)
		pane_line_add(l, ROLE_DIM, "  (%s)", b->origin);
	sbuf_free(&keys);
}

/* Bindings of the mode whose command is row index of the table. */
static void add_bindings(struct list_pane *p, const struct keymap *m, enum key_mode mode,
			 const struct command *c, size_t index, const char **heading)
{
	for (size_t i = 0; i < m->bindings.count; i++) {
		const struct binding *b = &m->bindings.data[i];
		size_t args_at;

		if (b->mode != mode || keymap_listed_before(m, i) ||
		    command_named(b->command, &args_at, NULL) != c)
			continue;
		if (*heading)
			list_pane_heading(p, *heading);
		*heading = NULL;
		add_key_line(p, m, b, c, index);
	}
}

static void add_keys(struct list_pane *p, const struct keymap *m, enum key_mode mode)
{
	const struct command *c;
	const char *heading = NULL;

	list_pane_heading(p, "");
	pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_BORDER, "KEYS %s", key_mode_help[mode]);
	for (size_t i = 0; (c = command_at(i)); i++) {
		if (command_topic(i))
			heading = command_topic(i);
		add_bindings(p, m, mode, c, i, &heading);
	}
}

static void add_commands(struct list_pane *p)
{
	const struct command *c;

	list_pane_heading(p, "");
	pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_BORDER,
		      "COMMANDS, after : or in a file; N before a key counts");
	for (size_t i = 0; (c = command_at(i)); i++) {
		struct pane_line *l;

		if (command_topic(i))
			list_pane_heading(p, command_topic(i));
		l = list_pane_add(p, i, 0);
		pane_line_add(l, ROLE_KEY, "  %s", c->name);
		pane_line_add(l, ROLE_PANE, " %-*s ", 33 - (int)strlen(c->name), c->args);
		pane_line_add(l, ROLE_DIM, "%s", c->help);
	}
	list_pane_heading(p, "Second names");
	for (const struct command_alias *a = command_aliases; a->name; a++) {
		struct pane_line *l = list_pane_add(p, ROW_NONE, 0);

		pane_line_add(l, ROLE_KEY, "  %-12s ", a->name);
		pane_line_add(l, ROLE_PANE, "%s", a->command);
	}
	list_pane_heading(p, "Arguments");
	for (int t = 0; t < ARG_TYPES; t++) {
		struct pane_line *l = list_pane_add(p, ROW_NONE, 0);

		pane_line_add(l, ROLE_KEY, "  %-12s ", arg_name((enum arg_type)t));
		pane_line_add(l, ROLE_DIM, "%s", arg_help((enum arg_type)t));
	}
}

static void add_options(struct list_pane *p, const struct options *o)
{
	list_pane_heading(p, "");
	pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_BORDER, "OPTIONS, set OPTION VALUE");
	for (int i = 0; i < OPTION_COUNT; i++) {
		struct pane_line *l = list_pane_add(p, ROW_NONE, 0);
		struct sbuf text = {0};

		option_show(o, (enum option)i, &text);
		pane_line_add(l, ROLE_KEY, "  %-22s ", sbuf_text(&text));
		pane_line_add(l, ROLE_DIM, "%s", option_infos[i].help);
		sbuf_free(&text);
	}
}

struct pane *help_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(&help_ops);

	strcpy(p->title, "Help  (/ searches, q closes, Enter types the command)");
	pane_line_add(
	    list_pane_add(p, ROW_NONE, 0), ROLE_PANE,
	    "Rows are instructions, columns are %ss; a letter is a stage, a sign an event.",
	    a->tab ? store_unit(a->tab->store) : "cycle");
	for (int mode = 0; mode < KEYS_MODES; mode++)
		add_keys(p, &a->keymap, (enum key_mode)mode);
	add_commands(p);
	add_options(p, &a->set);
	return &p->pane;
}
