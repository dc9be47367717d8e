#include "config.h"

#include "view/pipeline/status.h"

#include <math.h>

#include "base/num.h"
#include "base/text.h"
#include "view/pipeline/pipeview_private.h"

enum { PARTS = 4 };

static void position(const struct pipeview *v, struct sbuf *out)
{
	uint64_t count = pipeview_count(v);
	char at[32], of[32], kth[32];

	if (count == 0) {
		sbuf_puts(out, "no rows");
		return;
	}
	num_group((int64_t)pipeview_row(v, v->cursor), at);
	num_group((int64_t)count, of);
	if (v->filter) /* its own number, and its place among those that are shown */
		sbuf_printf(out, "row %s (no. %s of %s)", at,
			    num_group((int64_t)v->cursor + 1, kth), of);
	else
		sbuf_printf(out, "row %s of %s", at, of);
}

static void tick(const struct pipeview *v, struct sbuf *out)
{
	axis_tell_tick(&v->axis, out);
}

static void zoom(const struct pipeview *v, struct sbuf *out)
{
	char rows[32];

	sbuf_printf(out, "%s:", num_short((double)(UINT64_C(1) << v->row_zoom), 5, rows));
	axis_tell_zoom(&v->axis, out);
	if (v->row_zoom > 0 && v->cache->has_picture && v->cache->interpolated)
		sbuf_puts(out, " estimated");
	if (v->pinned)
		sbuf_puts(out, " pinned");
}

/* Of the ticks on screen, those behind a pane beside the view too: opening one changes nothing. */
static void ipc(const struct pipeview *v, struct sbuf *out)
{
	struct metric_ref m = metric_of_series(&(struct series){.kind = SERIES_IPC});
	struct trace *t = trace_of_store(v->store);
	int columns = v->full_columns > v->axis.columns ? v->full_columns : v->axis.columns;
	struct interval time = interval_of(t, v->axis.left, axis_tick_at(&v->axis, columns));
	bool exact = false;
	double value;

	if (interval_mean(t, &m, &time, &value, &exact, NULL) == STATUS_OK && !isnan(value))
		sbuf_printf(out, "IPC %s%.2f in view", exact ? "" : "~", value);
}

void pipeview_status(struct pipeview *v, int width, struct sbuf *out)
{
	static void (*const parts[PARTS])(const struct pipeview *, struct sbuf *) = {position, tick,
										     zoom, ipc};
	int used = 0;

	viewcache_refresh(v);
	for (int i = 0; i < PARTS; i++) {
		struct sbuf part = {0};
		int w;

		parts[i](v, &part);
		w = text_width(sbuf_text(&part), part.len) + (used ? 2 : 0);
		if (part.len > 0 && used + w <= width) {
			sbuf_puts(out, used ? "  " : "");
			sbuf_add(out, part.text, part.len);
			used += w;
		}
		sbuf_free(&part);
	}
}
