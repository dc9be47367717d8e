#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/state.h"
#include "base/num.h"

/* Moving. The pane with the focus moves instead of the view. */

static bool move_pane(struct call *c, int64_t lines)
{
	struct pane_slot *slot = panes_focused(c->app);

	if (!slot)
		return false;
	pane_move(slot->pane, lines, slot->height);
	return true;
}

static enum status move_lines(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	n *= c->command->arg;
	if (!move_pane(c, n))
		c->app->tab->view->kind->move(c->app->tab->view, n, 0);
	return STATUS_OK;
}

static enum status move_columns(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	c->app->tab->view->kind->move(c->app->tab->view, 0, c->command->arg * n);
	return STATUS_OK;
}

/* By 1 the whole of it, by 2 half. */
static enum status page(struct call *c, struct error *e)
{
	int sign = c->command->arg < 0 ? -1 : 1, parts = abs(c->command->arg);
	struct tab *t = c->app->tab;
	struct pane_slot *slot = panes_focused(c->app);
	int64_t n, lines;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	if (slot) {
		pane_page(slot->pane, sign, parts, n, slot->height > 0 ? slot->height : 1);
		return STATUS_OK;
	}
	lines = t->view->kind->lines ? t->view->kind->lines(t->view) : 0;
	lines = lines / parts - (parts == 1 && lines > 2);
	t->view->kind->scroll(t->view, sign * (lines > 0 ? lines : 1) * n, 0);
	return STATUS_OK;
}

enum { SCROLL_LINES = 1, SCROLL_COLUMNS = 2 }; /* less than 0: up, to the left */

static enum status scroll(struct call *c, struct error *e)
{
	const struct view *v = c->app->tab->view;
	int way = abs(c->command->arg), sign = c->command->arg < 0 ? -1 : 1;
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	v->kind->scroll(c->app->tab->view, way == SCROLL_LINES ? sign * n : 0,
			way == SCROLL_COLUMNS ? sign * n : 0);
	return STATUS_OK;
}

/* A table goes sideways; what lies over the view keeps it where it is. */
static bool pan_pane(struct call *c, int64_t columns)
{
	struct pane_slot *slot = panes_focused(c->app);

	if (!slot)
		return false;
	if (pane_scroll(slot->pane, (int)columns))
		return true;
	c->react |= slot->kind->place == PANE_POPUP ? REACT_BELL : REACT_NONE;
	return slot->kind->place == PANE_POPUP;
}

/* Coarse: over a slow line a step must be worth its bytes. */
static enum status pan(struct call *c, struct error *e)
{
	struct view *v = c->app->tab->view;
	int64_t step = v->axis->columns * c->app->set.value[OPT_PAN] / 100;
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	if (pan_pane(c, c->command->arg * n))
		return STATUS_OK;
	step = (step > 0 ? step : 1) * c->command->arg * n;
	v->kind->scroll(v, 0, step);
	return STATUS_OK;
}

static void center(struct call *c)
{
	c->app->tab->view->kind->center(c->app->tab->view);
}

static void adjust(struct call *c)
{
	if (c->app->tab->view->kind->adjust)
		c->app->tab->view->kind->adjust(c->app->tab->view);
}

/* Going to a place */

enum status nav_go(struct call *c, uint64_t item, int64_t tick)
{
	struct view *v = c->app->tab->view;

	if (v->kind->shows && !v->kind->shows(v, item))
		app_message(c->app, false,
			    "the filter hides row %" PRIu64 ": this is the nearest one", item);
	v->kind->go(v, item, tick);
	return STATUS_OK;
}

static enum status go_row(struct call *c, uint64_t row, struct error *e)
{
	const struct view *v = c->app->tab->view;
	uint64_t count = v->kind->all ? v->kind->all(v) : 0;
	char number[32];

	if (!count)
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	if (row >= count)
		return error_set(e, STATUS_NOT_FOUND, "no row %" PRIu64 " (there are %s)", row,
				 num_group((int64_t)count, number));
	return nav_go(c, row, TICK_NONE);
}

static enum status go_cycle(struct call *c, const char *text, struct error *e)
{
	struct tab *t = c->app->tab;
	struct axis *v = t->view->axis;
	bool relative = *text == '+' || *text == '-';
	int64_t tick, first, end;
	char from[40], to[40];

	if (!axis_parse(v, *text == '+' ? text + 1 : text, &tick))
		return error_set(e, STATUS_USAGE, "not %s%s: %s",
				 unit_is_symbol(axis_unit(v)) ? "a time in " : "a ",
				 axis_unit(v), text);
	if (relative && __builtin_add_overflow(axis_time(v, v->tick), tick, &tick))
		return error_set(e, STATUS_USAGE, "too far: %s", text);
	tick = axis_tick_of(v, tick);
	if (!tab_ticks(t, &first, &end))
		return error_set(e, STATUS_NOT_FOUND, "nothing has been read yet");
	if (tick < first || tick >= end)
		app_message(c->app, true, "the trace has %s%s%s to %s",
			    unit_is_symbol(axis_unit(v)) ? "" : unit_plural(axis_unit(v)),
			    unit_is_symbol(axis_unit(v)) ? "" : " ",
			    axis_text(v, axis_time(v, first), from),
			    axis_text(v, axis_time(v, end - 1), to));
	tick = tick < first ? first : tick >= end ? end - 1 : tick;
	t->view->kind->go_tick(t->view, tick);
	return STATUS_OK;
}

static enum status go_percent(struct call *c, double percent, struct error *e)
{
	struct view *v = c->app->tab->view;
	const struct axis *axis = v->axis;
	uint64_t count = view_count(v), index;

	if (!(percent >= 0 && percent <= 100))
		return error_set(e, STATUS_USAGE, "a percentage must be from 0 to 100");
	index = (uint64_t)((double)count * percent / 100);
	if (view_is_list(v)) {
		split_goto(v->split, (uint64_t)((double)v->split->part[0].count * percent / 100));
		return STATUS_OK;
	}
	if (!v->kind->count)
		return nav_go(c, ITEM_NONE,
			  axis->first + (int64_t)((double)(axis->last - axis->first) * percent / 100));
	if (!count)
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	return nav_go(c, v->kind->item(v, index < count ? index : count - 1), TICK_NONE);
}

static enum status go_mark(struct call *c, const char *name, struct error *e)
{
	struct tab *t = c->app->tab;
	const struct mark *m;

	if (!name[0] || name[1])
		return error_set(e, STATUS_USAGE, "a mark must be a-z, 0-9 or ', not: %s", name);
	if (name[0] == '\'') {
		if (!t->places.has_before)
			return error_set(e, STATUS_NOT_FOUND, "no jump yet");
		tab_goto(t, t->places.before);
		return STATUS_OK;
	}
	m = places_find(&t->places, name[0]);
	if (!m)
		return error_set(e, STATUS_NOT_FOUND, "mark %c is not set", name[0]);
	if (m->at.item != ITEM_NONE && t->view->kind->all && m->at.item >= t->view->kind->all(t->view))
		return error_set(e, STATUS_NOT_FOUND, "row %" PRIu64 " of mark %c does not exist",
				 m->at.item, name[0]);
	return nav_go(c, m->at.item, m->at.tick);
}

/* "50" or "50%" */
static enum status go_share(struct call *c, const char *text, struct error *e)
{
	size_t len = strlen(text);
	char number[64];
	double percent;

	len -= len && text[len - 1] == '%';
	return num_parse_real(num_part(text, len, number), &percent)
		   ? go_percent(c, percent, e)
		   : error_set(e, STATUS_USAGE, "not a percentage: %s", text);
}

enum { GOTO_ANY, GOTO_CYCLE, GOTO_MARK };

static enum status goto_place(struct call *c, struct error *e)
{
	const char *p = c->argv[0];
	size_t len = strlen(p);

	if (c->command->arg == GOTO_MARK)
		return go_mark(c, p, e);
	if (c->command->arg == GOTO_CYCLE)
		return go_cycle(c, p, e);
	if (p[0] == '\'')
		return go_mark(c, p + 1, e);
	if ((p[0] == '#' || strncmp(p, "0x", 2) == 0) && c->app->tab->view->kind->go_name)
		return c->app->tab->view->kind->go_name(c, p, e);
	if (len > 1 && p[len - 1] == '%')
		return go_share(c, p, e);
	return go_cycle(c, p, e);
}

static enum status goto_row(struct call *c, struct error *e)
{
	int64_t n;

	if (call_number(c, 0, 0, &n, e))
		return STATUS_USAGE;
	if (n < 0)
		return error_set(e, STATUS_USAGE, "row numbers start at 0, not: %" PRId64, n);
	return go_row(c, (uint64_t)n, e);
}

static enum status goto_percent(struct call *c, struct error *e)
{
	if (c->argc)
		return go_share(c, c->argv[0], e);
	if (c->count < 0)
		return error_set(e, STATUS_USAGE, "how many percent? Type the number first: 50%%");
	return go_percent(c, (double)c->count, e);
}

/* With a count: to that row, as in less and vi. */
static enum status goto_end(struct call *c, struct error *e)
{
	bool last = c->command->arg > 0;
	struct view *v;

	if (move_pane(c, c->count >= 0 ? 0 : last ? INT32_MAX : -INT32_MAX))
		return STATUS_OK;
	if (c->count >= 0)
		return go_row(c, (uint64_t)c->count, e);
	v = c->app->tab->view;
	if (v->kind->count && !view_count(v))
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	view_go_end(v, last);
	return STATUS_OK;
}

/* Marks and jumps */

static enum status mark(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place here = tab_place(t);
	const char *name = c->argv[0];

	if (!t->placed)
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	if (name[1] || !places_mark(&t->places, name[0], here.item, here.tick))
		return error_set(e, STATUS_USAGE, "a mark must be a-z or 0-9, not: %s", name);
	app_message(c->app, false, "mark %c", name[0]);
	panes_refresh(c->app, false);
	return tab_save_mark(t, name[0], e);
}

static enum status unmark(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;

	if (!c->argv[0][0] || c->argv[0][1])
		return error_set(e, STATUS_USAGE, "a mark must be a-z or 0-9, not: %s", c->argv[0]);
	if (!places_unmark(&t->places, c->argv[0][0]))
		return error_set(e, STATUS_NOT_FOUND, "mark %s is not set", c->argv[0]);
	panes_refresh(c->app, false);
	return tab_save_mark(t, c->argv[0][0], e);
}

static enum status back(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place to;

	if (!places_back(&t->places, tab_place(t), &to))
		return error_set(e, STATUS_NOT_FOUND, "no older place");
	tab_goto(t, to);
	panes_came_back(c->app, to);
	return STATUS_OK;
}

static enum status forward(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place to;

	if (!places_forward(&t->places, &to))
		return error_set(e, STATUS_NOT_FOUND, "no newer place");
	tab_goto(t, to);
	return STATUS_OK;
}

/* Selecting */

/* Where no rows are seen it is time. The same again ends it, another kind keeps the anchor. */
static void select_some(struct call *c)
{
	struct view *v = c->app->tab->view;
	enum select_kind kind = (enum select_kind)c->command->arg;

	if (kind && resources_select_time(c->app))
		kind = SELECT_TICKS;
	view_select(v, v->axis->selecting == kind ? SELECT_NONE : kind);
	panes_refresh(c->app, false);
}

/* The other end of the selection becomes the cursor. */
static enum status select_swap(struct call *c, struct error *e)
{
	struct view *v = c->app->tab->view;
	struct place here = v->kind->place(v);

	if (!v->axis->selecting)
		return error_set(e, STATUS_NOT_FOUND, "nothing is selected");
	v->kind->go(v, v->axis->anchor.item, v->axis->anchor.tick);
	v->axis->anchor = here;
	return STATUS_OK;
}

const struct command nav_commands[] = {
    {"goto", "PLACE", "go to a cycle, percentage, pc, instruction or mark", .run = goto_place,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto cycle", "CYCLE", "go to a cycle", .run = goto_place,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES, .arg = GOTO_CYCLE},
    {"goto row", "[N]", "go to row N, counted from 0", .run = goto_row,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto percent", "[N]", "go to N percent of the rows", .run = goto_percent,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto first", "", "go to the first row; with a count, to that row", .run = goto_end,
     .flags = CMD_PANE | CMD_JUMP | CMD_MOVES, .arg = -1},
    {"goto last", "", "go to the last row; with a count, to that row", .run = goto_end,
     .flags = CMD_PANE | CMD_JUMP | CMD_MOVES, .arg = 1},
    {"goto mark", "MARK", "go to a mark; ' is the place before the last jump", .run = goto_place,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES, .arg = GOTO_MARK},
    {"mark", "MARK", "set a mark at the cursor and save it for this trace", .run = mark,
     .flags = CMD_TRACE},
    {"unmark", "MARK", "remove a mark", .run = unmark, .flags = CMD_TRACE},
    {"back", "", "go back in the list of jumps", .run = back, .flags = CMD_TRACE | CMD_MOVES},
    {"forward", "", "go forward in the list of jumps", .run = forward,
     .flags = CMD_TRACE | CMD_MOVES},
    {"move down", "[N]", "move the cursor down N lines", .run = move_lines,
     .flags = CMD_PANE | CMD_MOVES,
     .arg = 1},
    {"move up", "[N]", "move the cursor up N lines", .run = move_lines,
     .flags = CMD_PANE | CMD_MOVES,
     .arg = -1},
    {"move left", "[N]", "move the cursor left N columns", .run = move_columns,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"move right", "[N]", "move the cursor right N columns", .run = move_columns,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"page down", "[N]", "move down one screen", .run = page,
     .flags = CMD_PANE | CMD_MOVES, .arg = 1},
    {"page up", "[N]", "move up one screen", .run = page,
     .flags = CMD_PANE | CMD_MOVES, .arg = -1},
    {"half down", "[N]", "move down half a screen", .run = page,
     .flags = CMD_PANE | CMD_MOVES, .arg = 2},
    {"half up", "[N]", "move up half a screen", .run = page,
     .flags = CMD_PANE | CMD_MOVES, .arg = -2},
    {"pan left", "[N]", "take a coarse step to earlier cycles (option pan); in a table, one column",
     .run = pan, .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"pan right", "[N]", "take a coarse step to later cycles (option pan); in a table, one column",
     .run = pan, .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"scroll down", "[N]", "scroll down N lines", .run = scroll,
     .flags = CMD_TRACE | CMD_MOVES, .arg = SCROLL_LINES},
    {"scroll up", "[N]", "scroll up N lines", .run = scroll,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -SCROLL_LINES},
    {"scroll left", "[N]", "scroll to earlier cycles, N columns", .run = scroll,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -SCROLL_COLUMNS},
    {"scroll right", "[N]", "scroll to later cycles, N columns", .run = scroll,
     .flags = CMD_TRACE | CMD_MOVES, .arg = SCROLL_COLUMNS},
    {"center", "", "move the cursor's line to the middle", .act = center,
     .flags = CMD_TRACE | CMD_MOVES},
    {"select", "", "select cells from here to the cursor; repeat to end; without rows: time",
     .act = select_some, .flags = CMD_TRACE, .arg = SELECT_CELLS},
    {"select rows", "", "select whole rows", .act = select_some, .flags = CMD_TRACE,
     .arg = SELECT_ROWS},
    {"select cycles", "", "select whole cycles: time", .act = select_some, .flags = CMD_TRACE,
     .arg = SELECT_TICKS},
    {"select swap", "", "go to the other end of the selection", .run = select_swap,
     .flags = CMD_TRACE},
    {"select none", "", "end the selection", .act = select_some, .flags = CMD_TRACE,
     .arg = SELECT_NONE},
    {"adjust", "", "scroll to the cycles of the visible rows", .act = adjust,
     .flags = CMD_TRACE | CMD_MOVES},
    {.name = NULL},
};
