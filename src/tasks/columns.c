/*
 * How rows become columns, and in which orders they are published.
 *
 * Children stand before their parents in the file: a row keeps the id of its parent, which is
 * looked up anew for each publication.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "tasks/tasks_private.h"
#include "trace/order.h"

enum { AHEAD = 16 }; /* rows whose parents are asked for before they are needed */

/* ---- rows as they come ---- */

/* Those that grow, as arrays. */
#define COLUMN(name, type, member)                                                                 \
	static type *name(const struct task_growing *g)                                            \
	{                                                                                          \
		return (type *)(void *)g->member.base;                                             \
	}
COLUMN(starts, int64_t, start)
COLUMN(ends, int64_t, end)
COLUMN(slots, uint32_t, slot)
COLUMN(parents, uint64_t, parent)
#undef COLUMN

static bool append(struct blob *b, const void *value, size_t len)
{
	unsigned char *to;

	if (!b->base && !blob_init(b, -1, 0))
		return false;
	to = blob_reserve(b, len);
	if (!to)
		return false;
	memcpy(to, value, len);
	blob_commit(b, len);
	return true;
}

static bool add_run(struct tasks *t, uint32_t row, int64_t rowid)
{
	const struct task_run *last = t->runs.count ? &vec_last(&t->runs) : NULL;
	struct task_run run = {row, rowid};
	bool ok;

	if (last && (uint64_t)rowid - (uint64_t)last->rowid == row - (uint64_t)last->row)
		return true;
	pthread_rwlock_wrlock(&t->lines.lock);
	ok = vec_push(&t->runs, run);
	pthread_rwlock_unlock(&t->lines.lock);
	return ok;
}

bool task_add(struct tasks *t, const struct task_row *r)
{
	struct task_growing *g = &t->growing;
	struct id *id = ids_at(t->ids, r->id);

	if (!id || g->count == TASK_ORPHAN - 1)
		return false;
	if (id->row == TASK_NONE)
		id->row = g->count;
	else
		t->counts[TASK_NOTE_DUPLICATES]++;
	return append(&g->start, &r->start, sizeof(r->start)) &&
	       append(&g->end, &r->end, sizeof(r->end)) &&
	       append(&g->slot, &r->slot, sizeof(r->slot)) &&
	       append(&g->parent, &r->parent, sizeof(r->parent)) &&
	       add_run(t, g->count++, r->rowid);
}

uint32_t task_slot_at(const struct tasks *t, uint32_t row)
{
	return slots(&t->growing)[row];
}

bool task_set_end(struct tasks *t, uint32_t row, int64_t end)
{
	const bool seen = row < t->columns.count;

	if (end < starts(&t->growing)[row])
		return false;
	if (seen)
		pthread_rwlock_wrlock(&t->lines.lock);
	ends(&t->growing)[row] = end;
	if (seen)
		pthread_rwlock_unlock(&t->lines.lock);
	return true;
}

bool task_ticks(double value, double unit, int64_t *out)
{
	double ticks = round(value * unit);

	if (!(fabs(ticks) < 0x1p61))
		return false;
	*out = (int64_t)ticks;
	return true;
}

/* ---- orders ---- */

static uint32_t *new_rows(uint32_t count)
{
	return malloc((count + (size_t)2) * sizeof(uint32_t));
}

static bool order_by_start(const struct task_columns *c, uint32_t *rows)
{
	const struct order_ticks starts = {c->start, sizeof(*c->start)};
	uint32_t *other = new_rows(c->count);

	if (!other)
		return false;
	for (uint32_t i = 0; i < c->count; i++)
		rows[i] = i;
	order_by_tick(&starts, rows, c->count, other);
	free(other);
	return true;
}

static uint32_t key_of_component(const void *of, uint32_t row)
{
	const struct tasks *t = of;

	return t->tables.slots.data[slots(&t->growing)[row]].component;
}

/* Rows, then TASK_ORPHAN, then TASK_NONE. */
static uint32_t key_of_parent(const void *of, uint32_t row)
{
	const struct task_columns *c = of;
	uint32_t parent = c->parent[row];

	return parent < c->count ? parent : c->count + (parent == TASK_NONE);
}

static bool order_by_parent(const struct task_columns *c, uint32_t *rows)
{
	uint32_t *from = new_rows(c->count + 2);

	if (from)
		order_rows(key_of_parent, c, c->count + 2, c->by_start, rows, c->count, from);
	free(from);
	return from;
}

static void find_longest(const struct tasks *t, const struct task_columns *c, int64_t *longest)
{
	memset(longest, 0, c->component_count * sizeof(*longest));
	for (uint32_t row = 0; row < c->count; row++) {
		uint32_t k = key_of_component(t, row);

		if (c->end[row] - c->start[row] > longest[k])
			longest[k] = c->end[row] - c->start[row];
	}
}

/* By task, then tick. */
static int compare_marks(const void *a, const void *b)
{
	const struct task_mark *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return x->label < y->label ? -1 : x->label > y->label;
}

static void order_marks(const struct tasks *t, struct task_mark *marks, uint32_t *to)
{
	const size_t n = t->marks.count;
	uint32_t i = 0;

	if (n)
		memcpy(marks, t->marks.data, n * sizeof(*marks));
	qsort(marks, n, sizeof(*marks), compare_marks);
	for (uint32_t row = 0; row < t->growing.count; row++) {
		while (i < n && marks[i].task == row)
			i++;
		to[row] = i;
	}
}

static void orders_free(const struct task_columns *c)
{
	const void *const made[] = {c->parent,    c->by_start,       c->by_component,
				    c->by_parent, c->component_from, c->component_longest,
				    c->marks,	  c->marks_to};

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		free((void *)(uintptr_t)made[i]);
}

/*
 * A row whose parent closes a ring, from *at on; TASK_NONE: there is none. Of the last row of a ring
 * neither the parent nor the parent's parent stands behind it, which is rare: from such rows alone
 * parents are followed, each row once. stamps: zeros at first, one a row.
 */
static uint32_t find_ring(const uint32_t *parent, uint32_t count, uint32_t *stamps, uint32_t *at)
{
	for (; *at < count; ++*at) {
		if (parent[*at] > *at || parent[parent[*at]] > *at)
			continue;
		for (uint32_t row = *at; row < count && !stamps[row]; row = parent[row]) {
			stamps[row] = *at + 1;
			if (parent[row] < count && stamps[parent[row]] == *at + 1)
				return row;
		}
	}
	return TASK_NONE;
}

bool task_cut_rings(const uint32_t *parent, uint32_t count, uint32_t *cut, uint64_t *rings)
{
	uint32_t at = 0, row, *stamps = calloc((size_t)count + 1, sizeof(*stamps));

	*rings = 0;
	while (stamps && (row = find_ring(parent, count, stamps, &at)) != TASK_NONE) {
		++*rings;
		if (!cut)
			break;
		cut[row] = TASK_ORPHAN;
	}
	free(stamps);
	return stamps;
}

/* One that has not come is an orphan's as yet. */
static bool find_parents(struct tasks *t, uint32_t *out)
{
	const struct task_growing *g = &t->growing;

	for (uint32_t row = 0; row < g->count; row++) {
		uint64_t id = parents(g)[row];

		ids_fetch(t->ids, parents(g)[row + AHEAD < g->count ? row + AHEAD : row]);
		out[row] = id ? ids_find(t->ids, id) : TASK_NONE;
		if (id && out[row] == TASK_NONE)
			out[row] = TASK_ORPHAN;
	}
	return task_cut_rings(out, g->count, out, &t->counts[TASK_NOTE_RINGS]);
}

static void take_extent(struct task_columns *c)
{
	c->first = 0;
	c->last = -1;
	for (uint32_t row = 0; row < c->count; row++) {
		/* a task without length touches the tick it is at */
		int64_t last = c->end[row] > c->start[row] ? c->end[row] - 1 : c->end[row];

		if (!row || c->start[row] < c->first)
			c->first = c->start[row];
		if (!row || last > c->last)
			c->last = last;
	}
}

/* Whatever becomes of it, orders_free() ends it. False: no memory. */
static bool make_orders(struct tasks *t, struct task_columns *c)
{
	uint32_t *parent = new_rows(c->count), *by_start = new_rows(c->count),
		 *by_component = new_rows(c->count), *by_parent = new_rows(c->count),
		 *from = new_rows(c->component_count), *marks_to = new_rows(c->count);
	int64_t *longest = malloc((c->component_count + (size_t)1) * sizeof(*longest));
	struct task_mark *marks = malloc((c->mark_count + (size_t)1) * sizeof(*marks));

	c->parent = parent;
	c->by_start = by_start;
	c->by_component = by_component;
	c->by_parent = by_parent;
	c->component_from = from;
	c->component_longest = longest;
	c->marks = marks;
	c->marks_to = marks_to;
	if (!parent || !by_start || !by_component || !by_parent || !from || !longest || !marks ||
	    !marks_to || !find_parents(t, parent) || !order_by_start(c, by_start) ||
	    !order_by_parent(c, by_parent))
		return false;
	order_rows(key_of_component, t, c->component_count, by_start, by_component, c->count, from);
	find_longest(t, c, longest);
	order_marks(t, marks, marks_to);
	return true;
}

/* ---- publishing ---- */

bool task_publish(struct tasks *t)
{
	struct task_growing *g = &t->growing;
	struct task_columns old, c = {.count = g->count,
				      .start = starts(g),
				      .end = ends(g),
				      .slot = slots(g),
				      .component_count = (uint32_t)intern_count(t->components),
				      .mark_count = (uint32_t)t->marks.count};
	double began = lines_now();

	if (t->reader->settle)
		t->reader->settle(t);
	take_extent(&c);
	if (!make_orders(t, &c)) {
		orders_free(&c);
		return false;
	}
	pthread_rwlock_wrlock(&t->lines.lock);
	old = t->columns;
	t->columns = c;
	t->publications++;
	t->lines.items = c.count;
	if (c.count)
		lines_see(&t->lines, c.first, c.last + 1);
	pthread_rwlock_unlock(&t->lines.lock);
	orders_free(&old);
	lines_published(&t->lines, began);
	return true;
}

bool task_publish_in_time(struct tasks *t)
{
	return !lines_due(&t->lines) || task_publish(t);
}

void task_columns_free(struct tasks *t, const struct task_columns *c)
{
	struct task_growing *g = &t->growing;

	blob_free(&g->start);
	blob_free(&g->end);
	blob_free(&g->slot);
	blob_free(&g->parent);
	orders_free(c);
	vec_free(&t->marks);
}

/* ---- marks ---- */

bool task_add_mark(struct tasks *t, uint32_t row, int64_t tick, uint32_t label)
{
	struct task_mark m = {tick, row, label};

	return t->marks.count < UINT32_MAX && vec_push(&t->marks, m);
}

/* ---- the end ---- */

/* Of the windows the last one that begins before or with the task: it holds it, or none does. */
static bool is_outside(const struct task_tables *tables, int64_t start, int64_t end)
{
	size_t low = 0, high = tables->windows.count;

	bisect(low, high, i, tables->windows.data[i].start <= start);
	return tables->windows.count && (!low || tables->windows.data[low - 1].end < end);
}

/* What takes all rows to be counted. */
static void count_rows(struct tasks *t)
{
	const struct task_growing *g = &t->growing;
	const int64_t *start = starts(g), *end = ends(g);

	for (uint32_t row = 0; row < g->count; row++) {
		t->counts[TASK_NOTE_ORPHANS] += t->columns.parent[row] == TASK_ORPHAN;
		t->counts[TASK_NOTE_ZERO] += start[row] == end[row];
		t->counts[TASK_NOTE_OUTSIDE] += is_outside(&t->tables, start[row], end[row]);
	}
	for (uint32_t i = 0; i < t->columns.mark_count; i++) {
		const struct task_mark *m = &t->columns.marks[i];

		t->counts[TASK_NOTE_MARKS_OUTSIDE] +=
		    m->tick < start[m->task] || m->tick > end[m->task];
	}
}

bool task_publish_end(struct tasks *t)
{
	if (!task_publish(t))
		return false;
	vec_free(&t->marks); /* as they came */
	count_rows(t);
	pthread_rwlock_wrlock(&t->lines.lock);
	memcpy(t->lines.notes, t->counts, sizeof(t->counts));
	t->lines.bytes = t->growing.count * (2 * sizeof(int64_t) + 6 * sizeof(uint32_t)) +
			 t->columns.mark_count * sizeof(struct task_mark);
	pthread_rwlock_unlock(&t->lines.lock);
	blob_free(&t->growing.parent);
	ids_free(t->ids);
	t->ids = NULL;
	return true;
}

/* ---- rows of the file ---- */

uint32_t task_row_of(const struct tasks *t, int64_t rowid)
{
	size_t low = 0, high;
	uint64_t row = UINT64_MAX;

	lines_lock(&t->lines.trace);
	high = t->runs.count;
	bisect(low, high, i, t->runs.data[i].rowid <= rowid);
	if (low)
		row = (uint64_t)t->runs.data[low - 1].row + (uint64_t)rowid -
		      (uint64_t)t->runs.data[low - 1].rowid;
	high = low < t->runs.count ? (size_t)t->runs.data[low].row : t->columns.count;
	lines_unlock(&t->lines.trace);
	return row < high ? (uint32_t)row : TASK_NONE;
}

int64_t task_rowid(const struct tasks *t, uint32_t row)
{
	size_t low = 0, high;
	uint64_t rowid;

	lines_lock(&t->lines.trace);
	high = t->runs.count;
	bisect(low, high, i, t->runs.data[i].row <= row);
	rowid = (uint64_t)t->runs.data[low - 1].rowid + row - (uint64_t)t->runs.data[low - 1].row;
	lines_unlock(&t->lines.trace);
	return (int64_t)rowid;
}
