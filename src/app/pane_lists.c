#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "app/state.h"
#include "base/num.h"
#include "base/text.h"
#include "view/pane_list.h"

/* Marks and jumps */

static void add_place(struct list_pane *p, struct tab *t, const char *name, uint64_t item,
		      int64_t tick)
{
	struct view *v = t->view;
	struct pane_line *l = list_pane_add(p, item, tick);
	struct sbuf text = {0};
	char number[32];

	pane_line_add(l, ROLE_MARK, "%-2s ", name);
	/* items of another view, or that are no rows, have numbers that say nothing here */
	if (item != ITEM_NONE && v->kind->all && item < v->kind->all(v))
		pane_line_add(l, ROLE_PANE, "row %-12s", num_group((int64_t)item, number));
	axis_tell(v->axis, tick, &text);
	pane_line_add(l, ROLE_PANE, " %-*s ", 15 + (int)strlen(axis_unit(v->axis)), sbuf_text(&text));
	sbuf_clear(&text);
	if (v->kind->item_text)
		v->kind->item_text(v, item, &text);
	pane_line_add(l, ROLE_DIM, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

struct pane *marks_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(NULL);
	struct tab *t = a->tab;

	strcpy(p->title, "Marks");
	for (size_t i = 0; i < t->places.marks.count; i++) {
		const struct mark *m = &t->places.marks.at[i];

		add_place(p, t, (char[]){m->letter, '\0'}, m->at.item, m->at.tick);
	}
	if (t->places.has_before)
		add_place(p, t, "'", t->places.before.item, t->places.before.tick);
	if (!p->count)
		pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_DIM,
			      "no marks; mark LETTER sets one");
	if (t->places.jump_count)
		list_pane_heading(p, "Jumps, the newest first");
	for (int i = t->places.jump_count; i-- > 0;)
		add_place(p, t, i == t->places.jump_at ? ">" : "", t->places.jumps[i].item,
			  t->places.jumps[i].tick);
	return &p->pane;
}

/* Options */

static bool enter_option(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct list_pane *list = p->data;
	const struct option_info *o;

	if (i >= list->count || list->lines[i].item >= OPTION_COUNT)
		return false;
	o = &option_infos[list->lines[i].item];
	if (o->type == OPTION_BOOL)
		sbuf_printf(out, "toggle %s", o->name);
	else
		sbuf_printf(out, "ask command set %s", o->name);
	return true;
}

static const struct pane_ops options_ops = {LIST_PANE, .command = enter_option};

struct pane *options_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(&options_ops);

	strcpy(p->title, "Options  (Enter changes one)");
	for (int i = 0; i < OPTION_COUNT; i++) {
		struct pane_line *l = list_pane_add(p, (uint64_t)i, 0);
		struct sbuf text = {0};

		option_show(&a->set, (enum option)i, &text);
		pane_line_add(l, a->set.value[i] == option_infos[i].def ? ROLE_PANE : ROLE_KEY,
			      "%-22s ", sbuf_text(&text));
		pane_line_add(l, ROLE_DIM, "%s", option_infos[i].help);
		sbuf_free(&text);
	}
	return &p->pane;
}

/* Problems of the user's files */

struct pane *problems_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(NULL);
	const char *at = app_complaints(a);

	strcpy(p->title, "Problems in your files");
	for (size_t n; *at; at += n + (at[n] == '\n')) {
		n = strcspn(at, "\n");
		pane_line_bytes(list_pane_add(p, ITEM_NONE, 0), ROLE_PANE, at, n);
	}
	if (!p->count)
		pane_line_add(list_pane_add(p, ITEM_NONE, 0), ROLE_DIM, "none");
	return &p->pane;
}

/* What is on the screen, or selected */

void app_range(const struct app *a, struct selection *out)
{
	struct view *v = a->tab->view;
	int64_t first, end;

	if (view_selection(v, out))
		return;
	if (!a->tab->placed || !tab_ticks(a->tab, &first, &end))
		return;
	if (view_count(v))
		v->kind->on_screen(v, out);
	out->tick0 = v->axis->left > first ? v->axis->left : first;
	out->tick1 = axis_right(v->axis);
	if (out->tick1 > end || out->tick1 < out->tick0)
		out->tick1 = end;
}
