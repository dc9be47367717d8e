/*
 * Bars into lines: what lives at the same time must not share one.
 *
 * Up-floating, as Daisen has it: siblings go in the order of their starts, each into the highest
 * row that is free. A bar stands in one line; the rows of its children follow below it, before the
 * next row of its own level. Ends that touch leave a row free, but for what has no length: that
 * shares an instant with nothing. A child that sticks out of its parent widens the room of the
 * parent.
 */
#ifndef PIPEGLASS_VIEW_TASKS_PACK_H
#define PIPEGLASS_VIEW_TASKS_PACK_H

#include <stdbool.h>
#include <stdint.h>

#define BAR_NONE UINT32_MAX

struct bar {
	int64_t start, end; /* [start, end); end == start: no length */
	uint32_t row;       /* of the task */
	uint32_t parent;    /* its place among the bars; BAR_NONE: it is none of them */
	uint32_t line;      /* out */
};

/* Do [a0, a1) and [b0, b1) need two rows? */
bool bars_collide(int64_t a0, int64_t a1, int64_t b0, int64_t b1);

/*
 * Give each bar its line; how many there are. Parents do not go round in a circle.
 * O(n log n + n rows + n levels).
 */
uint32_t pack_bars(struct bar *bars, uint32_t count);

#endif
