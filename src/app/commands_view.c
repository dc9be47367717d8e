#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/state.h"
#include "base/num.h"
#include "base/text.h"

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
	struct view *v = c->app->tab->view;
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	for (n = n > 64 ? 64 : n; n > 0; n--) {
		bool both = rows && ticks;
		int items = both && ticks > 0 && v->axis->zoom < 0 ? 0 : rows;

		if (both && ticks < 0 && v->kind->place(v).item_zoom == 0)
			items = 0;
		if (resources_alone(c->app)) /* items that nobody sees have no part in it */
			timeline_zoom(v, 0, ticks);
		else
			v->kind->zoom(v, items, ticks);
	}
	return STATUS_OK;
}

static void zoom_fit(struct call *c)
{
	struct view *v = c->app->tab->view;

	if (!v->axis->selecting || v->kind->fit != timeline_fit) {
		v->kind->fit(v);
		return;
	}
	axis_fit_selected(v->axis);
	v->kind->settle(v);
}

static void zoom_reset(struct call *c)
{
	struct view *v = c->app->tab->view;

	v->kind->zoom(v, -v->kind->place(v).item_zoom, -v->axis->zoom);
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
}

static enum status metric_add(struct call *c, struct error *e)
{
	struct metric_wishes *w = &c->app->wishes;
	const char *component = c->argc > 1 ? c->argv[1] : "";
	struct metric_wish wish = {.hidden = false};
	struct curve_source source;
	int known;

	if (c->app->tab)
		tab_wish(c->app->tab, w);
	known = find_wish(w, c->argv[0], component);
	if (known < 0 && w->count == STRIP_MAX)
		return error_set(e, STATUS_USAGE, "at most %d metrics: remove one first (metric remove)",
				 STRIP_MAX);
	if (!*c->argv[0] || strlen(c->argv[0]) + strlen(component) + 2 > METRIC_NAME)
		return error_set(e, STATUS_USAGE, "a metric's name has 1 to %d bytes",
				 METRIC_NAME - 2);
	strcpy(wish.name, c->argv[0]);
	strcpy(wish.component, component);
	if (!c->app->configuring && c->app->tab && !tab_curve(c->app->tab, &wish, NULL, &source))
		return error_set(e, STATUS_USAGE, "the trace has no metric %s%s%s", c->argv[0],
				 *component ? " of " : "", component);
	if (known >= 0)
		return error_set(e, STATUS_USAGE, "%s is shown already", c->argv[0]);
	w->rows[w->count++] = wish;
	apply_metrics(c);
	if (resources_have_keys(c->app)) /* whoever looks at curves sees it */
		metric_label(&wish, c->app->resources.look.selected);
	return STATUS_OK;
}

static enum status chosen_wish(struct call *c, int *out, struct error *e)
{
	const struct tab *t = c->app->tab;
	int64_t n;

	if (c->app->tab)
		tab_wish(c->app->tab, &c->app->wishes);
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
		return error_set(e, STATUS_NOT_FOUND, "no curve shows %s", c->argv[0]);
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

const struct command view_commands[] = {
    {"zoom in", "[N]", "zoom in on the cursor, both rows and cycles", .run = zoom,
     .flags = CMD_TRACE, .arg = -ZOOM_BOTH},
    {"zoom out", "[N]", "zoom out: a cell shows twice the rows and cycles", .run = zoom,
     .flags = CMD_TRACE, .arg = ZOOM_BOTH},
    {"zoom rows-in", "[N]", "show fewer rows per line", .run = zoom, .flags = CMD_TRACE,
     .arg = -ZOOM_ROWS},
    {"zoom rows-out", "[N]", "show more rows per line", .run = zoom, .flags = CMD_TRACE, .arg = ZOOM_ROWS},
    {"zoom cycles-in", "[N]", "show fewer cycles per column", .run = zoom, .flags = CMD_TRACE,
     .arg = -ZOOM_TICKS},
    {"zoom cycles-out", "[N]", "show more cycles per column", .run = zoom, .flags = CMD_TRACE,
     .arg = ZOOM_TICKS},
    {"zoom fit", "",
     "show the whole trace on one screen, or the selected time in a view without rows", .act = zoom_fit,
     .flags = CMD_TRACE | CMD_JUMP},
    {"zoom reset", "", "show one row per line and one cycle per column", .act = zoom_reset,
     .flags = CMD_TRACE},
    {"metric add", "METRIC [NAME]", "add a curve; NAME picks stages or components",
     .run = metric_add},
    {"metric remove", "METRIC [NAME]", "remove a curve", .run = metric_remove},
    {"metric hide", "METRIC [NAME]", "hide a curve by its name or line", .run = metric_visible,
     .arg = HIDE},
    {"metric show", "METRIC [NAME]", "show a hidden curve again", .run = metric_visible, .arg = SHOW},
    {"metric toggle", "METRIC [NAME]", "hide a curve or show it again", .run = metric_visible,
     .arg = TOGGLE},
    {.name = NULL},
};
