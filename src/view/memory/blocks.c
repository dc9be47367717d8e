#include "config.h"

#include "view/memory/blocks.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "view/ruler.h"

enum {
	GUTTER_TENTHS = 3, /* of the columns, at most, */
	GUTTER_MOST = 34,
	BOTH_LEAST = 28, /* lines of a window that has room for two levels */
	SHARE = 80,
	LINES_LEAST = 20, /* blocks that have lines whatever their cost, */
	LINES_MOST = 2000
};

void blocks_init(struct blocks *b, struct trace *t)
{
	*b = (struct blocks){.trace = t,
			     .focus = MEMORY_FOCUS_NONE,
			     .current = MEMORY_NONE,
			     .unfolded = MEMORY_NONE,
			     .bundle = 1,
			     .share = SHARE};
	axis_open(&b->axis, t);
}

void blocks_free(struct blocks *b)
{
	for (int i = 0; i < MEMORY_LEVELS; i++) {
		vec_free(&b->part[i].order);
		vec_free(&b->part[i].shown);
	}
	vec_free(&b->sums);
	vec_free(&b->unfolded_caches);
	vec_free(&b->without);
	vec_free(&b->focus.without);
}

/* ---- what is shown ---- */

bool blocks_shows_cache(const struct blocks *b, uint32_t cache)
{
	for (size_t i = 0; i < b->without.count; i++)
		if (b->without.data[i] == cache)
			return false;
	return true;
}

bool blocks_passes(const struct blocks *b, const struct memory_stay *s)
{
	return b->ends == ENDS_ALL ||
	       s->ending == (b->ends == ENDS_COHERENCE ? MEMORY_INVALIDATED : MEMORY_REPLACED);
}

/* Does a cell belong to all that is selected but blocks? */
static bool belongs(const struct memory_focus *f, const struct memory_cell *c)
{
	return (f->line == MEMORY_NONE || f->line == c->line) &&
	       (f->object == MEMORY_NONE || f->object == c->object) &&
	       (f->word == MEMORY_NONE || f->word == c->word);
}

/* Cells may be of blocks that were not published yet. */
static void sum_up(struct blocks *b, const struct memory_index *x)
{
	vec_clear(&b->sums);
	if (!vec_reserve(&b->sums, x->block_count + 1))
		return;
	for (uint32_t i = 0; i < x->block_count; i++)
		b->sums.data[b->sums.count++] =
		    (struct block_sum){.cell = MEMORY_NONE, .related = b->focus.block == i};
	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];

		for (int level = 0; level < MEMORY_LEVELS; level++) {
			const uint32_t block = x->words[c->word].block[level];
			struct block_sum *sum;

			if (block >= b->sums.count)
				continue;
			sum = &b->sums.data[block];
			sum->cost += c->cycles;
			sum->mixed = sum->mixed || (sum->cell != MEMORY_NONE &&
						    x->cells[sum->cell].object != c->object);
			if (sum->cell == MEMORY_NONE || c->cycles > sum->most) {
				sum->most = c->cycles;
				sum->cell = i;
			}
			sum->related = sum->related || (belongs(&b->focus, c) &&
							b->focus.block == MEMORY_NONE);
		}
	}
}

/* For qsort, which hands nothing through: addresses and costs of blocks. */
struct sorted {
	uint64_t cost, address;
	uint32_t block;
};

static int by_cost(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int by_address(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Numbers of blocks, as many as there are, in an order. */
static void sort(const struct blocks *b, const struct memory_index *x, uint32_t *list, size_t n,
		 int (*compare)(const void *, const void *))
{
	struct sorted *s = xcalloc(n + 1, sizeof(*s));

	for (size_t i = 0; i < n; i++)
		s[i] = (struct sorted){b->sums.data[list[i]].cost, x->blocks[list[i]].address,
				       list[i]};
	qsort(s, n, sizeof(*s), compare);
	for (size_t i = 0; i < n; i++)
		list[i] = s[i].block;
	free(s);
}

static bool is_of_class_shown(const struct blocks *b, const struct memory_index *x, uint32_t block)
{
	const uint32_t cell = b->sums.data[block].cell;
	const uint32_t object = cell == MEMORY_NONE ? MEMORY_NONE : x->cells[cell].object;

	return object == MEMORY_NONE || focus_shows_class(&b->focus, x->objects[object].class);
}

/* So many blocks of the order have lines. */
static size_t lines_wanted(const struct blocks *b, const struct blocks_part *part)
{
	uint64_t sum = 0;
	size_t n = 0;

	while (!b->top && n < part->order.count && n < LINES_MOST &&
	       (n < LINES_LEAST || (double)sum * 100 < (double)part->cost * b->share))
		sum += b->sums.data[part->order.data[n++]].cost;
	n = b->top > n ? b->top : n;
	n = part->wanted > n ? part->wanted : n;
	return n < part->order.count ? n : part->order.count;
}

static void choose(struct blocks *b, const struct memory_index *x, struct blocks_part *part)
{
	const size_t wanted = lines_wanted(b, part);
	const bool related = b->focus.related && focus_selects(&b->focus);

	vec_clear(&part->shown);
	part->shown_cost = 0;
	for (size_t i = 0; i < part->order.count && part->shown.count < wanted; i++) {
		const uint32_t block = part->order.data[i];

		if (!is_of_class_shown(b, x, block) || (related && !b->sums.data[block].related) ||
		    !vec_push(&part->shown, block))
			continue;
		part->shown_cost += b->sums.data[block].cost;
	}
	if (b->by_address)
		sort(b, x, part->shown.data, part->shown.count, by_address);
}

static void count_ends(struct blocks *b, const struct memory_index *x)
{
	for (uint32_t i = b->made_stays; i < x->stay_count; i++) {
		const struct memory_stay *s = &x->stays[i];
		struct blocks_part *part = &b->part[x->blocks[s->block].level];

		part->ended[ENDS_ALL]++;
		part->ended[ENDS_COHERENCE] += s->ending == MEMORY_INVALIDATED;
		part->ended[ENDS_REPLACEMENT] += s->ending == MEMORY_REPLACED;
	}
}

static void make_level(struct blocks *b, const struct memory_index *x, enum memory_level level)
{
	struct blocks_part *part = &b->part[level];

	vec_clear(&part->order);
	part->cost = 0;
	for (uint32_t i = 0; i < b->sums.count; i++)
		if (x->blocks[i].level == level && x->block_from[i] < x->block_from[i + 1] &&
		    vec_push(&part->order, i))
			part->cost += b->sums.data[i].cost;
	sort(b, x, part->order.data, part->order.count, by_cost);
	for (size_t i = 0; i < part->order.count; i++)
		b->sums.data[part->order.data[i]].rank = (uint32_t)i + 1;
}

static void list_caches(struct blocks *b, const struct memory_index *x)
{
	vec_clear(&b->unfolded_caches);
	if (b->unfolded >= b->sums.count)
		return;
	for (uint32_t c = 0; c < x->caches[x->blocks[b->unfolded].level]; c++) {
		uint32_t i, end;

		memory_stays(x, b->unfolded, c, INT64_MIN, INT64_MAX, &i, &end);
		if (i < end && blocks_shows_cache(b, c))
			(void)vec_push(&b->unfolded_caches, c);
	}
}

/*
 * Sums and orders are made again when there is more; what is shown of them, when the user chose
 * otherwise. Stays that had no end may have one by now: they are counted anew.
 */
static void make_lists(struct blocks *b, const struct memory_index *x)
{
	const bool more = b->made_cells != x->cell_count || b->made_stays != x->stay_count ||
			  b->sums.count != x->block_count;

	if (!more && b->fresh && b->made_version == b->focus.version)
		return;
	sum_up(b, x);
	for (int i = 0; i < MEMORY_LEVELS; i++) {
		make_level(b, x, (enum memory_level)i);
		if (more)
			for (int k = 0; k < BLOCKS_ENDS_COUNT; k++)
				b->part[i].ended[k] = 0;
		choose(b, x, &b->part[i]);
	}
	if (more) {
		b->made_stays = 0;
		count_ends(b, x);
	}
	list_caches(b, x);
	b->made_cells = x->cell_count;
	b->made_stays = x->stay_count;
	b->made_version = b->focus.version;
	b->fresh = true;
}

/* ---- lines ---- */

bool blocks_both(const struct blocks *b)
{
	return b->levels == LEVELS_BOTH || (b->levels == LEVELS_AUTO && b->axis.height >= BOTH_LEAST);
}

static uint32_t rows_of(const struct blocks *b, const struct blocks_part *part)
{
	return ((uint32_t)part->shown.count + b->bundle - 1) / b->bundle;
}

/* The line of the unfolded block; MEMORY_NONE: it has none in this level. */
static uint32_t unfolded_line(const struct blocks *b, const struct blocks_part *part)
{
	for (uint32_t i = 0; b->unfolded != MEMORY_NONE && i < part->shown.count; i++)
		if (part->shown.data[i] == b->unfolded)
			return i / b->bundle;
	return MEMORY_NONE;
}

uint32_t blocks_lines(const struct blocks *b, enum memory_level level)
{
	const struct blocks_part *part = &b->part[level];
	const bool unfolded = unfolded_line(b, part) != MEMORY_NONE;

	return rows_of(b, part) + (unfolded ? (uint32_t)b->unfolded_caches.count : 0) +
	       (part->shown.count < part->order.count);
}

struct blocks_line blocks_line(const struct blocks *b, enum memory_level level, uint32_t line)
{
	const struct blocks_part *part = &b->part[level];
	const uint32_t at = unfolded_line(b, part), rows = rows_of(b, part);
	const uint32_t below = at == MEMORY_NONE ? 0 : (uint32_t)b->unfolded_caches.count;
	uint32_t first, left;

	if (at != MEMORY_NONE && line > at && line <= at + below)
		return (struct blocks_line){LINE_CACHE, at * b->bundle, 1,
					    b->unfolded_caches.data[line - at - 1]};
	line -= at != MEMORY_NONE && line > at ? below : 0;
	if (line >= rows)
		return (struct blocks_line){
		    .kind = line == rows && part->shown.count < part->order.count ? LINE_OTHERS
										  : LINE_NONE};
	first = line * b->bundle;
	left = (uint32_t)part->shown.count - first;
	return (struct blocks_line){LINE_BLOCKS, first, left < b->bundle ? left : b->bundle, 0};
}

/* The dearest of a line. */
static uint32_t dearest(const struct blocks *b, const struct blocks_part *part,
			const struct blocks_line *line)
{
	uint32_t found = MEMORY_NONE;

	for (uint32_t i = 0; i < line->count; i++) {
		const uint32_t block = part->shown.data[line->first + i];

		if (found == MEMORY_NONE || b->sums.data[block].cost > b->sums.data[found].cost)
			found = block;
	}
	return found;
}

uint32_t blocks_block(const struct blocks *b)
{
	const struct blocks_line line = blocks_line(b, b->level, b->line);
	const struct memory_index *x = memory_lock(b->trace);
	const uint32_t block = b->current < x->stay_count ? x->stays[b->current].block
							  : dearest(b, &b->part[b->level], &line);

	memory_unlock(b->trace);
	return block;
}

/* ---- the cursor ---- */

/* The one of [i, end) at a tick, else the first that is shown; MEMORY_NONE: none is. */
static uint32_t best_of(const struct blocks *b, const struct memory_index *x, uint32_t block,
			uint32_t cache, int64_t t0, int64_t t1)
{
	const int64_t tick = b->axis.tick;
	uint32_t i, end;

	memory_stays(x, block, cache, tick, tick_add(tick, 1), &i, &end);
	if (i < end && blocks_passes(b, &x->stays[x->by_block[i]]))
		return x->by_block[i];
	for (memory_stays(x, block, cache, t0, t1, &i, &end); i < end; i++)
		if (blocks_passes(b, &x->stays[x->by_block[i]]))
			return x->by_block[i];
	return MEMORY_NONE;
}

/* Better is what is there at the tick, then what is in the cache where the cursor was. */
static int worth(const struct blocks *b, const struct memory_stay *s, uint32_t cache)
{
	return (memory_meets(s, b->axis.tick, tick_add(b->axis.tick, 1)) ? 2 : 0) +
	       (s->cache == cache);
}

/* The stay of the line in the cursor's column. */
static uint32_t stay_here(const struct blocks *b, const struct memory_index *x)
{
	const struct blocks_line line = blocks_line(b, b->level, b->line);
	const int64_t t0 = axis_align(&b->axis, b->axis.tick, b->axis.zoom);
	const int64_t t1 = tick_add(t0, axis_cell(&b->axis, b->axis.zoom));
	const uint32_t last = b->current < x->stay_count ? x->stays[b->current].cache : MEMORY_NONE;
	uint32_t found = MEMORY_NONE;

	for (uint32_t i = 0; i < line.count; i++)
		for (uint32_t c = 0; c < x->caches[b->level]; c++) {
			const uint32_t block = b->part[b->level].shown.data[line.first + i];
			uint32_t stay;

			if (!blocks_shows_cache(b, c) || (line.kind == LINE_CACHE && c != line.cache))
				continue;
			stay = best_of(b, x, block, c, t0, t1);
			if (stay != MEMORY_NONE &&
			    (found == MEMORY_NONE || worth(b, &x->stays[stay], last) >
							 worth(b, &x->stays[found], last)))
				found = stay;
		}
	return found;
}

static bool is_in_line(const struct blocks *b, const struct memory_stay *s)
{
	const struct blocks_line line = blocks_line(b, b->level, b->line);

	for (uint32_t i = 0; i < line.count; i++)
		if (b->part[b->level].shown.data[line.first + i] == s->block)
			return line.kind != LINE_CACHE || line.cache == s->cache;
	return false;
}

static void find_current(struct blocks *b, const struct memory_index *x)
{
	const struct memory_stay *s = b->current < x->stay_count ? &x->stays[b->current] : NULL;
	const int64_t column = axis_column_of(&b->axis, b->axis.tick);
	int64_t x0, x1;

	if (s && is_in_line(b, s) && blocks_passes(b, s) && blocks_shows_cache(b, s->cache)) {
		blocks_span(&b->axis, s, &x0, &x1);
		if (column >= x0 && column <= x1)
			return;
	}
	b->current = stay_here(b, x);
}

static void show_line(struct blocks_part *part, uint32_t line, uint32_t lines)
{
	const uint32_t h = part->h > 0 ? (uint32_t)part->h : 1;

	if (line < part->top)
		part->top = line;
	if (line >= part->top + h)
		part->top = line - h + 1;
	if (part->top + h > lines)
		part->top = lines > h ? lines - h : 0;
}

/* Below the ruler each level has a heading and its lines; of two, none more than it needs. */
static void share_lines(struct blocks *b)
{
	const int ruler = ruler_lines(b->axis.height), room = b->axis.height - ruler;
	struct blocks_part *one = &b->part[MEMORY_L1], *two = &b->part[MEMORY_L2];
	const int need = (int)blocks_lines(b, MEMORY_L2);
	int half = (room - 2) / 2;

	if (!blocks_both(b)) {
		one->h = two->h = room > 1 ? room - 1 : 0;
		one->y = two->y = ruler + 1;
		return;
	}
	half = need < half ? need : half;
	if ((int)blocks_lines(b, MEMORY_L1) < room - 2 - half)
		half = room - 2 - (int)blocks_lines(b, MEMORY_L1);
	two->h = half > 0 ? half : 0;
	one->h = room - 2 - half > 0 ? room - 2 - half : 0;
	one->y = ruler + 1;
	two->y = one->y + one->h + 1;
}

void blocks_settle(struct blocks *b)
{
	const struct memory_index *x = memory_lock(b->trace);
	uint32_t lines;

	make_lists(b, x);
	share_lines(b);
	lines = blocks_lines(b, b->level);
	b->line = b->line < lines ? b->line : lines ? lines - 1 : 0;
	find_current(b, x);
	memory_unlock(b->trace);
	for (int i = 0; i < MEMORY_LEVELS; i++) {
		struct blocks_part *part = &b->part[i];

		show_line(part, (int)b->level == i ? b->line : part->top,
			  blocks_lines(b, (enum memory_level)i));
	}
}

void blocks_layout(struct blocks *b, int w, int h)
{
	const int gutter = w * GUTTER_TENTHS / 10;

	axis_layout(&b->axis, w, h, gutter < GUTTER_MOST ? gutter : GUTTER_MOST);
	blocks_settle(b);
}

/* ---- motions ---- */

/* Beyond the last line of a level is the other one, if it is shown. */
static void move_lines(struct blocks *b, int64_t by)
{
	const int64_t lines = blocks_lines(b, b->level), line = (int64_t)b->line + by;

	b->line = (uint32_t)(line < 0 ? 0 : line < lines ? line : lines ? lines - 1 : 0);
	if (!blocks_both(b))
		return;
	if (line >= lines && b->level == MEMORY_L1) {
		b->level = MEMORY_L2;
		b->line = b->part[MEMORY_L2].top;
	} else if (line < 0 && b->level == MEMORY_L2) {
		b->level = MEMORY_L1;
		b->line = blocks_lines(b, MEMORY_L1);
	}
}

void blocks_move(struct blocks *b, int64_t lines, int64_t columns)
{
	if (columns)
		axis_move(&b->axis, columns);
	if (lines)
		move_lines(b, lines);
	blocks_settle(b);
}

static void scroll_lines(struct blocks *b, int64_t by)
{
	struct blocks_part *part = &b->part[b->level];
	const int64_t lines = blocks_lines(b, b->level), h = part->h;
	int64_t top = part->top + by;

	top = top > lines - h ? lines - h : top;
	top = top < 0 ? 0 : top;
	if (top == part->top) {
		move_lines(b, by);
		return;
	}
	part->top = (uint32_t)top;
	if (b->line < top || b->line >= top + h)
		b->line = (uint32_t)(b->line < top ? top : top + h - 1);
}

void blocks_scroll(struct blocks *b, int64_t lines, int64_t columns)
{
	if (columns)
		axis_scroll(&b->axis, columns);
	if (lines)
		scroll_lines(b, lines);
	blocks_settle(b);
}

void blocks_center(struct blocks *b)
{
	struct blocks_part *part = &b->part[b->level];
	const uint32_t half = part->h > 0 ? (uint32_t)part->h / 2 : 0;

	axis_center(&b->axis);
	part->top = b->line > half ? b->line - half : 0;
	blocks_settle(b);
}

bool blocks_hit(const struct blocks *b, int x, int y, enum memory_level *level, uint32_t *line,
		int64_t *tick)
{
	for (int i = 0; i < MEMORY_LEVELS; i++) {
		const struct blocks_part *part = &b->part[i];

		if ((!blocks_both(b) && i != (int)b->level) || y < part->y || y >= part->y + part->h)
			continue;
		*level = (enum memory_level)i;
		*line = part->top + (uint32_t)(y - part->y);
		return axis_hit(&b->axis, x, y, tick);
	}
	return false;
}

void blocks_click(struct blocks *b, enum memory_level level, uint32_t line, int64_t tick)
{
	b->level = level;
	b->line = line;
	b->axis.tick = tick;
	blocks_settle(b);
}

/* ---- going to a block ---- */

/* Its line; blocks before it, and it, have lines from now on. */
static uint32_t line_of(struct blocks *b, const struct memory_index *x, uint32_t block)
{
	struct blocks_part *part = &b->part[b->level];
	const uint32_t at = unfolded_line(b, part);
	uint32_t line = 0, rank = b->sums.data[block].rank;

	while (line < part->shown.count && part->shown.data[line] != block)
		line++;
	if (line == part->shown.count) {
		part->wanted = rank > part->wanted ? rank : part->wanted;
		b->focus.related = false;
		vec_clear(&b->focus.without);
		choose(b, x, part);
		for (line = 0; line < part->shown.count && part->shown.data[line] != block; line++)
			;
	}
	line /= b->bundle;
	return line + (at != MEMORY_NONE && line > at ? (uint32_t)b->unfolded_caches.count : 0);
}

static void put_cursor(struct blocks *b, const struct memory_index *x, uint32_t block)
{
	b->level = (enum memory_level)x->blocks[block].level;
	b->line = line_of(b, x, block);
}

void blocks_goto_block(struct blocks *b, uint32_t block)
{
	const struct memory_index *x = memory_lock(b->trace);

	if (block < b->sums.count)
		put_cursor(b, x, block);
	memory_unlock(b->trace);
	blocks_settle(b);
}

void blocks_goto(struct blocks *b, uint32_t stay, int64_t tick)
{
	const struct memory_index *x = memory_lock(b->trace);
	const bool there = stay < x->stay_count && x->stays[stay].block < b->sums.count;

	if (there) {
		const struct memory_stay *s = &x->stays[stay];

		put_cursor(b, x, s->block);
		axis_goto(&b->axis, tick == TICK_NONE ? s->start : tick);
		b->current = stay;
		for (uint32_t i = 0; s->block == b->unfolded && i < b->unfolded_caches.count; i++)
			if (b->unfolded_caches.data[i] == s->cache)
				b->line += i + 1;
	}
	memory_unlock(b->trace);
	blocks_settle(b);
}

/* ---- from stay to stay ---- */

/* Of starts, then rows: the next one behind or before what the cursor is on. */
static bool is_beyond(const struct memory_stay *s, uint32_t row, int64_t tick, uint32_t than, int dir)
{
	if (s->start != tick)
		return dir > 0 ? s->start > tick : s->start < tick;
	return than != MEMORY_NONE && (dir > 0 ? row > than : row < than);
}

uint32_t blocks_next(const struct blocks *b, int dir)
{
	const uint32_t block = blocks_block(b);
	const struct memory_index *x = memory_lock(b->trace);
	const bool on = b->current < x->stay_count;
	const int64_t tick = on ? x->stays[b->current].start : b->axis.tick;
	uint32_t found = MEMORY_NONE, i, end;

	for (uint32_t c = 0; block != MEMORY_NONE && c < x->caches[x->blocks[block].level]; c++) {
		if (!blocks_shows_cache(b, c))
			continue;
		memory_stays(x, block, c, INT64_MIN, INT64_MAX, &i, &end);
		for (; i < end; i++) {
			const uint32_t row = x->by_block[i];
			const struct memory_stay *s = &x->stays[row];

			if (blocks_passes(b, s) && is_beyond(s, row, tick, b->current, dir) &&
			    (found == MEMORY_NONE ||
			     is_beyond(&x->stays[found], found, s->start, row, dir)))
				found = row;
		}
	}
	memory_unlock(b->trace);
	return found;
}

/*
 * The first that is there at a tick or comes soon behind it, in any cache but one; of several that are
 * there, the one in the cache of that number: an L2 cache may be of several CPUs.
 */
static uint32_t stay_from(const struct memory_index *x, uint32_t block, uint32_t cache,
			  uint32_t but, int64_t tick)
{
	const uint32_t caches = block < x->block_count ? x->caches[x->blocks[block].level] : 0;
	uint32_t found = MEMORY_NONE, i, end;
	int64_t best = 0;

	for (uint32_t c = 0; c < caches; c++) {
		int64_t start;

		memory_stays(x, block, c, tick, INT64_MAX, &i, &end);
		if (i == end || c == but)
			continue;
		start = x->stays[x->by_block[i]].start;
		start = start > tick ? start : tick;
		if (found == MEMORY_NONE || start < best || (start == best && c == cache)) {
			found = x->by_block[i];
			best = start;
		}
	}
	return found;
}

uint32_t blocks_taker(const struct blocks *b)
{
	const struct memory_index *x = memory_lock(b->trace);
	uint32_t found = MEMORY_NONE;

	if (b->current < x->stay_count) {
		const struct memory_stay *s = &x->stays[b->current];
		const uint32_t level = x->blocks[s->block].level;

		if (s->ending == MEMORY_INVALIDATED)
			found = stay_from(x, s->block, s->taker, s->cache, s->end);
		else if (s->ending == MEMORY_REPLACED && s->taker_word != MEMORY_NONE)
			found = stay_from(x, x->words[s->taker_word].block[level], s->cache,
					  MEMORY_NONE, s->end);
	}
	memory_unlock(b->trace);
	return found;
}

uint32_t blocks_other(const struct blocks *b)
{
	const uint32_t block = blocks_block(b);
	const struct memory_index *x = memory_lock(b->trace);
	uint32_t found = MEMORY_NONE;

	if (block != MEMORY_NONE) {
		const struct memory_stay *s =
		    b->current < x->stay_count ? &x->stays[b->current] : NULL;
		const enum memory_level to =
		    x->blocks[block].level == MEMORY_L1 ? MEMORY_L2 : MEMORY_L1;
		const uint32_t other = s && s->word != MEMORY_NONE
					   ? x->words[s->word].block[to]
					   : memory_block_at(b->trace, to, x->blocks[block].address);

		found = stay_from(x, other, s ? s->cache : 0, MEMORY_NONE, b->axis.tick);
	}
	memory_unlock(b->trace);
	return found;
}

/* ---- what the user sets ---- */

void blocks_bundle(struct blocks *b, int64_t steps)
{
	const uint32_t block = blocks_block(b);

	for (; steps > 0 && b->bundle < LINES_MOST; steps--)
		b->bundle *= 2;
	for (; steps < 0 && b->bundle > 1; steps++)
		b->bundle /= 2;
	if (b->bundle > 1)
		b->unfolded = MEMORY_NONE;
	if (block != MEMORY_NONE)
		blocks_goto_block(b, block);
}

void blocks_unfold(struct blocks *b)
{
	const uint32_t block = blocks_block(b);

	b->unfolded = b->unfolded == block ? MEMORY_NONE : block;
	b->bundle = 1;
	b->fresh = false;
	blocks_settle(b);
	if (block != MEMORY_NONE)
		blocks_goto_block(b, block);
}

/* CPUs have the first caches of both levels, or those of their number. */
static uint32_t caches_of(const struct blocks *b)
{
	const struct memory_index *x = memory_lock(b->trace);
	const uint32_t one = x->caches[MEMORY_L1], two = x->caches[MEMORY_L2];

	memory_unlock(b->trace);
	return one > two ? one : two;
}

bool blocks_toggle_cache(struct blocks *b, uint32_t cache)
{
	const uint32_t caches = caches_of(b);
	size_t i = 0;

	if (cache >= caches)
		return false;
	while (i < b->without.count && b->without.data[i] != cache)
		i++;
	if (i < b->without.count)
		b->without.data[i] = b->without.data[--b->without.count];
	else if (b->without.count + 1 < caches)
		(void)vec_push(&b->without, cache);
	b->fresh = false;
	blocks_settle(b);
	return true;
}

void blocks_only_cache(struct blocks *b, uint32_t cache)
{
	const uint32_t caches = caches_of(b);

	vec_clear(&b->without);
	for (uint32_t i = 0; i < caches; i++)
		if (i != cache)
			(void)vec_push(&b->without, i);
	b->fresh = false;
	blocks_settle(b);
}
