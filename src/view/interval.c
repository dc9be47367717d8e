#include "config.h"

#include "view/interval.h"

#include <math.h>

#include "view/resource_curve.h"

struct interval interval_of(const struct store *s, int64_t from, int64_t to)
{
	struct interval i = {.from = from, .to = to};
	struct progress at;

	store_progress(s, &at);
	if (i.from < at.first)
		i.from = at.first;
	if (i.to > at.last)
		i.to = at.last < INT64_MAX ? at.last + 1 : at.last;
	if (at.last < at.first || i.from >= i.to)
		i.to = i.from;
	else
		i.cycles = (interval_ticks(&i) - 1) / (uint64_t)store_ticks_per_cycle(s) + 1;
	return i;
}

uint64_t interval_ticks(const struct interval *i)
{
	return (uint64_t)i->to - (uint64_t)i->from;
}

enum status interval_mean(struct store *s, const struct series *series, const struct interval *i,
			  double *mean, bool *exact, struct error *e)
{
	enum status status = STATUS_OK;

	*mean = NAN;
	if (i->from < i->to)
		status = store_series(s, series, i->from, i->to, 1, mean, exact, e);
	if (store_ticks_per_cycle(s) > 1 && series_is_rate(series))
		*mean *= (double)interval_ticks(i) / (double)i->cycles;
	return status;
}
