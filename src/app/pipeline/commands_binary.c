#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "source/binary.h"
#include "base/num.h"

struct binary *app_binary(const struct app *a)
{
	return a->tab && rows_of(a->tab)->binary ? rows_of(a->tab)->binary : rows_app(a)->binary;
}

static enum status open_binary(struct call *c, struct binary **out, struct error *e)
{
	struct sbuf path = {0};
	uint64_t address = 0;
	enum status status;

	*out = NULL;
	if (c->argc > 1 && !num_parse_hex(c->argv[1], &address))
		return error_set(e, STATUS_USAGE, "not a hexadecimal address: %s", c->argv[1]);
	if (c->argc == 1 && strcmp(c->argv[0], "none") == 0)
		return STATUS_OK;
	app_expand_home(c->argv[0], &path);
	status = binary_open(out, sbuf_text(&path), c->argc > 1 ? &address : NULL, e);
	sbuf_free(&path);
	return status;
}

static void say_binary(const struct call *c, const struct binary *b)
{
	uint64_t from, to;

	if (!b) {
		app_message(c->app, false, "no program: functions and lines are unknown");
		return;
	}
	binary_span(b, &from, &to);
	app_message(c->app, false, "%s: pcs 0x%" PRIx64 " to 0x%" PRIx64, c->argv[0], from, to - 1);
}

static enum status set_binary(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct binary **place = a->tab ? &rows_of(a->tab)->binary : &rows_app(a)->binary, *old = *place, *fresh;
	enum status status = open_binary(c, &fresh, e);

	if (status)
		return status;
	*place = fresh;
	if (!app_binary(a))
		rows_app(a)->stalls_by = STALL_BY_PC;
	/* panes borrow the old one until they are made again */
	panes_refresh(a, false);
	binary_close(old);
	if (!a->configuring)
		say_binary(c, app_binary(a));
	return STATUS_OK;
}

/* With which word a new line of the pane begins: pc, function or line. */
static enum status stalls_by(struct call *c, struct error *e)
{
	struct app *a = c->app;
	int by;

	if (call_choice(c, 0, (int)rows_app(a)->stalls_by, &by, e))
		return STATUS_USAGE;
	if (by != STALL_BY_PC && !app_binary(a))
		return error_set(e, STATUS_NOT_FOUND,
				 "functions and lines need the program: type :binary FILE");
	rows_app(a)->stalls_by = (enum stall_by)by;
	panes_refresh(a, false);
	return panes_open(a, pane_kind_find("stalls", e), e);
}

/* Where the cycles went, and the program whose they are: the current tab's, or of all tabs. */
const struct command stalls_commands[] = {
    {"stalls", "", "show where the cycles went, by instruction: why all, or the region that V (rows) or C-v (time) selects, was slow. cost: head, it held up all, and empty, nothing was there",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"longest", "",
     "list the longest instructions, in all or in a stage; Enter goes there",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"binary", "FILE [ADDRESS]",
     "set the ELF program and its load address, for functions and lines; none: forget it",
     .run = set_binary},
    {"stalls by", "[EACH]", "show stalls by pc, function or line (see binary); no argument: the next one",
     .run = stalls_by, .flags = CMD_TRACE},
    {.name = NULL},
};
