/*
 * Samples that a stream of tasks brings: levels of metrics of components. They are metrics beside
 * those that are worked out (metrics.h), and kind.c joins the two.
 *
 * Values are means over the time in which there is a level, of several components averaged. From
 * any thread.
 */
#ifndef PIPEGLASS_TASKS_SAMPLED_H
#define PIPEGLASS_TASKS_SAMPLED_H

#include "trace/trace.h"

bool sampling_find(const struct trace *t, const char *name, const struct regex *component,
		   struct metric_ref *out);
void sampling_values(const struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
		     size_t n, double *values);
/* Of the first n components, by their numbers; NaN: it has none. False: no such metric. */
bool sampling_means(const struct trace *t, size_t i, int64_t from, int64_t to, size_t n,
		    double *means);

#endif
