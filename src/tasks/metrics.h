/*
 * The metrics of component tasks (guides/daisen-features.md, section 1), as the contract of a kind
 * asks for them (trace/trace.h), and all components' at once.
 *
 * Bins are half-open. Counts, rates and occupancies of several components are summed, latencies
 * pooled, utilisations averaged. A request waits from the start of its parent, the message that
 * brought it, to its own; one whose parent is not in the file is left out. A milestone ends what
 * its task waited for since the one before, or since its start. Where a file says when it was
 * traced, a bin in which nothing was traced and nothing is seen has no value (NaN). If only some
 * kinds count, components without such tasks have no values.
 *
 * Of some components, values cost O(bins + their tasks in the range; who waits: from there on); of
 * all, one pass over the columns in the order of the file.
 */
#ifndef PIPEGLASS_TASKS_METRICS_H
#define PIPEGLASS_TASKS_METRICS_H

#include "tasks/tasks.h"
#include "trace/trace.h"

/* Ticks are picoseconds. */
#define TASK_SECOND 1e12

/* What the metrics of milestones begin with; their kind follows. */
#define TASK_BLOCKED_BY "blocked-by:"

size_t task_metric_count(const struct trace *t);
bool task_metric(const struct trace *t, size_t i, struct metric_info *out);
bool task_metric_find(const struct trace *t, const char *name, const struct regex *component,
		      struct metric_ref *out);
enum status task_kinds(const struct trace *t, const struct regex *re, uint64_t *out,
		       struct error *e);
/* The kind of a slot matches, or kind and what with a blank between. Under the trace's lock. */
bool task_kind_matches(const struct trace *t, const struct task_slot *s, const struct regex *re);
enum status task_metric_values(struct trace *t, const struct metric_ref *m, int64_t from,
			       int64_t to, size_t n, double *values, struct error *e);
enum status task_metric_means(struct trace *t, size_t metric, int64_t from, int64_t to, size_t n,
			      double *means, struct error *e);

#endif
