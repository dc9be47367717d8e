#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "app/state.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/pane_list.h"

/* Of the left of an entry: in 80 columns most of a row is its text. */
enum { KEY_COLUMNS = 16, COMMAND_COLUMNS = 24, NAME_COLUMNS = 12, OPTION_COLUMNS = 22 };

/* The help is what the tables and the keymap say; nothing of it is written by hand. */

static bool enter_command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct list_pane *list = p->data;
	const struct command *c;

	if (i >= list->count || list->lines[i].item == ITEM_NONE)
		return false;
	c = command_at((size_t)list->lines[i].item);
	sbuf_printf(out, "ask command %s", c->name);
	return true;
}

static const struct pane_ops help_ops = {LIST_PANE, .command = enter_command};

/*
 * "  left   text", the text wrapped under itself; a left that is too long for its column has a row
 * to itself.
 */
static struct pane_line *add_entry(struct list_pane *p, size_t index, const struct sbuf *left,
				   int width, const char *text)
{
	struct pane_line *l = list_pane_add(p, index, 0);
	int used = text_width(sbuf_text(left), left->len);

	l->indent = 2 + width + 1;
	pane_line_add(l, ROLE_KEY, "  %s", sbuf_text(left));
	if (used >= width)
		pane_line_add(l, ROLE_PANE, "\n%s", text);
	else
		pane_line_add(l, ROLE_PANE, "%*s%s", width + 1 - used, "", text);
	return l;
}

static void add_key_line(struct list_pane *p, const struct keymap *m, const struct binding *b,
			 const struct command *c, size_t index)
{
	struct sbuf keys = {0};
	struct pane_line *l;

	keymap_keys_of(m, b->mode, b->command, &keys);
	l = add_entry(p, index, &keys, KEY_COLUMNS, c->help);
	pane_line_add(l, ROLE_DIM, "  :%s", command_typed(b->command));
	if (strcmp(b->origin, "default.keys") != 0)
		pane_line_add(l, ROLE_DIM, "  (%s)", b->origin);
	sbuf_free(&keys);
}

/* The command of each binding that the mode lists; NULL: another mode's, or listed before. */
static const struct command **commands_meant(const struct keymap *m, enum key_mode mode)
{
	const struct command **meant = xcalloc(m->bindings.count + 1, sizeof(*meant));
	const char *args;

	for (size_t i = 0; i < m->bindings.count; i++)
		if (m->bindings.data[i].mode == mode && !keymap_listed_before(m, i))
			meant[i] = command_meant(m->bindings.data[i].command, &args);
	return meant;
}

/* The bindings whose command is row index of the table. */
static void add_bindings(struct list_pane *p, const struct keymap *m,
			 const struct command *const *meant, const struct command *c, size_t index,
			 const char **heading)
{
	for (size_t i = 0; i < m->bindings.count; i++) {
		if (meant[i] != c)
			continue;
		if (*heading)
			list_pane_heading(p, *heading);
		*heading = NULL;
		add_key_line(p, m, &m->bindings.data[i], c, index);
	}
}

static void add_keys(struct list_pane *p, const struct keymap *m, enum key_mode mode)
{
	const struct command **meant = commands_meant(m, mode), *c;
	const char *heading = NULL;
	struct sbuf title = {0};

	sbuf_printf(&title, "KEYS %s", key_mode_help[mode]);
	list_pane_heading(p, sbuf_text(&title));
	sbuf_free(&title);
	for (size_t i = 0; (c = command_at(i)); i++) {
		if (command_topic(i))
			heading = command_topic(i);
		add_bindings(p, m, meant, c, i, &heading);
	}
	free(meant);
}

static void add_commands(struct list_pane *p)
{
	const struct command *c;

	list_pane_heading(p, "COMMANDS, after : or in a file; N before a key counts");
	for (size_t i = 0; (c = command_at(i)); i++) {
		struct sbuf usage = {0};

		if (command_topic(i))
			list_pane_heading(p, command_topic(i));
		sbuf_printf(&usage, "%s%s%s", c->name, *c->args ? " " : "", c->args);
		add_entry(p, i, &usage, COMMAND_COLUMNS, c->help);
		sbuf_free(&usage);
	}
	list_pane_heading(p, "Second names");
	for (const struct command_alias *a = command_aliases; a->name; a++) {
		struct sbuf name = {0};

		sbuf_puts(&name, a->name);
		add_entry(p, ITEM_NONE, &name, NAME_COLUMNS, a->command);
		sbuf_free(&name);
	}
	list_pane_heading(p, "Arguments");
	for (int t = 0; t < ARG_TYPES; t++) {
		struct sbuf name = {0};

		sbuf_puts(&name, arg_name((enum arg_type)t));
		add_entry(p, ITEM_NONE, &name, NAME_COLUMNS, arg_help((enum arg_type)t));
		sbuf_free(&name);
	}
}

static void add_options(struct list_pane *p, const struct options *o)
{
	list_pane_heading(p, "OPTIONS, set OPTION VALUE");
	for (int i = 0; i < OPTION_COUNT; i++) {
		struct sbuf text = {0};

		option_show(o, (enum option)i, &text);
		add_entry(p, ITEM_NONE, &text, OPTION_COLUMNS, option_infos[i].help);
		sbuf_free(&text);
	}
}

struct pane *help_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(&help_ops);
	const struct pane_slot *slot = panes_focused(a);
	bool own[KEYS_MODES] = {false};
	enum key_mode mode;

	if (!slot || slot->kind->make != help_pane)
		a->panes.help_mode = app_key_mode(a);
	strcpy(p->title, "Help");
	pane_line_add(
	    list_pane_add(p, ITEM_NONE, 0), ROLE_PANE,
	    a->tab && !tab_has_items(a->tab) ? "Curves are metrics, columns are %s."
	    : a->tab && strcmp(a->tab->trace->kind->items, "instructions") != 0
		? "Bars are spans of time, columns are %s; the legend explains letters and colours."
		: "Rows are instructions, columns are %s; a letter is a stage, a sign an event.",
	    unit_plural(a->tab ? a->tab->trace->format.unit : "cycle"));
	pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_PANE,
		      ":help KEY and :help WORD go there; below: KEYS, COMMANDS, Arguments, OPTIONS.");
	for (mode = a->panes.help_mode; mode != KEYS_MODES; mode = keymap_behind(mode)) {
		add_keys(p, &a->keymap, mode);
		own[mode] = true;
	}
	for (mode = KEYS_MAIN; mode < KEYS_MODES; mode++)
		if (!own[mode])
			add_keys(p, &a->keymap, mode);
	add_commands(p);
	add_options(p, &a->set);
	return &p->pane;
}
