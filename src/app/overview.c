#include "config.h"

#include "app/overview.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/metrics.h"
#include "app/state.h"
#include "base/text.h"
#include "base/xalloc.h"

static struct overview *of(const struct view *v)
{
	return &((struct overview_view *)(uintptr_t)v)->overview;
}

struct overview_view *overview_of(const struct tab *t)
{
	return (struct overview_view *)tab_view(t, &overview_view_kind);
}

static bool is_first(const struct view *v)
{
	return v->tab->views[0] == v;
}

static struct view *make(struct app *a, struct tab *t)
{
	struct overview_view *v = xcalloc(1, sizeof(*v));

	overview_init(&v->overview, t->trace);
	v->base = (struct view){.kind = &overview_view_kind,
				.tab = t,
				.app = a,
				.axis = &v->overview.time.axis};
	return &v->base;
}

static void view_free(struct view *v)
{
	regex_free(((struct overview_view *)v)->search);
	overview_free(of(v));
	free(v);
}

static void reopen(struct view *v)
{
	overview_reopen(of(v), v->tab->trace);
}

static unsigned progress(struct view *v, const struct progress *p)
{
	(void)p;
	return overview_progress(of(v)) ? VIEW_FILLS : VIEW_SAME;
}

/* Where it is what a trace begins with, all of it. */
static void home(struct view *v)
{
	v->axis->tick = v->axis->first;
	if (is_first(v))
		curves_fit(&of(v)->time);
}

static void layout(struct view *v, int full_width, int w, int h)
{
	bool begins = !v->axis->columns && v->tab->placed && is_first(v);

	(void)full_width;
	overview_layout(of(v), w, h);
	if (begins)
		curves_fit(&of(v)->time);
}

static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	return overview_draw(of(v), &a->resources.look, &v->tab->places.marks, g, area, &a->palette,
			     e);
}

static int lines(const struct view *v)
{
	return overview_shown(of(v));
}

static void move(struct view *v, int64_t down, int64_t columns)
{
	if (down)
		overview_move(of(v), down);
	if (columns)
		axis_move(v->axis, columns);
}

static void scroll(struct view *v, int64_t down, int64_t columns)
{
	if (down)
		overview_scroll(of(v), down);
	if (columns)
		axis_scroll(v->axis, columns);
}

static void center(struct view *v)
{
	overview_center(of(v));
}

/* The height of panels is theirs, not the place's: to go back to a place leaves it alone. */
static void zoom(struct view *v, int items, int ticks)
{
	(void)items;
	axis_zoom(v->axis, ticks);
}

static void fit(struct view *v)
{
	curves_fit(&of(v)->time);
}

static struct place place(const struct view *v)
{
	return curves_place(&of(v)->time);
}

static void go_tick(struct view *v, int64_t tick)
{
	axis_goto(v->axis, tick);
}

static void go(struct view *v, uint64_t item, int64_t tick)
{
	(void)item;
	if (tick != TICK_NONE)
		go_tick(v, tick);
}

/* The index is the line. */
static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	size_t line;

	if (!overview_hit(of(v), x, y, &line, tick))
		return false;
	*index = line;
	return true;
}

static void click(struct view *v, uint64_t index, int64_t tick)
{
	of(v)->cursor = (size_t)index;
	if (tick != TICK_NONE)
		axis_goto(v->axis, tick);
}

/* Two traces share the window in what each begins with. */
static enum status compare(struct app *a, struct tab *const side[2], int way, struct error *e)
{
	for (int s = 0; s < 2; s++)
		side[s]->view = side[s]->views[0];
	if (is_first(side[0]->view) && side[0]->view->kind == &overview_view_kind)
		return timed_begin(a, side, way, e);
	return side[0]->view->kind->compare(a, side, way, e);
}

static bool filter(struct view *v, const struct regex *components)
{
	return overview_filter(of(v), components);
}

static bool has_curve(const struct tab *t, const struct metric_wish *wish)
{
	char label[METRIC_NAME];
	bool found = false;

	metric_label(wish, label);
	for (int i = 0; i < t->strip.count; i++)
		found = found || strcmp(t->strip.lines[i].name, label) == 0;
	return found;
}

/* The curves of a component, where no view shows it by itself. One that is there already stays. */
static enum status add_curves(struct app *a, struct overview *o, const char *name, struct error *e)
{
	struct sbuf pattern = {0}, line = {0};
	enum status status = STATUS_OK;

	metric_component_pattern(name, &pattern);
	for (int k = 0; k < OVERVIEW_METRICS && *o->metric[k] && !status; k++) {
		struct metric_wish wish = {.hidden = false};
		struct curve_source source;
		unsigned ignored = REACT_NONE;

		if (strlen(o->metric[k]) + pattern.len + 2 > METRIC_NAME)
			continue;
		strcpy(wish.name, o->metric[k]);
		strcpy(wish.component, sbuf_text(&pattern));
		if (!tab_curve(a->tab, &wish, &source) || has_curve(a->tab, &wish))
			continue;
		sbuf_clear(&line);
		metric_add_line(wish.name, name, &line);
		status = app_run(a, sbuf_text(&line), -1, &ignored, e);
	}
	sbuf_free(&pattern);
	sbuf_free(&line);
	return status;
}

/* In the first view that knows it; where none does its curves are. */
static enum status open_component(struct app *a, struct view *v, const char *name, struct error *e)
{
	struct tab *t = v->tab;

	for (int i = 0; i < t->view_count; i++) {
		const struct view_kind *k = t->views[i]->kind;

		if (k->component && k->component(t->views[i], name))
			return view_show(a, k, e);
	}
	if (add_curves(a, of(v), name, e))
		return STATUS_USAGE;
	if (!is_first(v))
		return view_show(a, t->views[0]->kind, e);
	return app_run(a, "view resources", -1, &(unsigned){REACT_NONE}, e);
}

static enum status enter(struct app *a, struct view *v, struct error *e)
{
	struct overview *o = of(v);
	size_t node = overview_node(o);

	if (node == TREE_NONE)
		return error_set(e, STATUS_NOT_FOUND, "there are no components");
	if (o->tree.nodes.data[node].component)
		return open_component(a, v, o->tree.nodes.data[node].name, e);
	overview_fold(o);
	return STATUS_OK;
}

static void status(struct view *v, int width, struct sbuf *out)
{
	const struct overview *o = of(v);
	struct sbuf more = {0};

	curves_status(&o->time, out);
	if (v->app->resources.look.scale.kind == SCALE_SHARED)
		sbuf_puts(&more, "  shared scale");
	if (*o->sort)
		sbuf_printf(&more, "  by %s", o->sort);
	if (text_width(sbuf_text(out), out->len) + text_width(sbuf_text(&more), more.len) <= width)
		sbuf_add(out, sbuf_text(&more), more.len);
	sbuf_free(&more);
}

static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	static const struct {
		const char *command, *second, *what;
	} hints[] = {{"enter", NULL, "open"},
		     {"overview lower", "overview higher", "height"},
		     {"overview fold", NULL, "fold"},
		     {"set scale", NULL, "scale"},
		     {"ask command overview metric", NULL, "metric"},
		     {"view back", NULL, "back"}};

	overview_describe(of(v), out);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		struct sbuf hint = {0};

		app_hint(a, KEYS_OVERVIEW, hints[i].command, hints[i].second, hints[i].what, &hint);
		if (hint.len && text_width(sbuf_text(out), out->len) + 2 + (int)hint.len <= width)
			sbuf_printf(out, "  %s", sbuf_text(&hint));
		sbuf_free(&hint);
	}
}

static void narrowed(const struct view *v, int columns, struct sbuf *out)
{
	if (!v->tab->components)
		return;
	sbuf_puts(out, "  components: /");
	text_cut(out, regex_pattern(v->tab->components), columns ? columns : 1);
	sbuf_putc(out, '/');
}

const struct view_kind overview_view_kind = {
    .name = "overview",
    .beside = true,
    .whole = true,
    .metrics = true,
    .mode = KEYS_OVERVIEW,
    .make = make,
    .free = view_free,
    .reopen = reopen,
    .progress = progress,
    .home = home,
    .layout = layout,
    .draw = draw,
    .lines = lines,
    .move = move,
    .scroll = scroll,
    .center = center,
    .zoom = zoom,
    .fit = fit,
    .place = place,
    .go = go,
    .go_tick = go_tick,
    .hit = hit,
    .click = click,
    .compare = compare,
    .filter = filter,
    .enter = enter,
    .status = status,
    .describe = describe,
    .narrowed = narrowed,
};
