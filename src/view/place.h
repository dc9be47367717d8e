/*
 * Where something is in a view: an item of the trace and a tick. Marks, jumps and what Enter leads
 * to are places, and a selection is a part of both axes; none of them knows what an item is.
 */
#ifndef PIPEGLASS_VIEW_PLACE_H
#define PIPEGLASS_VIEW_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With the zoom it was seen at, so that going back also undoes the zoom of an Enter. */
struct place {
	uint64_t item;
	int64_t tick;
	int item_zoom, tick_zoom;
};

struct mark {
	char letter;
	struct place at; /* without a zoom: a mark is shown at any */
};

enum { MARKS_MAX = 36 };

struct marks {
	struct mark at[MARKS_MAX]; /* sorted by letter */
	size_t count;
};

/* What of both axes is selected: what lies between two places, or all of a row or a tick between. */
enum select_kind { SELECT_NONE, SELECT_CELLS, SELECT_ROWS, SELECT_TICKS };

/*
 * Items [item0, item1) and ticks [tick0, tick1). Where something takes one, NULL or on == false is
 * the whole trace.
 */
struct selection {
	bool on;
	uint64_t item0, item1;
	int64_t tick0, tick1;
};

static inline bool selection_same(const struct selection *a, const struct selection *b)
{
	return a->on == b->on && (!a->on || (a->item0 == b->item0 && a->item1 == b->item1 &&
					     a->tick0 == b->tick0 && a->tick1 == b->tick1));
}

#endif
