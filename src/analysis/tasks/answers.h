/*
 * What a trace of tasks can be asked as a whole (analysis/answer.h).
 *
 * Answers are made in a few passes over the tasks, each under the trace's lock; their texts are the
 * trace's (hostile).
 */
#ifndef PIPEGLASS_ANALYSIS_TASKS_ANSWERS_H
#define PIPEGLASS_ANALYSIS_TASKS_ANSWERS_H

#include "analysis/answer.h"
#include "base/vec.h"

/*
 * components: how many tasks each had, how long they took together, which share of the time there
 * was one, and of what kinds. requests: see requests.h. summary: which kinds of tasks there were and
 * how long they took, where, what they waited for, what they were tagged with, and the figures that
 * the file brought itself; latencies are of all tasks of a kind and what, exact, zero ones included,
 * and a percentile is the shortest that so many in a hundred do not exceed: O(n log n). hints:
 * struct hints, what limits the run (hints.c).
 */
extern const struct answer components_answer, requests_answer, summary_answer, hints_answer;

struct task_component {
	const char *name;
	uint64_t tasks, orphans; /* of which the parent is not in the file */
	double busy;             /* share of the time with a task; NaN: there is no time */
	double residency;        /* seconds, of all its tasks together */
	VEC(const char *) kinds; /* of its tasks */
};

/* Of components_answer, and what the one of summary begins with. */
struct task_components {
	VEC(struct task_component) list; /* the longest residency first */
	size_t kinds_most; /* kinds of one component */
};

void task_components_free(struct task_components *r);
extern const struct field task_component_fields[];
size_t task_component_rows(const void *components);

/* kind->means by the metric's name. */
enum status task_means(struct trace *t, const char *metric, int64_t from, int64_t to, size_t n,
		       double *means, struct error *e);

#endif
