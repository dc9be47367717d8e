#include "config.h"

#include <string.h>

#include "analysis/pipeline/cpi0_files.h"
#include "analysis/pipeline/cpi0_words.h"
#include "app/pipeline/rows.h"
#include "app/state.h"

static enum status cpi0_open(struct call *c, struct error *e)
{
	diagnosing_again(c->app);
	return panes_open(c->app, pane_kind_find("cpi0", NULL), e);
}

static void tell_machine(struct app *a)
{
	struct sbuf words = {0};

	cpi0_say_machine(&rows_app(a)->machine.machine, &words);
	app_message(a, false, "machine %s%s", sbuf_text(&words),
		    rows_app(a)->machine.chosen ? "" : " (default)");
	sbuf_free(&words);
}

static enum status choose(struct call *c, const char *name, struct error *e)
{
	struct machine m;
	enum status status = cpi0_machine_open(&m, name, e);

	if (status)
		return status;
	diagnosing_choose(c->app, &m);
	if (!c->app->configuring)
		tell_machine(c->app);
	return STATUS_OK;
}

/* Alone: tell which one it is. */
static enum status machine_choose(struct call *c, struct error *e)
{
	struct sbuf path = {0};
	enum status status;

	if (!c->argc) {
		tell_machine(c->app);
		return STATUS_OK;
	}
	app_expand_home(c->argv[0], &path);
	status = choose(c, sbuf_text(&path), e);
	sbuf_free(&path);
	return status;
}

/* Round and round; from one that is not shipped to the first of those that are. */
static enum status machine_step(struct call *c, struct error *e)
{
	int dir = c->command->arg;
	struct sbuf name = {0};
	size_t count = 0, at = 0;
	bool found = false;
	enum status status;

	for (; cpi0_machine_shipped(count, &name); count++)
		if (strcmp(sbuf_text(&name), rows_app(c->app)->machine.machine.name) == 0) {
			at = count;
			found = true;
		}
	if (found)
		at = (at + (dir < 0 ? count - 1 : 1)) % count;
	cpi0_machine_shipped(at, &name);
	status = choose(c, sbuf_text(&name), e);
	sbuf_free(&name);
	return status;
}

const struct command cpi0_commands[] = {
    {"cpi0", "", "show which queue limits the machine, and where other cycles go",
     .run = cpi0_open, .flags = CMD_TRACE},
    {"machine", "[MACHINE]", "choose the machine of cpi0; no argument: show it", .run = machine_choose},
    {"machine next", "", "use the next built-in machine", .run = machine_step, .arg = 1},
    {"machine prev", "", "use the previous built-in machine", .run = machine_step, .arg = -1},
    {.name = NULL},
};
