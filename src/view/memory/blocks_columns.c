/*
 * What is in the columns of a line: stays of a block in a cache do not overlap, so that those of a
 * column are found by looking for its end.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/xalloc.h"
#include "view/memory/blocks.h"

/* The stays of one block in one cache. */
struct run {
	const struct blocks *b;
	const struct memory_index *x;
	uint32_t block, cache;
	bool selects; /* an object is selected */
	struct block_column *out;
};

void blocks_span(const struct axis *a, int64_t start, int64_t end, int64_t *x0, int64_t *x1)
{
	const int64_t last = end - 1 < a->last ? end - 1 : a->last;

	*x0 = axis_column_of(a, start);
	*x1 = axis_column_of(a, last > start ? last : start);
	if (a->zoom < 0 && end > start)
		*x1 += (INT64_C(1) << -a->zoom) - 1;
}

/* Stays are told by where they are in by_block. The first of [i, end) that starts at a tick or later. */
static uint32_t first_from(const struct memory_index *x, uint32_t i, uint32_t end, int64_t tick)
{
	size_t low = i, high = end;

	bisect(low, high, n, x->briefs[n].start < tick);
	return (uint32_t)low;
}

static bool passes(const struct run *r, uint32_t i)
{
	return r->b->ends == ENDS_ALL || blocks_passes(r->b, memory_ending(r->x, i));
}

static bool is_selected(const struct run *r, uint32_t i)
{
	const struct memory_stay *s = &r->x->stays[r->x->by_block[i]];

	return s->word != MEMORY_NONE &&
	       focus_is_on(&r->b->focus, MEMORY_BY_OBJECT, r->x->words[s->word].object);
}

static void hold(const struct run *r, struct block_column *c, uint32_t i)
{
	if (!c->holders)
		c->cache = (uint16_t)r->cache;
	c->holders++;
	c->selected = c->selected || (r->selects && is_selected(r, i));
}

/* A loss is in the last column that the stay is in. */
static void count(const struct memory_index *x, struct block_column *c, uint32_t i, int64_t t0,
		  int64_t t1, uint32_t weight)
{
	const struct memory_brief *s = &x->briefs[i];

	if (s->start >= t0 && s->cause < MEMORY_CAUSE_COUNT) {
		c->events += weight;
		c->loads += weight;
		c->causes[s->cause] += weight;
	}
	if (memory_end(x, i) > t1)
		return;
	c->events += weight;
	if (memory_ending(x, i) == MEMORY_REPLACED)
		c->causes[MEMORY_REPLACEMENT] += weight;
}

/* Stays [i, j) meet a column, which is [t0, t1). */
static void look(const struct run *r, struct block_column *c, int64_t t0, int64_t t1, uint32_t i,
		 uint32_t j)
{
	const uint32_t step = (j - i - 1) / BLOCKS_LOOKED_AT + 1;
	bool seen = false;

	c->sampled = c->sampled || step > 1;
	for (; i < j; i += step) {
		if (!passes(r, i))
			continue;
		if (!seen)
			hold(r, c, i);
		seen = true;
		c->selected = c->selected || (r->selects && is_selected(r, i));
		count(r->x, c, i, t0, t1, j - i < step ? j - i : step);
	}
}

/* Of [i, end) those that begin in a column come in it, and the last one before. */
static void walk(const struct run *r, uint32_t i, uint32_t end)
{
	const struct axis *a = &r->b->axis;
	int64_t before = INT64_MIN;
	uint32_t j = i;

	for (int64_t column = 0; column < a->columns && i < end; column++) {
		const int64_t t0 = axis_align(a, axis_tick_at(a, column), a->zoom);
		const int64_t t1 = tick_add(t0, axis_cell(a, a->zoom));

		if (t0 > a->last)
			return;
		if (t0 > before && j > i) /* magnified, a tick has several columns */
			i = j - 1;
		if (i < end && memory_end(r->x, i) <= t0 && r->x->briefs[i].start < t0)
			i++;
		j = first_from(r->x, i, end, t1);
		if (j > i)
			look(r, &r->out[column], t0, t1, i, j);
		before = t0;
	}
}

static void block_columns(const struct blocks *b, const struct memory_index *x, uint32_t block,
			  const struct blocks_line *line, struct block_column *out)
{
	struct run r = {b, x, block, line->cache, b->focus.selected.chosen[MEMORY_BY_OBJECT], out};

	memset(out, 0, (size_t)b->axis.columns * sizeof(*out));
	for (; r.cache < line->end; r.cache++) {
		uint32_t i, end;

		if (!blocks_shows_cache(b, r.cache))
			continue;
		memory_stays(x, r.block, r.cache, b->axis.left, axis_right(&b->axis), &i, &end);
		walk(&r, i, end);
	}
}

/* Of a line the block that most caches hold; events of all of its blocks. */
static void join(struct block_column *all, const struct block_column *one, uint32_t row)
{
	if (one->holders > all->holders) {
		all->holders = one->holders;
		all->cache = one->cache;
		all->row = row;
	}
	all->selected = all->selected || one->selected;
	all->sampled = all->sampled || one->sampled;
	all->events += one->events;
	all->loads = one->loads > all->loads ? one->loads : all->loads;
	for (int k = 0; k < MEMORY_CAUSE_COUNT; k++)
		all->causes[k] += one->causes[k];
}

void blocks_columns(const struct blocks *b, const struct memory_index *x,
		    const struct blocks_line *line, enum memory_level level,
		    struct block_column *out)
{
	const size_t n = (size_t)b->axis.columns;
	struct block_column *each = xcalloc(n + 1, sizeof(*each));

	memset(out, 0, n * sizeof(*out));
	for (uint32_t row = line->first; row < line->first + line->count; row++) {
		block_columns(b, x, b->part[level].rows.of.data[row].number, line, each);
		for (size_t k = 0; k < n; k++)
			join(&out[k], &each[k], row);
	}
	free(each);
}
