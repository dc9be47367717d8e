/*
 * The views of shared memory in a tab: blocks over time, and lists of source lines, objects,
 * classes and words, one implementation of which each kind lists what its number is (enum
 * memory_thing). All have the time axis of the block view, and select and narrow in one way.
 */
#include "config.h"

#include <stdio.h>

#include "app/memory/view.h"
#include "app/state.h"
#include "base/num.h"
#include "base/text.h"

enum { HINTS_WIDTH = 60 /* columns of the keys in the lowest line of a list */ };

/* Of a tab. */
struct blocks_view {
	struct view base; /* first */
	struct blocks blocks;
};

/* Of a tab: its source lines, its objects, its words, its classes. */
struct list_view {
	struct view base; /* first */
	struct ranking ranking;
};

static struct blocks *of(const struct view *v)
{
	return &((struct blocks_view *)(uintptr_t)v)->blocks;
}

struct blocks *blocks_of(const struct tab *t)
{
	return of(tab_view(t, &blocks_view_kind));
}

struct ranking *memory_list_of(const struct view *v)
{
	return v->kind->mode == KEYS_LISTS ? &((struct list_view *)(uintptr_t)v)->ranking : NULL;
}

struct view *memory_view_of(const struct tab *t)
{
	return memory_list_of(t->view) ? t->view : tab_view(t, &blocks_view_kind);
}

struct regex **memory_only_of(const struct tab *t)
{
	struct ranking *list = memory_list_of(t->view);

	return list ? &list->rows.only : &blocks_of(t)->only;
}

/* ---- what all of them do ---- */

/* Items are stays, and what is listed with its number, which is no stay's. */
static uint64_t item_of(const struct ranking *r, uint32_t number)
{
	return (uint64_t)(r->rows.by + 1) << 32 | number;
}

static void item_text(struct view *v, uint64_t item, struct sbuf *out)
{
	const struct memory_index *x = memory_lock(v->tab->trace);
	const uint64_t list = item >> 32;
	const uint32_t number = (uint32_t)item;

	if (!list && number < x->stay_count) {
		const struct memory_stay *s = memory_stay(x, number);

		sbuf_printf(out, "L%d[%u] ", s->level + 1, s->cache);
		memory_put_thing(v->tab->trace, x, MEMORY_BY_WORD, memory_access(x, s->cell)->word,
				 out);
	} else if (list && list <= MEMORY_LISTS) {
		memory_put_thing(v->tab->trace, x, (enum memory_thing)(list - 1), number, out);
	}
	memory_unlock(v->tab->trace);
}

/* Among blocks or in the list in sight. */
static enum status find(struct call *c, const struct regex *re, int dir, struct error *e)
{
	struct ranking *list = memory_list_of(c->app->tab->view);
	struct blocks *b = blocks_of(c->app->tab);
	const struct memory_rows *rows = list ? &list->rows : &b->part[b->split.in].rows;
	const size_t here = list ? ranking_row(list) : memory_rows_find(rows, blocks_block(b));
	const struct memory_index *x = memory_lock(b->trace);
	const size_t row = memory_rows_search(rows, x, &b->focus, re, here, dir);

	memory_unlock(b->trace);
	if (row == rows->of.count)
		return error_set(e, STATUS_NOT_FOUND, "none of the %s matches %s",
				 memory_thing_names[rows->by], regex_pattern(re));
	places_jumped(&c->app->tab->places, tab_place(c->app->tab));
	if (list)
		ranking_goto(list, rows->of.data[row].number);
	else
		blocks_goto_block(b, rows->of.data[row].number);
	return STATUS_OK;
}

static void escape(struct view *v)
{
	struct memory_focus *f = &blocks_of(v->tab)->focus;

	f->selected = (struct memory_selection){0};
	f->related = false;
	f->version++;
	v->kind->settle(v);
}

/* What stays put is the time. */
static void go_end(struct view *v, bool last)
{
	v->split->part[v->split->in].line = last ? INT64_MAX : 0;
	v->kind->settle(v);
}

static void narrowed(const struct view *v, int columns, struct sbuf *out)
{
	view_narrowed("only", *memory_only_of(v->tab), columns, out);
}

/* ---- blocks ---- */

static void init(struct view *v)
{
	blocks_init(of(v), v->tab->trace);
	v->axis = &of(v)->axis;
	v->split = &of(v)->split;
	v->current = &of(v)->current;
}

static void view_free(struct view *v)
{
	blocks_free(of(v));
}

/* What is chosen stays; but by number only where the file is as it was, or grew. */
static void reopen(struct view *v)
{
	struct blocks *b = of(v);
	const bool other = v->tab->change > SOURCE_GROWN ||
			   source_check(b->trace->source) > SOURCE_GROWN;
	uint32_t count;

	if (other && (memory_selects(&b->focus.selected) || *b->focus.without)) {
		app_message(v->app, false,
			    "nothing is selected or hidden any more: things may have other "
			    "numbers");
		b->focus.selected = (struct memory_selection){0};
		b->focus.without[0] = 0;
	}
	b->trace = b->focus.trace = v->tab->trace;
	source_text_free(b->focus.source);
	b->focus.source = source_text_new(b->trace);
	axis_reopen(&b->axis, b->trace);
	(void)memory_mark_locks(b->trace, b->locks, &count, NULL);
	b->part[MEMORY_L1].rows.age = 0;
	blocks_settle(b);
}

static void settle(struct view *v)
{
	blocks_settle(of(v));
}

static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	(void)e;
	blocks_settle(of(v)); /* another view may have selected something */
	blocks_draw(of(v), &v->tab->places.marks, g, area, &a->palette);
	return STATUS_OK;
}

static uint64_t all(const struct view *v)
{
	const uint64_t n = memory_lock(v->tab->trace)->stay_count;

	memory_unlock(v->tab->trace);
	return n;
}

static void go(struct view *v, uint64_t row, int64_t tick)
{
	if (row < all(v))
		blocks_goto(of(v), (uint32_t)row, tick);
	else if (tick != TICK_NONE)
		timeline_go_tick(v, tick);
}

/* To who took the block, when it did; where no cache has it, to its next stay. */
static enum status enter(struct app *a, struct view *v, struct error *e)
{
	int64_t tick = TICK_NONE;
	const bool here = of(v)->current != MEMORY_NONE;
	const uint32_t stay = here ? blocks_taker(of(v), &tick) : blocks_next(of(v), 1);

	(void)a;
	if (stay == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND,
				 here ? "no other stay is known to follow this one"
				      : "no stay of a block is here, and none follows");
	places_jumped(&v->tab->places, tab_place(v->tab));
	blocks_goto(of(v), stay, tick);
	return STATUS_OK;
}

/* "L1[3]", "CPU[3]": its caches alone. */
static bool choose(struct view *v, const char *name)
{
	struct blocks *b = of(v);
	unsigned level = 1, cache;

	if (sscanf(name, "CPU[%u]", &cache) != 1 && sscanf(name, "L%1u[%u]", &level, &cache) != 2)
		return false;
	b->split.in = level == 2 ? MEMORY_L2 : MEMORY_L1;
	b->hidden = ~(UINT64_C(1) << cache % MEMORY_GLYPHS);
	blocks_settle(b);
	return true;
}

static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	(void)a;
	(void)width;
	blocks_describe(of(v), out);
}

/* What all of them have. */
#define MEMORY_VIEW                                                                                \
	TIMELINE, .items = "cache blocks", .came = timeline_came, .resize = timeline_resize,       \
	.lines = timeline_lines, .scroll = timeline_scroll, .center = timeline_center,             \
	.item_text = item_text, .go_end = go_end, .click = timeline_click, .find = find,           \
	.escape = escape, .panes = memory_panes, .narrowed = narrowed

const struct view_kind blocks_view_kind = {
    MEMORY_VIEW,
    .name = "blocks",
    .mode = KEYS_BLOCKS,
    .size = sizeof(struct blocks_view),
    .init = init,
    .free = view_free,
    .reopen = reopen,
    .settle = settle,
    .draw = draw,
    .all = all,
    .move = timeline_move,
    .place = timeline_place,
    .go = go,
    .hit = timeline_hit,
    .component = choose,
    .enter = enter,
    .status = timeline_status,
    .describe = describe,
};

/* ---- lists ---- */

static void init_list(struct view *v)
{
	const enum memory_thing by = (enum memory_thing)(v->kind - list_view_kinds);
	struct blocks *b = blocks_of(v->tab);

	*memory_list_of(v) = (struct ranking){.focus = &b->focus, .rows = {.by = by}};
	v->axis = &b->axis;
	v->split = &memory_list_of(v)->split;
}

static void free_list(struct view *v)
{
	ranking_free(memory_list_of(v));
}

static void reopen_list(struct view *v)
{
	memory_list_of(v)->rows.age = memory_list_of(v)->rows.of.count = 0;
}

/* Of what is not in sight nothing is made. */
static void settle_list(struct view *v)
{
	if (v == v->tab->view)
		ranking_refresh(memory_list_of(v), NULL);
}

static enum status draw_list(struct app *a, struct view *v, struct grid *g, struct rect area,
			     struct error *e)
{
	return ranking_draw(memory_list_of(v), g, area, &a->palette, e);
}

/* An editor opens the source, not the trace. */
static bool item_facts(struct view *v, uint64_t item, struct item_facts *out)
{
	struct ranking *r = memory_list_of(v);
	const size_t row = memory_rows_find(&r->rows, (uint32_t)item);
	const struct memory_told *line =
	    item >> 32 == MEMORY_BY_LINE + 1 ? ranking_tell(r, row) : NULL;

	*out = (struct item_facts){.path = line ? line->row.place.path : NULL};
	out->line = out->path ? line->row.place.line : 0;
	return line;
}

static struct place place(const struct view *v)
{
	struct place at = timeline_place(v);
	const struct memory_row *here = ranking_here(memory_list_of(v));

	if (here)
		at.item = item_of(memory_list_of(v), here->number);
	return at;
}

static void go_row(struct view *v, uint64_t item, int64_t tick)
{
	if (item == item_of(memory_list_of(v), (uint32_t)item))
		ranking_goto(memory_list_of(v), (uint32_t)item);
	timeline_go(v, ITEM_NONE, tick);
}

static void move(struct view *v, int64_t down, int64_t columns)
{
	struct ranking *r = memory_list_of(v);

	if (r->face == RANKING_LINES) {
		split_move(&r->split, down);
		r->shift = table_scrolled(&r->table, r->shift, (columns > 0) - (columns < 0));
	} else if (r->rows.of.count) {
		map_move(r, down, columns);
	}
}

static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	const struct ranking *r = memory_list_of(v);

	*tick = v->axis->tick;
	if (r->face == RANKING_LINES)
		return split_hit(&r->split, y, index);
	*index = x >= 0 && y >= 1 ? map_row(r, x, y - 1) : r->rows.of.count;
	return *index < r->rows.of.count;
}

/*
 * What is under the cursor is selected; what is already, is opened: a source line in the text
 * around it, a class in its objects, an object in its words, a word in its block.
 */
static enum status open_row(struct app *a, struct view *v, struct error *e)
{
	struct ranking *r = memory_list_of(v);
	const struct memory_row *here = ranking_here(r);

	if (!here || !focus_is_on(r->focus, r->rows.by, here->number))
		return app_run(a, "blocks select", -1, e);
	if (r->rows.by == MEMORY_BY_LINE)
		return panes_open(a, pane_kind_find("source", NULL), e);
	if (r->rows.by == MEMORY_BY_WORD)
		return app_run(a, "blocks other", -1, e);
	r->focus->related = true;
	r->focus->version++;
	return view_show(
	    a, &list_view_kinds[r->rows.by == MEMORY_BY_CLASS ? MEMORY_BY_OBJECT : MEMORY_BY_WORD],
	    e);
}

static void status(struct view *v, int width, struct sbuf *out)
{
	char number[32];

	(void)width;
	sbuf_printf(out, "%s, %s cycles waited", memory_thing_names[memory_list_of(v)->rows.by],
		    num_group((int64_t)memory_list_of(v)->rows.sums.cycles, number));
}

/* What is under the cursor, of a long line the half; then keys, as many as there is room for. */
static void describe_row(struct app *a, struct view *v, int width, struct sbuf *out)
{
	struct ranking *r = memory_list_of(v);
	const struct memory_told *row = ranking_tell(r, ranking_row(r));
	const bool selected = row && focus_is_on(r->focus, r->rows.by, row->row.number);
	const char *more = !row				       ? NULL
			   : row->row.number == MEMORY_NONE ? "outside all objects that have names"
							    : row->row.place.text;
	const struct app_hint hints[] = {
	    {row ? "enter" : NULL, NULL, selected ? "open" : "select"},
	    {r->rows.selects ? "blocks related" : NULL, NULL,
	     r->focus->related ? "all" : "only related"},
	    {row ? "inspector" : NULL, NULL, "details"},
	    {row ? "blocks other" : NULL, NULL, "blocks"},
	    {"blocks order", NULL, "order"},
	    {"lists face", NULL, r->face == RANKING_MAP ? "list" : "map"},
	    {.what = NULL}};
	struct sbuf text = {0};

	sbuf_printf(&text, "%s%s%s", row ? row->row.label : "", more ? "  " : "", more ? more : "");
	text_cut(out, sbuf_text(&text), width > 2 * HINTS_WIDTH ? width - HINTS_WIDTH : width / 2);
	app_hints(a, KEYS_LISTS, hints, width, out);
	sbuf_free(&text);
}

#define LIST_VIEW(name_)                                                                           \
	MEMORY_VIEW, .name = name_, .whole = true, .mode = KEYS_LISTS,                             \
	.size = sizeof(struct list_view), .init = init_list, .free = free_list,                    \
	.reopen = reopen_list, .settle = settle_list, .draw = draw_list,                           \
	.item_facts = item_facts, .move = move, .place = place, .go = go_row, .hit = hit,          \
	.enter = open_row, .status = status, .describe = describe_row

const struct view_kind list_view_kinds[MEMORY_LISTS] = {
    [MEMORY_BY_LINE] = {LIST_VIEW("source")},
    [MEMORY_BY_OBJECT] = {LIST_VIEW("objects")},
    [MEMORY_BY_CLASS] = {LIST_VIEW("classes")},
    [MEMORY_BY_WORD] = {LIST_VIEW("words")}};
