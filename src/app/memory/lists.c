/*
 * Lists of what accesses waited for as views of a tab: source lines, objects, words and classes.
 * One implementation: a kind of view lists what its number is (enum memory_thing).
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/memory/view.h"
#include "app/state.h"
#include "base/num.h"
#include "base/text.h"

enum { HINTS_WIDTH = 60 /* columns of the keys in the lowest line */ };

static struct ranking *of(const struct view *v)
{
	return &((struct list_view *)(uintptr_t)v)->ranking;
}

static void init(struct view *v)
{
	ranking_init(of(v), (enum memory_thing)(v->kind - list_view_kinds), memory_focus_of(v->tab));
	v->axis = &blocks_view_of(v->tab)->blocks.axis;
}

static void view_free(struct view *v)
{
	ranking_free(of(v));
}

/* Things may have other numbers; how they are looked at stays. */
static void reopen(struct view *v)
{
	of(v)->rows.made_version = 0;
	of(v)->pane.cursor = 0;
}

/* Lists are refreshed before they are asked. */
static struct ranking *fresh(const struct view *v)
{
	ranking_refresh(of(v), NULL);
	return of(v);
}

struct ranking *memory_list_of(const struct view *v)
{
	return v->kind->mode == KEYS_LISTS ? fresh(v) : NULL;
}

static void layout(struct view *v, int full_width, int w, int h)
{
	(void)full_width;
	of(v)->w = w;
	of(v)->h = h;
}

static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	return ranking_draw(of(v), g, area, &a->palette, e);
}

/* ---- items: what is listed and its number, which no item of another view is ---- */

static uint64_t item_of(const struct ranking *r, uint32_t number)
{
	return (uint64_t)(r->by + 1) << 32 | number;
}

static uint64_t count(const struct view *v)
{
	return fresh(v)->rows.of.count;
}

static uint64_t item(const struct view *v, uint64_t index)
{
	const struct ranking *r = of(v);

	return index < r->rows.of.count ? item_of(r, r->rows.of.data[index].number) : ITEM_NONE;
}

static int lines(const struct view *v)
{
	return ranking_lines(of(v));
}

/* An editor opens the source, not the trace. */
static bool item_facts(struct view *v, uint64_t item, struct item_facts *out)
{
	struct ranking *r = of(v);
	const struct memory_index *x = memory_lock(r->focus->trace);
	const bool known = r->focus->source && item >> 32 == MEMORY_BY_LINE + 1 && (uint32_t)item < x->line_count;

	*out = (struct item_facts){0};
	if (known) {
		const struct memory_line *l = &x->lines[(uint32_t)item];

		out->path = source_text_path(r->focus->source, memory_file(r->focus->trace, l->file));
		out->line = out->path ? l->line : 0;
	}
	memory_unlock(r->focus->trace);
	return known;
}

static struct place place(const struct view *v)
{
	struct place at = timeline_place(v);
	uint32_t number;

	if (ranking_here(fresh(v), &number))
		at.item = item_of(of(v), number);
	return at;
}

static void go(struct view *v, uint64_t item, int64_t tick)
{
	if (item >> 32 == of(v)->by + UINT64_C(1))
		ranking_goto(fresh(v), (uint32_t)item);
	timeline_go(v, ITEM_NONE, tick);
}

/* ---- motions ---- */

static void move(struct view *v, int64_t down, int64_t columns)
{
	ranking_move(fresh(v), down, columns);
}

static void scroll(struct view *v, int64_t down, int64_t columns)
{
	ranking_scroll(fresh(v), down);
	if (columns)
		ranking_move(of(v), 0, columns);
}

static void center(struct view *v)
{
	struct pane *p = &of(v)->pane;
	const size_t above = (size_t)lines(v) / 2;

	p->top = p->cursor > above ? p->cursor - above : 0;
	pane_move(p, 0, lines(v));
}

/* No time is seen that could be nearer. */
static void zoom(struct view *v, int items, int ticks)
{
	(void)v;
	(void)items;
	(void)ticks;
}

static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	*tick = v->axis->tick;
	return ranking_hit(of(v), x, y, index);
}

static void click(struct view *v, uint64_t index, int64_t tick)
{
	(void)tick;
	ranking_move(of(v), (int64_t)index - (int64_t)of(v)->pane.cursor, 0);
}

static enum status find(struct call *c, const struct regex *re, int dir, struct error *e)
{
	struct ranking *r = fresh(c->app->tab->view);
	const struct memory_index *x = memory_lock(r->focus->trace);
	const size_t row = memory_rows_search(&r->rows, x, r->focus, re, r->pane.cursor, dir);

	memory_unlock(r->focus->trace);
	if (row == r->rows.of.count)
		return error_set(e, STATUS_NOT_FOUND, "none of the %s matches %s",
				 memory_thing_names[r->by], regex_pattern(re));
	places_jumped(&c->app->tab->places, tab_place(c->app->tab));
	ranking_goto(r, r->rows.of.data[row].number);
	return STATUS_OK;
}

/* ---- closer and back ---- */

/* To the block that cost most of what is under the cursor; all caches are shown. */
static enum status go_to_block(struct app *a, struct ranking *r, uint32_t number, struct error *e)
{
	const struct memory_index *x = memory_lock(r->focus->trace);
	const struct memory_selection only = memory_only(r->by, number);
	struct memory_sums sums;
	enum status status = memory_sum_up(&sums, x, MEMORY_BY_L1_BLOCK, &only, e);
	const uint32_t most = status ? 0 : memory_dearest(sums.of, sums.count);
	const bool known = !status && most < sums.count && sums.of[most].cycles;

	memory_unlock(r->focus->trace);
	memory_sums_free(&sums);
	if (!known)
		return error_set(e, STATUS_NOT_FOUND, "no block of it was loaded");
	places_jumped(&a->tab->places, tab_place(a->tab));
	status = view_show(a, &blocks_view_kind, e);
	blocks_here(a)->hidden = 0;
	r->focus->version++;
	if (!status)
		blocks_goto_block(blocks_here(a), most);
	return status;
}

/*
 * What is under the cursor is selected; what is already, is opened: a source line in the text around
 * it, a class in its objects, an object in its words, a word in its block.
 */
static enum status enter(struct app *a, struct view *v, struct error *e)
{
	struct ranking *r = fresh(v);
	uint32_t number;

	if (!ranking_here(r, &number))
		return error_set(e, STATUS_NOT_FOUND, "nothing is listed");
	if (!focus_is_on(r->focus, r->by, number)) {
		focus_select(r->focus, r->by, number);
		return STATUS_OK;
	}
	if (r->by == MEMORY_BY_LINE)
		return panes_open(a, pane_kind_find("source", NULL), e);
	if (r->by == MEMORY_BY_WORD)
		return go_to_block(a, r, number, e);
	r->focus->related = true;
	r->focus->version++;
	return view_show(a, &list_view_kinds[r->by == MEMORY_BY_CLASS ? MEMORY_BY_OBJECT : MEMORY_BY_WORD], e);
}

static void escape(struct view *v)
{
	focus_end(of(v)->focus);
	fresh(v);
}

static void narrowed(const struct view *v, int columns, struct sbuf *out)
{
	view_narrowed("only", of(v)->rows.only, columns, out);
}

static void status(struct view *v, int width, struct sbuf *out)
{
	char number[32];

	(void)width;
	sbuf_printf(out, "%s, %s cycles waited", memory_thing_names[of(v)->by],
		    num_group((int64_t)fresh(v)->rows.sums.cycles, number));
}

/* What is under the cursor, of a long line the half; then keys, as many as there is room for. */
static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	struct ranking *r = fresh(v);
	uint32_t number;
	const bool row = ranking_here(r, &number);
	const bool selected = row && focus_is_on(r->focus, r->by, number);
	const struct app_hint hints[] = {
	    {row ? "enter" : NULL, NULL, selected ? "open" : "select"},
	    {r->rows.selects ? "blocks related" : NULL, NULL, r->focus->related ? "all" : "only related"},
	    {row ? "inspector" : NULL, NULL, "details"},
	    {row ? "lists blocks" : NULL, NULL, "blocks"},
	    {"lists order", NULL, "order"},
	    {"lists face", NULL, r->face == RANKING_MAP ? "list" : "map"},
	    {.what = NULL}};
	struct sbuf text = {0};

	ranking_describe(r, &text);
	text_cut(out, sbuf_text(&text), width > 2 * HINTS_WIDTH ? width - HINTS_WIDTH : width / 2);
	app_hints(a, KEYS_LISTS, hints, width, out);
	sbuf_free(&text);
}

#define LIST_VIEW(name_)                                                                           \
	.progress = timeline_progress, .layout = layout, .home = timeline_home,           \
	.zoom = zoom, .fit = timeline_fit, .go_tick = timeline_go_tick, .name = name_,             \
	.items = "cache blocks", .whole = true, .mode = KEYS_LISTS,                                \
	.size = sizeof(struct list_view), .init = init, .free = view_free, .reopen = reopen,       \
	.came = memory_came, .draw = draw, .count = count, .item = item,         \
	.lines = lines, .item_text = memory_item_text, .item_facts = item_facts, .move = move,            \
	.scroll = scroll, .center = center, .place = place, .go = go, .hit = hit, .click = click,  \
	.find = find, .enter = enter, .escape = escape, .panes = memory_panes, .status = status,   \
	.narrowed = narrowed, .describe = describe

const struct view_kind list_view_kinds[MEMORY_LISTS] = {
    [MEMORY_BY_LINE] = {LIST_VIEW("source")},
    [MEMORY_BY_OBJECT] = {LIST_VIEW("objects")},
    [MEMORY_BY_CLASS] = {LIST_VIEW("classes")},
    [MEMORY_BY_WORD] = {LIST_VIEW("words")}};

/* ---- commands ---- */

/* While two traces are compared, a pane of both stands for it. */
static enum status view_list(struct call *c, struct error *e)
{
	const enum memory_thing by = (enum memory_thing)c->command->arg;
	const struct pane_kind *both;
	char name[32];

	snprintf(name, sizeof(name), "compare %s", memory_thing_names[by]);
	both = joined_shown(c->app) ? pane_kind_find(name, NULL) : NULL;
	return both ? panes_open(c->app, both, e) : view_switch(c, &list_view_kinds[by], e);
}

/* The list in sight. */
static enum status need(struct call *c, struct ranking **out, struct error *e)
{
	*out = memory_list_of(c->app->tab->view);
	return *out ? STATUS_OK
		    : error_set(e, STATUS_NOT_FOUND,
				"no list is shown: :view source, objects, words or classes");
}

/* The next order is none that needs a selection where there is none. */
static enum status choose_value(struct call *c, struct error *e)
{
	struct ranking *r;
	enum status status = need(c, &r, e);

	if (!status)
		status = memory_choose(c, &ranking_choices[c->command->arg], r, e);
	if (!status && c->command->arg == RANKING_ORDER && !c->argc && r->rows.order == BY_SHARED &&
	    !r->rows.selects)
		r->rows.order = BY_ADDRESS;
	if (!status && c->command->arg == RANKING_ORDER)
		ranking_renew(r);
	return status;
}

/* In the list of classes it comes again, too. */
static enum status hide_class(struct ranking *r, uint32_t class, struct error *e)
{
	if (class == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND, "it has no class");
	return focus_toggle_class(r->focus, class) ? STATUS_OK
						   : error_set(e, STATUS_NOMEM, "out of memory");
}

enum { AT_SELECT, AT_HIDE, AT_BLOCK };

/* With what is under the cursor. */
static enum status at_row(struct call *c, struct error *e)
{
	struct ranking *r;
	uint32_t number;
	enum status status = need(c, &r, e);

	if (status)
		return status;
	if (!ranking_here(r, &number))
		return error_set(e, STATUS_NOT_FOUND, "nothing is listed");
	if (c->command->arg == AT_HIDE)
		return hide_class(r, r->rows.of.data[r->pane.cursor].class, e);
	if (c->command->arg == AT_BLOCK)
		return go_to_block(c->app, r, number, e);
	focus_select(r->focus, r->by, number);
	return STATUS_OK;
}

const struct command list_commands[] = {
    {"view source", "", "show what each source line waited", .run = view_list, .flags = CMD_TRACE,
     .arg = MEMORY_BY_LINE},
    {"view objects", "", "show what was waited for each object", .run = view_list,
     .flags = CMD_TRACE, .arg = MEMORY_BY_OBJECT},
    {"view words", "", "show what was waited for each word", .run = view_list, .flags = CMD_TRACE,
     .arg = MEMORY_BY_WORD},
    {"view classes", "", "show what was waited for each class of objects", .run = view_list,
     .flags = CMD_TRACE, .arg = MEMORY_BY_CLASS},
    {"sharing", "", "the same: what objects cost, and how they are shared", .run = view_list,
     .flags = CMD_TRACE, .arg = MEMORY_BY_OBJECT},
    {"lists face", "[NAME]",
     "show a list, or a map: a cell for each, along diagonals; no name: the other",
     .run = choose_value, .flags = CMD_TRACE, .arg = RANKING_FACE},
    {"lists order", "[NAME]",
     "sort by cost, by the cost shared with what is selected, or by address; no name: the next",
     .run = choose_value, .flags = CMD_TRACE, .arg = RANKING_ORDER},
    {"lists scale", "[NAME]", "make bars and cells linear or logarithmic; no name: the other",
     .run = choose_value, .flags = CMD_TRACE, .arg = RANKING_SCALE},
    {"lists select", "", "select what is under the cursor; again: nothing", .run = at_row,
     .flags = CMD_TRACE, .arg = AT_SELECT},
    {"lists hide", "", "leave this class out of views of memory; in the list of classes, again: show it",
     .run = at_row, .flags = CMD_TRACE, .arg = AT_HIDE},
    {"lists blocks", "", "go to the dearest block of what is under the cursor", .run = at_row,
     .flags = CMD_TRACE | CMD_MOVES, .arg = AT_BLOCK},
    {.name = NULL},
};
