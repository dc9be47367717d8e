#include "config.h"

#include "app/state.h"

enum {
	TITLE_MIN_LINES = 6, /* fewer lines leave the title out */
	STRIP_MIN_LINES = 14,
	STRIP_TALL_LINES = 40, /* from there on a curve of it has several lines */
	BELOW_LEAST = 12, /* lines of rows and large curves: fewer have no curves under the rows */
	BELOW_SHARE = 2,
	NO_TAB_LINE = 2
};

/* What curves take of so many lines. */
static int strip_lines(const struct app *a, int h)
{
	const struct joined *j = joined_shown(a);
	const struct tab *t = a->tab;
	int body = h - (a->set.value[OPT_TITLE] && h >= TITLE_MIN_LINES) - (h >= 2), wanted;

	if (resources_alone(a))
		return body;
	if (!t || (!j && t->view->kind->whole) || !a->set.value[OPT_STRIP] || a->maximised)
		return 0;
	if (!j && a->resources.place != RESOURCE_STRIP)
		return body >= BELOW_LEAST && strip_height(&t->strip, 0) ? body / BELOW_SHARE : 0;
	if (h < STRIP_MIN_LINES)
		return 0;
	if (j)
		return joined_strip_lines(j, h);
	wanted = strip_height(&t->strip, h < STRIP_TALL_LINES ? 0 : h / 4);
	return wanted < h / 3 ? wanted : h / 3;
}

static void layout_trace(struct tab *t, const struct layout *l)
{
	/* where curves have the window, the items keep their place in it */
	t->view->kind->layout(t->view, l->w, l->view.w, l->view.h > 0 ? l->view.h : l->body.h);
}

void app_layout(struct app *a, int w, int h)
{
	struct layout *l = &a->layout;
	int top = a->set.value[OPT_TITLE] && h >= TITLE_MIN_LINES;
	int bottom = h >= 2;
	int below = panes_below_height(a, w, h);
	int strip = strip_lines(a, h - below);
	int side = panes_side_width(a, w, h);

	*l = (struct layout){.w = w, .h = h};
	l->title = (struct rect){0, 0, w, top};
	l->body = (struct rect){0, top, w, h - top - bottom};
	l->view = (struct rect){0, top, w - side, l->body.h - below - strip};
	l->strip = (struct rect){0, top + l->view.h, w - side, strip};
	l->side = (struct rect){w - side, top, side, l->body.h - below};
	l->below = (struct rect){0, top + l->body.h - below, w, below};
	l->status = (struct rect){0, h - bottom, w, bottom};
	l->menu = (struct rect){0, h - bottom - 1, w, l->body.h > 1 ? 1 : 0};
	if (joined_shown(a))
		joined_layout(a, l->view);
	else if (a->tab)
		layout_trace(a->tab, l);
}

void app_relayout(struct app *a)
{
	app_layout(a, a->layout.w, a->layout.h);
}

static enum status draw_trace(struct app *a, struct grid *g, struct error *e)
{
	struct tab *t = a->tab;
	enum status status = STATUS_OK;

	if (!resources_alone(a))
		status = t->view->kind->draw(a, t->view, g, a->layout.view, e);
	if (!status)
		status = resources_draw(a, g, e);
	return status;
}

/* Nothing to see: why. */
static void draw_nothing(const struct app *a, struct grid *g, struct style style)
{
	struct rect area = a->layout.view;
	struct sbuf why = {0};

	if (!launch_awaits(a, &why))
		sbuf_puts(&why, "no trace is open: type :open FILE");
	grid_text(g, area, area.x + 2, area.y + NO_TAB_LINE, sbuf_text(&why), why.len, style);
	sbuf_free(&why);
}

enum status app_draw(struct app *a, struct grid *g, struct error *e)
{
	struct style text = palette_style(&a->palette, ROLE_TEXT);
	enum status status = app_await(a, e);
	int below;

	if (status)
		return status;
	panes_refresh(a, true);
	for (int i = 0; i < a->tab_count; i++)
		tab_look(a->tabs[i], &a->wishes);
	/* a curve that came or went changes the height of the strip, lines those of a pane */
	below = panes_below_height(a, g->w, g->h);
	if (g->w != a->layout.w || g->h != a->layout.h || a->layout.below.h != below ||
	    a->layout.strip.h != strip_lines(a, g->h - below))
		app_layout(a, g->w, g->h);
	g->ascii = a->options.ascii;
	g->cursor_x = g->cursor_y = -1;
	grid_clear(g, text);
	views_prepare(a);
	if (joined_shown(a))
		status = joined_draw(a, g, e);
	else if (a->tab)
		status = draw_trace(a, g, e);
	else if (a->layout.view.h > NO_TAB_LINE && !traces_alone(a))
		draw_nothing(a, g, text);
	title_draw(a, g);
	panes_draw(a, g);
	next_keys_draw(a, g);
	if (a->prompt.open && (a->prompt.menu.words.count > 1 || a->prompt.menu.nothing) &&
	    a->layout.menu.h > 0)
		prompt_draw_menu(a, g, a->layout.menu);
	status_draw(a, g);
	return status;
}

enum status app_export(struct app *a, enum grid_format format, struct sbuf *out, struct error *e)
{
	struct grid g = {.ascii = a->options.ascii};
	enum status status;

	if (!grid_resize(&g, a->layout.w > 0 ? a->layout.w : 80,
			 a->layout.h > 0 ? a->layout.h : 24))
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = app_draw(a, &g, e);
	if (!status)
		grid_export(&g, format, out);
	grid_free(&g);
	return status;
}
