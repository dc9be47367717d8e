/*
 * Two traces in one window, whatever their kind: what they have in common in time or otherwise, the
 * view knows that both begin with.
 */
#include "config.h"

#include <string.h>

#include "app/state.h"
#include "base/num.h"

/* NULL, e set: none is shown. */
static struct joined *need_joined(const struct call *c, struct error *e)
{
	struct joined *j = joined_shown(c->app);

	if (!j)
		error_set(e, STATUS_NOT_FOUND,
			  c->app->tab->joined ? "the traces are not matched yet"
					      : "nothing to compare with: type :compare FILE");
	return j;
}

enum status joined_neighbours(struct app *a, struct tab *side[JOINED_SIDES], struct error *e)
{
	int here = app_tab_index(a), left = here + 1 < a->tab_count ? here : here - 1;

	if (a->tab_count < JOINED_SIDES)
		return error_set(e, STATUS_NOT_FOUND, "which trace? Type :compare FILE");
	side[JOINED_A] = a->tabs[left];
	side[JOINED_B] = a->tabs[left + 1];
	return STATUS_OK;
}

/* Show a tab with the pane that has the focus now, after another one opened or closed. */
static enum status stay(struct app *a, int here, const struct pane_kind *open, struct error *e)
{
	app_show_tab(a, here);
	return open ? panes_open(a, open, e) : STATUS_OK;
}

static const struct pane_kind *focused_kind(struct app *a)
{
	return panes_focused(a) ? panes_focused(a)->kind : NULL;
}

/* A number is a tab, all else a file: that becomes a tab, and the current one stays. */
static enum status named_tab(struct app *a, const char *name, struct tab **out, struct error *e)
{
	const int here = app_tab_index(a);
	const struct pane_kind *open = focused_kind(a);
	struct sbuf path = {0};
	enum status status;
	int64_t n;

	if (num_parse_i64(name, &n)) {
		if (n < 1 || n > a->tab_count)
			return error_set(e, STATUS_NOT_FOUND, "no tab %s (there are %d)", name,
					 a->tab_count);
		*out = a->tabs[n - 1];
		return STATUS_OK;
	}
	app_expand_home(name, &path);
	status = app_open(a, sbuf_text(&path), e);
	sbuf_free(&path);
	if (status)
		return status;
	*out = a->tab;
	return stay(a, here, open, e);
}

static enum status other_kind(struct tab *const side[JOINED_SIDES], struct error *e)
{
	return error_set(e, STATUS_NOT_FOUND, "%s: %s; %s: %s: compare needs traces of the same kind",
			 sbuf_text(&side[JOINED_A]->name), side[JOINED_A]->trace->format.title,
			 sbuf_text(&side[JOINED_B]->name), side[JOINED_B]->trace->format.title);
}

static enum status join(struct app *a, struct tab *const side[JOINED_SIDES], int way,
			struct error *e)
{
	const struct view_kind *kind;

	if (side[JOINED_A] == side[JOINED_B])
		return error_set(e, STATUS_USAGE, "a trace cannot be compared with itself");
	if (side[JOINED_A]->trace->kind != side[JOINED_B]->trace->kind)
		return other_kind(side, e);
	for (int s = 0; s < JOINED_SIDES; s++) /* in what they begin with */
		side[s]->view = side[s]->views[0];
	kind = side[JOINED_A]->view->kind;
	return (kind->compare ? kind->compare : timed_begin)(a, side, way, e);
}

static enum status compare(struct call *c, struct error *e)
{
	struct app *a = c->app;
	struct tab *side[JOINED_SIDES] = {a->tab, NULL};
	int here = app_tab_index(a), before = a->tab_count, way = -1;
	enum status status;

	if (!c->argc && a->tab->joined)
		return error_set(e, STATUS_NOT_FOUND,
				 "already in a comparison; compare off ends it");
	if (c->argc > 1 && call_choice(c, 1, 0, &way, e))
		return STATUS_USAGE;
	status =
	    c->argc ? named_tab(a, c->argv[0], &side[JOINED_B], e) : joined_neighbours(a, side, e);
	if (!status)
		status = join(a, side, way, e);
	if (!status)
		c->react |= jobs_step(a, clock_ms());
	if (status && a->tab_count > before) { /* a file that was opened for it */
		const struct pane_kind *open = focused_kind(a);

		app_close_tab(a, a->tab_count - 1);
		stay(a, here, open, NULL);
	}
	return status;
}

static enum status compare_off(struct call *c, struct error *e)
{
	if (!c->app->tab->joined && !need_joined(c, e))
		return STATUS_NOT_FOUND;
	joined_end(c->app, c->app->tab->joined);
	panes_refresh(c->app, false);
	return STATUS_OK;
}

static enum status compare_switch(struct call *c, struct error *e)
{
	struct joined *j = need_joined(c, e);

	if (!j)
		return STATUS_NOT_FOUND;
	joined_pass(c->app, j->side[!joined_side(j, c->app->tab)]);
	return STATUS_OK;
}

static enum status compare_table(struct call *c, struct error *e)
{
	const struct joined *j = need_joined(c, e);
	enum status status = j ? STATUS_OK : STATUS_NOT_FOUND;

	if (j && j->ops->table)
		status = j->ops->table(c->app, e);
	return status ? status : panes_open(c->app, pane_kind_find("compare", NULL), e);
}

/* IPC; where a trace has none: of what is shown of A the first that both have. */
static struct metric_wish first_of_both(const struct app *a, const struct joined *j)
{
	struct metric_wish wish = {.name = "ipc"};
	struct metric_wishes all = a->wishes;
	struct curve_source ignored;

	tab_wish(j->side[JOINED_A], &all);
	for (int i = -1; i < all.count; i++) {
		const struct metric_wish *w = i < 0 ? &wish : &all.rows[i];

		if (tab_curve(j->side[JOINED_A], w, NULL, &ignored) &&
		    tab_curve(j->side[JOINED_B], w, NULL, &ignored))
			return *w;
	}
	return wish;
}

static enum status compare_curves(struct call *c, struct error *e)
{
	const struct joined *j = need_joined(c, e);
	struct metric_wish wish;

	if (!j)
		return STATUS_NOT_FOUND;
	wish = *j->metric.name ? j->metric : first_of_both(c->app, j); /* the one shown last */
	if (!c->argc)
		return joined_curves(c->app, j->curves ? NULL : &wish, e);
	if (strlen(c->argv[0]) >= METRIC_NAME / 2 ||
	    (c->argc > 1 && strlen(c->argv[1]) >= METRIC_NAME / 2))
		return error_set(e, STATUS_USAGE, "a metric's name has at most %d bytes",
				 METRIC_NAME / 2 - 1);
	strcpy(wish.name, c->argv[0]);
	strcpy(wish.component, c->argc > 1 ? c->argv[1] : "");
	return joined_curves(c->app, &wish, e);
}

const struct command compare_commands[] = {
    {"compare", "[TRACE] [WAY]",
     "compare with another trace, by row or over time; no argument: with the adjacent tab",
     .run = compare, .flags = CMD_TRACE},
    {"compare off", "", "give each trace its own tab again", .run = compare_off,
     .flags = CMD_TRACE},
    {"compare switch", "", "move the focus to the other trace", .run = compare_switch,
     .flags = CMD_TRACE},
    {"compare table", "",
     "show what differs: metrics, or where the cycles went (in A's selection, else in all)",
     .run = compare_table, .flags = CMD_TRACE},
    {"compare curves", "[METRIC] [REGEX]",
     "draw a metric of both traces, on one axis instead of their strips; repeat to undo",
     .run = compare_curves, .flags = CMD_TRACE},
    {.name = NULL},
};
