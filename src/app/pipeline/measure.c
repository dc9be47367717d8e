#include "config.h"

#include "app/pipeline/measure.h"

#include "app/pipeline/rows.h"

#include <math.h>

#include "base/num.h"

enum status measure(struct tab *t, int64_t t0, int64_t t1, uint64_t row0, uint64_t row1,
		    struct distance *out, struct error *e)
{
	struct metric_ref ipc = metric_of_series(&(struct series){.kind = SERIES_IPC});
	struct trace *trace = trace_of_store(rows_of(t)->store);
	struct interval time = interval_of(trace, t0 < t1 ? t0 : t1, t0 < t1 ? t1 : t0);
	uint64_t first = row0 < row1 ? row0 : row1, last = row0 < row1 ? row1 : row0;
	enum status status;

	if (rows_of(t)->filter) {
		first = filter_rank(rows_of(t)->filter, first);
		last = filter_rank(rows_of(t)->filter, last);
	}
	*out = (struct distance){.length = axis_length_of(&rows_of(t)->view.axis, &time),
				 .ipc = NAN,
				 .committed = -1,
				 .rows = last - first};
	status = interval_mean(trace, &ipc, &time, &out->ipc, NULL, e);
	if (!isnan(out->ipc))
		out->committed = llround(out->ipc * (double)time.cycles);
	return status;
}

void distance_text(const struct tab *t, const struct distance *d, const char *between,
		   struct sbuf *out)
{
	int64_t n = d->length;
	const char *unit = axis_unit(&rows_of(t)->view.axis);
	char number[32];

	sbuf_printf(out, "%s %s%s", num_group(n, number), unit, n == 1 ? "" : "s");
	sbuf_printf(out, "%s%s row%s", between, num_group((int64_t)d->rows, number),
		    d->rows == 1 ? "" : "s");
	if (d->committed < 0)
		return;
	sbuf_printf(out, "; %s committed in %s %s%s", num_group(d->committed, number),
		    n == 1 ? "this" : "these", unit, n == 1 ? "" : "s");
	sbuf_printf(out, ", IPC %.2f", d->ipc);
}
