/*
 * The components of a trace of tasks: how many tasks each had, how long they took together
 * (residency), which share of the time there was one, and of what kinds.
 *
 * Made under the trace's lock of the moment; names are the trace's (hostile). O(tasks).
 */
#ifndef PIPEGLASS_ANALYSIS_TASKS_COMPONENTS_H
#define PIPEGLASS_ANALYSIS_TASKS_COMPONENTS_H

#include "base/status.h"
#include "base/vec.h"
#include "trace/result.h"
#include "trace/trace.h"

struct task_component {
	const char *name;
	uint64_t tasks, orphans; /* of which the parent is not in the file */
	double busy;             /* share of the time with a task; NaN: there is no time */
	double residency;        /* seconds, of all its tasks together */
	size_t kinds;            /* of its tasks: where its names begin in kinds */
	size_t kind_count;
};

struct task_components {
	VEC(struct task_component) list; /* the longest residency first */
	VEC(const char *) kinds;
	size_t kinds_most; /* kinds of one component */
};

extern const struct section task_components_sections[]; /* one */

/* task_components_free() also after a failure. */
enum status task_components_make(struct task_components *r, struct trace *t, struct error *e);
void task_components_free(struct task_components *r);

/* kind->means by the metric's name. */
enum status task_means(struct trace *t, const char *metric, int64_t from, int64_t to, size_t n,
		       double *means, struct error *e);

#endif
