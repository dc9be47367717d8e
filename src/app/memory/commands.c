/*
 * The commands of the views of shared memory.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/memory/view.h"
#include "app/state.h"
#include "base/xalloc.h"

static struct ranking *list_here(const struct call *c)
{
	return memory_list_of(c->app->tab->view);
}

/* ---- what is shown ---- */

static enum status show_stay(struct call *c, struct error *e)
{
	struct view *v = tab_view(c->app->tab, &blocks_view_kind);
	enum status status;
	int64_t row;

	if (call_number(c, 0, 0, &row, e))
		return STATUS_USAGE;
	if (row < 0 || (uint64_t)row >= v->kind->all(v))
		return error_set(e, STATUS_NOT_FOUND, "there is no stay %s", c->argv[0]);
	status = view_switch(c, v->kind, e);
	if (!status) {
		places_jumped(&c->app->tab->places, tab_place(c->app->tab));
		v->kind->go(v, (uint64_t)row, TICK_NONE);
	}
	return status;
}

/* Something else is chosen: the list in sight, or blocks, are made again. */
static void renew(struct call *c)
{
	struct view *v = memory_view_of(c->app->tab);

	blocks_of(c->app->tab)->focus.version++;
	v->kind->settle(v);
}

/* Of the list in sight, else of blocks; none: all. Where nothing matches all stays as it was. */
static enum status filter(struct call *c, struct error *e)
{
	const struct split *lines = memory_view_of(c->app->tab)->split;
	struct regex **only = memory_only_of(c->app->tab), *before = *only, *re = NULL;

	if (c->argc && regex_new(&re, c->argv[0], e))
		return STATUS_USAGE;
	*only = re;
	renew(c);
	if (re && !lines->part[SPLIT_UPPER].count && !lines->part[SPLIT_LOWER].count) {
		*only = before;
		renew(c);
		regex_free(re);
		return error_set(e, STATUS_NOT_FOUND, "none of the %s matches %s",
				 list_here(c) ? memory_thing_names[list_here(c)->rows.by]
					      : "blocks",
				 c->argv[0]);
	}
	regex_free(before);
	return STATUS_OK;
}

enum { FACE, ENDS, ORDER, LEVELS, COLOUR, RELATED, LIST_FACE };

/* Among words. In turn none of the orders needs a selection where there is none. */
static enum status choose(struct call *c, struct error *e)
{
	struct blocks *b = blocks_of(c->app->tab);
	struct ranking *list = list_here(c);
	uint8_t *const of[] = {[FACE] = &b->look.face,
			       [ENDS] = &b->look.ends,
			       [ORDER] = list ? &list->rows.order : &b->look.order,
			       [LEVELS] = &b->look.one,
			       [COLOUR] = &b->focus.by_class,
			       [RELATED] = &b->focus.related,
			       [LIST_FACE] = list ? &list->face : NULL};
	const int what = c->command->arg;
	int value;

	if (!of[what])
		return error_set(e, STATUS_NOT_FOUND,
				 "no list is shown: :view source, objects, words or classes");
	if (what == RELATED && !memory_selects(&b->focus.selected))
		return error_set(e, STATUS_NOT_FOUND, "nothing is selected");
	if (call_choice(c, 0, *of[what], &value, e))
		return STATUS_USAGE;
	if (what == ORDER && !c->argc && value == BY_SHARED &&
	    !(list ? list->rows.selects : memory_selects(&b->focus.selected)))
		value = BY_HITM;
	if (what == ORDER && list && value == BY_HITM) {
		if (c->argc)
			return error_set(e, STATUS_USAGE,
					 "HITM is counted for blocks: :view blocks");
		value = BY_ADDRESS;
	}
	*of[what] = (uint8_t)value;
	renew(c);
	return STATUS_OK;
}

static enum status bundle(struct call *c, struct error *e)
{
	int64_t n;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	blocks_bundle(blocks_of(c->app->tab), c->command->arg * n);
	return STATUS_OK;
}

static void unfold(struct call *c)
{
	blocks_unfold(blocks_of(c->app->tab));
}

/* So many; none: those that have most of the cost. */
static enum status top(struct call *c, struct error *e)
{
	struct blocks *b = blocks_of(c->app->tab);
	int64_t n;

	if (call_number(c, 0, 0, &n, e))
		return STATUS_USAGE;
	b->look.asked = (uint32_t)(n < 0 ? 0 : n < UINT32_MAX ? n : UINT32_MAX);
	renew(c);
	return STATUS_OK;
}

/* By the glyph that cells of them have; none: all are shown. */
static enum status cache(struct call *c, struct error *e)
{
	struct blocks *b = blocks_of(c->app->tab);
	const char *name = c->argc ? c->argv[0] : "0";
	char *end;
	const unsigned long n = strtoul(name, &end, MEMORY_GLYPHS);

	if (end == name || *end || n >= MEMORY_GLYPHS)
		return error_set(e, STATUS_USAGE, "caches are drawn as 0-9 and a-z, not %s", name);
	b->hidden = c->argc ? b->hidden ^ UINT64_C(1) << n : 0;
	renew(c);
	return STATUS_OK;
}

/* ---- the cursor ---- */

/* From the row of a list to the block that cost most of it; all caches are shown. */
static enum status go_to_block(struct call *c, struct error *e)
{
	const struct memory_row *here = ranking_here(list_here(c));
	const uint32_t number = here ? here->number : MEMORY_NONE;
	const struct memory_selection only = memory_only(list_here(c)->rows.by, number);
	struct blocks *b = blocks_of(c->app->tab);
	uint32_t most = MEMORY_NONE;
	struct memory_sums sums;

	(void)memory_sum_up(&sums, memory_lock(b->trace), MEMORY_BY_L1_BLOCK, &only, NULL);
	memory_unlock(b->trace);
	(void)memory_take_dearest(&sums, &most);
	memory_sums_free(&sums);
	if (!here || most == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND,
				 here ? "no block of it was loaded" : "nothing is listed");
	places_jumped(&c->app->tab->places, tab_place(c->app->tab));
	b->hidden = 0;
	blocks_goto_block(b, most);
	return view_show(c->app, &blocks_view_kind, e);
}

/* To the block there; where it has none, to its lines. From a list to a block. */
static enum status other(struct call *c, struct error *e)
{
	if (list_here(c))
		return go_to_block(c, e);
	blocks_other(blocks_of(c->app->tab));
	return STATUS_OK;
}

static enum status step(struct call *c, struct error *e)
{
	struct blocks *b = blocks_of(c->app->tab);
	int64_t n;
	uint32_t stay;

	if (call_count(c, 0, 1, &n, e))
		return STATUS_USAGE;
	for (; n > 0 && (stay = blocks_next(b, c->command->arg)) != MEMORY_NONE; n--)
		blocks_goto(b, stay, TICK_NONE);
	return n > 0 ? error_set(e, STATUS_NOT_FOUND, "no further stay of this block") : STATUS_OK;
}

/* What loaded the stay here; without one, the dearest word's object; MEMORY_NONE: not known. */
static uint32_t loaded_here(const struct blocks *b, enum memory_thing by)
{
	const uint32_t block = blocks_block(b);
	const struct memory_index *x = memory_lock(b->trace);
	const struct memory_stay *s = blocks_stay(b, x);
	const uint32_t word = block < x->block_count ? x->blocks[block].word : MEMORY_NONE;
	const struct memory_cell *access = memory_access(x, s ? s->cell : MEMORY_NONE);
	const uint32_t number = s || by != MEMORY_BY_OBJECT || word == MEMORY_NONE
				    ? memory_thing_of(x, access, by)
				    : x->words[word].object;

	memory_unlock(b->trace);
	return number;
}

/* The row of the list in sight, or a thing of blocks: one of a sort; the same again: none is. */
static enum status select_here(struct call *c, struct error *e)
{
	struct blocks *b = blocks_of(c->app->tab);
	const struct ranking *list = list_here(c);
	const struct memory_row *row = list ? ranking_here(list) : NULL;
	enum memory_thing by = list ? list->rows.by : (enum memory_thing)c->command->arg;
	const bool block = by == MEMORY_BY_L1_BLOCK;
	const uint32_t number = row ? row->number : block ? blocks_block(b) : loaded_here(b, by);

	by = block ? memory_by_block(blocks_level(b)) : by;
	if (list ? !row : number == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND,
				 list ? "nothing is listed"
				      : "nothing with a name is here: try :blocks next");
	b->focus.selected.chosen[by] = !focus_is_on(&b->focus, by, number);
	b->focus.selected.of[by] = number;
	renew(c);
	return STATUS_OK;
}

/* The class of the row of a list, by its letter; in that of classes none goes. */
static enum status hide(struct call *c, struct error *e)
{
	struct ranking *list = list_here(c);
	const struct memory_row *here = list ? ranking_here(list) : NULL;
	char *at;

	if (!here || here->class == MEMORY_NONE)
		return error_set(e, STATUS_NOT_FOUND, "no class is listed here");
	at = strchrnul(list->focus->without, memory_class_letter(here->class));
	if (*at) {
		memmove(at, at + 1, strlen(at));
	} else {
		at[0] = memory_class_letter(here->class);
		at[1] = '\0'; /* others were there that are shown again */
	}
	renew(c);
	return STATUS_OK;
}

/* ---- locks ---- */

/* None: none is one any more. The curve of others is another one: nothing of the old is shown. */
static enum status lock(struct call *c, struct error *e)
{
	struct view *overview = tab_view(c->app->tab, &overview_view_kind);
	struct blocks *b = blocks_of(c->app->tab);
	struct error ignored;
	uint32_t count;
	enum status status = memory_mark_locks(b->trace, c->argc ? c->argv[0] : NULL, &count, e);

	if (status)
		return status;
	free(b->locks);
	b->locks = c->argc ? xstrdup(c->argv[0]) : NULL;
	(void)app_run(c->app, "metric remove lock-wait", -1, &ignored);
	overview->kind->came(overview, NULL);
	if (!count) {
		app_message(c->app, c->argc, "no object %s%s", c->argc ? "matches " : "is a lock",
			    c->argc ? c->argv[0] : "");
		return STATUS_OK;
	}
	app_message(c->app, false,
		    "%" PRIu32 " object%s  :overview metric lock-wait shows each CPU", count,
		    count == 1 ? " is a lock now" : "s are locks now");
	return app_run(c->app, "metric add lock-wait", -1, e);
}

const struct command block_commands[] = {
    {"view blocks", "", "show which caches held which blocks over time", .run = view_named,
     .flags = CMD_TRACE},
    {"blocks stay", "N", "show this stay of a block in a cache, counted from 0", .run = show_stay,
     .flags = CMD_TRACE | CMD_MOVES},
    {"blocks face", "[FACE]",
     "show occupancy (who holds a block), temperature (loads and losses) or causes; none: the next",
     .run = choose, .flags = CMD_TRACE, .arg = FACE},
    {"blocks ends", "[ENDS]",
     "show stays that ended by coherence, by replacement, or all; none: the next", .run = choose,
     .flags = CMD_TRACE, .arg = ENDS},
    {"blocks order", "[ORDER]",
     "sort by cost, by the cost shared with what is selected, blocks by transfers of changed ones "
     "(HITM), or by address; none: the next",
     .run = choose, .flags = CMD_TRACE, .arg = ORDER},
    {"filter name", "[REGEX]",
     "show only blocks, or rows of a list, whose name, class or address matches; blocks and words "
     "also match by the lines that touched them, source lines by their text; no pattern: all",
     .run = filter, .flags = CMD_TRACE},
    {"blocks levels", "[LEVELS]",
     "auto: both levels of caches where there is room; other: the other way; none: change it",
     .run = choose, .flags = CMD_TRACE, .arg = LEVELS},
    {"blocks other", "", "go to the same block in the other level; from a list to the dearest",
     .run = other, .flags = CMD_TRACE | CMD_MOVES},
    {"blocks fewer", "[N]", "show half as many blocks in a line, N times", .run = bundle,
     .flags = CMD_TRACE, .arg = -1},
    {"blocks more", "[N]", "show twice as many blocks in a line, N times", .run = bundle,
     .flags = CMD_TRACE, .arg = 1},
    {"blocks unfold", "", "show the stays of this block, a line for each cache; again: not",
     .act = unfold, .flags = CMD_TRACE},
    {"blocks top", "[N]",
     "show the N dearest blocks; no number: those that have 80 % of the cost together", .run = top,
     .flags = CMD_TRACE},
    {"blocks cache", "[LETTER]",
     "show or hide the caches drawn as this digit or letter; none: show all", .run = cache,
     .flags = CMD_TRACE},
    {"blocks next", "[N]", "go to the next stay of this block", .run = step,
     .flags = CMD_TRACE | CMD_MOVES, .arg = 1},
    {"blocks prev", "[N]", "go to the previous stay of this block", .run = step,
     .flags = CMD_TRACE | CMD_MOVES, .arg = -1},
    {"blocks colour", "[GROUP]", "colour blocks by cache or by class of objects; none: the other",
     .run = choose, .flags = CMD_TRACE, .arg = COLOUR},
    {"blocks select", "", "select this block, or row of a list; again: nothing", .run = select_here,
     .flags = CMD_TRACE, .arg = MEMORY_BY_L1_BLOCK},
    {"blocks object", "", "select the object that was loaded here; again: none", .run = select_here,
     .flags = CMD_TRACE, .arg = MEMORY_BY_OBJECT},
    {"blocks line", "", "select the source line that loaded this; again: none", .run = select_here,
     .flags = CMD_TRACE, .arg = MEMORY_BY_LINE},
    {"blocks related", "[RELATED]",
     "show all, or only what is related to the selection; none: the other", .run = choose,
     .flags = CMD_TRACE, .arg = RELATED},
    {"lock", "[REGEX]",
     "mark objects of classes that match as locks and draw the waits for them, lock-wait; none: "
     "unmark them",
     .run = lock, .flags = CMD_TRACE},
    {"caches", "", "list how many blocks of which objects each cache has at the cursor",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"pairs", "", "list which line took blocks from which other", .run = panes_open_named,
     .flags = CMD_TRACE},
    {"collisions", "", "list which class evicts which from the caches, and why",
     .run = panes_open_named, .flags = CMD_TRACE},
    {"view source", "", "show source lines: cycles waited", .run = view_named, .flags = CMD_TRACE},
    {"view objects", "", "show objects: cycles waited", .run = view_named, .flags = CMD_TRACE},
    {"view words", "", "show words: cycles waited", .run = view_named, .flags = CMD_TRACE},
    {"view classes", "", "show classes: cycles waited", .run = view_named, .flags = CMD_TRACE},
    {"lists face", "[SHAPE]",
     "show a list, or a map: a cell for each, along diagonals; none: the other", .run = choose,
     .flags = CMD_TRACE, .arg = LIST_FACE},
    {"lists hide", "",
     "leave this class out of views of memory; in the list of classes, again: show it", .run = hide,
     .flags = CMD_TRACE},
    {.name = NULL},
};
