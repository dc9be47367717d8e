#include "config.h"

#include "view/pane_range.h"

#include <math.h>

#include "base/num.h"
#include "view/resource_curve.h"

struct range pane_range_part(const struct store *s, const struct pane_range *range)
{
	struct range part = range_all(s);

	if (range->on) {
		part.row0 = range->row0;
		part.row1 = range->row1;
		part.tick0 = range->tick0;
		part.tick1 = range->tick1;
	}
	part.limit = PANE_RANGE_ROWS;
	return part;
}

enum status pane_range_totals(struct store *s, const struct pane_range *range,
			      struct range_totals *out, struct error *e)
{
	struct range part = pane_range_part(s, range);

	return range_totals(s, &part, &out->totals, &out->clipped, e);
}

bool pane_range_mean(struct store *s, const struct series *series, int64_t from, int64_t to,
		     double *mean)
{
	const uint64_t step = (uint64_t)store_ticks_per_cycle(s);
	struct progress at;
	uint64_t ticks;

	store_progress(s, &at);
	if (from < at.first)
		from = at.first;
	if (to > at.last)
		to = at.last < INT64_MAX ? at.last + 1 : at.last;
	if (at.last < at.first || from >= to ||
	    store_series(s, series, from, to, 1, mean, NULL, NULL) != STATUS_OK || isnan(*mean))
		return false;
	ticks = (uint64_t)to - (uint64_t)from;
	if (step > 1 && curve_is_rate(series))
		*mean *= (double)ticks / (double)((ticks - 1) / step + 1);
	return true;
}

void pane_range_title(const struct store *s, const struct pane_range *range, bool clipped,
		      struct sbuf *out)
{
	char a[32], b[32];

	if (range->on) {
		num_group((int64_t)range->row0, a);
		num_group((int64_t)(range->row1 > range->row0 ? range->row1 - 1 : range->row0), b);
		sbuf_printf(out, ": rows %s..%s", a, b);
		num_group(range->tick0, a);
		num_group(range->tick1 > range->tick0 ? range->tick1 - 1 : range->tick0, b);
		sbuf_printf(out, ", %s %s..%s", store_unit(s), a, b);
	}
	if (clipped)
		sbuf_printf(out, ", the first %s rows of them", num_group(PANE_RANGE_ROWS, a));
}
