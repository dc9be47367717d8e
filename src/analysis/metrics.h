/*
 * The metrics of a trace as a table, and those of two traces side by side, whatever their kind.
 *
 * A metric that the file brings has samples: of counts the total says most, of others the mean over
 * the time, as a series of one bin has it. One that the trace works out has a mean over the whole
 * trace, for each component that it is worked out for. Texts are the trace's (hostile) and live as
 * long as it does; numbers are those of the moment.
 */
#ifndef PIPEGLASS_ANALYSIS_METRICS_H
#define PIPEGLASS_ANALYSIS_METRICS_H

#include "analysis/interval.h"
#include "base/sbuf.h"
#include "base/vec.h"
#include "trace/result.h"
#include "trace/trace.h"

/* NaN and NULL: not known, or of all components. */
struct metric_row {
	const char *name, *component, *unit;
	uint64_t samples;             /* UINT64_MAX: it is worked out */
	double mean, min, max, total; /* of samples as the file has them; total: of counts */
	uint64_t number;              /* of what is no metric, whatever it is to be told by */
};

struct metric_table {
	VEC(struct metric_row) rows;
};

extern const struct section metric_sections[]; /* one, of a struct metric_table */

/*
 * worked_out: those, too, before the others. False: no memory. O(metrics), and O(log n) for each
 * that is worked out. metric_table_free() also after a failure.
 */
bool metric_table_make(struct metric_table *m, struct trace *t, bool worked_out);
void metric_table_free(struct metric_table *m);
/* Append the regular expression that only this component matches; below: or what is below it, too. */
void metric_component_pattern(const char *component, bool below, struct sbuf *out);

enum { METRIC_A, METRIC_B, METRIC_SIDES };

/* A metric of two traces, by name and component; NaN: that one has none. */
struct metric_pair {
	const char *name, *component, *unit;
	double value[METRIC_SIDES]; /* of counts the total, of others the mean */
	double delta, relative;     /* B - A; that by A, NaN where A is 0 */
	double share;               /* B - A by all that A has of the metric */
	uint64_t number;            /* as of a row */
};

struct metric_pairs {
	/*
	 * The greatest relative difference first, the host's last; of metrics that are worked out for
	 * all components the greatest share: that of almost nothing matters least.
	 */
	VEC(struct metric_pair) pairs;
	size_t common, different, alone[METRIC_SIDES];
};

extern const struct section metric_pair_section;

/* The numbers of a pair as fields; of_ gives a row. */
#define METRIC_PAIR_FIELDS(of_)                                                                    \
	{FIELD(REAL, "a", of_, struct metric_pair, value[METRIC_A]), .heading = "A"},              \
	    {FIELD(REAL, "b", of_, struct metric_pair, value[METRIC_B]), .heading = "B"},          \
	    {FIELD(REAL, "delta", of_, struct metric_pair, delta), .heading = "B - A",             \
	     .sign = true, .minor = field_is_minor},                                               \
	{                                                                                          \
		FIELD(REAL, "relative", of_, struct metric_pair, relative), .decimals = 1,         \
		    .sign = true, .percent = true                                                  \
	}

/*
 * Of the metrics that the files brought, and of those that a kind works out for all components at
 * once (struct trace_kind), over these ticks of each side (NULL: all); for people: rates per thousand
 * cycles, as curves say. False: no memory. O(n log n), and a pass over the items for each worked out.
 */
bool metric_pairs_make(struct metric_pairs *m, struct trace *const sides[METRIC_SIDES],
		       const struct interval *over, bool people);
void metric_pairs_free(struct metric_pairs *m);
/*
 * Or of whatever has a name: each that a side has, told by name and component, and when all are there
 * they are joined and ranked. shares: by their share of all that has the same name.
 */
bool metric_pairs_add(struct metric_pairs *m, int side, const struct metric_row *r, double value);
void metric_pairs_end(struct metric_pairs *m, bool shares);
/* "964 metrics in both, 351 of them different; 8 only in A" */
void metric_pairs_sum_up(const struct metric_pairs *m, struct sbuf *out);

#endif
