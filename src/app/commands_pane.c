#include "config.h"

#include <string.h>

#include "app/state.h"

static enum status open_kind(struct call *c, const char *name, struct error *e)
{
	const struct pane_kind *kind = pane_kind_find(name, e);

	if (!kind)
		return STATUS_USAGE;
	return panes_open(c->app, kind, e);
}

static enum status open_pane(struct call *c, struct error *e)
{
	return open_kind(c, c->argv[0], e);
}

enum status panes_open_named(struct call *c, struct error *e)
{
	return open_kind(c, c->command->name, e);
}

/* Lines that match what the pane looks for; it goes to the first, or stays. */
static size_t go_through_hits(struct pane *p)
{
	const size_t here = p->cursor;
	size_t hits = 0, before;

	p->cursor = p->ops->count(p) - 1;
	for (bool more = pane_find(p, 1); more; hits++) {
		before = p->cursor;
		more = pane_find(p, 1) && p->cursor > before;
	}
	p->cursor = hits ? p->cursor : here;
	return hits;
}

/* The lines of a key, or of all that it begins; of what is none, those that match it. */
static void help_pattern(const struct app *a, const char *text, struct sbuf *out)
{
	enum keymap_answer answer = KEYMAP_UNBOUND;
	const struct binding *b;
	struct key_sequence s;

	if (keymap_sequence(text, &s, NULL) == STATUS_OK)
		answer = keymap_find(&a->keymap, a->panes.help_mode, &s, &b);
	if (answer == KEYMAP_UNBOUND) {
		sbuf_puts(out, text);
		return;
	}
	sbuf_puts(out, "(?-i)^  (\\S+ )*\\Q");
	keymap_spell(&s, out);
	sbuf_printf(out, "\\E%s(\\s|$)", answer == KEYMAP_PREFIX ? "(\\S|<\\S+>)" : "");
}

/* Of what has the focus; a key or a word may follow. */
static enum status help(struct call *c, struct error *e)
{
	struct pane_slot *slot = panes_focused(c->app);
	struct sbuf text = {0};
	enum status status;
	struct pane *p;
	size_t hits;

	if (!slot || slot->kind->make != help_pane)
		panes_close_kind(c->app, "help");
	status = open_kind(c, "help", e);
	if (status || !c->argc)
		return status;
	p = panes_focused(c->app)->pane;
	help_pattern(c->app, c->argv[0], &text);
	regex_free(p->search);
	p->search = NULL;
	status = regex_new(&p->search, sbuf_text(&text), e);
	hits = status ? 0 : go_through_hits(p);
	sbuf_clear(&text);
	app_key_of(c->app, "next", &text);
	if (hits)
		app_message(c->app, false, "%zu line%s about %s  %s next", hits,
			    hits == 1 ? "" : "s", c->argv[0], sbuf_text(&text));
	else if (!status)
		status = error_set(e, STATUS_NOT_FOUND, "the help does not mention %s", c->argv[0]);
	sbuf_free(&text);
	return status;
}

/* A pane, then the selection, then the tab; the last one ends the program. */
static void close_something(struct call *c)
{
	struct app *a = c->app;

	if (a->panes.count && !traces_alone(a))
		panes_close(a, a->panes.focus >= 0 ? a->panes.focus : a->panes.count - 1);
	else if (a->tab_count > 1)
		app_close_tab(a, app_tab_index(a));
	else if (tail_may_quit(a))
		c->react |= REACT_QUIT;
}

static enum status close_pane(struct call *c, struct error *e)
{
	if (!c->app->panes.count)
		return error_set(e, STATUS_NOT_FOUND, "no pane is open");
	close_something(c);
	return STATUS_OK;
}

static void close_panes(struct call *c)
{
	panes_close_all(c->app);
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

static void focus_step(struct call *c)
{
	if (!pass_focus(c->app, c->command->arg))
		move_focus(c->app, c->command->arg);
}

/* By the column named, else by the one beside that of now. */
static enum status sort_pane(struct call *c, struct error *e)
{
	struct pane_slot *slot = panes_focused(c->app);

	if (!slot)
		return error_set(e, STATUS_NOT_FOUND, "no pane has the focus");
	return pane_sort(slot->pane, c->argc ? c->argv[0] : NULL, c->command->arg, e);
}

static enum status enter(struct call *c, struct error *e)
{
	struct app *a = c->app;

	if (panes_focused(a))
		return panes_enter(a, e);
	return a->tab->view->kind->enter(a, a->tab->view, e);
}

/* Esc: one thing at a time, the innermost first. */
static void escape(struct call *c)
{
	struct app *a = c->app;

	if (jobs_stop(a, JOB_YIELDS))
		return;
	if (panes_focused(a))
		a->panes.focus = -1;
	else if (a->tab && a->tab->view->axis->selecting)
		view_select(a->tab->view, SELECT_NONE);
	else if (a->tab && !resources_leave(c) && a->tab->view->kind->escape)
		a->tab->view->kind->escape(a->tab->view);
}

static void maximise(struct call *c)
{
	c->app->maximised = !c->app->maximised;
	c->react |= REACT_RELAYOUT;
}

const struct command pane_commands[] = {
    {"help", "[TEXT]", "list all keys, commands and options; TEXT finds a key or a word",
     .run = help},
    {"open pane", "PANE", "open a pane, or focus it", .run = open_pane},
    {"warnings", "", "list what could not be read; Enter goes there",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"info", "", "show what the trace is: format, counts, metrics, size", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"metrics", "", "list the trace's metrics; Enter draws one as a curve",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"components", "", "list components by how busy they were", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"hints", "", "list what limits the run, and where to look", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"inspector", "", "show everything about what is under the cursor", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"legend", "", "explain letters and colours", .run = panes_open_named, .flags = CMD_TRACE},
    {"marks", "", "list marks and jumps; Enter goes there", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"sort by", "NAME", "sort the pane by the column with this heading", .run = sort_pane},
    {"sort next", "", "sort the pane by the next column", .run = sort_pane, .arg = 1},
    {"sort prev", "", "sort the pane by the previous column", .run = sort_pane, .arg = -1},
    {"options", "", "list the options; Enter changes one", .run = panes_open_named},
    {"problems", "", "list errors in your configuration files, with file and line",
     .run = panes_open_named},
    {"close", "", "close the pane, else the tab, else quit", .act = close_something},
    {"close pane", "", "close the focused pane, else the last one", .run = close_pane},
    {"close panes", "", "close all panes", .act = close_panes},
    {"focus next", "", "focus the next pane; after the last pane, the view", .act = focus_step, .arg = 1},
    {"focus prev", "", "focus the previous pane", .act = focus_step, .arg = -1},
    {"enter", "", "go to the match or rarest item in the cell; on one row: inspector",
     .run = enter, .flags = CMD_PANE},
    {"escape", "", "stop the search, else leave the pane, else end the selection, else clear matches",
     .act = escape, .flags = CMD_BESIDE},
    {"maximise", "", "maximise the focused pane or view; repeat to undo", .act = maximise},
    {.name = NULL},
};
