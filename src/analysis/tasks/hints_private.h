/*
 * What the hints about tasks are made of, for the files that find them.
 */
#ifndef PIPEGLASS_ANALYSIS_TASKS_HINTS_PRIVATE_H
#define PIPEGLASS_ANALYSIS_TASKS_HINTS_PRIVATE_H

#include "analysis/tasks/hints.h"
#include "tasks/tasks.h"

/* Components whose names differ in the numbers in brackets, with sums over them. */
struct task_class {
	const char *name;
	uint32_t members, worst; /* the one at whose door requests waited longest together: */
	double longest;          /* that long */
	double busy;             /* shares of the time */
	double requests, wait, latency; /* that came in from known senders; seconds of all of them */
	const char *upstream;           /* who sent most of them; NULL: nobody */
};

/* Whom the numbers are of. */
struct task_view {
	struct trace *t;
	const struct task_hint_options *o;
	int64_t from, to;
	double seconds;
	const char *name; /* "the kernels" */
	VEC(struct task_class) classes;
	uint32_t count, *class_of; /* components; by component */
};

enum { ORDER_DISPATCH, ORDER_OCCUPANCY, ORDER_WAITING, ORDER_IDLE };

/* Each adds hints; false: no memory. */
bool hint_dispatch(const struct task_view *v, struct hints *h);
bool hint_occupancy(const struct task_view *v, struct hints *h);

/* Tasks of a kind (NULL: any) at a time, by component. NULL: no memory. A pass over the tasks. */
double *task_view_held(const struct task_view *v, const char *kind);
/* By slot: it is of this kind, and its what ends so. NULL: no memory. Under the trace's lock. */
bool *task_view_slots(const struct task_view *v, const char *kind, const char *end);

#endif
