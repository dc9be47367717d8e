#include "config.h"

#include "view/tasks/chart.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum {
	FAMILY_BARS = 2000,   /* of a task's descendants */
	ANCESTORS_MOST = 200, /* a deeper tree, or a circle, is cut */
};

void chart_free(struct chart *ch)
{
	vec_free(&ch->bars);
	vec_free(&ch->counts);
	vec_free(&ch->columns);
	*ch = (struct chart){.lines = 0};
}

static void clear(struct chart *ch)
{
	vec_clear(&ch->bars);
	vec_clear(&ch->counts);
	vec_clear(&ch->columns);
	ch->lines = 0;
	ch->tasks = ch->most = 0;
	ch->dense = ch->about = ch->more = false;
}

static bool overlaps(const struct chart_source *s, uint32_t row)
{
	int64_t start = s->columns->start[row], end = s->columns->end[row];

	return start < axis_right(s->axis) &&
	       (end > s->axis->left || (end == start && end == s->axis->left));
}

static bool add_bar(struct chart *ch, const struct chart_source *s, uint32_t row, uint32_t parent)
{
	struct bar b = {.start = s->columns->start[row],
			.end = s->columns->end[row],
			.row = row,
			.parent = parent};

	return vec_push(&ch->bars, b);
}

/* ---- columns and cells ---- */

void chart_span(const struct axis *a, const struct bar *b, int64_t *x0, int64_t *x1)
{
	*x0 = axis_column_of(a, b->start);
	*x1 = axis_column_of(a, b->end > b->start ? b->end - 1 : b->start);
	if (a->zoom < 0 && b->end > b->start)
		*x1 += (INT64_C(1) << -a->zoom) - 1;
}

int64_t chart_weight(const struct axis *a, const struct bar *b, int64_t x)
{
	int64_t cell = axis_cell(a, a->zoom), from = axis_tick_at(a, x), to = tick_add(from, cell);
	int64_t x0, x1;

	chart_span(a, b, &x0, &x1);
	from = b->start > from ? b->start : from;
	to = b->end < to ? b->end : to;
	/* what is in no other cell shows here */
	return 1 + (to > from ? to - from : 0) + (x0 == x1 ? cell : 0);
}

uint32_t chart_at(const struct chart *ch, const struct axis *a, uint32_t line, int64_t x)
{
	uint32_t found = BAR_NONE;
	int64_t best = 0;

	for (uint32_t i = 0; i < ch->bars.count; i++) {
		const struct bar *b = &ch->bars.data[i];
		int64_t x0, x1;

		if (b->line != line)
			continue;
		chart_span(a, b, &x0, &x1);
		if (x < x0 || x > x1 || chart_weight(a, b, x) <= best)
			continue;
		best = chart_weight(a, b, x);
		found = i;
	}
	return found;
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
	const struct bar b = {.start = c->start[row], .end = c->end[row]};
	int64_t x = axis_column_of(a, a->tick), x0, x1;

	chart_span(a, &b, &x0, &x1);
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

/* Of tasks by their pairs: those that there are, the most first. */
static void take_counts(struct chart *ch, const uint64_t *by_key, size_t keys)
{
	vec_clear(&ch->counts);
	for (uint32_t key = 0; key < keys; key++)
		if (by_key[key])
			(void)vec_push(&ch->counts, ((struct chart_count){key, by_key[key]}));
	if (ch->counts.count)
		qsort(ch->counts.data, ch->counts.count, sizeof(*ch->counts.data), by_tasks);
}

/* Where each pair stands in the counts; those behind CHART_KEYS are one with the last. */
static void take_places(const struct chart *ch, uint64_t *by_key)
{
	for (size_t i = 0; i < ch->counts.count; i++)
		by_key[ch->counts.data[i].key] = i < CHART_KEYS ? i : CHART_KEYS - 1;
}

/* ---- of components ---- */

/*
 * One in `stride` of the tasks that may be in the window, at uneven steps: requests in and out
 * take turns in a file.
 */
struct walk {
	struct chart *ch;
	const struct chart_source *s;
	uint64_t stride;
	uint64_t *by_key; /* tasks of each pair; then, where it stands in the counts */
	void (*visit)(const struct walk *w, uint32_t row);
};

static uint64_t step(uint64_t stride, uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return stride > 1 ? 1 + (*seed >> 33) % (2 * stride - 1) : 1;
}

static void walk(const struct walk *w, const uint32_t *components, size_t count)
{
	uint64_t next = 0, seed = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t begin, end;

		tasks_overlapping(w->s->columns, components[i], w->s->axis->left,
				  axis_right(w->s->axis), &begin, &end);
		for (; next < end - begin; next += step(w->stride, &seed)) {
			uint32_t row = w->s->columns->by_component[begin + next];

			if (overlaps(w->s, row))
				w->visit(w, row);
		}
		next -= end - begin;
	}
}

static uint64_t candidates(const struct chart_source *s, const uint32_t *components, size_t count)
{
	uint64_t n = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t begin, end;

		tasks_overlapping(s->columns, components[i], s->axis->left, axis_right(s->axis),
				  &begin, &end);
		n += end - begin;
	}
	return n;
}

/* All are counted; bars are made as long as they may be enough. */
static void visit_task(const struct walk *w, uint32_t row)
{
	w->ch->tasks += w->stride;
	w->by_key[keys_of(w->s->keys, w->s->columns, row)] += w->stride;
	if (w->stride == 1 && w->ch->bars.count <= CHART_BARS)
		add_bar(w->ch, w->s, row, BAR_NONE);
}

/* One more from its first column on, one less behind its last. */
static void visit_columns(const struct walk *w, uint32_t row)
{
	const struct bar b = {.start = w->s->columns->start[row], .end = w->s->columns->end[row]};
	size_t width = (size_t)w->ch->width;
	uint64_t *counts;
	int64_t x0, x1;

	counts = w->ch->columns.data + w->by_key[keys_of(w->s->keys, w->s->columns, row)] * width;
	chart_span(w->s->axis, &b, &x0, &x1);
	counts[x0 > 0 ? x0 : 0] += w->stride;
	if (x1 + 1 < w->ch->width)
		counts[x1 + 1] -= w->stride;
}

static void add_up(struct chart *ch, size_t keys)
{
	size_t width = (size_t)ch->width;

	for (size_t k = 0; k < keys; k++)
		for (size_t x = 1; x < width; x++)
			ch->columns.data[k * width + x] += ch->columns.data[k * width + x - 1];
	for (size_t x = 0; x < width; x++) {
		uint64_t sum = 0;

		for (size_t k = 0; k < keys; k++)
			sum += ch->columns.data[k * width + x];
		ch->most = sum > ch->most ? sum : ch->most;
	}
}

static void fill_columns(const struct walk *w, const uint32_t *components, size_t count)
{
	struct chart *ch = w->ch;
	size_t keys = ch->counts.count < CHART_KEYS ? ch->counts.count : CHART_KEYS;
	size_t cells = keys * (size_t)w->s->axis->columns;

	ch->width = w->s->axis->columns;
	if (!cells || !vec_reserve(&ch->columns, cells))
		return;
	for (size_t i = 0; i < cells; i++)
		ch->columns.data[i] = 0;
	ch->columns.count = cells;
	take_places(ch, w->by_key);
	walk(w, components, count);
	add_up(ch, keys);
}

struct row_bar {
	uint32_t row, bar;
};

static int by_row(const void *a, const void *b)
{
	const struct row_bar *x = a, *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

/* Each bar's parent, if that is one of the bars. */
static void link_parents(struct chart *ch, const struct chart_source *s)
{
	VEC(struct row_bar) rows = {0};

	if (!ch->bars.count || !vec_reserve(&rows, ch->bars.count))
		return;
	for (uint32_t i = 0; i < ch->bars.count; i++)
		rows.data[i] = (struct row_bar){ch->bars.data[i].row, i};
	qsort(rows.data, ch->bars.count, sizeof(*rows.data), by_row);
	for (uint32_t i = 0; i < ch->bars.count; i++) {
		const struct row_bar parent = {s->columns->parent[ch->bars.data[i].row], 0};
		const struct row_bar *found =
		    bsearch(&parent, rows.data, ch->bars.count, sizeof(*rows.data), by_row);

		ch->bars.data[i].parent = found ? found->bar : BAR_NONE;
	}
	vec_free(&rows);
}

static void look_at(struct chart *ch, struct walk *w, const uint32_t *components, size_t count)
{
	clear(ch);
	w->visit = visit_task;
	memset(w->by_key, 0, (w->s->keys->keys.count + 1) * sizeof(*w->by_key));
	walk(w, components, count);
	take_counts(ch, w->by_key, w->s->keys->keys.count);
}

void chart_components(struct chart *ch, const struct chart_source *s, const uint32_t *components,
		      size_t count)
{
	uint64_t n = candidates(s, components, count);
	struct walk w = {.ch = ch,
			 .s = s,
			 .stride = n > CHART_EXACT ? n / CHART_SAMPLE + 1 : 1,
			 .by_key = xcalloc(s->keys->keys.count + 1, sizeof(*w.by_key))};

	look_at(ch, &w, components, count);
	if (w.stride > 1 && ch->tasks <= CHART_BARS * 2) {
		w.stride = 1; /* long lives made many candidates of few */
		look_at(ch, &w, components, count);
	}
	ch->about = w.stride > 1;
	ch->dense = ch->tasks > CHART_BARS;
	if (ch->dense) {
		vec_clear(&ch->bars);
		w.visit = visit_columns;
		fill_columns(&w, components, count);
	} else {
		link_parents(ch, s);
		ch->lines = pack_bars(ch->bars.data, (uint32_t)ch->bars.count);
	}
	free(w.by_key);
}

/* ---- of a task ---- */

/* The topmost ancestor first, the task last; each has its line. */
static void add_ancestors(struct chart *ch, const struct chart_source *s, uint32_t row)
{
	uint32_t chain[ANCESTORS_MOST], n = 0;

	do {
		chain[n++] = row;
		row = s->columns->parent[row];
	} while (row < s->columns->count && row != chain[0] && n < ANCESTORS_MOST);
	while (n > 0)
		if (add_bar(ch, s, chain[--n], BAR_NONE))
			vec_last(&ch->bars).line = ch->lines++;
}

/* Children of a row that are in the window; bars are these from `first` on. */
static void add_children(struct chart *ch, const struct chart_source *s, uint32_t row,
			 uint32_t parent, size_t most)
{
	uint32_t from, to;

	tasks_children(s->columns, row, &from, &to);
	for (uint32_t looked = 0; from < to; from++, looked++) {
		uint32_t child = s->columns->by_parent[from];

		if (s->columns->start[child] >= axis_right(s->axis))
			return;
		if (looked == CHART_EXACT || ch->bars.count >= most) {
			ch->more = true;
			return;
		}
		if (overlaps(s, child))
			add_bar(ch, s, child, parent);
	}
}

/* Level after level. */
static void add_descendants(struct chart *ch, const struct chart_source *s, uint32_t row)
{
	uint32_t first = (uint32_t)ch->bars.count, lines = ch->lines;
	size_t most = first + FAMILY_BARS;

	add_children(ch, s, row, BAR_NONE, most);
	for (uint32_t i = first; i < ch->bars.count && !ch->more; i++)
		add_children(ch, s, ch->bars.data[i].row, i - first, most);
	ch->lines += pack_bars(ch->bars.data + first, (uint32_t)ch->bars.count - first);
	for (uint32_t i = first; i < ch->bars.count; i++)
		ch->bars.data[i].line += lines;
}

void chart_family(struct chart *ch, const struct chart_source *s, uint32_t row)
{
	clear(ch);
	if (row >= s->columns->count)
		return;
	add_ancestors(ch, s, row);
	add_descendants(ch, s, row);
	ch->tasks = ch->bars.count;
}
