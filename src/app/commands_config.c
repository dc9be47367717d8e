#include "config.h"

#include <string.h>

#include "app/state.h"

static enum status set(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct sbuf text = {0};
	enum option which;

	if (!c->argc)
		return panes_open(a, pane_kind_find("options", NULL), e);
	if (option_find(c->argv[0], &which, e))
		return STATUS_USAGE;
	if (c->argc == 1) {
		option_show(&a->set, which, &text);
		app_message(a, false, "%s: %s", sbuf_text(&text), option_infos[which].help);
		sbuf_free(&text);
		return STATUS_OK;
	}
	if (option_set(&a->set, which, c->argv[1], e))
		return STATUS_USAGE;
	app_apply(a, option_infos[which].effect);
	return STATUS_OK;
}

static enum status toggle(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct sbuf text = {0};
	enum option which;

	if (option_find(c->argv[0], &which, e))
		return STATUS_USAGE;
	if (option_infos[which].type != OPTION_BOOL)
		return error_set(e, STATUS_USAGE, "%s takes a number: use :set", c->argv[0]);
	a->set.value[which] = !a->set.value[which];
	app_apply(a, option_infos[which].effect);
	option_show(&a->set, which, &text);
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
	return STATUS_OK;
}

static enum status key_args(struct call *c, int *mode, struct key_sequence *s, struct error *e)
{
	if (call_choice(c, 0, 0, mode, e))
		return STATUS_USAGE;
	return keymap_sequence(c->argv[1], s, e);
}

/* The command is checked now: a slip in a keymap must not wait for its key. */
static enum status bind(struct call *c, struct error *e)
{
	struct key_sequence s;
	int mode;

	if (key_args(c, &mode, &s, e) || command_check(c->argv[2], e))
		return STATUS_USAGE;
	keymap_bind(&c->app->keymap, (enum key_mode)mode, &s, c->argv[2]);
	return STATUS_OK;
}

static enum status unbind(struct call *c, struct error *e)
{
	struct key_sequence s;
	int mode;

	if (key_args(c, &mode, &s, e))
		return STATUS_USAGE;
	if (!keymap_unbind(&c->app->keymap, (enum key_mode)mode, &s))
		return error_set(e, STATUS_NOT_FOUND, "%s is not bound", c->argv[1]);
	return STATUS_OK;
}

static enum status keymap(struct call *c, struct error *e)
{
	return app_keymap(c->app, c->argv[0], e);
}

static enum status color(struct call *c, struct error *e)
{
	struct sbuf line = {0};
	enum status status;

	sbuf_printf(&line, "%s %s", c->argv[0], c->argv[1]);
	status = palette_set(&c->app->palette, sbuf_text(&line), e);
	sbuf_free(&line);
	return status;
}

static enum status source_file(struct call *c, struct error *e)
{
	return app_source_file(c->app, c->argv[0], e);
}

/* As if typed: for scripts and tests. */
static enum status keys(struct call *c, struct error *e)
{
	struct app *a = c->app;
	const char *p = c->argv[0];

	if (a->depth >= APP_DEPTH)
		return error_set(e, STATUS_USAGE, "keys runs itself more than %d deep",
				 APP_DEPTH);
	a->depth++;
	while (*p) {
		struct key k;

		if (!key_parse(&p, &k)) {
			a->depth--;
			return error_set(e, STATUS_USAGE, "no such key: %s", p);
		}
		c->react |= app_key(a, k);
		app_finish(a);
	}
	a->depth--;
	return STATUS_OK;
}

static void echo(struct call *c)
{
	app_message(c->app, false, "%s", c->argc ? c->argv[0] : "");
}

const struct command config_commands[] = {
    {"set", "[OPTION] [VALUE]", "set an option; no value: show it; no option: list all",
     .run = set, .flags = CMD_SETTING},
    {"toggle", "SWITCH", "switch an option on or off", .run = toggle},
    {"bind", "MODE KEYS COMMAND", "bind keys to a command", .run = bind},
    {"unbind", "MODE KEYS", "unbind keys and all longer keys that begin with them", .run = unbind},
    {"keymap", "KEYMAP", "add the keys of a keymap to the current ones", .run = keymap},
    {"color", "ROLE LOOK", "change a color of the palette: color stage-0 256 default 25 -",
     .run = color},
    {"source", "FILE", "run the commands in a file", .run = source_file, .flags = CMD_SETTING},
    {"keys", "TYPED", "press keys: keys 12j<C-d>", .run = keys},
    {"echo", "[TEXT]", "show a message", .act = echo},
    {.name = NULL},
};
