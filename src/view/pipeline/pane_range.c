#include "config.h"

#include "view/pipeline/pane_range.h"

#include "base/num.h"
#include "pipeline/kind.h"
#include "view/axis.h"
#include "view/warnings_pane.h"

struct range pane_range_part(const struct store *s, const struct selection *range)
{
	struct range part = range_all(s);

	if (range->on) {
		part.row0 = range->item0;
		part.row1 = range->item1;
		part.tick0 = range->tick0;
		part.tick1 = range->tick1;
	}
	part.limit = PANE_RANGE_ROWS;
	return part;
}

enum status pane_range_totals(struct store *s, const struct selection *range,
			      struct range_totals *out, struct error *e)
{
	struct range part = pane_range_part(s, range);

	return range_totals(s, &part, &out->totals, &out->clipped, e);
}

void pane_range_title(const struct store *s, const struct selection *range, bool clipped,
		      struct sbuf *out)
{
	const struct range_clock clock = range_clock(s);
	const bool rows = range->item1 - range->item0 < store_row_count(s);
	struct axis axis;
	char a[40], b[40];

	if (range->on && rows) {
		num_group((int64_t)range->item0, a);
		num_group((int64_t)(range->item1 > range->item0 ? range->item1 - 1 : range->item0),
			  b);
		sbuf_printf(out, ": rows %s..%s", a, b);
	}
	if (range->on) {
		axis_init(&axis, store_unit(s));
		axis_set_extent(&axis, clock.first, clock.first, clock.ticks);
		num_group(axis_time(&axis, range->tick0), a);
		num_group(axis_time(&axis, range->tick1 > range->tick0 ? range->tick1 - 1
								       : range->tick0),
			  b);
		sbuf_printf(out, "%s %s %s..%s", rows ? "," : ":", axis_unit(&axis), a, b);
	}
	if (clipped)
		sbuf_printf(out, ", only the first %s rows", num_group(PANE_RANGE_ROWS, a));
}

/* ---- warnings next to a row of the range ---- */

struct born_in {
	const struct store *store;
	struct range part;
};

static bool born_in(const void *arg, const struct warning *w)
{
	const struct born_in *of = arg;
	struct row row;

	return store_row(of->store, w->item, &row) && range_has(&of->part, &row);
}

struct pane *row_warnings_pane(struct store *s, const struct selection *range)
{
	struct warnings_part part = {.has = born_in};
	struct sbuf name = {0};
	struct born_in of;
	struct pane *p;

	if (!range || !range->on)
		return warnings_pane(trace_of_store(s), NULL);
	of = (struct born_in){s, pane_range_part(s, range)};
	pane_range_title(s, range, false, &name);
	part.arg = &of;
	part.name = sbuf_text(&name);
	p = warnings_pane(trace_of_store(s), &part);
	sbuf_free(&name);
	return p;
}
