#include "config.h"

#include "view/pipeline/pipeview.h"

#include "base/xalloc.h"
#include "view/pipeline/pipeview_private.h"

static const struct {
	int width;
	bool shown;
} gutter_defaults[] = {
#define GUTTER_DEFAULT(name, text, width, shown, help) {width, shown},
    GUTTER_INFO(GUTTER_DEFAULT)
#undef GUTTER_DEFAULT
};

void pipeview_init(struct pipeview *v, struct store *s)
{
	*v = (struct pipeview){.store = s, .step = 1, .links = LINKS_ROW};
	for (int i = 0; i < GUTTER_COUNT; i++) {
		v->gutter_shown[i] = gutter_defaults[i].shown;
		v->gutter_width[i] = gutter_defaults[i].width;
	}
	v->cache = xcalloc(1, sizeof(*v->cache));
	viewcache_refresh(v);
	v->left = v->tick = pipeview_extent(v).first;
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

struct extent pipeview_extent(const struct pipeview *v)
{
	const struct progress *p = &v->cache->at;

	if (p->last < p->first)
		return (struct extent){0, 0};
	return (struct extent){p->first, p->last};
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

int64_t tick_align(const struct pipeview *v, int64_t tick, int zoom)
{
	int64_t unit = tick_unit(v, zoom), rest;

	if (unit == 1)
		return tick;
	rest = (tick_sub(tick, v->phase)) % unit;
	return tick_sub(tick, rest < 0 ? rest + unit : rest);
}

int64_t pipeview_ticks_of(const struct pipeview *v, int64_t columns)
{
	int z = v->tick_zoom;
	int64_t ticks;

	if (z <= 0)
		columns >>= -z;
	if (__builtin_mul_overflow(columns, tick_unit(v, z), &ticks))
		return columns > 0 ? TICK_NONE - 1 : INT64_MIN;
	return ticks == TICK_NONE ? TICK_NONE - 1 : ticks;
}

int64_t pipeview_column_of(const struct pipeview *v, int64_t tick)
{
	int64_t far = 1 << 28, d = tick_sub(tick, v->left);

	if (v->step == 1 && v->tick_zoom >= 0)
		d >>= v->tick_zoom;
	else
		d = floor_div(d, tick_unit(v, v->tick_zoom));
	if (v->tick_zoom < 0 && d < far && d > -far)
		d *= INT64_C(1) << -v->tick_zoom;
	return d > far ? far : d < -far ? -far : d;
}

bool pipeview_has_cycles(const struct pipeview *v)
{
	return v->step > 1 && !v->raw_ticks;
}

const char *pipeview_unit(const struct pipeview *v)
{
	return pipeview_has_cycles(v) ? "cycle" : store_unit(v->store);
}

int64_t pipeview_time(const struct pipeview *v, int64_t tick)
{
	return pipeview_has_cycles(v) ? floor_div(tick_sub(tick, v->phase), v->step) : tick;
}

int64_t pipeview_tick_of(const struct pipeview *v, int64_t time)
{
	int64_t tick;

	if (!pipeview_has_cycles(v))
		return time;
	if (__builtin_mul_overflow(time, v->step, &tick))
		return time < 0 ? INT64_MIN : TICK_NONE - 1;
	return tick_add(tick, v->phase);
}

int64_t pipeview_length(const struct pipeview *v, int64_t ticks)
{
	return pipeview_has_cycles(v) ? floor_div(tick_add(ticks, v->step / 2), v->step) : ticks;
}

int64_t pipeview_length_of(const struct pipeview *v, const struct interval *i)
{
	uint64_t n = pipeview_has_cycles(v) ? i->cycles : interval_ticks(i);

	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

int64_t pipeview_tick_at(const struct pipeview *v, int64_t column)
{
	return tick_add(v->left, pipeview_ticks_of(v, column));
}

int64_t pipeview_right(const struct pipeview *v)
{
	return pipeview_tick_at(v, v->columns);
}

void pipeview_life(const struct pipeview *v, uint64_t index, int64_t *start, int64_t *end)
{
	struct extent x = pipeview_extent(v);
	struct row row;

	*start = *end = x.last;
	if (index < pipeview_count(v) && store_row(v->store, pipeview_row(v, index), &row)) {
		*start = row.start;
		*end = row.end == TICK_NONE ? x.last : row.end;
	}
}

void pipeview_clamp_zoom(struct pipeview *v)
{
	if (v->row_zoom < 0)
		v->row_zoom = 0;
	if (v->row_zoom > ROW_ZOOM_MAX)
		v->row_zoom = ROW_ZOOM_MAX;
	if (v->tick_zoom < TICK_ZOOM_MIN)
		v->tick_zoom = TICK_ZOOM_MIN;
	if (v->tick_zoom > TICK_ZOOM_MAX)
		v->tick_zoom = TICK_ZOOM_MAX;
}

/* Not further down than the last line on the last line, not further right than the last tick. */
void pipeview_clamp_window(struct pipeview *v)
{
	uint64_t count = pipeview_count(v);
	uint64_t last_line = count ? (count - 1) >> v->row_zoom : 0;
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t top_line = last_line >= lines ? last_line - lines + 1 : 0;
	struct extent x = pipeview_extent(v);

	v->top = row_align(v->top, v->row_zoom);
	if (v->top >> v->row_zoom > top_line)
		v->top = top_line << v->row_zoom;
	if (v->left > x.last)
		v->left = x.last;
	if (v->left < x.first)
		v->left = x.first;
	v->left = tick_align(v, v->left, v->tick_zoom);
}

static void clamp_cursor(struct pipeview *v)
{
	uint64_t count = pipeview_count(v);
	struct extent x = pipeview_extent(v);

	if (v->cursor >= count)
		v->cursor = count ? count - 1 : 0;
	if (v->tick > x.last)
		v->tick = x.last;
	if (v->tick < x.first)
		v->tick = x.first;
}

void pipeview_cursor_to_window(struct pipeview *v)
{
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	uint64_t rows = UINT64_C(1) << v->row_zoom;
	int64_t column;

	if (v->cursor < v->top)
		v->cursor = v->top;
	if ((v->cursor - v->top) >> v->row_zoom >= lines)
		v->cursor = v->top + (lines - 1) * rows;
	column = pipeview_column_of(v, v->tick);
	if (column < 0)
		v->tick = v->left;
	else if (column >= v->columns && v->columns > 0)
		v->tick = pipeview_tick_at(v, v->columns - 1);
	clamp_cursor(v);
}

void pipeview_window_to_cursor(struct pipeview *v)
{
	uint64_t lines = v->lines > 0 ? (uint64_t)v->lines : 1;
	int64_t column;

	clamp_cursor(v);
	if (v->cursor < v->top)
		v->top = row_align(v->cursor, v->row_zoom);
	if ((v->cursor - v->top) >> v->row_zoom >= lines)
		v->top = ((v->cursor >> v->row_zoom) - (lines - 1)) << v->row_zoom;
	column = pipeview_column_of(v, v->tick);
	if (column < 0)
		v->left = tick_align(v, v->tick, v->tick_zoom);
	else if (column >= v->columns && v->columns > 0)
		v->left = tick_sub(v->tick, pipeview_ticks_of(v, v->columns - 1));
	pipeview_clamp_window(v);
}

int pipeview_ruler_lines(const struct pipeview *v)
{
	return v->height >= 5 ? 2 : v->height >= 3 ? 1 : 0;
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
	v->columns = v->width - pipeview_gutter_width(v);
	if (v->columns < 0)
		v->columns = 0;
	pipeview_clamp_zoom(v);
	pipeview_set_lines(v);
	pipeview_clamp_window(v);
	pipeview_window_to_cursor(v);
}

bool pipeview_hit(const struct pipeview *v, int x, int y, uint64_t *index, int64_t *tick)
{
	int line = y - pipeview_ruler_lines(v), column = x - pipeview_gutter_width(v);

	if (line < 0 || column < 0 || column >= v->columns)
		return false;
	line /= pipeview_row_height(v);
	if (line >= v->lines)
		return false;
	*index = v->top + ((uint64_t)line << v->row_zoom);
	*tick = pipeview_tick_at(v, column);
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
	*t0 = tick_align(v, v->tick, v->tick_zoom);
	*t1 = tick_add(*t0, tick_unit(v, v->tick_zoom));
}

void pipeview_cycle_of(const struct pipeview *v, int64_t tick, int64_t *t0, int64_t *t1)
{
	*t0 = tick_align(v, tick, 0);
	*t1 = tick_add(*t0, tick_unit(v, 0));
}

bool pipeview_is_aggregate(const struct pipeview *v)
{
	return v->row_zoom > 0;
}
