/*
 * What is in the columns of a line: stays of a block in a cache do not overlap, so that those of a
 * column are found by looking for its ends.
 */
#include "config.h"

#include <string.h>

#include "base/bisect.h"
#include "view/memory/blocks.h"

/* The stays of one block in one cache, by where they are in their order. */
struct run {
	const struct blocks *b;
	const struct memory_index *x;
	uint32_t row, cache;
	struct block_column *out;
};

/* Blocks come one after the other, each with all caches. */
static void hold(const struct run *r, struct block_column *c)
{
	c->had = c->last == r->row ? c->had + 1 : 1;
	c->last = r->row;
	if (c->had <= c->holders)
		return;
	c->holders = c->had;
	c->cache = (uint16_t)r->cache;
	c->row = r->row;
}

/* Stays [i, j) meet a column, which is [t0, t1). A loss is in the last that the stay is in. */
static void look(const struct run *r, struct block_column *c, int64_t t0, int64_t t1, uint32_t i,
		 uint32_t j)
{
	const uint32_t step = (j - i - 1) / BLOCKS_LOOKED_AT + 1;
	bool held = false;

	c->sampled = c->sampled || step > 1;
	for (; i < j; i += step) {
		const struct memory_stay *s = &r->x->ordered[i];
		const uint32_t weight = j - i < step ? j - i : step;

		if (!blocks_passes(r->b, s->ending))
			continue;
		held = true;
		if (s->start >= t0 && s->cell != MEMORY_NONE) {
			c->events += weight;
			c->loads += weight;
			c->causes[s->cause] += weight;
		}
		if (s->end <= t1) {
			c->events += weight;
			c->causes[MEMORY_REPLACEMENT] += s->ending == MEMORY_REPLACED ? weight : 0;
		}
		c->selected |= s->cell != MEMORY_NONE &&
			       focus_is_on(&r->b->focus, MEMORY_BY_OBJECT,
					   r->x->cells[s->cell].object);
	}
	if (held)
		hold(r, c);
}

/* Of [i, end) those that begin in a column come in it, and the last one before. */
static void walk(const struct run *r, uint32_t i, uint32_t end)
{
	const struct axis *a = &r->b->axis;

	for (int64_t column = 0; column < a->columns && i < end; column++) {
		const int64_t t0 = axis_align(a, axis_tick_at(a, column), a->zoom);
		const int64_t t1 = tick_add(t0, axis_cell(a, a->zoom));
		size_t begin = i, behind = end;

		if (t0 > a->last)
			return;
		bisect(begin, behind, n, r->x->ordered[n].end <= t0 && r->x->ordered[n].start < t0);
		i = (uint32_t)begin;
		behind = end;
		bisect(begin, behind, n, r->x->ordered[n].start < t1);
		if (begin > i)
			look(r, &r->out[column], t0, t1, i, (uint32_t)begin);
	}
}

void blocks_columns(const struct blocks *b, const struct memory_index *x,
		    const struct blocks_line *line, enum memory_level level,
		    struct block_column *out)
{
	struct run r = {b, x, .row = line->first, .out = out};
	uint32_t i, end;

	memset(out, 0, (size_t)b->axis.columns * sizeof(*out));
	for (; r.row < line->first + line->count; r.row++)
		for (r.cache = line->cache; r.cache < line->end; r.cache++) {
			if (!blocks_shows_cache(b, r.cache))
				continue;
			memory_stays(x, b->part[level].rows.of.data[r.row].number, r.cache,
				     b->axis.left, axis_right(&b->axis), &i, &end);
			walk(&r, i, end);
		}
}
