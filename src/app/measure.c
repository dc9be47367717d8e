#include "config.h"

#include "app/measure.h"

#include <math.h>

#include "base/num.h"

enum status measure(struct tab *t, int64_t t0, int64_t t1, uint64_t row0, uint64_t row1,
		    struct distance *out, struct error *e)
{
	struct series ipc = {.kind = SERIES_IPC};
	int64_t from = t0 < t1 ? t0 : t1, to = t0 < t1 ? t1 : t0;
	enum status status = STATUS_OK;

	*out = (struct distance){.ticks = to - from,
				 .ipc = NAN,
				 .committed = -1,
				 .rows = row0 < row1 ? row1 - row0 : row0 - row1};
	if (to > from)
		status = store_series(t->store, &ipc, from, to, 1, true, &out->ipc, e);
	if (!isnan(out->ipc))
		out->committed = llround(out->ipc * (double)out->ticks);
	return status;
}

void distance_text(const struct tab *t, const struct distance *d, struct sbuf *out)
{
	char number[32];

	sbuf_printf(out, "%s %s%s", num_group(d->ticks, number), store_unit(t->store),
		    d->ticks == 1 ? "" : "s");
	sbuf_printf(out, ", %s row%s", num_group((int64_t)d->rows, number),
		    d->rows == 1 ? "" : "s");
	if (d->committed < 0)
		return;
	sbuf_printf(out, ", %s committed", num_group(d->committed, number));
	sbuf_printf(out, ", IPC %s", num_short(d->ipc, 5, number));
}
