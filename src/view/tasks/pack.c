#include "config.h"

#include "view/tasks/pack.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* What packing knows of a bar: with all below it it needs [from, to) and so many lines. */
struct room {
	int64_t from, to;
	uint32_t lines;
	uint32_t offset;   /* below the line of its parent, or of all */
	uint32_t waits;    /* children whose room is not known yet */
	uint32_t children; /* in the family: the first of them, behind the last */
	uint32_t children_end;
};

/* A bar among its siblings. */
struct sibling {
	uint32_t parent, bar, row, lane;
	int64_t from;
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
	struct sibling *family; /* siblings together, by their rooms' beginnings */
	struct lane *lanes;
	uint32_t *order; /* bars, children before parents */
	uint32_t count;
};

bool bars_collide(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
	if (a0 == a1 || b0 == b1)
		return a0 <= b1 && b0 <= a1;
	return a0 < b1 && b0 < a1;
}

/* Whoever goes up from a bar comes to one without a parent. */
static void cut_circles(struct packing *p)
{
	uint32_t *seen_from = p->order; /* a walk's number, from 1 */

	for (uint32_t i = 0; i < p->count; i++)
		seen_from[i] = 0;
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t b = i; b != BAR_NONE && !seen_from[b]; b = p->bars[b].parent) {
			uint32_t parent = p->bars[b].parent;

			seen_from[b] = i + 1;
			if (parent != BAR_NONE && seen_from[parent] == i + 1)
				p->bars[b].parent = BAR_NONE;
		}
}

/* The room of a bar is that of all below it: children go first. */
static void find_rooms(struct packing *p)
{
	uint32_t done = 0, known = 0;

	for (uint32_t i = 0; i < p->count; i++)
		p->rooms[i] = (struct room){.from = p->bars[i].start, .to = p->bars[i].end};
	for (uint32_t i = 0; i < p->count; i++)
		if (p->bars[i].parent != BAR_NONE)
			p->rooms[p->bars[i].parent].waits++;
	for (uint32_t i = 0; i < p->count; i++)
		if (!p->rooms[i].waits)
			p->order[known++] = i;
	for (; done < known; done++) {
		const struct room *r = &p->rooms[p->order[done]];
		uint32_t parent = p->bars[p->order[done]].parent;

		if (parent == BAR_NONE)
			continue;
		if (r->from < p->rooms[parent].from)
			p->rooms[parent].from = r->from;
		if (r->to > p->rooms[parent].to)
			p->rooms[parent].to = r->to;
		if (!--p->rooms[parent].waits)
			p->order[known++] = parent;
	}
}

static int by_family(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void sort_families(struct packing *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		p->family[i] = (struct sibling){.parent = p->bars[i].parent,
						.bar = i,
						.row = p->bars[i].row,
						.from = p->rooms[i].from};
	qsort(p->family, p->count, sizeof(*p->family), by_family);
	for (uint32_t i = 0; i < p->count; i++) {
		uint32_t parent = p->family[i].parent;

		if (parent == BAR_NONE)
			break;
		if (i == 0 || p->family[i - 1].parent != parent)
			p->rooms[parent].children = i;
		p->rooms[parent].children_end = i + 1;
	}
}

/* The highest row that is free; a new one behind the last. */
static uint32_t free_lane(const struct packing *p, uint32_t lanes, const struct room *r)
{
	uint32_t i = 0;

	while (i < lanes && bars_collide(p->lanes[i].from, p->lanes[i].to, r->from, r->to))
		i++;
	return i;
}

/* The siblings [from, to) of the family; how many lines they need. */
static uint32_t pack_siblings(struct packing *p, uint32_t from, uint32_t to)
{
	uint32_t lanes = 0, lines = 0;

	for (uint32_t i = from; i < to; i++) {
		const struct room *r = &p->rooms[p->family[i].bar];
		uint32_t k = free_lane(p, lanes, r);

		if (k == lanes)
			p->lanes[lanes++].lines = 0;
		p->lanes[k].from = r->from;
		p->lanes[k].to = r->to;
		if (r->lines > p->lanes[k].lines)
			p->lanes[k].lines = r->lines;
		p->family[i].lane = k;
	}
	for (uint32_t k = 0; k < lanes; k++) {
		p->lanes[k].offset = lines;
		lines += p->lanes[k].lines;
	}
	for (uint32_t i = from; i < to; i++)
		p->rooms[p->family[i].bar].offset = p->lanes[p->family[i].lane].offset;
	return lines;
}

static uint32_t pack_all(struct packing *p)
{
	uint32_t roots = 0, lines;

	for (uint32_t i = 0; i < p->count; i++) {
		struct room *r = &p->rooms[p->order[i]];

		r->lines = 1 + pack_siblings(p, r->children, r->children_end);
	}
	while (roots < p->count && p->family[roots].parent != BAR_NONE)
		roots++;
	lines = pack_siblings(p, roots, p->count);
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
			    xcalloc(count, sizeof(*p.rooms)),
			    xcalloc(count, sizeof(*p.family)),
			    xcalloc(count, sizeof(*p.lanes)),
			    xcalloc(count, sizeof(*p.order)),
			    count};
	uint32_t lines;

	cut_circles(&p);
	find_rooms(&p);
	sort_families(&p);
	lines = pack_all(&p);
	free(p.rooms);
	free(p.family);
	free(p.lanes);
	free(p.order);
	return lines;
}
