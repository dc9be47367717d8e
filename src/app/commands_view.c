#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/commands_links.h"
#include "app/pipeline/measure.h"
#include "app/pipeline/names.h"
#include "app/pipeline/rows_text.h"
#include "app/state.h"
#include "base/num.h"
#include "base/text.h"

enum {
	YANK_ROWS = 10000,
	CLIPBOARD_MAX = 70000 /* bytes; terminals drop longer OSC 52 strings */
};

/* Zoom */

enum { ZOOM_ROWS = 1, ZOOM_TICKS = 2, ZOOM_BOTH = 3 }; /* less than 0: closer */

/*
 * Both axes at once keep the diagonal of the pipeline a diagonal, but rows cannot be larger
 * than a line: closer than that only cycles are stretched.
 */
static enum status zoom(struct call *c, struct error *e)
{
	int dir = c->command->arg < 0 ? -1 : 1, axes = abs(c->command->arg);
	int rows = axes & ZOOM_ROWS ? dir : 0, ticks = axes & ZOOM_TICKS ? dir : 0;
	struct pipeview *v = &c->app->tab->view;
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	for (n = n > 64 ? 64 : n; n > 0; n--) {
		bool both = rows && ticks;
		int r = both && ticks > 0 && v->axis.zoom < 0 ? 0 : rows;

		if (both && ticks < 0 && v->row_zoom == 0)
			r = 0;
		pipeview_zoom(v, r, ticks);
	}
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status zoom_fit(struct call *c, struct error *e)
{
	(void)e;
	pipeview_fit(&c->app->tab->view);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

static enum status zoom_reset(struct call *c, struct error *e)
{
	struct pipeview *v = &c->app->tab->view;

	(void)e;
	pipeview_zoom(v, -v->row_zoom, -v->axis.zoom);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

/* Selection and distance */

static void select_kind(struct call *c, enum select_kind kind)
{
	struct tab *t = c->app->tab;

	/* the same again ends it, another kind keeps the anchor */
	if (t->selecting == SELECT_NONE)
		tab_select(t, kind);
	else
		t->selecting = t->selecting == kind ? SELECT_NONE : kind;
	tab_track_selection(t);
	panes_refresh(c->app, false);
	c->react |= REACT_REDRAW;
}

static enum status select_some(struct call *c, struct error *e)
{
	(void)e;
	select_kind(c, (enum select_kind)c->command->arg);
	return STATUS_OK;
}

/* The other end of the selection becomes the cursor. */
static enum status select_swap(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place here = tab_place(t);

	if (!t->selecting)
		return error_set(e, STATUS_NOT_FOUND, "nothing is selected");
	pipeview_goto(&t->view, t->anchor_row, t->anchor_tick);
	t->anchor_row = here.item;
	t->anchor_tick = here.tick;
	tab_track_selection(t);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

struct end {
	struct place at;
	char name[8];
};

static enum status find_end(struct tab *t, const char *name, struct end *out, struct error *e)
{
	if (!name[0] || name[1] || !places_at(&t->places, name[0], &out->at))
		return error_set(e, STATUS_NOT_FOUND, "mark %s is not set", name);
	strcpy(out->name, name);
	return STATUS_OK;
}

static enum status distance(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	struct place here = tab_place(t);
	char newest[2] = {t->places.newest ? t->places.newest : '\'', '\0'};
	struct end from = {0};
	struct end to = {here, "cursor"};
	struct distance d;
	struct sbuf text = {0};
	enum status status;

	if (t->places.newest == '\0' && !t->places.has_before && !c->argc)
		return error_set(e, STATUS_NOT_FOUND,
				 "set a mark first: the distance is from there");
	status = find_end(t, c->argc ? c->argv[0] : newest, &from, e);
	if (!status && c->argc > 1)
		status = find_end(t, c->argv[1], &to, e);
	if (!status)
		status = measure(t, from.at.tick, to.at.tick, from.at.item, to.at.item, &d, e);
	if (status)
		return status;
	distance_text(t, &d, ", ", &text);
	app_message(c->app, false, "%s to %s: %s", from.name, to.name, sbuf_text(&text));
	sbuf_free(&text);
	return STATUS_OK;
}

/* Yank */

static enum status yank_rows(struct call *c, struct sbuf *out, struct error *e)
{
	struct tab *t = c->app->tab;
	const struct selection *s = &t->view.selection;
	uint64_t row = tab_place(t).item;

	if (s->on)
		return rows_text(t, s->item0, s->item1, YANK_ROWS, ROWS_LINES, out, e);
	return rows_text(t, row, row + 1, 1, ROWS_LINES, out, e);
}

static enum status yank_word(struct call *c, bool pc, struct sbuf *out, struct error *e)
{
	struct tab *t = c->app->tab;
	struct detail d = {0};
	enum status status = store_detail(t->store, tab_place(t).item, 1, &d, e);
	const struct detail_row *r = d.rows;

	if (!status && d.count && pc && r->has_pc)
		sbuf_printf(out, "0x%" PRIx64, r->pc);
	else if (!status && d.count && !pc)
		text_sanitise(out, sbuf_text(&d.text) + r->text0, r->text_len);
	detail_free(&d);
	return status;
}

static enum status yank_pc(struct call *c, struct sbuf *out, struct error *e)
{
	return yank_word(c, true, out, e);
}

static enum status yank_text(struct call *c, struct sbuf *out, struct error *e)
{
	return yank_word(c, false, out, e);
}

static enum status yank_cycle(struct call *c, struct sbuf *out, struct error *e)
{
	(void)e;
	sbuf_printf(out, "%" PRId64,
		    axis_time(&c->app->tab->view.axis, c->app->tab->view.axis.tick));
	return STATUS_OK;
}

static enum status yank_screen(struct call *c, struct sbuf *out, struct error *e)
{
	return app_export(c->app, GRID_TEXT, out, e);
}

/* What brings a colleague to this place. */
static enum status yank_command(struct call *c, struct sbuf *out, struct error *e)
{
	struct place here = tab_place(c->app->tab);

	(void)e;
	sbuf_printf(out, "goto row %" PRIu64 " ; goto cycle %" PRId64, here.item,
		    axis_time(&c->app->tab->view.axis, here.tick));
	return STATUS_OK;
}

static const struct {
	const char *name;
	enum status (*run)(struct call *c, struct sbuf *out, struct error *e);
} yanks[] = {
    {"rows", yank_rows},   {"pc", yank_pc},         {"text", yank_text},
    {"cycle", yank_cycle}, {"screen", yank_screen}, {"command", yank_command},
};

static void say_yanked(struct call *c)
{
	const struct sbuf *text = &c->app->clipboard;
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->text[i] == '\n';
	if (!c->app->set.value[OPT_CLIPBOARD])
		app_message(c->app, false,
			    "yanked %zu %s (:set clipboard on: for the terminal too)",
			    lines > 1 ? lines : text->len, lines > 1 ? "lines" : "bytes");
	else if (text->len > CLIPBOARD_MAX)
		app_message(c->app, true, "yanked %zu bytes: too many for the terminal", text->len);
	else
		app_message(c->app, false, "yanked %zu bytes", text->len);
}

static enum status yank(struct call *c, struct error *e)
{
	const char *what = c->argc ? c->argv[0] : "rows";
	struct app *a = c->app;
	enum status status;

	if (!pipeview_count(&a->tab->view))
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	for (size_t i = 0; i < sizeof(yanks) / sizeof(yanks[0]); i++) {
		if (strcmp(yanks[i].name, what) != 0)
			continue;
		sbuf_clear(&a->clipboard);
		status = yanks[i].run(c, &a->clipboard, e);
		if (status)
			return status;
		if (!a->clipboard.len)
			return error_set(e, STATUS_NOT_FOUND, "the row has no %s", what);
		if (a->tab->selecting)
			select_kind(c, SELECT_NONE);
		say_yanked(c);
		c->react |= REACT_REDRAW;
		if (a->set.value[OPT_CLIPBOARD] && a->clipboard.len <= CLIPBOARD_MAX)
			c->react |= REACT_CLIPBOARD;
		return STATUS_OK;
	}
	return error_set(e, STATUS_USAGE, "yank %s: %s", arg_help(ARG_YANK), what);
}

/* Metrics */

static int find_wish(const struct metric_wishes *w, const char *name, const char *component)
{
	for (int i = 0; i < w->count; i++)
		if (strcmp(w->rows[i].name, name) == 0 &&
		    strcmp(w->rows[i].component, component) == 0)
			return i;
	return -1;
}

static void apply_metrics(struct call *c)
{
	struct app *a = c->app;

	for (int i = 0; i < a->tab_count; i++)
		tab_metrics(a->tabs[i], &a->wishes);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
}

static enum status metric_add(struct call *c, struct error *e)
{
	struct metric_wishes *w = &c->app->wishes;
	const char *component = c->argc > 1 ? c->argv[1] : "";
	struct metric_wish wish = {.hidden = false};
	struct curve_source source;

	if (find_wish(w, c->argv[0], component) >= 0)
		return error_set(e, STATUS_USAGE, "%s is shown already", c->argv[0]);
	if (w->count == STRIP_MAX)
		return error_set(e, STATUS_USAGE, "at most %d metrics: metric remove one first",
				 STRIP_MAX);
	if (!*c->argv[0] || strlen(c->argv[0]) + strlen(component) + 2 > METRIC_NAME)
		return error_set(e, STATUS_USAGE, "a metric's name has 1 to %d bytes",
				 METRIC_NAME - 2);
	strcpy(wish.name, c->argv[0]);
	strcpy(wish.component, component);
	if (!c->app->configuring && c->app->tab && !tab_curve(c->app->tab, &wish, &source))
		return error_set(e, STATUS_USAGE, "the trace has no metric %s%s%s", c->argv[0],
				 *component ? " of " : "", component);
	w->rows[w->count++] = wish;
	apply_metrics(c);
	return STATUS_OK;
}

static enum status chosen_wish(struct call *c, int *out, struct error *e)
{
	const struct tab *t = c->app->tab;
	int64_t n;

	*out = find_wish(&c->app->wishes, c->argv[0], c->argc > 1 ? c->argv[1] : "");
	/* also by its line in the strip, from 1 */
	if (*out < 0 && t && num_parse_i64(c->argv[0], &n) && n >= 1 && n <= t->strip.count)
		for (int i = 0; i < c->app->wishes.count; i++) {
			char label[METRIC_NAME];

			metric_label(&c->app->wishes.rows[i], label);
			if (strcmp(label, t->strip.lines[n - 1].name) == 0)
				*out = i;
		}
	if (*out < 0)
		return error_set(e, STATUS_NOT_FOUND, "no line of the strip shows %s", c->argv[0]);
	return STATUS_OK;
}

static enum status metric_remove(struct call *c, struct error *e)
{
	struct metric_wishes *w = &c->app->wishes;
	int i;

	if (chosen_wish(c, &i, e))
		return STATUS_NOT_FOUND;
	w->count--;
	memmove(&w->rows[i], &w->rows[i + 1], (size_t)(w->count - i) * sizeof(w->rows[0]));
	apply_metrics(c);
	return STATUS_OK;
}

enum { SHOW, HIDE, TOGGLE };

static enum status metric_visible(struct call *c, struct error *e)
{
	int i, hidden = c->command->arg;

	if (chosen_wish(c, &i, e))
		return STATUS_NOT_FOUND;
	c->app->wishes.rows[i].hidden = hidden == TOGGLE ? !c->app->wishes.rows[i].hidden : hidden;
	apply_metrics(c);
	return STATUS_OK;
}

/* Gutter columns */

static enum status column(struct call *c, struct error *e)
{
	struct options *o = &c->app->set;

	for (int i = 0; i < GUTTER_COUNT; i++) {
		const char *name = option_infos[OPT_COLUMN_MARK + i].name + strlen("column-");

		if (strcmp(name, c->argv[0]) != 0)
			continue;
		if (c->argc > 1 && option_set(o, (enum option)(OPT_WIDTH_MARK + i), c->argv[1], e))
			return STATUS_USAGE;
		o->value[OPT_COLUMN_MARK + i] = c->argc > 1 || !o->value[OPT_COLUMN_MARK + i];
		c->react |= app_apply(c->app, EFFECT_VIEW | EFFECT_LAYOUT);
		return STATUS_OK;
	}
	return error_set(e, STATUS_USAGE, "a column is %s, not: %s", arg_help(ARG_COLUMN),
			 c->argv[0]);
}

const struct command view_commands[] = {
    {"zoom in", "[N]", "closer, around the cursor: rows and cycles", .run = zoom,
     .flags = CMD_TRACE, .arg = -ZOOM_BOTH},
    {"zoom out", "[N]", "farther: two rows a line and two cycles a column become one", .run = zoom,
     .flags = CMD_TRACE, .arg = ZOOM_BOTH},
    {"zoom rows-in", "[N]", "fewer rows a line", .run = zoom, .flags = CMD_TRACE,
     .arg = -ZOOM_ROWS},
    {"zoom rows-out", "[N]", "more rows a line", .run = zoom, .flags = CMD_TRACE, .arg = ZOOM_ROWS},
    {"zoom cycles-in", "[N]", "fewer cycles a column", .run = zoom, .flags = CMD_TRACE,
     .arg = -ZOOM_TICKS},
    {"zoom cycles-out", "[N]", "more cycles a column", .run = zoom, .flags = CMD_TRACE,
     .arg = ZOOM_TICKS},
    {"zoom fit", "", "the whole trace on one screen", .run = zoom_fit,
     .flags = CMD_TRACE | CMD_JUMP},
    {"zoom reset", "", "a line for each row, a column for each cycle", .run = zoom_reset,
     .flags = CMD_TRACE},
    {"select", "", "select cells from here to the cursor; again: end it", .run = select_some,
     .flags = CMD_TRACE, .arg = SELECT_CELLS},
    {"select rows", "", "select whole rows", .run = select_some, .flags = CMD_TRACE,
     .arg = SELECT_ROWS},
    {"select cycles", "", "select whole cycles", .run = select_some, .flags = CMD_TRACE,
     .arg = SELECT_TICKS},
    {"select swap", "", "go to the other end of the selection", .run = select_swap,
     .flags = CMD_TRACE},
    {"select none", "", "end the selection", .run = select_some, .flags = CMD_TRACE,
     .arg = SELECT_NONE},
    {"distance", "[MARK] [MARK]", "cycles, rows and IPC from a mark to the cursor or a second mark",
     .run = distance, .flags = CMD_TRACE},
    {"yank", "[WHAT]", "copy the rows selected, or the row under the cursor", .run = yank,
     .flags = CMD_TRACE},
    {"metric add", "METRIC [NAME]", "show a curve; NAME: of the stages it matches",
     .run = metric_add},
    {"metric remove", "METRIC [NAME]", "take a curve out of the strip", .run = metric_remove},
    {"metric hide", "METRIC [NAME]", "hide a curve, by its name or line", .run = metric_visible,
     .arg = HIDE},
    {"metric show", "METRIC [NAME]", "show it again", .run = metric_visible, .arg = SHOW},
    {"metric toggle", "METRIC [NAME]", "hide it or show it again", .run = metric_visible,
     .arg = TOGGLE},
    {"column", "COLUMN [N]", "show or hide a column; with a number, its width", .run = column},
    {"links", "", "list what the row waited for and what waited for it; Enter goes there",
     .run = list_links, .flags = CMD_TRACE},
    {"links row", "", "draw the links of the row under the cursor", .run = links_show,
     .arg = LINKS_ROW},
    {"links all", "", "draw all links between visible rows; again: the row's", .run = links_show,
     .arg = LINKS_ALL},
    {"links off", "", "draw no links", .run = links_show, .arg = LINKS_OFF},
    {"set link-stages", "[TEXT]",
     "stages that links join, PRODUCER:CONSUMER; alone: one with an X, or that executes",
     .run = set_link_stages},
    {"chain", "", "mark all that the row waited for, through others too, and all that did for it",
     .run = chain, .flags = CMD_TRACE},
    {"chain none", "", "mark no chain", .run = chain_none, .flags = CMD_TRACE},
    {"lanes split", "", "a line for each lane under its row; again: over its cells",
     .run = lanes_split},
    {"lanes hide", "NAME", "leave a lane out", .run = lanes_hide},
    {"lanes show", "[NAME]", "show it again; alone: all of them", .run = lanes_show,
     .flags = CMD_TRACE},
    {"set colour-by", "[NAME]", "colour cells by stage or thread; alone: by the other",
     .run = set_colour_by},
    {"set time", "[NAME]", "tell time in cycles or ticks; alone: in the other", .run = set_time},
    {.name = NULL},
};
