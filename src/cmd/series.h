/*
 * Metrics of `series` that an analysis works out beside the trace's own: a row in
 * series_metrics[] (cmds.c) and a file each.
 */
#ifndef PIPEGLASS_CMD_SERIES_H
#define PIPEGLASS_CMD_SERIES_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "trace/trace.h"

struct series_metric {
	const char *name;
	bool parted; /* NAME:PART names one of its own, too */
	/*
	 * Means over o->bins bins of [from, to) into values, which are NaN; *own: what the others
	 * are given, and free in any case. STATUS_INPUT: the trace is of a kind that has no such thing.
	 */
	enum status (*fill)(void **own, struct trace *t, const struct cmd_options *o, int64_t from,
			    int64_t to, double *values, struct error *e);
	void (*free)(void *own);
	/* What it says besides: keys of the JSON object, a heading, a word to the value of a bin. */
	enum status (*json)(const void *own, size_t bins, struct output *out, struct error *e);
	void (*heading)(const void *own, struct sbuf *out);
	void (*say)(const void *own, size_t bins, size_t bin, struct sbuf *out);
};

extern const struct series_metric *const series_metrics[]; /* NULL-terminated */
extern const struct series_metric cpi0_series_metric, why_series_metric;

#endif
