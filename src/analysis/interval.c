#include "config.h"

#include "analysis/interval.h"

#include <math.h>

struct interval interval_of(const struct trace *t, int64_t from, int64_t to)
{
	struct interval i = {.from = from, .to = to};
	struct progress at;

	trace_progress(t, &at);
	if (i.from < at.first)
		i.from = at.first;
	if (i.to > at.last)
		i.to = at.last < INT64_MAX ? at.last + 1 : at.last;
	if (at.last < at.first || i.from >= i.to)
		i.to = i.from;
	else
		i.cycles = (interval_ticks(&i) - 1) / (uint64_t)trace_ticks_per_cycle(t) + 1;
	return i;
}

uint64_t interval_ticks(const struct interval *i)
{
	return (uint64_t)i->to - (uint64_t)i->from;
}

enum status interval_mean(struct trace *t, const struct metric_ref *m, const struct interval *i,
			  double *mean, bool *exact, struct error *e)
{
	double step = (double)trace_ticks_per_cycle(t);
	enum status status = STATUS_OK;

	*mean = NAN;
	if (i->from < i->to)
		status = trace_values(t, m, i->from, i->to, 1, mean, exact, e);
	if (step > 1 && m->rate)
		*mean *= (double)interval_ticks(i) / ((double)i->cycles * step);
	return status;
}
