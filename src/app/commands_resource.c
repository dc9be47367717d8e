#include "config.h"

#include "app/commands_resource.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "app/state.h"
#include "base/num.h"

static const char *const place_names[RESOURCE_PLACES] = {
#define PLACE_NAME(name, text, help) text,
    RESOURCE_PLACE_INFO(PLACE_NAME)
#undef PLACE_NAME
};

/* ---- drawing ---- */

bool resources_alone(const struct app *a)
{
	const struct tab *t = a->tab;

	if (!t || joined_shown(a))
		return false;
	return t->view->kind == &curves_view_kind ||
	       (a->resources.place == RESOURCE_ALONE && t->view == t->views[0] &&
		t->trace->kind->metric_count);
}

bool resources_select_time(const struct app *a)
{
	return !a->tab->view->kind->selection || resources_alone(a);
}

bool resources_have_keys(const struct app *a)
{
	const struct joined *j = joined_shown(a);

	return resources_alone(a) || (j && j->ops->whole);
}

/* Of a mark; '\0': the cursor. */
static bool find_place(const struct tab *t, char letter, struct place *out)
{
	if (letter)
		return places_at(&t->places, letter, out);
	*out = tab_place(t);
	return true;
}

/* "a to cursor: 22 committed in 20 cycles, IPC 1.10" */
static bool slope_text(const struct app *a, const struct place *from, const struct place *to,
		       struct sbuf *out)
{
	struct view *v = a->tab->view;
	char end = a->resources.slope.to;

	sbuf_printf(out, "%c to ", a->resources.slope.from);
	if (end)
		sbuf_putc(out, end);
	else
		sbuf_puts(out, "cursor");
	sbuf_puts(out, ": ");
	if (v->kind->slope)
		return v->kind->slope(v, from, to, out);
	axis_tell_length(v->axis,
			 from->tick < to->tick ? to->tick - from->tick : from->tick - to->tick, out);
	return true;
}

/* False: no slope is asked for, or its marks are gone. */
static bool find_slope(struct app *a, struct resource_slope *out, struct sbuf *text)
{
	struct tab *t = a->tab;
	struct place from, to;

	if (!a->resources.slope.on || !find_place(t, a->resources.slope.from, &from) ||
	    !find_place(t, a->resources.slope.to, &to) || !slope_text(a, &from, &to, text))
		return false;
	*out = (struct resource_slope){true, {from.tick, to.tick}, sbuf_text(text)};
	return true;
}

struct resource_frame resources_frame(const struct tab *t)
{
	return (struct resource_frame){.axis = t->view->axis,
				       .component = t->strip.component,
				       .marks = &t->places.marks};
}

enum status resources_draw(struct app *a, struct grid *g, struct error *e)
{
	struct tab *t = a->tab;
	struct resource_frame frame = resources_frame(t);
	struct sbuf text = {0};
	enum status status;

	t->strip.look = &a->resources.look;
	if (a->layout.strip.h <= 0)
		return STATUS_OK;
	frame.alone = resources_alone(a);
	if (!frame.alone && a->resources.place == RESOURCE_STRIP)
		return strip_draw(&t->strip, frame.axis, g, a->layout.strip, &a->palette, e);
	find_slope(a, &frame.slope, &text);
	status = resource_draw(t->strip.graph, &a->resources.look, t->strip.lines, t->strip.count,
			       &frame, g, a->layout.strip, &a->palette, e);
	sbuf_free(&text);
	return status;
}

void resources_click(struct app *a, int x)
{
	struct tab *t = a->tab;
	struct place m;
	int64_t tick;
	uint64_t index;

	/* the axis is the view's, and so are its columns: any line of it will do */
	for (int y = 0; y < 3; y++)
		if (t->view->kind->hit(t->view, x - a->layout.strip.x, y, &index, &tick)) {
			find_place(t, '\0', &m);
			t->view->kind->go(t->view, m.item, tick);
			view_moved(t->view);
			return;
		}
}

void resources_hint(const struct app *a, struct sbuf *out)
{
	const bool alone = a->tab && a->tab->view->kind == &curves_view_kind;
	const struct app_hint hints[] = {
	    {"metric toggle 1", NULL, "to t0 hide"}, {"curve next", NULL, "next line"},
	    {"set scale", NULL, "scale"},            {"slope", NULL, "slope"},
	    {alone ? "view enter" : "view back", NULL, alone ? "all metrics" : "back"}, {.what = NULL}};

	app_hints(a, KEYS_RESOURCE, hints, INT_MAX, out);
	sbuf_puts(out, "  :metric add");
}

/* ---- commands ---- */

/* Rows that live at the cycle to which one went meanwhile come into sight again. */
static void change_place(struct call *c, enum resource_place place)
{
	struct resources *r = &c->app->resources;
	struct tab *t = c->app->tab;
	bool left = r->place == RESOURCE_ALONE && place != RESOURCE_ALONE;
	struct error ignored;

	if (t && t->view != t->views[0] && (place != RESOURCE_BELOW || t->view->kind->whole))
		view_show(c->app, t->views[0]->kind, &ignored);
	if (t && place == RESOURCE_ALONE && r->place != RESOURCE_ALONE)
		r->since = t->view->axis->tick;
	r->place = place;
	app_relayout(c->app);
	if (t && left && t->view->axis->tick != r->since)
		t->view->kind->go_tick(t->view, t->view->axis->tick);
}

bool resources_leave(struct call *c)
{
	const struct view *v = c->app->tab->view;
	bool first = v == c->app->tab->views[0], alone = resources_alone(c->app);

	if (first ? !alone || v->kind == &curves_view_kind : v->kind->escape != NULL)
		return false;
	change_place(c, alone ? RESOURCE_STRIP : c->app->resources.place);
	return true;
}

enum status view_switch(struct call *c, const struct view_kind *kind, struct error *e)
{
	if (c->app->resources.place == RESOURCE_ALONE)
		c->app->resources.place = RESOURCE_STRIP;
	return view_show(c->app, kind, e);
}

enum status view_named(struct call *c, struct error *e)
{
	const char *name = strchr(c->command->name, ' ') + 1;
	int i = 0;

	while (!view_kinds[i]->name || strcmp(view_kinds[i]->name, name) != 0)
		i++;
	return view_switch(c, view_kinds[i], e);
}

/* The place that the command is named after. */
static void view_place(struct call *c)
{
	const char *name = strchr(c->command->name, ' ') + 1;

	for (int i = 0; i < RESOURCE_PLACES; i++)
		if (strcmp(place_names[i], name) == 0)
			change_place(c, (enum resource_place)i);
}

enum { BACK, ENTER };

/* From the curves; with a pane beside them, or nothing else, what the key does elsewhere. */
static enum status view_back(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;

	if (c->command->arg == BACK && c->app->panes.count)
		return app_run(c->app, "close", -1, e);
	if (t && (t->view->kind == &curves_view_kind ||
		  (t->view == t->views[0] && t->view->kind->whole && !resources_alone(c->app))))
		return app_run(c->app, c->command->arg == BACK ? "close" : "enter", -1, e);
	change_place(c, RESOURCE_STRIP);
	return STATUS_OK;
}

/* The places of curves are all one where the first view has nothing but curves. */
static bool is_last_place(const struct app *a, const struct tab *t)
{
	return a->resources.place == RESOURCE_PLACES - 1 || t->view->kind == &curves_view_kind ||
	       t->view->kind->whole;
}

/* From place to place under the first view, then to the other views. */
static enum status view_next(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct tab *t = a->tab;
	int i = 0;

	while (t && t->views[i] != t->view)
		i++;
	if (t && i + 1 < t->view_count && (i || is_last_place(a, t)))
		return view_switch(c, t->views[i + 1]->kind, e);
	change_place(c, i || (t && t->view_count > 1 && is_last_place(a, t))
			    ? RESOURCE_STRIP
			    : (enum resource_place)((a->resources.place + 1) % RESOURCE_PLACES));
	return STATUS_OK;
}

/* A line of the current tab by its number or its name: METRIC [NAME]; NULL, e set: none. */
static const char *find_line(struct call *c, int arg, struct error *e)
{
	const struct strip *s = &c->app->tab->strip;
	struct metric_wish wish = {.hidden = false};
	char label[METRIC_NAME];
	int64_t n;

	if (num_parse_i64(c->argv[arg], &n) && n >= 0 && (n ? n : RESOURCE_MAX) <= s->count)
		return s->lines[(n ? n : RESOURCE_MAX) - 1].name;
	snprintf(wish.name, sizeof(wish.name), "%s", c->argv[arg]);
	snprintf(wish.component, sizeof(wish.component), "%s",
		 arg + 1 < c->argc ? c->argv[arg + 1] : "");
	metric_label(&wish, label);
	for (int i = 0; i < s->count; i++)
		if (*label && strcmp(s->lines[i].name, label) == 0)
			return s->lines[i].name;
	error_set(e, STATUS_NOT_FOUND, "no curve shows %s: type :metric add %s", c->argv[arg],
		  c->argv[arg]);
	return NULL;
}

static void curve_step(struct call *c)
{
	const struct strip *s = &c->app->tab->strip;

	resource_select_next(&c->app->resources.look, s->lines, s->count, c->command->arg);
}

static enum status curve_select(struct call *c, struct error *e)
{
	struct resource_look *look = &c->app->resources.look;
	const char *name = find_line(c, 0, e);

	if (!name)
		return STATUS_NOT_FOUND;
	snprintf(look->selected, sizeof(look->selected), "%s", name);
	return STATUS_OK;
}

static enum status set_scale(struct call *c, struct error *e)
{
	struct resource_look *look = &c->app->resources.look;
	struct scale scale = {look->scale.kind == SCALE_SHARED ? SCALE_AUTO : SCALE_SHARED, 0, 0};
	const char *name = NULL;
	struct sbuf shown = {0};

	if (c->argc && scale_parse(c->argv[0], &scale, e))
		return STATUS_USAGE;
	if (c->argc > 1 && !c->app->tab)
		return error_set(e, STATUS_NOT_FOUND, "no trace is open");
	if (c->argc > 1) {
		name = find_line(c, 1, e);
		if (!name)
			return STATUS_NOT_FOUND;
	}
	if (!resource_set_scale(look, name, &scale))
		return error_set(e, STATUS_USAGE,
				 "at most %d curves can have their own scale: set one for all first",
				 RESOURCE_MAX);
	scale_show(&scale, &shown);
	if (!c->app->configuring)
		app_message(c->app, false, "scale of %s: %s", name ? name : "all curves",
			    sbuf_text(&shown));
	sbuf_free(&shown);
	return STATUS_OK;
}

static enum status slope_end(struct call *c, const char *name, char *out, struct error *e)
{
	struct place m;

	if (!name[0] || name[1] || !find_place(c->app->tab, name[0], &m))
		return error_set(e, STATUS_NOT_FOUND, "mark %s is not set", name);
	*out = name[0];
	return STATUS_OK;
}

/* Where curves are large: they show it. Without a mark named, again: none. */
static enum status slope(struct call *c, struct error *e)
{
	struct resources *r = &c->app->resources;
	struct tab *t = c->app->tab;
	char newest[2] = {t->places.newest ? t->places.newest : '\'', '\0'};
	char from = '\0', to = '\0';

	if (!c->argc && r->slope.on) {
		r->slope.on = false;
		return STATUS_OK;
	}
	if (!c->argc && !t->places.newest && !t->places.has_before)
		return error_set(e, STATUS_NOT_FOUND, "set a mark first: the slope starts there");
	if (slope_end(c, c->argc ? c->argv[0] : newest, &from, e) ||
	    (c->argc > 1 && slope_end(c, c->argv[1], &to, e)))
		return STATUS_NOT_FOUND;
	r->slope.on = true;
	r->slope.from = from;
	r->slope.to = to;
	if (r->place == RESOURCE_STRIP)
		change_place(c, RESOURCE_BELOW);
	return STATUS_OK;
}

#define PLACE_ROW(name, text, help) {"view " text, "", help, .act = view_place},

const struct command resource_commands[] = {
    RESOURCE_PLACE_INFO(PLACE_ROW){"view next", "", "switch to the next of these views and, after them, to the overview", .run = view_next},
    {"view back", "", "close a pane, else go from the curves to the rows, else close",
     .run = view_back, .arg = BACK},
    {"view enter", "", "the same; without rows, list all metrics", .run = view_back, .arg = ENTER},
    {"curve next", "", "select the next visible curve", .act = curve_step, .flags = CMD_TRACE,
     .arg = 1},
    {"curve prev", "", "select the previous visible curve", .act = curve_step, .flags = CMD_TRACE, .arg = -1},
    {"curve select", "METRIC [NAME]", "select a curve by its name or number", .run = curve_select,
     .flags = CMD_TRACE},
    {"set scale", "[NAME] [METRIC] [NAME]",
     "set the scale of all curves or one: auto, shared or LOW:HIGH; no argument: toggle", .run = set_scale},
    {"slope", "[MARK] [MARK]",
     "show instructions, cycles, IPC and the selected curve's change from a mark to the "
     "cursor or a second mark; repeat to hide", .run = slope, .flags = CMD_TRACE},
    {.name = NULL},
};
