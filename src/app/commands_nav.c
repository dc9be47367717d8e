#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/commands_links.h"
#include "app/state.h"
#include "base/num.h"

/* Moving. The pane with the focus moves instead of the view. */

static bool move_pane(struct call *c, int64_t lines)
{
	struct pane_slot *slot = panes_focused(c->app);

	if (!slot)
		return false;
	pane_move(slot->pane, lines, slot->height);
	c->react |= REACT_REDRAW;
	return true;
}

static enum status need_tab(const struct call *c, struct error *e)
{
	return c->app->tab ? STATUS_OK : error_set(e, STATUS_NOT_FOUND, "no trace is open");
}

static enum status move_lines(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	n *= c->command->arg;
	if (move_pane(c, n))
		return STATUS_OK;
	if (need_tab(c, e))
		return STATUS_NOT_FOUND;
	pipeview_move_rows(&c->app->tab->view, n);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status move_columns(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	pipeview_move_columns(&c->app->tab->view, c->command->arg * n);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

/* By 1 the whole of it, by 2 half. */
static enum status page(struct call *c, struct error *e)
{
	int sign = c->command->arg < 0 ? -1 : 1, parts = abs(c->command->arg);
	struct tab *t = c->app->tab;
	int64_t n, lines;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	c->react |= REACT_REDRAW;
	if (panes_focused(c->app)) {
		panes_page(panes_focused(c->app), sign, parts, n);
		return STATUS_OK;
	}
	if (need_tab(c, e))
		return STATUS_NOT_FOUND;
	lines = t->view.lines / parts - (parts == 1 && t->view.lines > 2);
	pipeview_scroll(&t->view, sign * (lines > 0 ? lines : 1) * n, 0);
	return STATUS_OK;
}

static enum status scroll_window(struct call *c, int lines, int columns, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	pipeview_scroll(&c->app->tab->view, lines * n, columns * n);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status scroll_lines(struct call *c, struct error *e)
{
	return scroll_window(c, c->command->arg, 0, e);
}

static enum status scroll_columns(struct call *c, struct error *e)
{
	return scroll_window(c, 0, c->command->arg, e);
}

/* Coarse: over a slow line a step must be worth its bytes. */
static enum status pan(struct call *c, struct error *e)
{
	struct pipeview *v = &c->app->tab->view;
	int64_t step = v->axis.columns * c->app->set.value[OPT_PAN] / 100;
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	step = (step > 0 ? step : 1) * c->command->arg * n;
	pipeview_scroll(v, 0, step);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status center(struct call *c, struct error *e)
{
	(void)e;
	pipeview_center(&c->app->tab->view);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status adjust(struct call *c, struct error *e)
{
	(void)e;
	pipeview_adjust(&c->app->tab->view);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

/* Going to a place */

static enum status go(struct call *c, uint64_t row, int64_t tick)
{
	const struct tab *t = c->app->tab;

	if (t->filter && !filter_has(t->filter, row))
		app_message(c->app, false,
			    "row %" PRIu64 " is left out by the filter: the nearest one", row);
	pipeview_goto(&c->app->tab->view, row, tick);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status go_row(struct call *c, uint64_t row, struct error *e)
{
	uint64_t count = store_row_count(c->app->tab->store);
	char number[32];

	if (row >= count)
		return error_set(e, STATUS_NOT_FOUND, "no row %" PRIu64 ": there are %s", row,
				 num_group((int64_t)count, number));
	return go(c, row, TICK_NONE);
}

static enum status go_cycle(struct call *c, const char *text, struct error *e)
{
	struct tab *t = c->app->tab;
	struct pipeview *v = &t->view;
	bool relative = *text == '+' || *text == '-';
	int64_t tick, first, end;

	if (!num_parse_i64(*text == '+' ? text + 1 : text, &tick))
		return error_set(e, STATUS_USAGE, "not a %s: %s", axis_unit(&v->axis), text);
	if (relative && __builtin_add_overflow(axis_time(&v->axis, v->axis.tick), tick, &tick))
		return error_set(e, STATUS_USAGE, "too far: %s", text);
	tick = axis_tick_of(&v->axis, tick);
	if (!tab_ticks(t, &first, &end))
		return error_set(e, STATUS_NOT_FOUND, "nothing was read yet");
	if (tick < first || tick >= end)
		app_message(c->app, true, "the trace has %ss %" PRId64 " to %" PRId64,
			    axis_unit(&v->axis), axis_time(&v->axis, first),
			    axis_time(&v->axis, end - 1));
	tick = tick < first ? first : tick >= end ? end - 1 : tick;
	pipeview_goto_tick(v, tick);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

/* The next row at that address after the cursor, by the one search there is. */
static enum status go_pc(struct call *c, const char *text, struct error *e)
{
	struct tab *t = c->app->tab;
	struct sbuf pattern = {0};
	struct regex *re = NULL;
	uint64_t pc;
	enum status status;

	if (!num_parse_hex(text, &pc))
		return error_set(e, STATUS_USAGE, "not a hexadecimal address: %s", text);
	work_cancel(c->app);
	sbuf_printf(&pattern, "^0x%" PRIx64 "( |$)", pc);
	status = regex_new(&re, sbuf_text(&pattern), e);
	sbuf_free(&pattern);
	if (status)
		return status;
	regex_free(t->search);
	t->search = re;
	t->view.search = re;
	t->search_dir = 1;
	tab_aim(t, (struct target){.kind = TARGET_TEXT, .text = re, .by_pc = true, .pc = pc});
	c->react |= work_seek(c->app, 1, 1);
	return STATUS_OK;
}

static enum status go_seq(struct call *c, const char *text, struct error *e)
{
	uint64_t id, row;

	if (!num_parse_u64(text, &id))
		return error_set(e, STATUS_USAGE, "not an instruction number: %s", text);
	row = store_find_id(c->app->tab->store, id, 0);
	if (row == ROW_NONE)
		return error_set(e, STATUS_NOT_FOUND, "no instruction #%" PRIu64, id);
	return go(c, row, TICK_NONE);
}

static enum status go_percent(struct call *c, double percent, struct error *e)
{
	struct pipeview *v = &c->app->tab->view;
	uint64_t count = pipeview_count(v);
	uint64_t index;

	if (!(percent >= 0 && percent <= 100))
		return error_set(e, STATUS_USAGE, "a percentage is from 0 to 100");
	if (!count)
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	index = (uint64_t)((double)count * percent / 100);
	return go(c, pipeview_row(v, index < count ? index : count - 1), TICK_NONE);
}

static enum status go_mark(struct call *c, const char *name, struct error *e)
{
	struct tab *t = c->app->tab;
	const struct mark *m;

	if (!name[0] || name[1])
		return error_set(e, STATUS_USAGE, "a mark is one of a-z, 0-9 and ', not: %s", name);
	if (name[0] == '\'') {
		if (!t->places.has_before)
			return error_set(e, STATUS_NOT_FOUND, "no jump was made yet");
		tab_goto(t, t->places.before);
		c->react |= REACT_REDRAW;
		return STATUS_OK;
	}
	m = places_find(&t->places, name[0]);
	if (!m)
		return error_set(e, STATUS_NOT_FOUND, "mark %c is not set", name[0]);
	if (m->at.item >= store_row_count(t->store))
		return error_set(e, STATUS_NOT_FOUND, "row %" PRIu64 " of mark %c is not there",
				 m->at.item, name[0]);
	return go(c, m->at.item, m->at.tick);
}

static enum status goto_place(struct call *c, struct error *e)
{
	const char *p = c->argv[0];
	size_t len = strlen(p);
	double percent;

	if (p[0] == '\'')
		return go_mark(c, p + 1, e);
	if (p[0] == '#')
		return go_seq(c, p + 1, e);
	if (strncmp(p, "0x", 2) == 0)
		return go_pc(c, p, e);
	if (len > 1 && p[len - 1] == '%') {
		struct sbuf number = {0};
		bool good;

		sbuf_add(&number, p, len - 1);
		good = num_parse_real(sbuf_text(&number), &percent);
		sbuf_free(&number);
		return good ? go_percent(c, percent, e)
			    : error_set(e, STATUS_USAGE, "not a percentage: %s", p);
	}
	return go_cycle(c, p, e);
}

static enum status goto_cycle(struct call *c, struct error *e)
{
	return go_cycle(c, c->argv[0], e);
}

static enum status goto_row(struct call *c, struct error *e)
{
	int64_t n;

	if (call_number(c, 0, 0, &n, e))
		return STATUS_USAGE;
	if (n < 0)
		return error_set(e, STATUS_USAGE, "rows are counted from 0, not: %" PRId64, n);
	return go_row(c, (uint64_t)n, e);
}

static enum status goto_seq(struct call *c, struct error *e)
{
	return go_seq(c, c->argv[0], e);
}

static enum status goto_retired(struct call *c, struct error *e)
{
	uint64_t number, row;
	enum status status;

	if (!num_parse_u64(c->argv[0], &number))
		return error_set(e, STATUS_USAGE, "not a retire id: %s", c->argv[0]);
	status = store_find_retired(c->app->tab->store, number, &row, e);
	return status ? status : go(c, row, TICK_NONE);
}

static enum status goto_pc(struct call *c, struct error *e)
{
	return go_pc(c, c->argv[0], e);
}

static enum status goto_percent(struct call *c, struct error *e)
{
	double percent;

	if (!c->argc)
		return go_percent(c, c->count >= 0 ? (double)c->count : 0, e);
	if (!num_parse_real(c->argv[0], &percent))
		return error_set(e, STATUS_USAGE, "not a percentage: %s", c->argv[0]);
	return go_percent(c, percent, e);
}

/* With a count: to that row, as in less and vi. */
static enum status goto_end(struct call *c, struct error *e)
{
	bool last = c->command->arg > 0;
	uint64_t count;

	if (move_pane(c, c->count >= 0 ? 0 : last ? INT32_MAX : -INT32_MAX))
		return STATUS_OK;
	if (need_tab(c, e))
		return STATUS_NOT_FOUND;
	if (c->count >= 0)
		return go_row(c, (uint64_t)c->count, e);
	count = pipeview_count(&c->app->tab->view);
	if (!count)
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	return go(c, pipeview_row(&c->app->tab->view, last ? count - 1 : 0), TICK_NONE);
}

static enum status goto_start(struct call *c, struct error *e)
{
	struct place here = tab_place(c->app->tab);

	(void)e;
	return here.item == ROW_NONE ? STATUS_OK : go(c, here.item, TICK_NONE);
}

static enum status goto_finish(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	int64_t first, end;
	struct row r;

	(void)e;
	if (!store_row(t->store, tab_place(t).item, &r) || !tab_ticks(t, &first, &end))
		return STATUS_OK;
	/* what becomes of a row is drawn where it ends */
	return go(c, r.row, r.end != TICK_NONE ? r.end : end - 1);
}

static enum status goto_mark(struct call *c, struct error *e)
{
	return go_mark(c, c->argv[0], e);
}

/* Marks and jumps */

static enum status save_marks(struct app *a, struct error *e)
{
	struct tab *t = a->tab;
	struct source *source = store_source(t->store);
	struct source_id id;

	t->view.mark_count = t->places.mark_count;
	panes_refresh(a, false);
	if (!t->keep_marks || !source || source_is_pipe(source))
		return STATUS_OK;
	source_identity(source, &id);
	return places_save(&t->places, &id, e);
}

static enum status mark(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place here = tab_place(t);
	const char *name = c->argv[0];

	if (here.item == ROW_NONE)
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	if (name[1] || !places_mark(&t->places, name[0], here.item, here.tick))
		return error_set(e, STATUS_USAGE, "a mark is one of a-z and 0-9, not: %s", name);
	app_message(c->app, false, "mark %c", name[0]);
	c->react |= REACT_REDRAW;
	return save_marks(c->app, e);
}

static enum status unmark(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;

	if (!c->argv[0][0] || c->argv[0][1])
		return error_set(e, STATUS_USAGE, "a mark is one of a-z and 0-9, not: %s",
				 c->argv[0]);
	if (!places_unmark(&t->places, c->argv[0][0]))
		return error_set(e, STATUS_NOT_FOUND, "mark %s is not set", c->argv[0]);
	c->react |= REACT_REDRAW;
	return save_marks(c->app, e);
}

static enum status back(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place to;

	if (!places_back(&t->places, tab_place(t), &to))
		return error_set(e, STATUS_NOT_FOUND, "no older place");
	tab_goto(t, to);
	panes_came_back(c->app, to);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status forward(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place to;

	if (!places_forward(&t->places, &to))
		return error_set(e, STATUS_NOT_FOUND, "no newer place");
	tab_goto(t, to);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

const struct command nav_commands[] = {
    {"goto", "PLACE", "go to a cycle, percentage, pc, instruction or mark", .run = goto_place,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto cycle", "CYCLE", "go to a cycle", .run = goto_cycle,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto row", "[N]", "go to a row by its number from 0", .run = goto_row,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto seq", "N", "go to an instruction by the file's own number", .run = goto_seq,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto retired", "N", "go to the instruction that retired as number N (Kanata)",
     .run = goto_retired, .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto pc", "PC", "go to the next row at an address", .run = goto_pc,
     .flags = CMD_TRACE | CMD_MOVES},
    {"goto percent", "[N]", "go to a part of the rows", .run = goto_percent,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"goto first", "", "go to the first row; with a count, to that row", .run = goto_end,
     .flags = CMD_JUMP | CMD_MOVES, .arg = -1},
    {"goto last", "", "go to the last row; with a count, to that row", .run = goto_end,
     .flags = CMD_JUMP | CMD_MOVES, .arg = 1},
    {"goto start", "", "go to the cycle the row was born", .run = goto_start,
     .flags = CMD_TRACE | CMD_MOVES},
    {"goto end", "", "go to the cycle the row ended", .run = goto_finish,
     .flags = CMD_TRACE | CMD_MOVES},
    {"goto mark", "MARK", "go to a mark; ': to where the last jump began", .run = goto_mark,
     .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES},
    {"producer", "[N]", "go to the row it waited for; of several the Nth, else a list",
     .run = go_link, .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES, .arg = true},
    {"consumer", "[N]", "go to the row that waited for it; of several the Nth, else a list",
     .run = go_link, .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES, .arg = false},
    {"mark", "MARK", "set a mark at the cursor; it is kept for the trace", .run = mark,
     .flags = CMD_TRACE},
    {"unmark", "MARK", "remove a mark", .run = unmark, .flags = CMD_TRACE},
    {"back", "", "go back in the list of jumps", .run = back, .flags = CMD_TRACE | CMD_MOVES},
    {"forward", "", "go forward again in the list of jumps", .run = forward,
     .flags = CMD_TRACE | CMD_MOVES},
    {"move down", "[N]", "move the cursor down by lines", .run = move_lines, .flags = CMD_MOVES,
     .arg = 1},
    {"move up", "[N]", "move the cursor up by lines", .run = move_lines, .flags = CMD_MOVES,
     .arg = -1},
    {"move left", "[N]", "move the cursor left by columns", .run = move_columns,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"move right", "[N]", "move the cursor right by columns", .run = move_columns,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"page down", "[N]", "a screen down", .run = page, .flags = CMD_MOVES, .arg = 1},
    {"page up", "[N]", "a screen up", .run = page, .flags = CMD_MOVES, .arg = -1},
    {"half down", "[N]", "half a screen down", .run = page, .flags = CMD_MOVES, .arg = 2},
    {"half up", "[N]", "half a screen up", .run = page, .flags = CMD_MOVES, .arg = -2},
    {"pan left", "[N]", "a coarse step to earlier cycles (see option pan)", .run = pan,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"pan right", "[N]", "a coarse step to later cycles (see option pan)", .run = pan,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"scroll down", "[N]", "scroll the window down by lines", .run = scroll_lines,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"scroll up", "[N]", "scroll the window up by lines", .run = scroll_lines,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"scroll left", "[N]", "scroll the window by columns to earlier cycles", .run = scroll_columns,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"scroll right", "[N]", "scroll the window by columns to later cycles", .run = scroll_columns,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"center", "", "put the cursor's line in the middle", .run = center,
     .flags = CMD_TRACE | CMD_MOVES},
    {"adjust", "", "bring the lives of the visible rows into view", .run = adjust,
     .flags = CMD_TRACE | CMD_MOVES},
    {.name = NULL},
};
