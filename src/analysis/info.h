/*
 * What can be said of any trace: `info`, as a command prints it and as a pane shows it.
 *
 * The lists are sections (trace/result.h) of a struct trace_info; what a kind says beside them are
 * its own sections (struct trace_kind), of `own`. Making one costs what the kind's info costs, and
 * O(metrics + components).
 */
#ifndef PIPEGLASS_ANALYSIS_INFO_H
#define PIPEGLASS_ANALYSIS_INFO_H

#include "analysis/components.h"
#include "analysis/metrics.h"
#include "trace/result.h"
#include "trace/trace.h"

struct trace_info {
	struct trace *trace;
	void *own; /* NULL: the kind has no sections */
	struct progress progress;
	struct component_table components; /* without metrics */
	struct metric_table metrics;       /* those that the file brought */
};

/* STATUS_NOMEM. trace_info_free() also after a failure. */
enum status trace_info_make(struct trace_info *info, struct trace *t, struct error *e);
void trace_info_free(struct trace_info *info);

/* Of a struct trace_info; metric_sections[] and component_sections[] are of its tables. */
extern const struct section info_warnings[];

#endif
