/*
 * Two traces that share the window by time: each has its curves, A above B, on one axis that counts
 * from each one's own first tick.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "app/joined.h"
#include "app/state.h"
#include "base/xalloc.h"

struct timed {
	struct joined joined; /* first, so that one is the other */
	int split; /* line of the view where B begins */
};

static struct timed *of(const struct joined *j)
{
	return (struct timed *)(uintptr_t)j;
}

/* ---- beginning and end ---- */

/* More than one interval: with one alone there is no course of anything. */
static bool has_time(const struct tab *t)
{
	int64_t from, to;

	return tab_ticks(t, &from, &to) && to - from > trace_grain(t->trace);
}

/* "A takes 26.9 us, B 22.7 us  oc: differences ..." */
static void say_matched(struct app *a, const struct joined *j)
{
	struct sbuf text = {0};
	int64_t from, to;

	for (int s = 0; s < JOINED_SIDES; s++) {
		sbuf_printf(&text, "%s%c%s ", s ? ", " : "", joined_letter(s), s ? "" : " takes");
		if (tab_ticks(j->side[s], &from, &to))
			axis_tell_length(j->side[s]->view->axis, to - from, &text);
	}
	sbuf_puts(&text, "  ");
	app_key_of(a, "compare table", &text);
	sbuf_puts(&text, ": differences by metric and component");
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

static bool matched(struct app *a, struct joined *j)
{
	const bool timed = has_time(j->side[JOINED_A]) && has_time(j->side[JOINED_B]);
	struct error e;

	if (a->tab->joined == j && timed)
		say_matched(a, j);
	else if (a->tab->joined == j && panes_open(a, pane_kind_find("compare", NULL), &e))
		app_message(a, true, "%s", e.text);
	return true;
}

static void free_timed(struct joined *j)
{
	free(j);
}

/* ---- the window ---- */

/* The other one shows the same time from its first tick on, even where it has ended by then. */
static void follow(struct joined *j)
{
	const struct axis *from = j->side[j->focus]->view->axis;
	struct axis *to = j->side[!j->focus]->view->axis;
	int64_t shift = tick_sub(to->first, from->first);

	to->zoom = from->zoom;
	to->left = tick_add(from->left, shift);
	to->tick = tick_add(from->tick, shift);
	to->selecting = from->selecting;
	to->anchor.tick = tick_add(from->anchor.tick, shift);
}

static void layout(struct app *a, struct joined *j, struct rect view)
{
	(void)a;
	of(j)->split = (view.h + 1) / JOINED_SIDES;
	for (int s = 0; s < JOINED_SIDES; s++) {
		struct view *v = j->side[s]->view;

		v->kind->layout(v, view.w - JOINED_MARGIN, view.w - JOINED_MARGIN,
				s == JOINED_A ? of(j)->split : view.h - of(j)->split);
	}
}

static enum status draw(struct app *a, struct joined *j, struct grid *g, struct error *e)
{
	struct rect all = a->layout.view;
	enum status status = STATUS_OK;

	for (int s = 0; s < JOINED_SIDES && !status; s++) {
		struct tab *t = j->side[s];
		char letter[] = {joined_letter(s), '\0'};
		struct resource_frame frame;
		struct rect area = {all.x, all.y + (s ? of(j)->split : 0), all.w,
				    s ? all.h - of(j)->split : of(j)->split};

		if (area.h <= 0)
			continue;
		grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_TEXT));
		grid_puts(g, area, area.x, area.y, letter,
			  palette_style(&a->palette, s == j->focus ? ROLE_KEY : ROLE_RULER));
		area.x += JOINED_MARGIN;
		area.w -= JOINED_MARGIN;
		frame = resources_frame(t);
		frame.alone = true;
		status = resource_draw(t->strip.graph, &a->resources.look, t->strip.lines,
				       t->strip.count, &frame, g, area, &a->palette, e);
	}
	return status;
}

static bool hit(const struct joined *j, int x, int y, int *side, uint64_t *index, int64_t *tick)
{
	const struct view *v;

	*side = y < of(j)->split ? JOINED_A : JOINED_B;
	v = j->side[*side]->view;
	return v->kind->hit(v, x - JOINED_MARGIN, *side == JOINED_A ? y : y - of(j)->split, index,
			    tick);
}

/* ---- how they are joined ---- */

static struct joined *again(const struct joined *j);

static const struct joined_ops ops = {
    .again = again,
    .free = free_timed,
    .matched = matched,
    .follow = follow,
    .layout = layout,
    .draw = draw,
    .hit = hit,
    .whole = true,
};

static struct joined *make(struct tab *const side[JOINED_SIDES])
{
	struct timed *x = xcalloc(1, sizeof(*x));

	x->joined.ops = &ops;
	for (int s = 0; s < JOINED_SIDES; s++)
		x->joined.side[s] = side[s];
	return &x->joined;
}

static struct joined *again(const struct joined *j)
{
	return make(j->side);
}

enum status timed_begin(struct app *a, struct tab *const side[JOINED_SIDES], int way,
			struct error *e)
{
	const char *unit[JOINED_SIDES];

	for (int s = 0; s < JOINED_SIDES; s++)
		unit[s] = side[s]->trace->format.unit;
	if (way >= 0)
		return error_set(e, STATUS_USAGE,
				 "traces without rows are always compared by start");
	if (strcmp(unit[JOINED_A], unit[JOINED_B]) != 0)
		return error_set(e, STATUS_USAGE,
				 "A counts time in %s, B in %s; to compare totals: "
				 "pipeglass compare A B", unit[JOINED_A], unit[JOINED_B]);
	joined_begin(a, make(side));
	return STATUS_OK;
}
