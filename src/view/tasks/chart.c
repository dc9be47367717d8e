#include "config.h"

#include "view/tasks/chart.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { ANCESTORS_MOST = 200 /* a deeper tree is cut */ };

void chart_free(struct chart *ch)
{
	vec_free(&ch->rows);
	vec_free(&ch->bars);
	vec_free(&ch->counts);
	vec_free(&ch->columns);
	*ch = (struct chart){.lines = 0};
}

static bool overlaps(const struct chart_source *s, uint32_t row)
{
	return task_is_there(s->columns, row, s->axis->left, axis_right(s->axis));
}

/* ---- columns and cells ---- */

void chart_span(const struct axis *a, int64_t start, int64_t end, int64_t *x0, int64_t *x1)
{
	*x0 = axis_column_of(a, start);
	*x1 = axis_column_of(a, end > start ? end - 1 : start);
	if (a->zoom < 0 && end > start)
		*x1 += (INT64_C(1) << -a->zoom) - 1;
}

uint32_t chart_at(const struct chart *ch, const struct axis *a, uint32_t line, int64_t x)
{
	for (uint32_t i = (uint32_t)ch->bars.count; i-- > 0;) {
		const struct bar *b = &ch->bars.data[i];
		int64_t x0, x1;

		chart_span(a, b->start, b->end, &x0, &x1);
		if (b->line == line && x >= x0 && x <= x1)
			return i;
	}
	return BAR_NONE;
}

uint32_t chart_find(const struct chart *ch, uint32_t row)
{
	for (uint32_t i = 0; i < ch->bars.count; i++)
		if (ch->bars.data[i].row == row)
			return i;
	return BAR_NONE;
}

bool chart_alive(const struct task_columns *c, const struct axis *a, uint32_t row)
{
	int64_t x = axis_column_of(a, a->tick), x0, x1;

	chart_span(a, c->start[row], c->end[row], &x0, &x1);
	return x >= x0 && x <= x1;
}

/* ---- counts ---- */

static int by_tasks(const void *a, const void *b)
{
	const struct chart_count *x = a, *y = b;

	if (x->tasks != y->tasks)
		return x->tasks > y->tasks ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* Of the rows by their pairs, which each row's task is one of `stride` of; the most first. */
static void count_pairs(struct chart *ch, const struct chart_source *s, uint64_t *by_key)
{
	for (size_t i = 0; i < ch->rows.count; i++)
		by_key[keys_of(s->keys, s->columns, ch->rows.data[i])] += ch->stride;
	vec_clear(&ch->counts);
	for (uint32_t key = 0; key < s->keys->keys.count; key++)
		if (by_key[key])
			(void)vec_push(&ch->counts, ((struct chart_count){key, by_key[key]}));
	if (ch->counts.count)
		qsort(ch->counts.data, ch->counts.count, sizeof(*ch->counts.data), by_tasks);
}

/* One more from a task's first column on, one less behind its last; then what is in each. */
static void fill_columns(struct chart *ch, const struct chart_source *s, const uint64_t *place)
{
	const size_t width = (size_t)ch->width;

	for (size_t i = 0; i < ch->rows.count; i++) {
		const uint32_t row = ch->rows.data[i];
		uint64_t *counts =
		    ch->columns.data + place[keys_of(s->keys, s->columns, row)] * width;
		int64_t x0, x1;

		chart_span(s->axis, s->columns->start[row], s->columns->end[row], &x0, &x1);
		counts[x0 > 0 ? x0 : 0] += ch->stride;
		if (x1 + 1 < ch->width)
			counts[x1 + 1] -= ch->stride;
	}
	for (size_t x = 0; x < width; x++) {
		uint64_t sum = 0;

		for (size_t at = x; at < ch->columns.count; at += width) {
			ch->columns.data[at] += x ? ch->columns.data[at - 1] : 0;
			sum += ch->columns.data[at];
		}
		ch->most = sum > ch->most ? sum : ch->most;
	}
}

/* A stretch for each pair; those behind CHART_KEYS are one with the last. */
static void make_columns(struct chart *ch, const struct chart_source *s, uint64_t *by_key)
{
	size_t keys = ch->counts.count < CHART_KEYS ? ch->counts.count : CHART_KEYS;
	size_t cells = keys * (size_t)s->axis->columns;

	ch->width = s->axis->columns;
	if (!cells || !vec_reserve(&ch->columns, cells))
		return;
	memset(ch->columns.data, 0, cells * sizeof(*ch->columns.data));
	ch->columns.count = cells;
	for (size_t i = 0; i < ch->counts.count; i++)
		by_key[ch->counts.data[i].key] = i < keys ? i : keys - 1;
	fill_columns(ch, s, by_key);
}

/* ---- bars ---- */

static int by_row(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

/* Each bar's parent, if that is one of the bars. */
static void link_parents(struct chart *ch, const struct task_columns *c)
{
	const uint32_t n = (uint32_t)ch->bars.count;
	struct bar *bars = ch->bars.data, *sorted = xcalloc((size_t)n + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (struct bar){.row = bars[i].row, .line = i};
	qsort(sorted, n, sizeof(*sorted), by_row);
	for (uint32_t i = 0; i < n; i++) {
		const struct bar parent = {.row = c->parent[bars[i].row]};
		const struct bar *found = bsearch(&parent, sorted, n, sizeof(*sorted), by_row);

		bars[i].parent = found ? found->line : BAR_NONE;
	}
	free(sorted);
}

/* What has more columns goes below; of as many the shorter one. */
static int by_cover(const void *a, const void *b, void *axis)
{
	const struct bar *x = a, *y = b;
	int64_t x0, x1, y0, y1, order;

	chart_span(axis, x->start, x->end, &x0, &x1);
	chart_span(axis, y->start, y->end, &y0, &y1);
	order = x1 - x0 != y1 - y0 ? (y1 - y0) - (x1 - x0)
				   : (x->end - x->start) - (y->end - y->start);
	return order ? (order > 0) - (order < 0) : (x->row > y->row) - (x->row < y->row);
}

static void make_bars(struct chart *ch, const struct task_columns *c, const struct axis *a)
{
	struct axis axis = *a;

	for (size_t i = 0; i < ch->rows.count; i++)
		(void)vec_push(&ch->bars, ((struct bar){.start = c->start[ch->rows.data[i]],
							.end = c->end[ch->rows.data[i]],
							.row = ch->rows.data[i]}));
	link_parents(ch, c);
	ch->lines = pack_bars(ch->bars.data, (uint32_t)ch->bars.count);
	if (ch->bars.count)
		qsort_r(ch->bars.data, ch->bars.count, sizeof(*ch->bars.data), by_cover, &axis);
}

/* Of the rows that were gathered. */
static void make(struct chart *ch, const struct chart_source *s)
{
	uint64_t *by_key = xcalloc(s->keys->keys.count + 1, sizeof(*by_key));

	vec_clear(&ch->bars);
	vec_clear(&ch->columns);
	ch->lines = 0;
	ch->most = 0;
	ch->tasks = ch->rows.count * ch->stride;
	ch->dense = ch->tasks > CHART_BARS;
	count_pairs(ch, s, by_key);
	if (ch->dense)
		make_columns(ch, s, by_key);
	else
		make_bars(ch, s->columns, s->axis);
	free(by_key);
}

/* ---- of components ---- */

static uint64_t step(uint64_t stride, uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return stride > 1 ? 1 + (*seed >> 33) % (2 * stride - 1) : 1;
}

/*
 * One in `stride` of the tasks that may be in the window, at uneven steps: requests in and out
 * take turns in a file. How many may be.
 */
static uint64_t gather(struct chart *ch, const struct chart_source *s, const uint32_t *components,
		       size_t count)
{
	uint64_t next = 0, seed = 0, all = 0;

	vec_clear(&ch->rows);
	for (size_t i = 0; i < count; i++) {
		uint32_t begin, end;

		tasks_overlapping(s->columns, components[i], s->axis->left, axis_right(s->axis),
				  &begin, &end);
		for (; next < end - begin; next += step(ch->stride, &seed)) {
			uint32_t row = s->columns->by_component[begin + next];

			if (overlaps(s, row))
				(void)vec_push(&ch->rows, row);
		}
		next -= end - begin;
		all += end - begin;
	}
	return all;
}

void chart_components(struct chart *ch, const struct chart_source *s, const uint32_t *components,
		      size_t count)
{
	ch->stride = UINT32_MAX; /* next to none: to know how many there are */
	ch->stride = gather(ch, s, components, count) / CHART_SAMPLE + 1;
	if (ch->stride <= CHART_EXACT / CHART_SAMPLE)
		ch->stride = 1;
	gather(ch, s, components, count);
	if (ch->stride > 1 && ch->rows.count * ch->stride <= CHART_BARS * 2) {
		ch->stride = 1; /* long lives made many candidates of few */
		gather(ch, s, components, count);
	}
	make(ch, s);
}

/* ---- of a task ---- */

/* The topmost ancestor first, the task last. */
static void add_ancestors(struct chart *ch, const struct chart_source *s, uint32_t row)
{
	uint32_t chain[ANCESTORS_MOST], n = 0;

	for (; row < s->columns->count && n < ANCESTORS_MOST; row = s->columns->parent[row])
		chain[n++] = row;
	while (n > 0)
		(void)vec_push(&ch->rows, chain[--n]);
}

/* Children of a row that are in the window. */
static void add_children(struct chart *ch, const struct chart_source *s, uint32_t row)
{
	uint32_t from, to;

	tasks_children(s->columns, row, &from, &to);
	for (uint32_t looked = 0; from < to; from++, looked++) {
		uint32_t child = s->columns->by_parent[from];

		if (s->columns->start[child] >= axis_right(s->axis))
			return;
		ch->more = looked == CHART_EXACT || ch->rows.count >= CHART_FAMILY;
		if (ch->more)
			return;
		if (overlaps(s, child))
			(void)vec_push(&ch->rows, child);
	}
}

/* Below the task level after level. */
void chart_family(struct chart *ch, const struct chart_source *s, uint32_t row)
{
	vec_clear(&ch->rows);
	ch->stride = 1;
	ch->more = false;
	add_ancestors(ch, s, row);
	for (size_t i = ch->rows.count ? ch->rows.count - 1 : 0; i < ch->rows.count && !ch->more; i++)
		add_children(ch, s, ch->rows.data[i]);
	make(ch, s);
}
