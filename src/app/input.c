#include "config.h"

#include <inttypes.h>

#include "app/state.h"

enum key_mode pane_keys(const struct pane_kind *kind)
{
	return kind->mode == KEYS_MAIN ? KEYS_PANE : kind->mode;
}

enum key_mode app_key_mode(const struct app *a)
{
	if (a->prompt.open)
		return KEYS_PROMPT;
	if (a->panes.focus >= 0)
		return pane_keys(a->panes.slots[a->panes.focus].kind);
	if (resources_have_keys(a))
		return KEYS_RESOURCE;
	return a->tab ? a->tab->view->kind->mode : KEYS_MAIN;
}

static unsigned report(struct app *a, enum status status, const struct error *e)
{
	if (!status)
		return REACT_NONE;
	app_message(a, true, "%s", e->text);
	a->message_lacks_trace = status == STATUS_NOT_FOUND && !a->tab;
	return REACT_REDRAW | REACT_BELL;
}

static unsigned run_binding(struct app *a, const struct binding *b)
{
	struct sbuf line = {0};
	struct error e = {STATUS_OK, ""};
	int64_t count = a->count;
	unsigned r = REACT_NONE;
	enum status status;

	keymap_expand(b, &a->pending, &line);
	a->pending.count = 0;
	a->count = -1;
	status = app_run(a, sbuf_text(&line), count, &r, &e);
	sbuf_free(&line);
	return r | report(a, status, &e);
}

static const int64_t COUNT_TYPED = INT64_C(1000000000000000000); /* further digits say nothing */

/* Digits are a count where they are not bound. */
static bool takes_count(struct app *a, struct key k)
{
	struct key_sequence one = {.keys = {k}, .count = 1};
	const struct binding *b;

	if (k.mods || k.code < '0' || k.code > '9' || a->pending.count || a->prompt.open)
		return false;
	if (a->count < 0 &&
	    (k.code == '0' || keymap_find(&a->keymap, app_key_mode(a), &one, &b) != KEYMAP_UNBOUND))
		return false;
	if (a->count <= COUNT_TYPED / 10)
		a->count = (a->count < 0 ? 0 : a->count) * 10 + (int64_t)(k.code - '0');
	return true;
}

static unsigned unbound(struct app *a, struct key k)
{
	struct sbuf keys = {0}, help = {0};
	unsigned r;

	/* a terminal sends Alt and a key as Esc and the key: somebody typed the two quickly */
	if (k.mods & MOD_ALT) {
		a->pending.count--;
		k.mods &= (uint8_t)~MOD_ALT;
		r = app_key(a, (struct key){.code = K_ESCAPE});
		return r | app_key(a, k);
	}
	if (a->prompt.open && a->pending.count == 1) {
		a->pending.count = 0;
		return prompt_insert(a, k);
	}
	keymap_spell(&a->pending, &keys);
	app_key_of(a, "help", &help);
	app_message(a, true, "%s is not bound (%s: help)", sbuf_text(&keys),
		    help.len ? help.text : ":help");
	sbuf_free(&keys);
	sbuf_free(&help);
	a->pending.count = 0;
	a->count = -1;
	return REACT_REDRAW | REACT_BELL;
}

/* Esc takes back what was typed so far. */
static bool gives_up(struct app *a, struct key k)
{
	if (k.code != K_ESCAPE || k.mods || (!a->pending.count && a->count < 0))
		return false;
	a->pending.count = 0;
	a->count = -1;
	return true;
}

unsigned app_key(struct app *a, struct key k)
{
	const struct binding *b = NULL;
	unsigned r = a->message.len && !a->prompt.open ? REACT_REDRAW : REACT_NONE;

	if (!a->prompt.open)
		sbuf_clear(&a->message);
	if (gives_up(a, k) || takes_count(a, k))
		return r | REACT_REDRAW;
	a->pending.keys[a->pending.count++] = k;
	switch (keymap_find(&a->keymap, app_key_mode(a), &a->pending, &b)) {
	case KEYMAP_BOUND:
		return r | run_binding(a, b);
	case KEYMAP_PREFIX:
		if (a->pending.count < KEYMAP_SEQUENCE)
			return r | REACT_REDRAW;
		break;
	case KEYMAP_UNBOUND:
		break;
	}
	return r | unbound(a, k);
}

/* Mouse */

static bool inside(struct rect r, int x, int y)
{
	return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

/* The topmost pane there; -1: none. */
static int pane_at(const struct app *a, int x, int y)
{
	for (int i = a->panes.count; i-- > 0;)
		if (inside(a->panes.slots[i].area, x, y))
			return i;
	return -1;
}

static unsigned turn_wheel(struct app *a, const struct mouse *m)
{
	struct view *v = a->tab ? a->tab->view : NULL;
	int64_t lines = a->set.value[OPT_WHEEL] * (m->kind == MOUSE_WHEEL_UP ? -1 : 1);
	int i = pane_at(a, m->x, m->y);

	if (i >= 0)
		pane_move(a->panes.slots[i].pane, lines, a->panes.slots[i].height);
	else if (v && m->mods & MOD_SHIFT)
		v->kind->scroll(v, 0, lines * 2);
	else if (v && m->mods & MOD_CTRL)
		v->kind->zoom(v, lines > 0, lines > 0 ? 1 : -1);
	else if (v)
		v->kind->scroll(v, lines, 0);
	return REACT_REDRAW;
}

static unsigned enter(struct app *a)
{
	struct error e = {STATUS_OK, ""};
	unsigned r = REACT_NONE;
	enum status status = app_run(a, "enter", -1, &r, &e);

	return r | report(a, status, &e);
}

static unsigned click_pane(struct app *a, int i, const struct mouse *m)
{
	struct pane_slot *slot = &a->panes.slots[i];
	size_t line;

	a->panes.focus = i;
	if (pane_line_at(slot->pane, m->y - slot->area.y, &line))
		pane_move(slot->pane, (int64_t)line - (int64_t)slot->pane->cursor, slot->height);
	return REACT_REDRAW | (m->twice ? enter(a) : REACT_NONE);
}

static unsigned click_view(struct app *a, const struct mouse *m)
{
	struct view *v = a->tab->view;
	int x = m->x - a->layout.view.x, y = m->y - a->layout.view.y;
	int gutter = v->axis->gutter;
	uint64_t index;
	int64_t tick;

	a->panes.focus = -1;
	if (joined_shown(a)) {
		if (!joined_click(a, x, y, &index, &tick))
			return REACT_REDRAW;
		v = a->tab->view;
		gutter = 0; /* where the label is has been looked after */
	} else if (!v->kind->hit(v, x < gutter ? gutter : x, y, &index, &tick)) {
		return REACT_REDRAW;
	}
	/* a click on the label goes to where the item begins */
	v->kind->click(v, index, x < gutter ? TICK_NONE : tick);
	view_moved(v);
	return REACT_REDRAW | (m->twice ? enter(a) : REACT_NONE);
}

unsigned app_mouse(struct app *a, const struct mouse *m)
{
	int i = pane_at(a, m->x, m->y);

	if (!a->set.value[OPT_MOUSE] || a->prompt.open)
		return REACT_NONE;
	sbuf_clear(&a->message);
	if (m->kind == MOUSE_WHEEL_UP || m->kind == MOUSE_WHEEL_DOWN)
		return turn_wheel(a, m);
	if (m->kind != MOUSE_PRESS || m->button != 1)
		return REACT_NONE;
	if (i >= 0)
		return click_pane(a, i, m);
	if (a->tab && inside(a->layout.view, m->x, m->y))
		return click_view(a, m);
	if (a->tab && !joined_shown(a) && inside(a->layout.strip, m->x, m->y))
		resources_click(a, m->x);
	return REACT_REDRAW;
}
