#include "config.h"

#include "view/memory/blocks.h"

#include <stdlib.h>

#include "view/ruler.h"

enum {
	BOTH_LEAST = 28,  /* lines of a window that has room for two levels */
	BUNDLE_MOST = 2048 /* blocks in a line */
};

void blocks_init(struct blocks *b, struct trace *t)
{
	*b = (struct blocks){.trace = t,
			     .focus = {.trace = t, .axis = &b->axis,
				       .source = source_text_new(t), .version = 1},
			     .look = {.bundle = 1},
			     .current = MEMORY_NONE,
			     .unfolded = MEMORY_NONE,
			     .part = {{.rows = {.by = MEMORY_BY_L1_BLOCK}},
				      {.rows = {.by = MEMORY_BY_L2_BLOCK}}}};
	axis_open(&b->axis, t);
}

void blocks_free(struct blocks *b)
{
	source_text_free(b->focus.source);
	for (int i = 0; i < MEMORY_LEVELS; i++)
		memory_rows_free(&b->part[i].rows);
	regex_free(b->only);
	free(b->locks);
}

/* ---- lines ---- */

struct blocks_line blocks_line(const struct blocks *b, enum memory_level level, int64_t n)
{
	const struct blocks_part *part = &b->part[level];
	const enum row_order order = (enum row_order)part->rows.order;
	/* if it is one of these lines; where there are none the cursor's is -1 */
	const int64_t cache = n > part->unfolded ? n - 1 - part->unfolded : -1;
	const bool unfolded = cache >= 0 && cache < part->caches;
	struct blocks_line line = {.unfolded = unfolded,
				   .cache = unfolded ? (uint32_t)cache : 0,
				   .end = unfolded ? (uint32_t)cache + 1 : part->caches};
	const uint64_t first = unfolded ? (uint64_t)part->unfolded
			       : (uint64_t)(cache < 0 ? n : n - part->caches) * b->look.bundle;

	line.first = line.dearest = (uint32_t)first;
	for (size_t i = first; i < part->rows.lines && line.count < b->look.bundle;
	     i++, line.count++) {
		const struct memory_row *row = &part->rows.of.data[i];

		line.worth += memory_row_worth(row, order);
		line.related = line.related || row->related;
		if (memory_row_worth(row, order) >
		    memory_row_worth(&part->rows.of.data[line.dearest], order))
			line.dearest = (uint32_t)i;
	}
	return line;
}

/* The line of a row, or the one below it of a cache. */
static int64_t line_of(const struct blocks *b, const struct blocks_part *part, size_t row,
		       uint32_t cache)
{
	const int64_t line = (int64_t)row / b->look.bundle;

	if ((int64_t)row > part->unfolded)
		return line + part->caches;
	return (int64_t)row == part->unfolded && cache != MEMORY_NONE ? line + 1 + cache : line;
}

/* Without memory there are no lines. */
static void make_lists(struct blocks *b, const struct memory_index *x)
{
	for (int i = 0; i < MEMORY_LEVELS; i++) {
		struct memory_rows *rows = &b->part[i].rows;
		size_t unfolded;

		rows->order = b->look.order;
		rows->only = b->only;
		rows->asked = b->look.asked;
		memory_rows_make(rows, x, &b->focus, NULL);
		unfolded = memory_rows_find(rows, b->unfolded);
		b->part[i].unfolded = unfolded < rows->lines ? (int64_t)unfolded : INT64_MAX;
		b->part[i].caches = x->caches[i];
		b->split.part[i].count =
		    line_of(b, &b->part[i], rows->lines + b->look.bundle - 1, MEMORY_NONE) +
		    (rows->lines < rows->of.count); /* one for the rest */
	}
}

static struct blocks_line line_here(const struct blocks *b)
{
	return blocks_line(b, blocks_level(b), b->split.part[b->split.in].line);
}

const struct memory_stay *blocks_stay(const struct blocks *b, const struct memory_index *x)
{
	return b->current < x->stay_count ? memory_stay(x, b->current) : NULL;
}

uint32_t blocks_block(const struct blocks *b)
{
	const struct blocks_line line = line_here(b);
	const struct memory_stay *s = blocks_stay(b, memory_lock(b->trace));
	const uint32_t block = s	    ? s->block
			       : line.count ? b->part[b->split.in].rows.of.data[line.dearest].number
					    : MEMORY_NONE;

	memory_unlock(b->trace);
	return block;
}

/* ---- the cursor ---- */

/*
 * In the cursor's column; better is what is there at the tick, then what the cursor was in, then
 * what comes first. MEMORY_NONE: none is shown.
 */
static uint32_t stay_here(const struct blocks *b, const struct memory_index *x)
{
	const struct blocks_line line = line_here(b);
	const struct memory_row *rows = b->part[b->split.in].rows.of.data;
	const int64_t tick = b->axis.tick, t0 = axis_align(&b->axis, tick, b->axis.zoom);
	const int64_t t1 = tick_add(t0, axis_cell(&b->axis, b->axis.zoom));
	uint32_t found = MEMORY_NONE, i, end;
	int most = -1;

	for (uint32_t r = line.first; r < line.first + line.count; r++)
		for (uint32_t c = line.cache; c < line.end; c++) {
			memory_stays(x, rows[r].number, c, t0, t1, &i, &end);
			for (; i < end && blocks_shows_cache(b, c); i++) {
				const struct memory_stay *s = &x->ordered[i];
				const int worth = 2 * memory_meets(s, tick, tick_add(tick, 1)) +
						  (s->row == b->current);

				if (!blocks_passes(b, s->ending) || worth <= most)
					continue;
				most = worth;
				found = s->row;
			}
		}
	return found;
}

/* Below the ruler each level has a heading and its lines; of two, what one leaves has the other. */
static void share_lines(struct blocks *b)
{
	const bool both = (b->axis.height >= BOTH_LEAST) != b->look.one;
	const int ruler = ruler_lines(b->axis.height), room = b->axis.height - ruler - 1 - both;
	struct split_part *one = &b->split.part[MEMORY_L1], *two = &b->split.part[MEMORY_L2];
	const int64_t most = room - two->count > room / 2 ? room - two->count : room / 2;

	b->split.both = both;
	one->h = (int)(!both ? room : one->count < most ? one->count : most);
	two->h = both ? room - one->h : room;
	one->y = ruler + 1;
	two->y = both ? one->y + one->h + 1 : one->y;
}

/* Lists that are made again leave the cursor on its block, as long as that has a line. */
void blocks_settle(struct blocks *b)
{
	const struct blocks_part *part = &b->part[b->split.in];
	const struct blocks_line here = line_here(b);
	const uint32_t block = blocks_block(b);
	const struct memory_index *x = memory_lock(b->trace);
	size_t row;

	if (b->part[MEMORY_L1].rows.age != memory_rows_age(x, &b->focus)) {
		make_lists(b, x);
		row = memory_rows_find(&part->rows, block);
		if (row < part->rows.lines)
			b->split.part[b->split.in].line =
			    line_of(b, part, row, here.unfolded ? here.cache : MEMORY_NONE);
	}
	share_lines(b);
	split_settle(&b->split);
	b->current = stay_here(b, x);
	memory_unlock(b->trace);
}

/* ---- going to a block ---- */

/* It gets a line, with all that is dearer; what left it out ends. What no cache had gets none. */
static void put_cursor(struct blocks *b, const struct memory_index *x, uint32_t block,
		       uint32_t cache)
{
	const enum memory_level level = (enum memory_level)x->blocks[block].level;
	struct blocks_part *part = &b->part[level];
	size_t row = memory_rows_find(&part->rows, block);

	if (row == part->rows.of.count) {
		b->focus.related = false;
		b->focus.without[0] = 0;
		regex_free(b->only);
		b->only = NULL;
		b->focus.version++;
		make_lists(b, x);
		row = memory_rows_find(&part->rows, block);
	}
	if (row >= part->rows.lines && row < part->rows.of.count) {
		b->look.asked = (uint32_t)row + 1;
		make_lists(b, x);
		row = memory_rows_find(&part->rows, block);
	}
	b->split.in = level;
	b->split.part[level].line = line_of(b, part, row, cache);
}

void blocks_goto_block(struct blocks *b, uint32_t block)
{
	const struct memory_index *x = memory_lock(b->trace);

	if (block < x->block_count)
		put_cursor(b, x, block, MEMORY_NONE);
	b->current = MEMORY_NONE;
	memory_unlock(b->trace);
	blocks_settle(b);
}

void blocks_goto(struct blocks *b, uint32_t stay, int64_t tick)
{
	const struct memory_index *x = memory_lock(b->trace);

	if (stay < x->stay_count) {
		const struct memory_stay *s = memory_stay(x, stay);

		put_cursor(b, x, s->block, s->cache);
		axis_goto(&b->axis, tick == TICK_NONE || tick < s->start ? s->start : tick);
		b->current = stay;
	}
	memory_unlock(b->trace);
	blocks_settle(b);
}

/* ---- from stay to stay ---- */

/*
 * Of the stays of a block that are shown the next that begins behind a tick, dir < 0: the last
 * before; 0: of all of them the one that is there, else the next, of several that in the cache of
 * that number.
 */
static uint32_t nearest(const struct blocks *b, const struct memory_index *x, uint32_t block,
			int dir, int64_t tick, uint32_t cache)
{
	const uint32_t end = block < x->block_count ? x->blocks[block].end : 0;
	int64_t least = INT64_MAX;
	uint32_t found = MEMORY_NONE;

	for (uint32_t i = end ? x->blocks[block].begin : 0; i < end; i++) {
		const struct memory_stay *s = &x->ordered[i];
		const int64_t away = dir < 0 ? tick - s->start : s->start - tick;
		const int64_t ahead = away > 0 ? away : 0;
		const bool meant = !dir ? memory_meets(s, tick, INT64_MAX)
					: away > 0 && blocks_shows_cache(b, s->cache) &&
					      blocks_passes(b, s->ending);

		if (meant && (ahead < least || (ahead == least && s->cache == cache))) {
			least = ahead;
			found = s->row;
		}
	}
	return found;
}

uint32_t blocks_next(const struct blocks *b, int dir)
{
	const uint32_t block = blocks_block(b);
	const struct memory_index *x = memory_lock(b->trace);
	const uint32_t found = nearest(b, x, block, dir, b->axis.tick, MEMORY_NONE);

	memory_unlock(b->trace);
	return found;
}

/* The word that was written lies elsewhere if the other level lost the blocks of both. */
uint32_t blocks_taker(const struct blocks *b, int64_t *tick)
{
	const struct memory_index *x = memory_lock(b->trace);
	const struct memory_stay *s = blocks_stay(b, x);
	const struct memory_cell *taker = memory_access(x, s ? s->taker : MEMORY_NONE);
	uint32_t found = MEMORY_NONE;

	if (s && s->ending != MEMORY_RESIDENT) {
		const uint32_t block = s->taker == MEMORY_NONE
					   ? s->block
					   : x->words[taker->word].block[s->level];

		*tick = s->end;
		found = nearest(b, x, block, 0, s->end,
				s->ending == MEMORY_INVALIDATED ? taker->cpu : s->cache);
	}
	memory_unlock(b->trace);
	return found;
}

void blocks_other(struct blocks *b)
{
	const uint32_t block = blocks_block(b);
	const struct memory_index *x = memory_lock(b->trace);
	const struct memory_stay *s = blocks_stay(b, x);
	const uint32_t word = s && s->cell != MEMORY_NONE ? x->cells[s->cell].word
			      : block < x->block_count	  ? x->blocks[block].word
							  : MEMORY_NONE;
	const uint32_t found = word == MEMORY_NONE ? word : x->words[word].block[!b->split.in];

	memory_unlock(b->trace);
	b->split.in = !b->split.in;
	blocks_goto_block(b, found);
}

/* ---- what the user sets ---- */

void blocks_bundle(struct blocks *b, int64_t steps)
{
	for (; steps > 0 && b->look.bundle < BUNDLE_MOST; steps--)
		b->look.bundle *= 2;
	for (; steps < 0 && b->look.bundle > 1; steps++)
		b->look.bundle /= 2;
	if (b->look.bundle > 1)
		b->unfolded = MEMORY_NONE;
	b->focus.version++;
	blocks_settle(b);
}

void blocks_unfold(struct blocks *b)
{
	const uint32_t block = blocks_block(b);

	b->unfolded = b->unfolded == block ? MEMORY_NONE : block;
	b->look.bundle = 1;
	b->focus.version++;
	blocks_settle(b);
}
