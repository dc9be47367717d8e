#include "config.h"

#include "view/pipeline/pipeview.h"

#include <math.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/pipeline/pipeview_private.h"

static void begin(struct pipeview *v)
{
	v->cache = xcalloc(1, sizeof(*v->cache));
	viewcache_refresh(v);
	v->axis.left = v->axis.tick = v->axis.first;
}

void pipeview_init(struct pipeview *v, struct store *s)
{
	*v = (struct pipeview){.store = s, .links = LINKS_ROW};
	axis_init(&v->axis, store_unit(s));
	for (int i = 0; i < GUTTER_COUNT; i++) {
		v->gutter_shown[i] = gutter_columns[i].shown;
		v->gutter_width[i] = gutter_columns[i].width;
	}
	begin(v);
}

/* What was of rows goes. */
void pipeview_reopen(struct pipeview *v, struct store *s)
{
	pipeview_free(v);
	v->store = s;
	v->filter = NULL;
	v->chain = NULL;
	v->path = NULL;
	v->arcs = NULL;
	v->selection = (struct selection){0};
	v->top = v->cursor = 0;
	v->axis.unit = store_unit(s);
	begin(v);
	pipeview_layout(v, v->width, v->height);
}

void pipeview_free(struct pipeview *v)
{
	viewcache_free(v->cache);
	v->cache = NULL;
}

uint64_t pipeview_count(const struct pipeview *v)
{
	return v->filter ? filter_count(v->filter) : store_row_count(v->store);
}

uint64_t pipeview_row(const struct pipeview *v, uint64_t index)
{
	return v->filter ? filter_row(v->filter, index) : index;
}

uint64_t pipeview_index(const struct pipeview *v, uint64_t row)
{
	uint64_t count = pipeview_count(v);
	uint64_t index = v->filter ? filter_rank(v->filter, row) : row;

	return index < count ? index : count ? count - 1 : 0;
}

void pipeview_life(const struct pipeview *v, uint64_t index, int64_t *start, int64_t *end)
{
	struct row row;

	*start = *end = v->axis.last;
	if (index < pipeview_count(v) && store_row(v->store, pipeview_row(v, index), &row)) {
		*start = row.start;
		*end = row.end == TICK_NONE ? v->axis.last : row.end;
	}
}

void pipeview_clamp_zoom(struct pipeview *v)
{
	if (v->row_zoom < 0)
		v->row_zoom = 0;
	if (v->row_zoom > ROW_ZOOM_MAX)
		v->row_zoom = ROW_ZOOM_MAX;
	axis_clamp_zoom(&v->axis);
}

/* Not further down than the last line on the last line, not further right than the last tick. */
void pipeview_clamp_window(struct pipeview *v)
{
	uint64_t count = pipeview_count(v);
	uint64_t last_line = count ? (count - 1) >> v->row_zoom : 0;
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t top_line = last_line >= lines ? last_line - lines + 1 : 0;

	v->top = row_align(v->top, v->row_zoom);
	if (v->top >> v->row_zoom > top_line)
		v->top = top_line << v->row_zoom;
	axis_clamp_window(&v->axis);
}

static void clamp_cursor(struct pipeview *v)
{
	uint64_t count = pipeview_count(v);

	if (v->cursor >= count)
		v->cursor = count ? count - 1 : 0;
	axis_clamp_cursor(&v->axis);
}

void pipeview_cursor_to_window(struct pipeview *v)
{
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t rows = UINT64_C(1) << v->row_zoom;

	if (v->cursor < v->top)
		v->cursor = v->top;
	if ((v->cursor - v->top) >> v->row_zoom >= lines)
		v->cursor = v->top + (lines - 1) * rows;
	axis_cursor_to_window(&v->axis);
	clamp_cursor(v);
}

void pipeview_window_to_cursor(struct pipeview *v)
{
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;

	clamp_cursor(v);
	if (v->cursor < v->top)
		v->top = row_align(v->cursor, v->row_zoom);
	if ((v->cursor - v->top) >> v->row_zoom >= lines)
		v->top = ((v->cursor >> v->row_zoom) - (lines - 1)) << v->row_zoom;
	axis_window_to_cursor(&v->axis);
	pipeview_clamp_window(v);
}

int pipeview_ruler_lines(const struct pipeview *v)
{
	return ruler_lines(v->height);
}

/* Lanes that are to be seen, the pipeline itself among them. */
static int lanes_shown(const struct pipeview *v)
{
	int shown = 1, lanes = (int)store_lane_count(v->store);

	for (int i = 1; i < lanes; i++)
		shown += !(v->lanes_hidden >> i & 1);
	return shown;
}

int pipeview_row_height(const struct pipeview *v)
{
	int height = v->lanes_split && !pipeview_is_aggregate(v) ? lanes_shown(v) : 1;
	int room = v->height - pipeview_ruler_lines(v);

	return height < room ? height : room > 0 ? room : 1;
}

void pipeview_set_lines(struct pipeview *v)
{
	v->lines = (v->height - pipeview_ruler_lines(v)) / pipeview_row_height(v);
}

int pipeview_lane_line(const struct pipeview *v, unsigned lane)
{
	int line = 0;

	if (lane && (v->lanes_hidden >> lane & 1))
		return -1;
	for (unsigned i = 1; i < lane; i++)
		line += !(v->lanes_hidden >> i & 1);
	return lane ? line + 1 : 0;
}

void pipeview_layout(struct pipeview *v, int w, int h)
{
	viewcache_refresh(v);
	v->width = w > 0 ? w : 0;
	v->height = h > 0 ? h : 0;
	v->axis.gutter = pipeview_gutter_width(v);
	v->axis.columns = v->width - v->axis.gutter;
	if (v->axis.columns < 0)
		v->axis.columns = 0;
	pipeview_clamp_zoom(v);
	pipeview_set_lines(v);
	pipeview_clamp_window(v);
	pipeview_window_to_cursor(v);
}

bool pipeview_hit(const struct pipeview *v, int x, int y, uint64_t *index, int64_t *tick)
{
	int line = y - pipeview_ruler_lines(v), column = x - pipeview_gutter_width(v);

	if (line < 0 || column < 0 || column >= v->axis.columns)
		return false;
	line /= pipeview_row_height(v);
	if (line >= v->lines)
		return false;
	*index = v->top + ((uint64_t)line << v->row_zoom);
	*tick = axis_tick_at(&v->axis, column);
	return *index < pipeview_count(v);
}

void pipeview_under_cursor(const struct pipeview *v, uint64_t *row0, uint64_t *row1, int64_t *t0,
			   int64_t *t1)
{
	uint64_t count = pipeview_count(v);
	uint64_t first = row_align(v->cursor, v->row_zoom);
	uint64_t last = first + (UINT64_C(1) << v->row_zoom) - 1;

	if (last >= count)
		last = count ? count - 1 : 0;
	*row0 = count ? pipeview_row(v, first) : 0;
	*row1 = count ? pipeview_row(v, last) + 1 : 0;
	*t0 = axis_align(&v->axis, v->axis.tick, v->axis.zoom);
	*t1 = tick_add(*t0, axis_cell(&v->axis, v->axis.zoom));
}

bool pipeview_is_aggregate(const struct pipeview *v)
{
	return v->row_zoom > 0;
}

/* ---- the title ----------------------------------------------------------------------------- */

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
	static void (*const parts[])(const struct pipeview *, struct sbuf *) = {position, tick,
										     zoom, ipc};
	int used = 0;

	viewcache_refresh(v);
	for (int i = 0; i < (int)(sizeof(parts) / sizeof(parts[0])); i++) {
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
