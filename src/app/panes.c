#include "config.h"

#include "app/panes.h"

#include <string.h>

#include "app/answers.h"
#include "app/state.h"
#include "base/text.h"

enum {
	SIDE_MIN_COLUMNS = 60, /* narrower screens show side panes as pop-ups, */
	DOCK_MIN_COLUMNS = 120, DOCK_MIN_LINES = 24, /* and larger ones pop-ups beside the view */
	REMAKE_SHARE = 9,
	KEYS_SHOWN = 5,
	GROWN_MS = 500, /* more text: no sooner than that, */
	QUICK_MS = 50   /* and not what takes longer: keys would wait for it */
};

/* name, help, place, takes the focus, closed with its tab, made again while text comes */
static const struct pane_kind pane_kinds[] = {
    {"info", "what the trace is", PANE_POPUP, true, true, true, .make = info_pane},
    {"warnings", "what could not be read", PANE_POPUP, true, true, true, .make = warnings_pane},
    {"metrics", "the metrics of the trace", PANE_POPUP, true, true, true, .make = metrics_pane},
    {"marks", "marks and jumps", PANE_POPUP, true, true, .make = marks_pane},
    {"options", "options and their values", PANE_POPUP, true, .make = options_pane},
    {"problems", "errors in your configuration files", PANE_POPUP, true, .make = problems_pane},
    {"traces", "traces in a folder", PANE_POPUP, true, .make = traces_pane},
    {"stderr", "messages of the started program", PANE_POPUP, true, .make = stderr_pane},
    {"help", "keys, commands, options", PANE_POPUP, true, .make = help_pane},
    {.name = NULL},
};

/* Of any trace, where its views bring none of that name. */
static const struct pane_kind any_kinds[] = {
    {"compare", "the metrics of B against A", PANE_POPUP, true, true, true,
     .make = metric_pairs_pane},
    {.name = NULL},
};

/* Those of the views, then those of the program; NULL beyond the last. */
const struct pane_kind *pane_kind_at(size_t i)
{
	for (int v = 0; view_kinds[v]; v++)
		for (const struct pane_kind *k = view_kinds[v]->panes; k && k->name; k++)
			if (i-- == 0)
				return k;
	return i < sizeof(pane_kinds) / sizeof(pane_kinds[0]) - 1 ? &pane_kinds[i] : NULL;
}

static const struct pane_kind *named_in(const struct pane_kind *kinds, const char *name)
{
	for (; kinds && kinds->name; kinds++)
		if (strcmp(kinds->name, name) == 0)
			return kinds;
	return NULL;
}

/* What the name stands for in the current tab; NULL: a pane of views that it does not have. */
static const struct pane_kind *kind_here(const struct app *a, const char *name)
{
	const struct pane_kind *found = named_in(pane_kinds, name);

	for (int i = 0; a->tab && i < a->tab->view_count && !found; i++)
		found = named_in(a->tab->views[i]->kind->panes, name);
	return found ? found : named_in(any_kinds, name);
}

bool panes_has(const struct app *a, const char *name)
{
	return kind_here(a, name);
}

const struct pane_kind *pane_kind_find(const char *name, struct error *e)
{
	size_t len = strlen(name);
	struct sbuf all = {0};
	const struct pane_kind *k;

	for (size_t i = 0; (k = pane_kind_at(i)); i++) {
		if (len && strncmp(k->name, name, len) == 0) {
			sbuf_free(&all);
			return k;
		}
		sbuf_printf(&all, "%s%s", all.len ? ", " : "", k->name);
	}
	error_set(e, STATUS_USAGE, "no such pane: %s (there are: %s)", name, sbuf_text(&all));
	sbuf_free(&all);
	return NULL;
}

static struct pane *make(struct app *a, const struct pane_kind *kind)
{
	return kind->answer ? answer_pane(a, kind->answer, kind->name) : kind->make(a);
}

/* By its name: which view brings it depends on the trace. */
static int find_open(const struct app *a, const struct pane_kind *kind)
{
	for (int i = 0; i < a->panes.count; i++)
		if (strcmp(a->panes.slots[i].kind->name, kind->name) == 0)
			return i;
	return -1;
}

bool panes_is_open(const struct app *a, const char *name)
{
	const struct pane_kind *kind = pane_kind_find(name, NULL);

	return kind && find_open(a, kind) >= 0;
}

static void note_legend(struct app *a)
{
	a->set.value[OPT_LEGEND] = panes_is_open(a, "legend");
}

static void take_out(struct app *a, int index)
{
	struct panes *p = &a->panes;

	p->count--;
	memmove(&p->slots[index], &p->slots[index + 1],
		(size_t)(p->count - index) * sizeof(p->slots[0]));
	if (p->focus == index)
		p->focus = -1;
	else if (p->focus > index)
		p->focus--;
	/* pop-ups on pop-ups: the one below goes on */
	if (p->focus < 0 && p->count && p->slots[p->count - 1].kind->place == PANE_POPUP)
		p->focus = p->count - 1;
	a->maximised = false;
}

static void drop(struct app *a, int index)
{
	pane_free(a->panes.slots[index].pane);
	take_out(a, index);
}

static void forget_left(struct panes *p)
{
	pane_free(p->left.pane);
	p->left.pane = NULL;
}

void panes_close(struct app *a, int index)
{
	if (index < 0 || index >= a->panes.count)
		return;
	drop(a, index);
	note_legend(a);
	app_relayout(a);
}

void panes_close_all(struct app *a)
{
	while (a->panes.count)
		drop(a, a->panes.count - 1);
	forget_left(&a->panes);
	note_legend(a);
	app_relayout(a);
}

/* "compare", "compare objects". */
static bool is_of(const struct pane_kind *kind, const char *family)
{
	const size_t len = strlen(family);

	return strncmp(kind->name, family, len) == 0 &&
	       (!kind->name[len] || kind->name[len] == ' ');
}

void panes_close_kind(struct app *a, const char *name)
{
	if (a->panes.left.pane && is_of(a->panes.left.kind, name))
		forget_left(&a->panes);
	for (int i = a->panes.count; i-- > 0;)
		if (is_of(a->panes.slots[i].kind, name))
			panes_close(a, i);
}

void panes_change_trace(struct app *a)
{
	for (int i = a->panes.count; i-- > 0;)
		if (a->panes.slots[i].kind->of_trace)
			drop(a, i);
	forget_left(&a->panes);
	if (a->set.value[OPT_LEGEND] && a->tab)
		panes_show(a, pane_kind_find("legend", NULL));
	app_relayout(a);
}

/* What has the focus lies on top. */
static void raise_pane(struct panes *p, int index)
{
	struct pane_slot slot = p->slots[index];

	memmove(&p->slots[index], &p->slots[index + 1],
		(size_t)(p->count - 1 - index) * sizeof(p->slots[0]));
	p->slots[p->count - 1] = slot;
	p->focus = p->count - 1;
}

/* Where a pane stands: over the view, or at its right or below it, where it takes a whole side. */
enum stand { STAND_OVER, STAND_RIGHT, STAND_BELOW };

static enum stand stand_of(const struct pane_slot *slot, int columns, int lines)
{
	if (slot->kind->place == PANE_SIDE)
		return columns >= SIDE_MIN_COLUMNS ? STAND_RIGHT : STAND_OVER;
	if (columns < DOCK_MIN_COLUMNS || lines < DOCK_MIN_LINES)
		return STAND_OVER;
	return pane_wanted_width(slot->pane, columns) > columns * 2 / 5 ? STAND_BELOW : STAND_RIGHT;
}

static bool is_focused(const struct app *a, const struct pane_slot *slot)
{
	return a->panes.focus >= 0 && &a->panes.slots[a->panes.focus] == slot;
}

/* Maximised, what has the focus lies over all else. */
static enum stand stands(const struct app *a, const struct pane_slot *slot)
{
	return a->maximised && is_focused(a, slot) ? STAND_OVER
						   : stand_of(slot, a->layout.w, a->layout.h);
}

/* All of the width: what is left of the view is above. */
static struct rect popup_area(const struct app *a, const struct pane_slot *slot)
{
	struct rect body = a->layout.body;
	int height = a->maximised ? body.h : pane_wanted_height(slot->pane, body.w, body.h);

	if (height < 3)
		height = body.h < 3 ? body.h : 3;
	return (struct rect){body.x, body.y + body.h - height, body.w, height};
}

/*
 * Side panes share the column in equal parts, in the order of the stack; below the view the last one
 * lies on top. How many lines a pane has is a guess until it is drawn.
 */
static void place_panes(struct app *a)
{
	struct rect side = a->layout.side;
	int sides = 0, k = 0;

	for (int i = 0; i < a->panes.count; i++)
		sides += stands(a, &a->panes.slots[i]) == STAND_RIGHT;
	for (int i = 0; i < a->panes.count; i++) {
		struct pane_slot *slot = &a->panes.slots[i];

		switch (stands(a, slot)) {
		case STAND_RIGHT:
			slot->area = side;
			slot->area.y = side.y + side.h * k / sides;
			slot->area.h = side.y + side.h * (k + 1) / sides - slot->area.y;
			k++;
			break;
		case STAND_BELOW:
			slot->area = a->layout.below;
			break;
		case STAND_OVER:
			slot->area = popup_area(a, slot);
			break;
		}
		if (!slot->height)
			slot->height = slot->area.h - 2;
	}
}

/* What the pane would be about, made now. */
static void subject_of(const struct app *a, const struct pane_kind *kind, uint64_t *row,
		       struct selection *range)
{
	*row = ITEM_NONE;
	*range = (struct selection){.on = false};
	if (kind->follows == FOLLOWS_ROW)
		*row = tab_place(a->tab).item;
	else if (kind->follows == FOLLOWS_TICK)
		*row = (uint64_t)tab_place(a->tab).tick;
	else if (kind->follows == FOLLOWS_SCREEN)
		app_range(a, range);
	else if (kind->follows == FOLLOWS_SELECTION)
		view_selection(a->tab->view, range);
}

/* What takes long is made again at most a tenth of the time. */
static void was_made(const struct app *a, struct pane_slot *slot, int64_t start)
{
	int64_t now = clock_ms();

	slot->behind = false;
	slot->reached = a->tab ? a->tab->reached_seen : 0;
	slot->due = now + (now - start) * REMAKE_SHARE;
	slot->later = now - start > QUICK_MS ? INT64_MAX : now + GROWN_MS;
}

enum status panes_open(struct app *a, const struct pane_kind *asked, struct error *e)
{
	const struct pane_kind *kind = kind_here(a, asked->name);
	struct panes *p = &a->panes;
	int64_t start = clock_ms();
	struct pane *pane;
	int index;

	if (!kind)
		return error_set(e, STATUS_NOT_FOUND, "%s is not available for %s", asked->name,
				 a->tab ? a->tab->trace->format.title : "what is open");
	index = find_open(a, kind);
	if (index >= 0) {
		raise_pane(p, index);
		panes_refresh(a, false);
		return STATUS_OK;
	}
	if (kind->of_trace && !a->tab)
		return error_set(e, STATUS_NOT_FOUND, "no trace is open");
	if (p->count == PANES_MAX)
		panes_close(a, 0);
	pane = make(a, kind);
	if (!pane)
		return error_set(e, STATUS_NOMEM, "out of memory");
	p->slots[p->count] = (struct pane_slot){.kind = kind, .pane = pane};
	was_made(a, &p->slots[p->count], start);
	if (kind->of_trace)
		subject_of(a, kind, &p->slots[p->count].row, &p->slots[p->count].range);
	if (kind->focus)
		p->focus = p->count;
	p->count++;
	note_legend(a);
	app_relayout(a);
	place_panes(a);
	return STATUS_OK;
}

void panes_show(struct app *a, const struct pane_kind *kind)
{
	int focus = a->panes.focus;

	if (panes_open(a, kind, NULL) == STATUS_OK)
		a->panes.focus = focus;
}

struct pane_slot *panes_focused(struct app *a)
{
	return a->panes.focus >= 0 ? &a->panes.slots[a->panes.focus] : NULL;
}

void panes_next(struct app *a, int dir)
{
	struct panes *p = &a->panes;
	int n = p->count + 1; /* the view is one of them */

	p->focus = (p->focus + 1 + dir + n) % n - 1;
}

static void remake(struct app *a, struct pane_slot *slot)
{
	struct pane *fresh = make(a, slot->kind);
	const size_t count = slot->pane->ops->count(slot->pane);
	/* a single line that says what is missing is no place to keep, nor its height one to fit */
	const bool kept = count > 1;
	/* whoever reads what comes goes on doing so; in a table a row was chosen */
	const bool at_end = kept && slot->pane->cursor + 1 == count && !slot->pane->ops->sort;

	if (!fresh)
		return;
	if (kept) {
		fresh->top = slot->pane->top;
		fresh->cursor = slot->pane->cursor;
	}
	fresh->columns = slot->pane->columns;
	fresh->shift = slot->pane->shift;
	if (slot->pane->sort)
		pane_sort(fresh, slot->pane->sort, 0, NULL);
	fresh->search = slot->pane->search;
	slot->pane->search = NULL;
	pane_free(slot->pane);
	slot->pane = fresh;
	if (kept)
		pane_move(fresh, at_end ? INT32_MAX : 0, slot->height);
}

static void make_again(struct app *a, struct pane_slot *slot)
{
	int64_t start = clock_ms();

	if (slot->kind->of_trace)
		subject_of(a, slot->kind, &slot->row, &slot->range);
	remake(a, slot);
	was_made(a, slot, start);
}

static bool left_behind(struct app *a, const struct pane_slot *slot)
{
	struct selection range;
	uint64_t row;

	if (!slot->kind->of_trace)
		return false;
	subject_of(a, slot->kind, &row, &range);
	return (slot->row != row && row != ITEM_NONE) || !selection_same(&range, &slot->range);
}

/* Is there more text by now? Whoever has chosen a line of a table keeps it. */
static bool is_older(const struct app *a, const struct pane_slot *slot)
{
	const bool chosen = slot->pane->ops->sort && slot->pane->cursor > 0;

	return slot->kind->grows && a->tab && tab_live(a->tab) != LIVE_OVER && !chosen &&
	       slot->reached != a->tab->reached_seen;
}

void panes_refresh(struct app *a, bool follow_cursor_only)
{
	int64_t now = clock_ms();

	if (!follow_cursor_only)
		forget_left(&a->panes);
	for (int i = 0; i < a->panes.count; i++) {
		struct pane_slot *slot = &a->panes.slots[i];

		if (!a->tab && slot->kind->of_trace)
			continue;
		slot->behind = left_behind(a, slot);
		if (!follow_cursor_only ||
		    (slot->behind && (now >= slot->due || a->options.headless)) ||
		    (is_older(a, slot) && now >= slot->later))
			make_again(a, slot);
	}
}

void panes_renew_kind(struct app *a, const char *name)
{
	const struct pane_kind *kind = pane_kind_find(name, NULL);
	int index = find_open(a, kind);

	if (index >= 0)
		make_again(a, &a->panes.slots[index]);
	if (a->panes.left.pane && a->panes.left.kind == kind)
		make_again(a, &a->panes.left);
}

int64_t panes_due(const struct app *a)
{
	int64_t due = INT64_MAX;

	for (int i = 0; i < a->panes.count; i++) {
		const struct pane_slot *slot = &a->panes.slots[i];

		if (slot->behind && slot->due < due)
			due = slot->due;
		if (is_older(a, slot) && slot->later < due)
			due = slot->later;
	}
	return due;
}

/* What the panes that stand somewhere want of it. */
static int wanted(const struct app *a, int columns, int lines, enum stand where)
{
	int most = 0;

	for (int i = 0; i < a->panes.count && !a->maximised; i++) {
		const struct pane_slot *slot = &a->panes.slots[i];
		int size = where == STAND_RIGHT ? pane_wanted_width(slot->pane, columns * 2 / 5)
						: pane_wanted_height(slot->pane, columns, lines / 2);

		if (stand_of(slot, columns, lines) == where && size > most)
			most = size;
	}
	return most;
}

int panes_side_width(const struct app *a, int columns, int lines)
{
	return wanted(a, columns, lines, STAND_RIGHT);
}

int panes_below_height(const struct app *a, int columns, int lines)
{
	return wanted(a, columns, lines, STAND_BELOW);
}

/* The last line names five keys: the pane's own one, then what works in all that are like it. */
static void draw_keys(const struct app *a, const struct pane_slot *slot, struct grid *g)
{
	const struct pane_ops *ops = slot->pane->ops;
	const struct pane_hint hints[] = {
	    slot->kind->own,
	    {ops->target || ops->command ? "enter" : NULL, ops->command ? "choose" : "go"},
	    {ops->sort ? "sort next" : NULL, "sort"},
	    {"close", "close"},
	    {"ask search", "find"},
	    {"help", "help"},
	    {"maximise", "all of the screen"},
	    {"page down", "next page"}};
	const struct rect area = {slot->area.x + 1, slot->area.y + slot->area.h - 1,
				  slot->area.w - 2, 1};
	struct style style = palette_style(&a->palette, ROLE_DIM);
	int x = area.x, shown = 0;

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]) && shown < KEYS_SHOWN; i++) {
		struct sbuf text = {0};
		int width;

		if (hints[i].command)
			app_hint(a, pane_keys(slot->kind), hints[i].command, NULL, hints[i].what, &text);
		width = text.len ? text_width(text.text, text.len) + 2 : 0;
		if (width && slot->area.h > 2 && area.y + 1 < g->h && x + width <= area.x + area.w + 1) {
			x += grid_printf(g, area, x, area.y, style, " %s ", text.text);
			shown++;
		}
		sbuf_free(&text);
	}
}

void panes_draw(struct app *a, struct grid *g)
{
	char next[KEY_TEXT];

	place_panes(a);
	app_key_text(a, "focus next", next);
	for (int i = 0; i < a->panes.count; i++) {
		struct pane_slot *slot = &a->panes.slots[i];
		bool hidden = a->maximised && stands(a, slot) != STAND_OVER;

		if (!hidden && slot->area.w > 0 && slot->area.h > 0) {
			slot->pane->focused = i == a->panes.focus;
			slot->pane->next_key = next;
			slot->height = pane_draw(slot->pane, g, slot->area, &a->palette);
			slot->pane->next_key = NULL;
			pane_move(slot->pane, 0, slot->height);
			draw_keys(a, slot, g);
		}
	}
}

/* A pop-up is closed when something was chosen; what stands beside the view stays. */
static enum status run_line(struct app *a, const struct pane_slot *slot, const char *line,
			    struct error *e)
{
	if (slot->kind->place == PANE_POPUP && stands(a, slot) == STAND_OVER &&
	    slot->kind->of_trace)
		panes_close(a, a->panes.focus);
	return app_run(a, line, -1, e);
}

/* A pop-up has done its work when something was chosen; it waits for the way back. */
static void leave(struct app *a, struct place from)
{
	struct panes *p = &a->panes;
	int index = p->focus;

	forget_left(p);
	p->left = p->slots[index];
	p->left_at = from;
	take_out(a, index);
	app_relayout(a);
}

void panes_came_back(struct app *a, struct place to)
{
	struct panes *p = &a->panes;

	if (!p->left.pane || !places_same(p->left_at, to) || p->count == PANES_MAX ||
	    find_open(a, p->left.kind) >= 0)
		return;
	p->slots[p->count] = p->left;
	p->left.pane = NULL;
	p->focus = p->count++;
	app_relayout(a);
	place_panes(a);
}

/* A view that has the item, where that in sight shows none: curves alone, or lists. */
static void show_item(struct app *a, uint64_t item)
{
	const struct tab *t = a->tab;
	struct error ignored;

	for (int i = 0; i < t->view_count && !t->view->kind->all; i++)
		if (t->views[i]->kind->all && item < t->views[i]->kind->all(t->views[i]))
			(void)view_show(a, t->views[i]->kind, &ignored);
}

/* To where it leads, at a zoom at which one item of it can be seen. */
static void go_to_line(struct app *a, struct place to)
{
	struct tab *t = a->tab;
	const struct view *v;
	struct place now;

	show_item(a, to.item);
	v = t->view;
	now = v->kind->place(v);
	/* it would reach to there, and what counts in it would count another part */
	view_select(t->view, SELECT_NONE);
	if (to.item == ITEM_NONE) {
		v->kind->go(t->view, to.item, to.tick);
		return;
	}
	to.item_zoom = now.item_zoom < 0 ? now.item_zoom : 0;
	/* of time without cycles, one tick a column would be too close for anything */
	to.tick_zoom = v->axis->zoom < 0 || unit_is_symbol(axis_step_unit(v->axis)) ? v->axis->zoom
										   : 0;
	tab_goto(t, to);
}

enum status panes_enter(struct app *a, struct error *e)
{
	struct pane_slot *slot = panes_focused(a);
	const struct pane *p = slot->pane;
	struct sbuf line = {0};
	enum status status = STATUS_OK;
	struct place to;

	if (!p->ops->count(p))
		return STATUS_OK;
	if (p->ops->command && p->ops->command(p, p->cursor, &line)) {
		status = run_line(a, slot, sbuf_text(&line), e);
	} else if (p->ops->target && p->ops->target(p, p->cursor, &to)) {
		struct place from = tab_place(a->tab);

		places_jumped(&a->tab->places, from);
		go_to_line(a, to);
		tab_landed(a->tab);
		if (slot->kind->place == PANE_POPUP && stands(a, slot) == STAND_OVER)
			leave(a, from);
		if (line.len)
			app_message(a, false, "%s", sbuf_text(&line));
	} else {
		app_message(a, false, "this line is about no single place: Enter goes nowhere");
		a->react |= REACT_BELL;
	}
	sbuf_free(&line);
	return status;
}
