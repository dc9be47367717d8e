#include "config.h"

#include "app/panes.h"

#include <stdlib.h>
#include <string.h>

#include "app/state.h"

enum {
	SIDE_MIN_COLUMNS = 60 /* narrower screens show side panes as pop-ups */
};

static struct pane *make_legend(struct app *a)
{
	return legend_pane(a->tab->store);
}

static struct pane *make_inspector(struct app *a)
{
	return inspector_pane(a->tab->store, tab_place(a->tab).row);
}

static struct pane *make_warnings(struct app *a)
{
	return warnings_pane(a->tab->store);
}

static struct pane *make_info(struct app *a)
{
	return info_pane(a->tab->store);
}

const struct pane_kind pane_kinds[] = {
    {"inspector", "everything about the row under the cursor", PANE_SIDE, true, true,
     make_inspector},
    {"legend", "letters and colours", PANE_SIDE, false, true, make_legend},
    {"warnings", "what could not be read", PANE_POPUP, true, true, make_warnings},
    {"info", "what the trace is", PANE_POPUP, true, true, make_info},
    {"marks", "marks and jumps", PANE_POPUP, true, true, marks_pane},
    {"range", "what happened in the selection", PANE_SIDE, true, true, range_pane},
    {"options", "options and their values", PANE_POPUP, true, false, options_pane},
    {"help", "keys, commands, options", PANE_POPUP, true, false, help_pane},
    {NULL, NULL, PANE_POPUP, false, false, NULL},
};

const struct pane_kind *pane_kind_find(const char *name, struct error *e)
{
	size_t len = strlen(name);
	struct sbuf all = {0};

	for (const struct pane_kind *k = pane_kinds; k->name; k++) {
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

static int find_open(const struct app *a, const struct pane_kind *kind)
{
	for (int i = 0; i < a->panes.count; i++)
		if (a->panes.slots[i].kind == kind)
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

static void drop(struct app *a, int index)
{
	struct panes *p = &a->panes;

	pane_free(p->slots[index].pane);
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
	note_legend(a);
	app_relayout(a);
}

void panes_change_trace(struct app *a)
{
	for (int i = a->panes.count; i-- > 0;)
		if (a->panes.slots[i].kind->of_trace)
			drop(a, i);
	if (a->set.value[OPT_LEGEND] && a->tab)
		panes_open(a, pane_kind_find("legend", NULL), NULL);
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

enum status panes_open(struct app *a, const struct pane_kind *kind, struct error *e)
{
	struct panes *p = &a->panes;
	int index = find_open(a, kind);
	struct pane *pane;

	if (index >= 0) {
		raise_pane(p, index);
		panes_refresh(a, false);
		return STATUS_OK;
	}
	if (kind->of_trace && !a->tab)
		return error_set(e, STATUS_NOT_FOUND, "no trace is open");
	if (p->count == PANES_MAX)
		panes_close(a, 0);
	pane = kind->make(a);
	if (!pane)
		return error_set(e, STATUS_NOMEM, "out of memory");
	p->slots[p->count] = (struct pane_slot){.kind = kind, .pane = pane};
	if (kind->of_trace)
		p->slots[p->count].row = tab_place(a->tab).row;
	if (kind->focus)
		p->focus = p->count;
	p->count++;
	note_legend(a);
	app_relayout(a);
	return STATUS_OK;
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
	struct pane *fresh = slot->kind->make(a);

	if (!fresh)
		return;
	fresh->top = slot->pane->top;
	fresh->cursor = slot->pane->cursor;
	fresh->search = slot->pane->search;
	slot->pane->search = NULL;
	pane_free(slot->pane);
	slot->pane = fresh;
	pane_move(fresh, 0, slot->height);
}

static bool same_range(const struct selection *a, const struct selection *b)
{
	return a->on == b->on && a->row0 == b->row0 && a->row1 == b->row1 && a->tick0 == b->tick0 &&
	       a->tick1 == b->tick1;
}

/* Does what the pane is about follow the cursor, and has it moved on? */
static bool left_behind(struct app *a, struct pane_slot *slot, uint64_t row)
{
	struct selection range;
	bool moved;

	if (slot->kind->make == make_inspector) {
		moved = slot->row != row && row != ROW_NONE;
		slot->row = row;
		return moved;
	}
	if (slot->kind->make != range_pane)
		return false;
	app_range(a, &range);
	moved = !same_range(&range, &slot->range);
	slot->range = range;
	return moved;
}

void panes_refresh(struct app *a, bool follow_cursor_only)
{
	uint64_t row = a->tab ? tab_place(a->tab).row : ROW_NONE;

	for (int i = 0; i < a->panes.count; i++) {
		struct pane_slot *slot = &a->panes.slots[i];

		if (!a->tab && slot->kind->of_trace)
			continue;
		if (left_behind(a, slot, row) || !follow_cursor_only)
			remake(a, slot);
	}
}

static bool is_side(const struct app *a, const struct pane_slot *slot)
{
	bool focused = a->panes.focus >= 0 && &a->panes.slots[a->panes.focus] == slot;

	return slot->kind->place == PANE_SIDE && a->layout.w >= SIDE_MIN_COLUMNS &&
	       !(a->maximised && focused);
}

int panes_side_width(const struct app *a, int columns)
{
	int width = 0;

	if (columns < SIDE_MIN_COLUMNS || a->maximised)
		return 0;
	for (int i = 0; i < a->panes.count; i++) {
		const struct pane_slot *slot = &a->panes.slots[i];
		int wanted = pane_wanted_width(slot->pane, columns * 2 / 5);

		if (slot->kind->place == PANE_SIDE && wanted > width)
			width = wanted;
	}
	return width;
}

static struct rect popup_area(const struct app *a, const struct pane_slot *slot)
{
	struct rect body = a->layout.body;
	int width = pane_wanted_width(slot->pane, body.w);
	int height = (int)slot->pane->ops->count(slot->pane) + 2;

	if (a->maximised)
		width = body.w;
	if (a->maximised || height > body.h)
		height = body.h;
	if (height < 3)
		height = body.h < 3 ? body.h : 3;
	return (struct rect){body.x + (body.w - width) / 2, body.y + (body.h - height) / 2, width,
			     height};
}

/* Side panes share the column in equal parts, in the order of the stack. */
static void place_sides(struct app *a)
{
	struct rect side = a->layout.side;
	int sides = 0, k = 0;

	for (int i = 0; i < a->panes.count; i++)
		sides += is_side(a, &a->panes.slots[i]);
	for (int i = 0; i < a->panes.count; i++) {
		struct pane_slot *slot = &a->panes.slots[i];

		if (!is_side(a, slot)) {
			slot->area = popup_area(a, slot);
			continue;
		}
		slot->area = side;
		slot->area.y = side.y + side.h * k / sides;
		slot->area.h = side.y + side.h * (k + 1) / sides - slot->area.y;
		k++;
	}
}

void panes_draw(struct app *a, struct grid *g)
{
	panes_refresh(a, true);
	place_sides(a);
	for (int i = 0; i < a->panes.count; i++) {
		struct pane_slot *slot = &a->panes.slots[i];
		bool hidden = a->maximised && is_side(a, slot);

		if (!hidden && slot->area.w > 0 && slot->area.h > 0) {
			slot->height = pane_draw(slot->pane, g, slot->area, &a->palette);
			pane_move(slot->pane, 0, slot->height);
		}
	}
}

/* A pop-up has done its work when something was chosen; a side pane stays. */
static enum status run_line(struct app *a, const struct pane_slot *slot, const char *line,
			    unsigned *r, struct error *e)
{
	if (slot->kind->place == PANE_POPUP && slot->kind->of_trace)
		panes_close(a, a->panes.focus);
	return app_run(a, line, -1, r, e);
}

enum status panes_enter(struct app *a, unsigned *r, struct error *e)
{
	struct pane_slot *slot = panes_focused(a);
	const struct pane *p = slot->pane;
	struct sbuf line = {0};
	enum status status = STATUS_OK;
	uint64_t row;
	int64_t tick;

	if (!p->ops->count(p))
		return STATUS_OK;
	if (p->ops->command && p->ops->command(p, p->cursor, &line)) {
		status = run_line(a, slot, sbuf_text(&line), r, e);
	} else if (p->ops->target && p->ops->target(p, p->cursor, &row, &tick) && row != ROW_NONE) {
		places_jumped(&a->tab->places, tab_place(a->tab));
		pipeview_goto(&a->tab->view, row, tick);
		if (slot->kind->place == PANE_POPUP)
			panes_close(a, a->panes.focus);
	} else {
		*r |= REACT_BELL;
	}
	sbuf_free(&line);
	*r |= REACT_REDRAW;
	return status;
}
