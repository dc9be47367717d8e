#include "config.h"

#include "view/resource_curve.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"

enum { COUNTER_BINS = 16, SEARCH_BINS = 32, SEARCH_STEPS = 16 };

static const struct curve_reading unknown = {NAN, NAN, NAN, false};

void curve_free(struct curve *c)
{
	free(c->bin);
	*c = (struct curve){.valid = false};
}

/* Ticks from one clock's to another's, towards the past; saturates. */
static int64_t rescale(int64_t ticks, int64_t to, int64_t from)
{
	__int128 product = (__int128)ticks * to, n;

	if (to == from)
		return ticks;
	n = product / from - (product % from < 0);
	if (n > TICK_NONE - 1)
		return TICK_NONE - 1;
	return n < INT64_MIN ? INT64_MIN : (int64_t)n;
}

static int64_t own_tick(const struct curve_source *s, int64_t tick)
{
	if (s->step == s->axis_step)
		return tick_sub(tick, s->shift);
	return tick_add(tick_sub(s->origin, s->shift),
			rescale(tick_sub(tick, s->origin), s->step, s->axis_step));
}

static int64_t axis_tick(const struct curve_source *s, int64_t own)
{
	if (s->step == s->axis_step)
		return tick_add(own, s->shift);
	return tick_add(s->origin, rescale(tick_sub(own, tick_sub(s->origin, s->shift)),
					   s->axis_step, s->step));
}

/* What a column is, in ticks; magnified, a cycle. */
static int64_t unit_of(const struct axis *a)
{
	return axis_cell(a, a->zoom);
}

enum status curve_find(struct trace *t, const char *name, const struct regex *component,
		       struct curve_source *out, struct error *e)
{
	*out = (struct curve_source){.trace = t};
	if (!t->kind->metric_find)
		return error_set(e, STATUS_USAGE, "this trace has no metrics");
	return trace_metric_find(t, name, component, &out->metric, e);
}

/*
 * What a rate, in [from, to) of the trace's ticks, is to be multiplied by. The last cycle of a
 * trace may be there with few of its ticks, or one: what happened in it happened in a whole cycle.
 */
static double factor_of(const struct curve *c, int64_t from, int64_t to)
{
	const struct curve_source *s = &c->source;
	int64_t step = s->step ? s->step : c->axis.step, end = tick_add(c->last, 1);
	double factor = axis_has_cycles(&c->axis) ? 1 : 1 / (double)c->axis.step;

	if (!s->metric.rate)
		return 1;
	if (step > 1 && from < end && end < to)
		factor *= (double)(end - from) /
			  ((double)((end - from + step - 1) / step) * (double)step);
	return factor;
}

/* The window of a tick of its own; SIZE_MAX: none. */
static size_t given_at(const struct curve_given *g, int64_t tick)
{
	int64_t at = tick < g->first ? -1 : tick_sub(tick, g->first) / g->width;

	return at >= 0 && (uint64_t)at < g->count ? (size_t)at : SIZE_MAX;
}

/*
 * Windows [*from, *to) of a bin around a tick: those it covers; where each has an owner, or the bin
 * is no longer, the one that the tick is in. False: nothing is known there.
 */
static bool windows_of(const struct curve_given *g, int64_t tick, int64_t unit, size_t *from,
		       size_t *to)
{
	const size_t at = g->count ? given_at(g, tick) : SIZE_MAX;
	size_t half;

	if (at == SIZE_MAX)
		return false;
	half = g->owners ? 0 : (size_t)(unit / g->width / 2);
	*from = at > half ? at - half : 0;
	*to = at + (half ? half : 1);
	*to = *to < g->count ? *to : g->count;
	return true;
}

static double mean_of(const struct curve_given *g, size_t part, size_t from, size_t to)
{
	const double *values = g->values + part * g->count;
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

/* The greatest part; of what is no stack: 0. */
static size_t greatest_part(const struct curve_given *g, size_t from, size_t to)
{
	size_t found = 0;

	for (size_t i = 1; i < g->parts; i++)
		if (mean_of(g, i, from, to) > mean_of(g, found, from, to))
			found = i;
	return found;
}

int curve_owner(const struct curve_source *s, const struct axis *axis, int64_t tick)
{
	const int64_t unit = rescale(unit_of(axis), s->step, s->axis_step);
	const struct curve_given *g = s->given;
	size_t from, to;

	if (!g || (!g->owners && !g->parts) || !windows_of(g, own_tick(s, tick), unit, &from, &to))
		return -1;
	return g->owners ? g->owners[from] : (int)greatest_part(g, from, to);
}

double curve_part(const struct curve *c, int column, size_t part)
{
	const struct curve_source *s = &c->source;
	const int64_t unit = rescale(unit_of(&c->axis), s->step, s->axis_step);
	size_t from, to;

	return windows_of(s->given, own_tick(s, curve_middle(c, column)), unit, &from, &to)
		   ? mean_of(s->given, part, from, to)
		   : 0;
}

static void take_given(const struct curve_given *g, int64_t first, int64_t unit, int n, double *out)
{
	for (int i = 0; i < n; i++, first = tick_add(first, unit)) {
		size_t from, to;

		out[i] = windows_of(g, tick_add(first, unit / 2), unit, &from, &to)
			     ? mean_of(g, greatest_part(g, from, to), from, to)
			     : NAN;
	}
}

/* Values of n bins of the trace from a tick of the axis on; are all of them exact? */
static enum status ask(const struct curve *c, int64_t from, int64_t unit, int n, double *out,
		       bool *exact, struct error *e)
{
	const struct curve_source *s = &c->source;
	int64_t first = own_tick(s, from), ticks, to;
	enum status status;

	*exact = s->given || n <= 0;
	if (n <= 0)
		return STATUS_OK;
	unit = rescale(unit, s->step, s->axis_step);
	if (s->given) {
		take_given(s->given, first, unit, n, out);
		return STATUS_OK;
	}
	if (__builtin_mul_overflow(unit, (int64_t)n, &ticks))
		ticks = TICK_NONE - 1;
	to = tick_add(first, ticks);
	status = trace_values(s->trace, &s->metric, first, to, (size_t)n, out, exact, e);
	for (int i = 0; status == STATUS_OK && i < n; i++, first = tick_add(first, unit))
		out[i] *= factor_of(c, first, tick_add(first, unit));
	return status;
}

/* Statistics of the trace that grow from bin to bin over all of it, as far as it is read. */
static bool is_counter(const struct curve_source *s, const struct progress *p)
{
	double values[COUNTER_BINS], before = -INFINITY;
	bool exact = false;

	if (!s->metric.sampled || p->last < p->first ||
	    trace_values(s->trace, &s->metric, p->first, tick_add(p->last, 1), COUNTER_BINS, values,
			 &exact, NULL) != STATUS_OK)
		return false;
	for (int i = 0; i < COUNTER_BINS; i++) {
		if (isnan(values[i]))
			continue;
		if (values[i] <= before)
			return false;
		before = values[i];
	}
	return true;
}

/* The sample farthest to one side among the bins; -1: none has one. */
static int outermost(const double *values, int n, int dir)
{
	for (int i = 0; i < n; i++) {
		int at = dir < 0 ? n - 1 - i : i;

		if (!isnan(values[at]))
			return at;
	}
	return -1;
}

/* In [from, to), where there is one, by parts of parts. */
static enum status narrow(const struct curve_source *s, int64_t from, int64_t to, int dir,
			  struct curve_sample *out, struct error *e)
{
	for (int steps = 0; steps < SEARCH_STEPS; steps++) {
		double values[SEARCH_BINS];
		int64_t ticks = tick_sub(to, from), width;
		int n = ticks < SEARCH_BINS ? (int)ticks : SEARCH_BINS, at;
		enum status status;

		/* whole ticks a bin, so that each bin's ticks are known */
		width = (ticks + n - 1) / n;
		n = (int)((ticks + width - 1) / width);
		if (dir < 0)
			from = to - width * n;
		status = trace_values(s->trace, &s->metric, from, from + width * n, (size_t)n,
				      values, NULL, e);
		if (status != STATUS_OK)
			return status;
		at = outermost(values, n, dir);
		if (at < 0)
			return STATUS_OK;
		from += width * at;
		to = from + width;
		if (width == 1) {
			*out = (struct curve_sample){axis_tick(s, from), values[at]};
			return STATUS_OK;
		}
	}
	return STATUS_OK;
}

enum status curve_sample_near(const struct curve_source *s, int64_t tick, int dir,
			      struct curve_sample *out, struct error *e)
{
	struct progress p;
	int64_t at = own_tick(s, tick);

	*out = (struct curve_sample){tick, NAN};
	trace_progress(s->trace, &p);
	if (p.last < p.first)
		return STATUS_OK;
	for (int64_t reach = SEARCH_BINS;; reach = reach > INT64_MAX / 64 ? INT64_MAX : reach * 32) {
		int64_t from = dir < 0 ? tick_sub(at, reach) : at;
		int64_t to = dir < 0 ? at : tick_add(at, reach);
		double value = NAN;
		enum status status = STATUS_OK;

		from = from < p.first ? p.first : from;
		to = to > p.last ? tick_add(p.last, 1) : to;
		if (from >= to)
			return STATUS_OK;
		status = narrow(s, from, to, dir, out, e);
		value = out->value;
		if (status != STATUS_OK || !isnan(value))
			return status;
		if (dir < 0 ? from == p.first : to > p.last)
			return STATUS_OK;
	}
}

static bool same_axis(const struct axis *a, const struct axis *b)
{
	return a->left == b->left && a->step == b->step && a->zoom == b->zoom &&
	       a->columns == b->columns && axis_has_cycles(a) == axis_has_cycles(b);
}

static bool same_source(const struct curve_source *a, const struct curve_source *b)
{
	return a->trace == b->trace && a->shift == b->shift && a->step == b->step &&
	       a->axis_step == b->axis_step &&
	       (a->step == a->axis_step || a->origin == b->origin) &&
	       a->metric.kind == b->metric.kind && a->metric.set == b->metric.set &&
	       a->metric.index == b->metric.index && a->metric.kinds == b->metric.kinds &&
	       a->given == b->given;
}

/* How many cycles a column is looked at in, as a power of two. */
static int parts_of(const struct axis *a)
{
	int parts = 1, bit = 0;

	while (bit < a->zoom && bit < 20 &&
	       (parts < CURVE_FEWEST || (int64_t)parts * 2 * a->columns <= CURVE_PARTS)) {
		parts *= 2;
		bit++;
	}
	return parts;
}

/* The first tick behind the bins. */
static int64_t end_of(const struct curve *c)
{
	int64_t ticks;

	if (__builtin_mul_overflow(unit_of(&c->axis), (int64_t)c->bins, &ticks))
		ticks = TICK_NONE - 1;
	return tick_add(c->axis.left, ticks);
}

/* Ticks of the axis that a part of so many is interpolated over. */
static int64_t grain_of(const struct curve *c, int64_t part)
{
	int64_t grain = trace_grain(c->source.trace);

	grain = rescale(grain, c->source.axis_step, c->source.step);
	return grain > part ? grain : part;
}

static void add_part(struct curve_reading *bin, double value)
{
	bin->low = fmin(bin->low, value);
	bin->high = fmax(bin->high, value);
}

/* Columns of several cycles: what their parts are between. */
static enum status fetch_parts(struct curve *c, struct error *e)
{
	int parts = parts_of(&c->axis), n = c->bins * parts;
	int64_t part = unit_of(&c->axis) / parts;
	double *values;
	bool exact;
	enum status status;

	if (part < 1)
		part = 1;
	values = xcalloc((size_t)n + 1, sizeof(*values));
	status = ask(c, c->axis.left, part, n, values, &exact, e);
	for (int i = 0; status == STATUS_OK && i < n; i++)
		add_part(&c->bin[i / parts], values[i]);
	c->grain = exact ? part : grain_of(c, part);
	free(values);
	return status;
}

static struct scale_range range_of(const struct curve *c)
{
	struct scale_range r = SCALE_EMPTY;

	for (int i = 0; i < c->bins; i++)
		if (!isnan(c->bin[i].value))
			r = scale_join(r, (struct scale_range){c->bin[i].low, c->bin[i].high});
	return r;
}

/* What the curve comes from and goes to, if it does not begin and end in the outermost bins. */
static enum status fetch_neighbours(struct curve *c, struct error *e)
{
	enum status status = STATUS_OK;

	c->before = c->after = (struct curve_sample){0, NAN};
	if (!c->source.metric.sampled || !c->bins)
		return STATUS_OK;
	if (isnan(c->bin[0].value))
		status = curve_sample_near(&c->source, c->axis.left, -1, &c->before, e);
	if (status == STATUS_OK && isnan(c->bin[c->bins - 1].value))
		status = curve_sample_near(&c->source, end_of(c), 1, &c->after, e);
	return status;
}

/* Bins are the columns (or cycles, magnified), as far as the trace goes. */
static int bins_of(const struct curve_source *s, const struct axis *a, const struct progress *p)
{
	int shift = a->zoom < 0 ? -a->zoom : 0;
	int64_t bins = ((int64_t)a->columns + (1 << shift) - 1) >> shift;
	int64_t rest = tick_sub(axis_tick(s, p->last), a->left);

	if (p->last < p->first || rest < 0)
		return 0;
	rest = rest / unit_of(a) + 1;
	return (int)(rest < bins ? rest : bins);
}

static enum status fetch_means(struct curve *c, struct error *e)
{
	double *means = xcalloc((size_t)c->bins + 1, sizeof(*means));
	bool exact;
	enum status status;

	if ((size_t)c->bins > c->cap) {
		c->cap = (size_t)c->bins;
		c->bin = xreallocarray(c->bin, c->cap, sizeof(*c->bin));
	}
	status = ask(c, c->axis.left, unit_of(&c->axis), c->bins, means, &exact, e);
	c->interpolated = !exact;
	for (int i = 0; i < c->bins; i++)
		c->bin[i] = (struct curve_reading){means[i], means[i], means[i],
						   !exact && !isnan(means[i])};
	free(means);
	return status;
}

/* A place between bins: a sample there, in the window or outside. */
struct joint {
	double at, value;
};

static struct joint joint_of(const struct curve *c, const struct curve_sample *s)
{
	return (struct joint){(double)tick_sub(s->tick, c->axis.left) / (double)unit_of(&c->axis),
			      s->value};
}

/* The straight line between two of them, in the bins from `from` to the second. */
static void join(struct curve *c, int from, struct joint a, struct joint b)
{
	for (int i = from; i < c->bins && i < b.at; i++) {
		double value = a.value + (b.value - a.value) * (i - a.at) / (b.at - a.at);

		c->bin[i] = (struct curve_reading){value, value, value, true};
		c->joined = true;
	}
}

static void join_samples(struct curve *c)
{
	struct joint last = joint_of(c, &c->before);
	int from = 0;

	c->joined = false;
	for (int i = 0; c->source.metric.sampled && i < c->bins; i++) {
		struct joint here = {i, c->bin[i].value};

		if (isnan(here.value))
			continue;
		if (!isnan(last.value))
			join(c, from, last, here);
		last = here;
		from = i + 1;
	}
	if (!isnan(last.value) && !isnan(c->after.value))
		join(c, from, last, joint_of(c, &c->after));
}

enum status curve_fetch(struct curve *c, const struct curve_source *source, const struct axis *axis,
			bool parted, struct error *e)
{
	struct progress p;
	bool known, same_trace;
	enum status status;

	trace_progress(source->trace, &p);
	same_trace = c->reached == p.reached && c->last == p.last && c->complete == p.complete;
	known = c->valid && same_source(&c->source, source) && same_trace &&
		(!source->given || source->given->version == c->version);
	if (known && same_axis(&c->axis, axis) && c->parted == parted)
		return STATUS_OK;
	c->source = *source;
	c->axis = *axis;
	c->parted = parted;
	c->reached = p.reached;
	c->last = p.last;
	c->complete = p.complete;
	c->version = source->given ? source->given->version : 0;
	/* the whole trace is asked only when it became another one */
	if (!known)
		c->counter = is_counter(source, &p);
	c->valid = false;
	c->bins = bins_of(source, axis, &p);
	c->grain = axis->step;
	status = fetch_means(c, e);
	if (status == STATUS_OK)
		status = fetch_neighbours(c, e);
	if (status == STATUS_OK && parted && axis->zoom > 0)
		status = fetch_parts(c, e);
	if (status != STATUS_OK)
		return status;
	if (source->given && source->given->count)
		c->grain = rescale(source->given->width, source->axis_step, source->step);
	join_samples(c);
	c->range = curve_is_stack(source) ? (struct scale_range){0, 1} : range_of(c);
	c->valid = true;
	return STATUS_OK;
}

static int bin_at(const struct curve *c, int64_t tick)
{
	int64_t d = tick_sub(tick, c->axis.left);

	if (d < 0 || c->bins == 0 || d / unit_of(&c->axis) >= c->bins)
		return -1;
	return (int)(d / unit_of(&c->axis));
}

int64_t curve_middle(const struct curve *c, int column)
{
	int64_t unit = unit_of(&c->axis), ticks;

	if (c->axis.zoom < 0)
		column >>= -c->axis.zoom;
	if (__builtin_mul_overflow(unit, (int64_t)column, &ticks))
		ticks = TICK_NONE - 1;
	return tick_add(tick_add(c->axis.left, ticks), unit / 2);
}

struct curve_reading curve_read(const struct curve *c, int64_t tick)
{
	int bin = bin_at(c, tick);

	return c->valid && bin >= 0 ? c->bin[bin] : unknown;
}

struct curve_reading curve_column(const struct curve *c, int column)
{
	int bin = c->axis.zoom < 0 ? column >> -c->axis.zoom : column;

	return c->valid && bin < c->bins ? c->bin[bin] : unknown;
}

struct curve_reading curve_value(const struct curve_source *source, const struct axis *axis,
				 int64_t tick)
{
	struct curve_reading value = unknown;
	struct curve one = {.valid = false};

	if (curve_fetch(&one, source, axis, false, NULL) == STATUS_OK)
		value = curve_read(&one, tick);
	curve_free(&one);
	return value;
}
