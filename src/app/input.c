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

static void run_typed(struct app *a, const char *line, int64_t count)
{
	struct error e = {STATUS_OK, ""};
	enum status status = app_run(a, line, count, &e);

	if (!status)
		return;
	app_message(a, true, "%s", e.text);
	a->message_lacks_trace = status == STATUS_NOT_FOUND && !a->tab;
	a->react |= REACT_BELL;
}

static void run_binding(struct app *a, const struct binding *b)
{
	struct sbuf line = {0};
	int64_t count = a->count;

	keymap_expand(b, &a->pending, &line);
	a->pending.count = 0;
	a->count = -1;
	run_typed(a, sbuf_text(&line), count);
	sbuf_free(&line);
}

static void take_key(struct app *a, struct key k);

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

static void unbound(struct app *a, struct key k)
{
	struct sbuf keys = {0};
	char help[KEY_TEXT];

	/* a terminal sends Alt and a key as Esc and the key: somebody typed the two quickly */
	if (k.mods & MOD_ALT) {
		a->pending.count--;
		k.mods &= (uint8_t)~MOD_ALT;
		take_key(a, (struct key){.code = K_ESCAPE});
		take_key(a, k);
		return;
	}
	if (a->prompt.open && a->pending.count == 1) {
		a->pending.count = 0;
		prompt_insert(a, k);
		return;
	}
	keymap_spell(&a->pending, &keys);
	app_message(a, true, "%s is not bound (%s: help)", sbuf_text(&keys),
		    app_key_text(a, "help", help));
	sbuf_free(&keys);
	a->pending.count = 0;
	a->count = -1;
	a->react |= REACT_BELL;
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

static void take_key(struct app *a, struct key k)
{
	const struct binding *b = NULL;

	if (!a->prompt.open)
		sbuf_clear(&a->message);
	if (gives_up(a, k) || takes_count(a, k))
		return;
	a->pending.keys[a->pending.count++] = k;
	switch (keymap_find(&a->keymap, app_key_mode(a), &a->pending, &b)) {
	case KEYMAP_BOUND:
		run_binding(a, b);
		return;
	case KEYMAP_PREFIX:
		if (a->pending.count < KEYMAP_SEQUENCE)
			return;
		break;
	case KEYMAP_UNBOUND:
		break;
	}
	unbound(a, k);
}

unsigned app_key(struct app *a, struct key k)
{
	take_key(a, k);
	return app_reactions(a) | REACT_REDRAW;
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

static void turn_wheel(struct app *a, const struct mouse *m)
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
}

static void click_pane(struct app *a, int i, const struct mouse *m)
{
	struct pane_slot *slot = &a->panes.slots[i];
	size_t line;

	a->panes.focus = i;
	if (pane_line_at(slot->pane, m->y - slot->area.y, &line))
		pane_move(slot->pane, (int64_t)line - (int64_t)slot->pane->cursor, slot->height);
	if (m->twice)
		run_typed(a, "enter", -1);
}

static void click_view(struct app *a, const struct mouse *m)
{
	struct view *v = a->tab->view;
	int x = m->x - a->layout.view.x, y = m->y - a->layout.view.y;
	int gutter = view_is_list(v) ? 0 : v->axis->gutter;
	uint64_t index;
	int64_t tick;

	a->panes.focus = -1;
	if (joined_shown(a)) {
		if (!joined_click(a, x, y, &index, &tick))
			return;
		v = a->tab->view;
		gutter = 0; /* where the label is has been looked after */
	} else if (!v->kind->hit(v, x < gutter ? gutter : x, y, &index, &tick)) {
		return;
	}
	/* a click on the label goes to where the item begins */
	v->kind->click(v, index, x < gutter ? TICK_NONE : tick);
	view_moved(v);
	if (m->twice)
		run_typed(a, "enter", -1);
}

unsigned app_mouse(struct app *a, const struct mouse *m)
{
	const bool wheel = m->kind == MOUSE_WHEEL_UP || m->kind == MOUSE_WHEEL_DOWN;
	int i = pane_at(a, m->x, m->y);

	if (!a->set.value[OPT_MOUSE] || a->prompt.open)
		return REACT_NONE;
	sbuf_clear(&a->message);
	if (!wheel && (m->kind != MOUSE_PRESS || m->button != 1))
		return REACT_NONE;
	if (wheel)
		turn_wheel(a, m);
	else if (i >= 0)
		click_pane(a, i, m);
	else if (a->tab && inside(a->layout.view, m->x, m->y))
		click_view(a, m);
	else if (a->tab && !joined_shown(a) && inside(a->layout.strip, m->x, m->y))
		resources_click(a, m->x);
	return app_reactions(a) | REACT_REDRAW;
}
