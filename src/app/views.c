/*
 * The kinds of views there are; a tab's views are made in this order, and the first one that fits
 * is what it begins with. Those of any trace come last.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/memory/view.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "app/tasks/view.h"
#include "base/xalloc.h"

const struct view_kind *const view_kinds[] = {&rows_view_kind,	   &curves_view_kind,
						  &overview_view_kind, &component_view_kind,
						  &network_view_kind,  &blocks_view_kind,
						  &list_view_kinds[MEMORY_BY_LINE],
						  &list_view_kinds[MEMORY_BY_OBJECT],
						  &list_view_kinds[MEMORY_BY_WORD],
						  &list_view_kinds[MEMORY_BY_CLASS],
						  NULL};

_Static_assert(sizeof(view_kinds) / sizeof(view_kinds[0]) <= VIEW_KINDS_MAX + 1, "too many kinds");

static bool fits(const struct view_kind *kind, const struct tab *t)
{
	const char *items = t->trace->kind->items;

	if (kind->items ? !items || strcmp(kind->items, items) != 0 : items && !kind->beside)
		return false;
	return !kind->metrics || t->trace->kind->metric_count;
}

void views_make(struct app *a, struct tab *t)
{
	for (int i = 0; view_kinds[i]; i++) {
		struct view *v;

		if (!fits(view_kinds[i], t))
			continue;
		v = xcalloc(1, view_kinds[i]->size);
		*v = (struct view){.kind = view_kinds[i], .tab = t, .app = a};
		v->kind->init(v);
		t->views[t->view_count++] = v;
	}
	t->view = t->views[0];
}

struct view *tab_view(const struct tab *t, const struct view_kind *kind)
{
	for (int i = 0; i < t->view_count; i++)
		if (t->views[i]->kind == kind)
			return t->views[i];
	return NULL;
}

/* The same ticks, as far as the columns of the other window allow. */
static void hand_over(const struct axis *from, struct axis *to)
{
	if (from == to)
		return;
	to->left = from->left;
	to->tick = from->tick;
	to->zoom = from->zoom;
	to->raw_ticks = from->raw_ticks;
	to->selecting = from->selecting;
	to->anchor = from->anchor;
}

enum status view_show(struct app *a, const struct view_kind *kind, struct error *e)
{
	struct tab *t = a->tab;
	struct view *v = t ? tab_view(t, kind) : NULL;
	const struct axis *from;
	char both[64];
	bool moved;

	if (!v)
		return error_set(e, STATUS_NOT_FOUND, "there is no %s to see", kind->name);
	if (joined_shown(a)) { /* a pane of both may stand for it */
		snprintf(both, sizeof(both), "compare %s", kind->name ? kind->name : "rows");
		if (panes_has(a, both))
			return panes_open(a, pane_kind_find(both, NULL), e);
		return error_set(e, STATUS_NOT_FOUND,
				 "two traces share the window: :compare table, or :compare off first");
	}
	moved = v->axis->tick != t->view->axis->tick;
	from = t->view->axis;
	t->view = v;
	app_relayout(a); /* what had no window yet begins with all there is */
	hand_over(from, v->axis);
	app_relayout(a);
	if (moved) /* what is there then comes into sight */
		v->kind->go_tick(v, v->axis->tick);
	return STATUS_OK;
}

void *view_shared(const struct app *a, const struct view_kind *kind)
{
	int i = 0;

	while (view_kinds[i] != kind)
		i++;
	return a->shared[i];
}

void views_init(struct app *a)
{
	for (int i = 0; view_kinds[i]; i++) {
		if (!view_kinds[i]->shared_size)
			continue;
		a->shared[i] = xcalloc(1, view_kinds[i]->shared_size);
		view_kinds[i]->shared_init(a->shared[i]);
	}
}

void views_free(struct app *a)
{
	for (int i = 0; view_kinds[i]; i++) {
		if (a->shared[i] && view_kinds[i]->shared_free)
			view_kinds[i]->shared_free(a->shared[i]);
		free(a->shared[i]);
	}
}

void views_prepare(struct app *a)
{
	for (int i = 0; a->tab && i < a->tab->view_count; i++)
		if (a->tab->views[i]->kind->prepare)
			a->tab->views[i]->kind->prepare(a);
}

void views_refilter(struct app *a)
{
	for (int i = 0; a->tab && i < a->tab->view_count; i++) {
		struct view *v = a->tab->views[i];

		if (v->kind->refilter)
			a->react |= v->kind->refilter(a, v);
	}
}

uint64_t view_count(const struct view *v)
{
	return v->kind->count ? v->kind->count(v) : 0;
}

void view_moved(struct view *v)
{
	if (v->kind->moved)
		v->kind->moved(v);
}

bool view_selection(const struct view *v, struct selection *out)
{
	*out = (struct selection){.on = v->axis->selecting};
	if (v->kind->selection)
		*out = *v->kind->selection(v);
	else if (out->on)
		axis_selected(v->axis, &out->tick0, &out->tick1);
	if (out->on && !v->kind->selection && view_count(v))
		v->kind->on_screen(v, out);
	return out->on;
}

void view_select(struct view *v, enum select_kind kind)
{
	if (!v->axis->selecting)
		v->axis->anchor = v->kind->place(v);
	v->axis->selecting = kind;
	view_moved(v);
}

void view_go_end(struct view *v, bool last)
{
	uint64_t count = view_count(v);

	if (v->kind->go_end)
		v->kind->go_end(v, last);
	else if (!v->kind->count)
		v->kind->go(v, ITEM_NONE, last ? v->axis->last : v->axis->first);
	else if (count)
		v->kind->go(v, v->kind->item(v, last ? count - 1 : 0), TICK_NONE);
}
