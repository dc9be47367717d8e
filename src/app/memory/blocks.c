#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/memory/view.h"
#include "app/state.h"
#include "base/text.h"

struct blocks_view *blocks_view_of(const struct tab *t)
{
	return (struct blocks_view *)tab_view(t, &blocks_view_kind);
}

struct blocks *blocks_here(const struct app *a)
{
	return &blocks_view_of(a->tab)->blocks;
}

struct memory_focus *memory_focus_of(const struct tab *t)
{
	struct blocks_view *v = blocks_view_of(t);

	return v ? &v->blocks.focus : NULL;
}

static struct blocks *of(const struct view *v)
{
	return &((struct blocks_view *)(uintptr_t)v)->blocks;
}

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

/* Blocks, caches and classes may have other numbers; what is chosen without them stays. */
static void reopen(struct view *v)
{
	struct blocks *b = of(v), old = *b;

	blocks_init(b, v->tab->trace);
	b->axis = old.axis;
	axis_reopen(&b->axis, v->tab->trace);
	b->look = old.look;
	b->split.in = old.split.in;
	b->only = old.only;
	old.only = NULL;
	b->focus.by_class = old.focus.by_class;
	blocks_free(&old);
}

bool memory_came(struct view *v, const struct progress *p)
{
	return p->items != v->tab->items_seen || p->reached != v->tab->reached_seen ||
	       p->complete != v->tab->told;
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

void memory_item_text(struct view *v, uint64_t item, struct sbuf *out)
{
	const struct memory_index *x = memory_lock(v->tab->trace);
	const uint64_t list = item >> 32;
	const uint32_t number = (uint32_t)item;

	if (!list && number < x->stay_count) {
		blocks_put_cache(x, &x->stays[number], out);
		sbuf_putc(out, ' ');
		memory_put(v->tab->trace, x, NULL, MEMORY_BY_WORD, x->stays[number].word, out);
	} else if (list && list <= MEMORY_LISTS &&
		   (number < memory_thing_count(x, (enum memory_thing)(list - 1)) || number == MEMORY_NONE)) {
		memory_put(v->tab->trace, x, NULL, (enum memory_thing)(list - 1), number, out);
	}
	memory_unlock(v->tab->trace);
}

/* ---- motions ---- */

static void go(struct view *v, uint64_t row, int64_t tick)
{
	if (row < all(v))
		blocks_goto(of(v), (uint32_t)row, tick);
	else if (tick != TICK_NONE)
		timeline_go_tick(v, tick);
}

/* NONE: there is none, which is said. */
static enum status go_stay(struct app *a, uint32_t stay, int64_t tick, struct error *e)
{
	if (stay == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND,
				 blocks_here(a)->current == MEMORY_NONE
				     ? "no stay of a block is here, and none follows"
				     : "no other stay is known to follow this one");
	places_jumped(&a->tab->places, tab_place(a->tab));
	blocks_goto(blocks_here(a), stay, tick);
	return STATUS_OK;
}

/* To who took the block, when it did; where no cache has it, to its next stay. */
static enum status enter(struct app *a, struct view *v, struct error *e)
{
	int64_t tick = TICK_NONE;
	const uint32_t stay = of(v)->current == MEMORY_NONE ? blocks_next(of(v), 1)
							    : blocks_taker(of(v), &tick);

	return go_stay(a, stay, tick, e);
}

static void escape(struct view *v)
{
	focus_end(&of(v)->focus);
	blocks_settle(of(v));
}

static enum status find(struct call *c, const struct regex *re, int dir, struct error *e)
{
	struct blocks *b = blocks_here(c->app);
	const uint32_t block = blocks_find(b, re, dir);

	if (block == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND, "no object, source line or address matches %s",
				 regex_pattern(re));
	places_jumped(&c->app->tab->places, tab_place(c->app->tab));
	blocks_goto_block(b, block);
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
	blocks_renew(b);
	return true;
}

static void narrowed(const struct view *v, int columns, struct sbuf *out)
{
	view_narrowed("only", of(v)->only, columns, out);
}

/* What stays put is the time. */
static void go_end(struct view *v, bool last)
{
	of(v)->split.part[of(v)->split.in].line = last ? INT64_MAX : 0;
	blocks_settle(of(v));
}

static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	struct sbuf text = {0};

	(void)a;
	blocks_describe(of(v), &text);
	text_cut(out, sbuf_text(&text), width);
	sbuf_free(&text);
}

const struct view_kind blocks_view_kind = {
    TIMELINE,
    .name = "blocks",
    .items = "cache blocks",
    .mode = KEYS_BLOCKS,
    .size = sizeof(struct blocks_view),
    .init = init,
    .free = view_free,
    .reopen = reopen,
    .came = memory_came,
    .settle = settle,
    .resize = timeline_resize,
    .draw = draw,
    .all = all,
    .lines = timeline_lines,
    .item_text = memory_item_text,
    .move = timeline_move,
    .scroll = timeline_scroll,
    .center = timeline_center,
    .place = timeline_place,
    .go = go,
    .go_end = go_end,
    .hit = timeline_hit,
    .click = timeline_click,
    .find = find,
    .component = choose,
    .enter = enter,
    .escape = escape,
    .panes = memory_panes,
    .status = timeline_status,
    .narrowed = narrowed,
    .describe = describe,
};

/* ---- commands ---- */

/* Made again, the list or blocks; how many rows are shown. */
static size_t renew(struct ranking *list, struct blocks *b)
{
	if (list)
		ranking_renew(list);
	else
		blocks_renew(b);
	return list ? list->rows.of.count
		    : b->part[MEMORY_L1].rows.of.count + b->part[MEMORY_L2].rows.of.count;
}

/* Of the list in sight, else of blocks; none: all. Where nothing matches all stays as it was. */
static enum status filter(struct call *c, struct error *e)
{
	struct ranking *list = memory_list_of(c->app->tab->view);
	struct blocks *b = blocks_here(c->app);
	struct regex **only = list ? &list->rows.only : &b->only, *before = *only, *re = NULL;

	if (c->argc && regex_new(&re, c->argv[0], e))
		return STATUS_USAGE;
	*only = re;
	if (!renew(list, b) && re) {
		*only = before;
		renew(list, b);
		regex_free(re);
		return error_set(e, STATUS_NOT_FOUND, "none of the %s matches %s",
				 list ? memory_thing_names[list->by] : "blocks", c->argv[0]);
	}
	regex_free(before);
	return STATUS_OK;
}

static enum status view_blocks(struct call *c, struct error *e)
{
	return view_switch(c, &blocks_view_kind, e);
}

static enum status show_stay(struct call *c, struct error *e)
{
	int64_t row;
	enum status status = call_number(c, 0, 0, &row, e);

	if (!status && (row < 0 || (uint64_t)row >= all(&blocks_view_of(c->app->tab)->base)))
		status = error_set(e, STATUS_NOT_FOUND, "there is no stay %s", c->argv[0]);
	if (!status)
		status = view_switch(c, &blocks_view_kind, e);
	return status ? status : go_stay(c->app, (uint32_t)row, TICK_NONE, e);
}

enum status memory_choose(const struct call *c, const struct memory_choice *choice, void *of,
			  struct error *e)
{
	uint8_t *value = (uint8_t *)of + choice->offset, i = 0;

	while (c->argc && choice->names[i] && strcmp(choice->names[i], c->argv[0]) != 0)
		i++;
	if (c->argc && !choice->names[i])
		return error_set(e, STATUS_USAGE, "%s has no %s; it has %s and others",
				 choice->what, c->argv[0], choice->names[0]);
	*value = c->argc ? i : choice->names[*value + 1] ? *value + 1 : 0;
	return STATUS_OK;
}

static enum status choose_value(struct call *c, struct error *e)
{
	struct blocks *b = blocks_here(c->app);
	enum status status;

	if (c->command->arg == CHOICE_RELATED && !focus_selects(&b->focus))
		return error_set(e, STATUS_NOT_FOUND, "nothing is selected");
	status = memory_choose(c, &blocks_choices[c->command->arg], b, e);
	blocks_renew(b);
	return status;
}

/* To its stay there; where it has none, to its lines. */
static enum status other(struct call *c, struct error *e)
{
	struct blocks *b = blocks_here(c->app);
	const uint32_t stay = blocks_other(b);

	if (stay != MEMORY_NONE)
		return go_stay(c->app, stay, b->axis.tick, e);
	b->split.in = !b->split.in;
	blocks_settle(b);
	return STATUS_OK;
}

static enum status bundle(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	blocks_bundle(blocks_here(c->app), c->command->arg * n);
	return STATUS_OK;
}

static void unfold(struct call *c)
{
	blocks_unfold(blocks_here(c->app));
}

/* So many; none: those that have most of the cost. */
static enum status top(struct call *c, struct error *e)
{
	struct blocks *b = blocks_here(c->app);
	int64_t n;

	if (call_number(c, 0, 0, &n, e))
		return STATUS_USAGE;
	b->look.asked = (uint32_t)(n < 0 ? 0 : n < UINT32_MAX ? n : UINT32_MAX);
	b->part[MEMORY_L1].rows.wanted = b->part[MEMORY_L2].rows.wanted = 0;
	blocks_renew(b);
	return STATUS_OK;
}

/* By the glyph that cells of them have; none: all are shown. */
static enum status cache(struct call *c, struct error *e)
{
	struct blocks *b = blocks_here(c->app);
	uint32_t n = 0;

	while (c->argc && n < MEMORY_GLYPHS && memory_glyph(n) != c->argv[0][0])
		n++;
	if (n == MEMORY_GLYPHS || (c->argc && c->argv[0][1]))
		return error_set(e, STATUS_USAGE, "caches are drawn as 0-9 and a-z, not %s",
				 c->argv[0]);
	b->hidden = c->argc ? b->hidden ^ UINT64_C(1) << n : 0;
	blocks_renew(b);
	return STATUS_OK;
}

static enum status step(struct call *c, struct error *e)
{
	struct blocks *b = blocks_here(c->app);
	int64_t n;
	uint32_t stay;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	for (; n > 0 && (stay = blocks_next(b, c->command->arg)) != MEMORY_NONE; n--)
		blocks_goto(b, stay, TICK_NONE);
	return n > 0 ? error_set(e, STATUS_NOT_FOUND, "no further stay of this block") : STATUS_OK;
}

/* Of the stay under the cursor, or the block's dearest word; the same again: nothing is. */
static enum status choose_here(struct call *c, struct error *e)
{
	struct blocks *b = blocks_here(c->app);
	const uint32_t block = blocks_block(b);
	const struct memory_row *row = blocks_row(b, blocks_level(b), block);
	const struct memory_index *x = memory_lock(b->trace);
	const struct memory_stay *s = blocks_stay(b, x);
	const uint32_t word = s ? s->word : row ? row->word : MEMORY_NONE;
	const enum memory_thing by = c->command->arg == MEMORY_BY_L1_BLOCK
					 ? memory_by_block(blocks_level(b))
					 : (enum memory_thing)c->command->arg;
	const uint32_t value = by == MEMORY_BY_LINE	? (s ? s->line : MEMORY_NONE)
			       : by != MEMORY_BY_OBJECT ? block
			       : word == MEMORY_NONE	? word
							: x->words[word].object;

	memory_unlock(b->trace);
	if (value == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND,
				 s || by != MEMORY_BY_LINE
				     ? "it is not known here: what is outside all objects has no name"
				     : "no cache has the block here: :blocks next goes to a stay, "
				       "which has a line");
	focus_select(&b->focus, by, value);
	blocks_renew(b);
	return STATUS_OK;
}

/* The curve of another set is another curve, so that nothing of the old one is shown. */
static void forget_lock_wait(struct call *c)
{
	struct view *overview = tab_view(c->app->tab, &overview_view_kind);
	struct error ignored;

	(void)app_run(c->app, "metric remove lock-wait", -1, &ignored);
	overview->kind->came(overview, NULL);
}

/* None: none is one any more. */
static enum status lock(struct call *c, struct error *e)
{
	uint32_t count;
	enum status status =
	    memory_mark_locks(blocks_here(c->app)->trace, c->argc ? c->argv[0] : NULL, &count, e);

	if (status)
		return status;
	forget_lock_wait(c);
	if (!count) {
		app_message(c->app, c->argc, "no object %s%s", c->argc ? "matches " : "is a lock",
			    c->argc ? c->argv[0] : "");
		return STATUS_OK;
	}
	app_message(c->app, false, "%" PRIu32 " object%s  :overview metric lock-wait shows each CPU",
		    count, count == 1 ? " is a lock now" : "s are locks now");
	return app_run(c->app, "metric add lock-wait", -1, e);
}

const struct command block_commands[] = {
    {"view blocks", "", "show which caches held which blocks over time", .run = view_blocks,
     .flags = CMD_TRACE},
    {"blocks stay", "N", "show this stay of a block in a cache, counted from 0", .run = show_stay,
     .flags = CMD_TRACE | CMD_MOVES},
    {"blocks face", "[NAME]",
     "show occupancy (who holds a block), temperature (loads and losses) or causes; no name: the next",
     .run = choose_value, .flags = CMD_TRACE, .arg = CHOICE_FACE},
    {"blocks ends", "[NAME]",
     "show stays that ended by coherence, by replacement, or all; no name: the next", .run = choose_value,
     .flags = CMD_TRACE, .arg = CHOICE_ENDS},
    {"blocks order", "[NAME]", "sort blocks by cost, by shared cost or by address; no name: the next", .run = choose_value,
     .flags = CMD_TRACE, .arg = CHOICE_ORDER},
    {"filter name", "[REGEX]",
     "show only blocks, or rows of a list, that search would find; no pattern: all", .run = filter,
     .flags = CMD_TRACE},
    {"blocks levels", "[NAME]",
     "auto: both levels of caches where there is room; other: the other way; no name: change it",
     .run = choose_value, .flags = CMD_TRACE, .arg = CHOICE_LEVELS},
    {"blocks other", "", "go to the same block in the other level, at the same time", .run = other,
     .flags = CMD_TRACE | CMD_MOVES},
    {"blocks fewer", "[N]", "show half as many blocks in a line, N times", .run = bundle,
     .flags = CMD_TRACE, .arg = -1},
    {"blocks more", "[N]", "show twice as many blocks in a line, N times", .run = bundle,
     .flags = CMD_TRACE, .arg = 1},
    {"blocks unfold", "", "show the stays of this block, a line for each cache; again: not",
     .act = unfold, .flags = CMD_TRACE},
    {"blocks top", "[N]",
     "show the N dearest blocks; no number: those that have 80 % of the cost together",
     .run = top, .flags = CMD_TRACE},
    {"blocks cache", "[LETTER]", "show or hide the caches drawn as this digit or letter; none: show all",
     .run = cache, .flags = CMD_TRACE},
    {"blocks next", "[N]", "go to the next stay of this block", .run = step,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"blocks prev", "[N]", "go to the previous stay of this block", .run = step,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"blocks colour", "[NAME]", "colour blocks by cache or by class of objects; no name: the other",
     .run = choose_value, .flags = CMD_TRACE, .arg = CHOICE_COLOUR},
    {"blocks select", "", "select this block; again: nothing", .run = choose_here,
     .flags = CMD_TRACE, .arg = MEMORY_BY_L1_BLOCK},
    {"blocks object", "", "select the object that was loaded here; again: none", .run = choose_here,
     .flags = CMD_TRACE, .arg = MEMORY_BY_OBJECT},
    {"blocks line", "", "select the source line that loaded this; again: none", .run = choose_here,
     .flags = CMD_TRACE, .arg = MEMORY_BY_LINE},
    {"blocks related", "[NAME]", "show all, or only what is related to the selection; no name: the other",
     .run = choose_value, .flags = CMD_TRACE, .arg = CHOICE_RELATED},
    {"lock", "[REGEX]",
     "mark objects by their names as locks and draw the waits for them, lock-wait; none: unmark them",
     .run = lock, .flags = CMD_TRACE},
    {"caches", "", "list how many blocks of which objects each cache has at the cursor",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"pairs", "", "list which line took blocks from which other", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"collisions", "", "list which class evicts which from the caches, and why",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"compare objects", "", "list what objects cost in A and B", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"compare classes", "", "list what classes of objects cost in A and B",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"compare lines", "", "list what source lines cost in A and B, by their text",
     .run = panes_open_named, .flags = CMD_TRACE},
    {.name = NULL},
};
