#include "config.h"

#include <string.h>

#include "app/pipeline/commands_binary.h"
#include "app/pipeline/commands_cpi0.h"
#include "app/pipeline/commands_reduce.h"
#include "app/state.h"

static enum status open_kind(struct call *c, const char *name, struct error *e)
{
	const struct pane_kind *kind = pane_kind_find(name, e);

	if (!kind)
		return STATUS_USAGE;
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, kind, e);
}

static enum status open_pane(struct call *c, struct error *e)
{
	return open_kind(c, c->argv[0], e);
}

/* The pane that the command is named after. */
static enum status open_named(struct call *c, struct error *e)
{
	return open_kind(c, c->command->name, e);
}

/* A word to look for in the help may follow. */
static enum status help(struct call *c, struct error *e)
{
	struct pane_slot *slot;
	enum status status = open_kind(c, "help", e);

	if (status || !c->argc)
		return status;
	slot = panes_focused(c->app);
	regex_free(slot->pane->search);
	slot->pane->search = NULL;
	status = regex_new(&slot->pane->search, c->argv[0], e);
	if (!status && !pane_find(slot->pane, 1))
		status = error_set(e, STATUS_NOT_FOUND, "the help does not mention %s", c->argv[0]);
	return status;
}

/* A pane, then the selection, then the tab; the last one ends the program. */
static enum status close_something(struct call *c, struct error *e)
{
	struct app *a = c->app;

	(void)e;
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	if (a->panes.count)
		panes_close(a, a->panes.focus >= 0 ? a->panes.focus : a->panes.count - 1);
	else if (a->tab_count > 1)
		app_close_tab(a, app_tab_index(a));
	else if (tail_may_quit(a))
		c->react |= REACT_QUIT;
	return STATUS_OK;
}

static enum status close_pane(struct call *c, struct error *e)
{
	if (!c->app->panes.count)
		return error_set(e, STATUS_NOT_FOUND, "no pane is open");
	return close_something(c, e);
}

static enum status close_panes(struct call *c, struct error *e)
{
	(void)e;
	panes_close_all(c->app);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return STATUS_OK;
}

static void move_focus(struct app *a, int dir)
{
	panes_next(a, dir);
	/* from the last pane to the first trace, and the other way round */
	if (a->panes.focus < 0 && joined_shown(a)) {
		struct joined *j = joined_shown(a);

		joined_pass(a, j->side[dir > 0 ? JOINED_A : JOINED_B]);
	}
}

/* Traces in one window are as many of the things that can have the focus. */
static bool pass_focus(struct app *a, int dir)
{
	struct joined *j = joined_shown(a);
	int to;

	if (!j || a->panes.focus >= 0)
		return false;
	to = joined_side(j, a->tab) + (dir > 0 ? 1 : -1);
	return to >= JOINED_A && to < JOINED_SIDES && joined_pass(a, j->side[to]);
}

static enum status focus_step(struct call *c, struct error *e)
{
	(void)e;
	if (!pass_focus(c->app, c->command->arg))
		move_focus(c->app, c->command->arg);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

/* With which word a new line of the pane begins: pc, function or line. */
static enum status stalls_by(struct call *c, struct error *e)
{
	struct app *a = c->app;
	int by = (int)(a->stalls_by + 1) % STALL_BY_NAMELESS;

	if (c->argc)
		for (by = 0; by < STALL_BY_NAMELESS && strcmp(stall_by_names[by], c->argv[0]); by++)
			;
	if (by == STALL_BY_NAMELESS)
		return error_set(e, STATUS_USAGE, "stalls by pc, function or line, not: %s",
				 c->argv[0]);
	if (by != STALL_BY_PC && !app_binary(a))
		return error_set(e, STATUS_NOT_FOUND,
				 "functions and lines need the program that ran: :binary FILE");
	a->stalls_by = (enum stall_by)by;
	panes_refresh(a, false);
	return open_kind(c, "stalls", e);
}

/* By the column named, else by the one beside that of now. */
static enum status sort_pane(struct call *c, struct error *e)
{
	struct pane_slot *slot = panes_focused(c->app);

	if (!slot)
		return error_set(e, STATUS_NOT_FOUND, "no pane has the focus");
	c->react |= REACT_REDRAW;
	return pane_sort(slot->pane, c->argc ? c->argv[0] : NULL, c->command->arg, e);
}

/*
 * Into an aggregate: to what was just found there, else to the rarest thing in the cell, at a
 * zoom that shows it.
 */
static enum status enter_cell(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place from = tab_place(t);
	uint64_t row = from.item;
	int64_t tick = from.tick;
	bool found = t->has_landed && t->landed.item == row && t->landed.tick == tick;

	if (!found && !pipeview_rarest(&t->view, &row, &tick, e))
		return error_set(e, STATUS_NOT_FOUND, "nothing happens here");
	places_jumped(&t->places, from);
	tab_goto(t, (struct place){.item = row, .tick = tick});
	return STATUS_OK;
}

static enum status enter(struct call *c, struct error *e)
{
	struct app *a = c->app;

	c->react |= REACT_REDRAW;
	if (panes_focused(a))
		return panes_enter(a, &c->react, e);
	if (!a->tab)
		return error_set(e, STATUS_NOT_FOUND, "no trace is open");
	if (!pipeview_count(&a->tab->view))
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	if (pipeview_is_aggregate(&a->tab->view) || a->tab->view.axis.zoom > 0)
		return enter_cell(c, e);
	return open_kind(c, "inspector", e);
}

/* Esc: one thing at a time, the innermost first. */
static enum status escape(struct call *c, struct error *e)
{
	struct app *a = c->app;

	(void)e;
	c->react |= REACT_REDRAW;
	if (jobs_stop(a, JOB_YIELDS))
		return STATUS_OK;
	if (panes_focused(a))
		a->panes.focus = -1;
	else if (a->tab && a->tab->selecting)
		tab_select(a->tab, SELECT_NONE);
	else if (a->tab)
		a->tab->view.search = NULL; /* n brings the marks back */
	return STATUS_OK;
}

static enum status maximise(struct call *c, struct error *e)
{
	(void)e;
	c->app->maximised = !c->app->maximised;
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return STATUS_OK;
}

const struct command pane_commands[] = {
    {"help", "[TEXT]", "all keys, commands and options; / searches in it", .run = help},
    {"open pane", "PANE", "open a pane, or give it the focus", .run = open_pane},
    {"inspector", "", "everything about the row under the cursor", .run = open_named,
     .flags = CMD_TRACE},
    {"legend", "", "the letters and colours of stages, events and fates", .run = open_named,
     .flags = CMD_TRACE},
    {"warnings", "", "what the trace holds that could not be read; Enter goes there",
     .run = open_named, .flags = CMD_TRACE},
    {"info", "", "format, counts, metrics and size of the trace", .run = open_named,
     .flags = CMD_TRACE},
    {"marks", "", "the marks and the list of jumps; Enter goes there", .run = open_named,
     .flags = CMD_TRACE},
    {"range", "", "what happened in the selection, or on the screen", .run = open_named,
     .flags = CMD_TRACE},
    {"stalls", "", "where the cycles went, by instruction; Enter goes to the worst one",
     .run = open_named, .flags = CMD_TRACE},
    {"binary", "FILE [ADDRESS]",
     "the ELF program that ran, and where it was loaded: functions and lines; none: forget it",
     .run = set_binary},
    {"stalls by", "[EACH]", "the same by pc, function or source line, in turn; see binary",
     .run = stalls_by, .flags = CMD_TRACE},
    {"reduce", "", "what the program's dependencies and branches cost a pipeline of any length",
     .run = reduce_open, .flags = CMD_TRACE},
    {"reduce execute", "LENGTH", "the same with so many execution segments; +N, -N: more, less",
     .run = reduce_execute},
    {"reduce setup", "LENGTH", "the same with so many setup segments", .run = reduce_setup},
    {"reduce es", "RATIO", "execution to setup segments of the plots, as 1 or 2/3",
     .run = reduce_es},
    {"reduce gamma", "RATIO", "delay of the logic over that of a latch in the plots; *2, /2",
     .run = reduce_gamma},
    {"reduce arcs", "[SHOWN]", "dependencies on the instructions; alone: one reduction further",
     .run = reduce_show_arcs},
    {"reduce by", "[FROM]", "dependencies from the operands, or from the links of the trace",
     .run = reduce_links},
    {"cpi0", "", "which queue of a machine limits the mix, and what the rest of the cycles are",
     .run = cpi0_open, .flags = CMD_TRACE},
    {"machine", "[MACHINE]", "the machine of cpi0; alone: tell it", .run = machine_choose},
    {"machine next", "", "the next one that is shipped", .run = machine_step, .arg = 1},
    {"machine prev", "", "the one before", .run = machine_step, .arg = -1},
    {"sort by", "NAME", "sort the pane by a column, as its heading reads", .run = sort_pane},
    {"sort next", "", "sort the pane by the next column", .run = sort_pane, .arg = 1},
    {"sort prev", "", "sort the pane by the column before", .run = sort_pane, .arg = -1},
    {"options", "", "the options; Enter switches one", .run = open_named},
    {"problems", "", "what is wrong in your files of commands, with file and line",
     .run = open_named},
    {"close", "", "close the pane, else the tab, else the program", .run = close_something},
    {"close pane", "", "close the pane that has the focus, or the last one", .run = close_pane},
    {"close panes", "", "close all panes", .run = close_panes},
    {"focus next", "", "the next pane, then the view again", .run = focus_step, .arg = 1},
    {"focus prev", "", "the pane before", .run = focus_step, .arg = -1},
    {"enter", "", "go to what was found or is rarest in the cell; on a single row: inspector",
     .run = enter},
    {"escape", "", "stop the search, leave the pane, end the selection, unmark the matches",
     .run = escape, .flags = CMD_BESIDE},
    {"maximise", "", "give the whole screen to what has the focus, and back", .run = maximise},
    {.name = NULL},
};
