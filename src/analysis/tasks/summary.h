/*
 * A trace of tasks in numbers: which kinds of tasks there were and how long they took, where, what
 * they waited for, what they were tagged with, and the figures that the file brought itself.
 *
 * Latencies are of all tasks of a kind and what, exact, zero ones included; a percentile is the
 * shortest latency that so many in a hundred do not exceed. Made under the trace's lock of the
 * moment; texts are the trace's (hostile). O(n log n) of the tasks, 8 bytes each.
 */
#ifndef PIPEGLASS_ANALYSIS_TASKS_SUMMARY_H
#define PIPEGLASS_ANALYSIS_TASKS_SUMMARY_H

#include "analysis/tasks/components.h"
#include "base/status.h"
#include "base/vec.h"
#include "trace/result.h"
#include "trace/trace.h"

enum { LATENCY_MEAN, LATENCY_P50, LATENCY_P90, LATENCY_P99, LATENCY_MAX, LATENCIES };

struct task_kind {
	const char *kind, *what;
	uint64_t count;
	double latency[LATENCIES]; /* seconds */
};

/* What tasks waited for, by milestones; or what they were tagged with. */
struct task_reason {
	const char *kind, *what;
	const char *where; /* a component; NULL: the file does not say */
	uint64_t count;
	double blocked; /* seconds, of all tasks together */
};

struct task_figure_row {
	const char *component, *what, *unit;
	double value;
};

struct task_summary {
	VEC(struct task_kind) kinds; /* the most tasks first */
	struct task_components components;
	VEC(struct task_reason) milestones; /* what blocked longest first */
	VEC(struct task_reason) tags;       /* the most first */
	VEC(struct task_figure_row) figures; /* as in the file */
};

extern const struct section task_summary_sections[];

/* task_summary_free() also after a failure. */
enum status task_summary_make(struct task_summary *r, struct trace *t, struct error *e);
void task_summary_free(struct task_summary *r);

#endif
