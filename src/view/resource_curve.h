/*
 * One curve over a time axis: what a metric shows in each column, between its samples too.
 *
 * A rate or a number of rows is known at every tick of the trace: where nothing happened it is
 * zero, and outside of the trace it is not known. A statistic of the trace is known where the trace
 * has a sample of it: between two samples its curve is the straight line that joins them, and a
 * value from there is marked as interpolated; before the first and behind the last sample it is not
 * known. Nothing is joined over the ends of the trace.
 *
 * A column of several cycles has a mean, and the least and the greatest of its parts. Parts are
 * single cycles as far as that is cheap (CURVE_PARTS of them); else each is a mean itself, of `grain`
 * ticks or more, and a peak inside of it is flattened. Of much text the occupancy of a stage and a
 * statistic are interpolated between two entries of the index. Whoever draws says both. A curve
 * costs O(parts * log n) when the window changed and nothing when it did not.
 */
#ifndef PIPEGLASS_VIEW_RESOURCE_CURVE_H
#define PIPEGLASS_VIEW_RESOURCE_CURVE_H

#include "trace/trace.h"
#include "view/axis.h"
#include "view/palette.h"
#include "view/resource_scale.h"

enum {
	CURVE_PARTS = 8192, /* of all columns, more only when each column has CURVE_FEWEST */
	CURVE_FEWEST = 8,   /* parts of a column of as many cycles */
};

/*
 * Values that somebody else works out, of windows of equally many ticks. Each window has an owner,
 * as what limits a machine there: it is drawn in the owner's colour and told by its letter and name. Or they are a stack of parts that add up to 1 at most, as causes
 * share a time: the parts lie above each other where there are lines for it, and the greatest one of
 * a column is its owner, whose share the value is.
 */
struct curve_look {
	const char *name;
	char letter;
	enum role role;
};

struct curve_given {
	int64_t first, width;     /* ticks: where the first window begins; of each */
	size_t count;             /* 0: none is known yet */
	const double *values;     /* NaN: nothing is known there; of a stack all those of each part */
	size_t parts;             /* of a stack; 0: it is none */
	const int8_t *owners;     /* < 0: none; NULL: it has the curve's colour */
	const struct curve_look *looks; /* of owners */
	unsigned version; /* another one when they change */
};

/* What is drawn. Several on one axis may come from several traces. */
struct curve_source {
	struct trace *trace;
	struct metric_ref metric;
	int64_t shift; /* ticks that its own ones are moved to be on the axis */
	/*
	 * Where its cycles are of other lengths than those of the axis, ticks of one: of its own, and
	 * on the axis. Its ticks are moved by shift at `origin`, a tick of the axis. 0, 0: the same.
	 */
	int64_t step, axis_step, origin;
	/* In place of the metric; NULL: none. */
	const struct curve_given *given;
};

/* What the curve shows in a column. */
struct curve_reading {
	double value; /* mean of the column; NaN: not known */
	double low, high; /* of its parts; equal: one part, or parts were not asked for */
	bool interpolated;
};

struct curve_sample {
	int64_t tick; /* on the axis */
	double value; /* NaN: there is none */
};

struct curve {
	struct curve_source source; /* what the rest was asked for */
	struct axis axis;
	bool parted; /* columns of several cycles are looked into */
	uint64_t reached; /* see struct progress: what the trace was then */
	int64_t last;
	bool complete, valid;
	unsigned version; /* of what was given */

	bool interpolated; /* means are, inside of index entries */
	bool joined;       /* some of its samples are, by straight lines */
	bool counter;  /* only ever grows: its slope is what there is to see */
	int bins;      /* columns, or cycles where a cycle has several columns */
	struct curve_reading *bin;
	size_t cap;
	int64_t grain; /* ticks of a part, at least; the step: each cycle by itself */
	struct scale_range range;                /* of all that is on the screen */
	struct curve_sample before, after; /* the nearest samples outside the window */
};

/*
 * Bring c up to date; parted: with the least and the greatest of each column. Start zeroed, end with
 * curve_free().
 */
enum status curve_fetch(struct curve *c, const struct curve_source *source, const struct axis *axis,
			bool parted, struct error *e);
void curve_free(struct curve *c);

struct curve_reading curve_read(const struct curve *c, int64_t tick);
/* The same of a column of the axis. */
struct curve_reading curve_column(const struct curve *c, int column);
/* The tick in the middle of a column. */
int64_t curve_middle(const struct curve *c, int column);
/* Of what was given: the owner of the column of the axis that has the tick in its middle; < 0: none. */
int curve_owner(const struct curve_source *source, const struct axis *axis, int64_t tick);
static inline bool curve_is_stack(const struct curve_source *source)
{
	return source->given && source->given->parts;
}
/* Of a stack: what a part has of a column. */
double curve_part(const struct curve *c, int column, size_t part);
/* What a curve made just for this axis shows at tick. */
struct curve_reading curve_value(const struct curve_source *source, const struct axis *axis,
				 int64_t tick);

/*
 * The source of a metric of a trace by its name (see trace_metric_find()); STATUS_USAGE,
 * with a line that says why: none.
 */
enum status curve_find(struct trace *t, const char *name, const struct regex *component,
		       struct curve_source *out, struct error *e);

/* The nearest sample before tick (dir < 0), or at or behind it. O(log n) text. */
enum status curve_sample_near(const struct curve_source *source, int64_t tick, int dir,
			      struct curve_sample *out, struct error *e);

#endif
