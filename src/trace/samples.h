/*
 * Numbers over time in memory, for kinds whose files bring samples: (metric, interval, value).
 *
 * A metric is a name of a component; its samples are values of intervals of ticks, in the order of
 * time. A count is what happened in the interval, a gauge a level in it. Sums up to each sample are
 * kept, so a value over any ticks costs two searches: O(log samples). Memory: 32 bytes a sample.
 *
 * A kind's trace begins with a struct samples, which is filled by the lines that it reads
 * (trace/lines.h) under their lock; what runs out of memory or order says so there.
 */
#ifndef PIPEGLASS_TRACE_SAMPLES_H
#define PIPEGLASS_TRACE_SAMPLES_H

#include "base/intern.h"
#include "base/vec.h"
#include "trace/lines.h"

/* [start, end), and up to its end: ticks with a value, and the sum of values over them. */
struct sample {
	int64_t start, end;
	double ticks, sum;
};

struct sampled {
	const char *name, *unit; /* unit: "" for plain numbers */
	size_t component;
	bool count;        /* what happened in the interval; else a level */
	VEC(struct sample) samples;
	double min, max, total; /* of the raw values */
	double before;          /* the kind's own: as the file had it last */
};

/* Metrics by their numbers. */
struct chosen {
	uint32_t *data;
	size_t count, cap;
};

struct samples {
	struct lines lines; /* first: so that each gives the other */
	struct intern *ids, *components, *texts;
	VEC(struct sampled) all; /* by their number in ids */
	VEC(uint64_t) spans;     /* samples of each component */
	int64_t grain; /* the shortest interval of a sample; 0: none so far */
};

void samples_init(struct samples *s);
void samples_free(struct samples *s); /* behind lines_close() */

/* The sample of [start, end) of a metric, made if it is new; times must not go back. */
void samples_add(struct samples *s, int64_t start, int64_t end, const char *component,
		 const char *name, const char *unit, bool count, double value);
/* A text that stays where it is as long as the trace. */
const char *samples_keep(struct samples *s, const char *text, size_t len);
/* The metric of that name, or NULL. */
struct sampled *samples_find(struct samples *s, const char *component, const char *name);
/* What was summed up and how many ticks had values in [from, to). O(log samples). */
void samples_sum(const struct sampled *k, double from, double to, double *sum, double *ticks);
/*
 * What those that are counts have together in so many ticks, or the mean of the levels of all of them;
 * NaN: none has a value there. O(chosen * log samples).
 */
double samples_mean(const struct samples *s, const struct chosen *of, double ticks, double from,
		    double to);
/*
 * The sum of over by that of under, of those intervals in [from, to) in which as large a share of
 * the ones as of the others has a value: where one CPU's cycles were not counted, its instructions
 * are of no use. Lax: of all intervals; what has no value is 0. NaN: nothing of over has one, or
 * under is 0. O((intervals + 1) * chosen * log samples).
 */
double samples_ratio(const struct samples *s, const struct chosen *over, const struct chosen *under,
		     bool lax, double from, double to);

/* What is told of a metric by its number, under the lock; false: there are fewer. */
bool samples_info(const struct samples *s, size_t i, struct metric_info *out);

/* Rows of a struct trace_kind. */
size_t samples_component_count(const struct trace *t);
bool samples_component(const struct trace *t, size_t i, struct trace_component *out);
size_t samples_metric_count(const struct trace *t);
bool samples_metric(const struct trace *t, size_t i, struct metric_info *out);
int64_t samples_grain(const struct trace *t);

#endif
