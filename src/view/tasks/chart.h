/*
 * What of a crowd of tasks is drawn in a window of time: bars packed into lines or, of thousands,
 * how many of each kind and what are alive in each column.
 *
 * A chart is made anew when the window changed, at the cost of the tasks that overlap it; of
 * components with more than CHART_EXACT of them a sample is looked at, and the counts say so.
 */
#ifndef PIPEGLASS_VIEW_TASKS_CHART_H
#define PIPEGLASS_VIEW_TASKS_CHART_H

#include "view/axis.h"
#include "view/tasks/keys.h"
#include "view/tasks/pack.h"

enum {
	CHART_BARS = 5000,
	CHART_FAMILY = 2000, /* of a task, its ancestors and descendants */
	CHART_EXACT = 1 << 18,
	CHART_SAMPLE = 1 << 16,
	CHART_KEYS = 64
};

struct chart_count {
	uint32_t key;
	uint64_t tasks;
};

struct chart {
	VEC(uint32_t) rows; /* in the window */
	uint64_t stride;    /* each is one of so many: of 1 tasks and columns are exact */
	uint64_t tasks;
	bool dense;                     /* too many for bars: columns */
	bool more;                      /* some of the family were left out */
	VEC(struct bar) bars; /* in the order in which they are drawn: the last one shows */
	uint32_t lines;                 /* of the bars */
	VEC(struct chart_count) counts; /* of the pairs in the window, the most first */
	VEC(uint64_t) columns; /* of the first CHART_KEYS of them, each a stretch of `width` */
	int width;
	uint64_t most; /* tasks in a column */
};

/* Of what is drawn: a trace that is locked. */
struct chart_source {
	const struct task_columns *columns;
	const struct task_keys *keys;
	const struct axis *axis;
};

void chart_free(struct chart *ch);
/* Tasks of some components. */
void chart_components(struct chart *ch, const struct chart_source *s, const uint32_t *components,
		      size_t count);
/* A task below all its ancestors, and what is below it: bars alone. */
void chart_family(struct chart *ch, const struct chart_source *s, uint32_t row);

/* The columns of [start, end), both included; may be off the window. */
void chart_span(const struct axis *a, int64_t start, int64_t end, int64_t *x0, int64_t *x1);
/* The bar that shows in a cell; BAR_NONE: none does. O(bars). */
uint32_t chart_at(const struct chart *ch, const struct axis *a, uint32_t line, int64_t x);
/* The bar of a task; BAR_NONE: it has none. O(bars). */
uint32_t chart_find(const struct chart *ch, uint32_t row);
/* Does the task touch the cell of the axis' cursor? */
bool chart_alive(const struct task_columns *c, const struct axis *a, uint32_t row);

#endif
