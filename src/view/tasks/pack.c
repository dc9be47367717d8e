#include "config.h"

#include "view/tasks/pack.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* What packing knows of a bar: with all below it it needs [from, to) and so many lines. */
struct room {
	int64_t from, to;
	uint32_t depth; /* bars that it is in */
	uint32_t lines;
	uint32_t lane;   /* of its siblings' */
	uint32_t offset; /* below the line of its parent, or of all */
};

/* A row of siblings. */
struct lane {
	int64_t from, to; /* of the last of them */
	uint32_t lines;   /* of the highest */
	uint32_t offset;
};

struct packing {
	struct bar *bars;
	struct room *rooms;
	struct lane *lanes;
	uint32_t *order; /* bars: the innermost first, siblings together, by their rooms' beginnings */
	uint32_t count;
};

bool bars_collide(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
	if (a0 == a1 || b0 == b1)
		return a0 <= b1 && b0 <= a1;
	return a0 < b1 && b0 < a1;
}

/* The room of a bar is that of all below it. */
static void find_rooms(struct packing *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		p->rooms[i] = (struct room){
		    .from = p->bars[i].start, .to = p->bars[i].end, .lines = 1};
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t b = p->bars[i].parent; b != BAR_NONE; b = p->bars[b].parent) {
			struct room *r = &p->rooms[b];

			p->rooms[i].depth++;
			r->from = p->bars[i].start < r->from ? p->bars[i].start : r->from;
			r->to = p->bars[i].end > r->to ? p->bars[i].end : r->to;
		}
}

static int by_family(const void *a, const void *b, void *packing)
{
	const struct packing *p = packing;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct room *x = &p->rooms[i], *y = &p->rooms[k];

	if (x->depth != y->depth)
		return x->depth > y->depth ? -1 : 1;
	if (p->bars[i].parent != p->bars[k].parent)
		return p->bars[i].parent < p->bars[k].parent ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return p->bars[i].row < p->bars[k].row ? -1 : p->bars[i].row > p->bars[k].row;
}

/* The highest row that is free; a new one behind the last. */
static struct lane *free_lane(const struct packing *p, uint32_t *lanes, const struct room *r)
{
	uint32_t i = 0;

	while (i < *lanes && bars_collide(p->lanes[i].from, p->lanes[i].to, r->from, r->to))
		i++;
	if (i == *lanes)
		p->lanes[(*lanes)++].lines = 0;
	return &p->lanes[i];
}

/* How many lines they need. */
static uint32_t pack_siblings(struct packing *p, const uint32_t *siblings, uint32_t count)
{
	uint32_t lanes = 0, lines = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct room *r = &p->rooms[siblings[i]];
		struct lane *lane = free_lane(p, &lanes, r);

		lane->from = r->from;
		lane->to = r->to;
		lane->lines = r->lines > lane->lines ? r->lines : lane->lines;
		r->lane = (uint32_t)(lane - p->lanes);
	}
	for (uint32_t k = 0; k < lanes; k++) {
		p->lanes[k].offset = lines;
		lines += p->lanes[k].lines;
	}
	for (uint32_t i = 0; i < count; i++)
		p->rooms[siblings[i]].offset = p->lanes[p->rooms[siblings[i]].lane].offset;
	return lines;
}

/* Those of a bar go before those that it is among. */
static uint32_t pack_all(struct packing *p)
{
	uint32_t lines = 0, end;

	for (uint32_t i = 0; i < p->count; i = end) {
		uint32_t parent = p->bars[p->order[i]].parent;

		for (end = i; end < p->count && p->bars[p->order[end]].parent == parent;)
			end++;
		lines = pack_siblings(p, p->order + i, end - i);
		if (parent != BAR_NONE)
			p->rooms[parent].lines += lines;
	}
	for (uint32_t i = p->count; i-- > 0;) {
		struct bar *b = &p->bars[p->order[i]];
		uint32_t offset = p->rooms[p->order[i]].offset;

		b->line = b->parent == BAR_NONE ? offset : p->bars[b->parent].line + 1 + offset;
	}
	return lines;
}

uint32_t pack_bars(struct bar *bars, uint32_t count)
{
	struct packing p = {bars,
			    xcalloc(count + 1, sizeof(*p.rooms)),
			    xcalloc(count + 1, sizeof(*p.lanes)),
			    xcalloc(count + 1, sizeof(*p.order)),
			    count};
	uint32_t lines;

	find_rooms(&p);
	for (uint32_t i = 0; i < count; i++)
		p.order[i] = i;
	qsort_r(p.order, count, sizeof(*p.order), by_family, &p);
	lines = pack_all(&p);
	free(p.rooms);
	free(p.lanes);
	free(p.order);
	return lines;
}
