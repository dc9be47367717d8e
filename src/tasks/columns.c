/*
 * How rows become columns, and in which orders they are published.
 *
 * Children stand before their parents in the file. While a parent is not there its children are a
 * list, from the entry of its id on: each has the next one where its parent will stand.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bisect.h"
#include "tasks/tasks_private.h"

enum {
	ROOM = 1 << 14,      /* rows for which room is made at once */
	DIGIT = 11,          /* bits by which is sorted at once */
	SOONEST_MS = 20,     /* the first publication */
	PATIENCE = 10        /* what passes between two, in times of what the last one cost */
};

#define ROWS_MOST (UINT32_C(1) << 31) /* a link needs a bit */
#define LINK UINT32_C(0x80000000)
#define LINK_END (UINT32_MAX - 1) /* TASK_NONE is no link */

double task_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- rows as they come ---- */

static int64_t *starts(const struct task_growing *g)
{
	return (int64_t *)(void *)g->start.base;
}

static int64_t *ends(const struct task_growing *g)
{
	return (int64_t *)(void *)g->end.base;
}

static uint32_t *slots(const struct task_growing *g)
{
	return (uint32_t *)(void *)g->slot.base;
}

/* Of each row the parent's row, TASK_NONE or a link. */
static uint32_t *parents(const struct task_growing *g)
{
	return (uint32_t *)(void *)g->parent.base;
}

static bool grow_by(struct blob *b, size_t len)
{
	if (!b->base && !blob_init(b, -1, 0))
		return false;
	if (!blob_reserve(b, len))
		return false;
	blob_commit(b, len);
	return true;
}

static bool make_room(struct task_growing *g)
{
	if (g->room >= ROWS_MOST - ROOM)
		return false;
	if (!grow_by(&g->start, ROOM * sizeof(int64_t)) ||
	    !grow_by(&g->end, ROOM * sizeof(int64_t)) ||
	    !grow_by(&g->slot, ROOM * sizeof(uint32_t)) ||
	    !grow_by(&g->parent, ROOM * sizeof(uint32_t)))
		return false;
	g->room += ROOM;
	return true;
}

static bool is_link(uint32_t parent)
{
	return parent & LINK && parent != TASK_NONE;
}

/* Those that waited for a row have it. */
static void settle(uint32_t *parent, struct task_id *id, uint32_t row)
{
	for (uint32_t child = id->waiting; child != TASK_NONE;) {
		uint32_t next = parent[child];

		parent[child] = row;
		child = next == LINK_END ? TASK_NONE : next & ~LINK;
	}
	id->waiting = TASK_NONE;
	id->row = row;
}

/* The row of a parent, or a link of those that wait for it. */
static bool join(struct tasks *t, uint32_t *parent, uint32_t row, uint64_t of)
{
	struct task_id *id = task_ids_at(t->ids, of);

	if (!id)
		return false;
	if (id->row != TASK_NONE) {
		parent[row] = id->row;
		return true;
	}
	parent[row] = id->waiting == TASK_NONE ? LINK_END : LINK | id->waiting;
	id->waiting = row;
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

static bool place(struct tasks *t, const struct task_row *r)
{
	struct task_growing *g = &t->growing;
	uint32_t row = g->count, *parent;
	struct task_id *id;

	if (row == g->room && !make_room(g))
		return false;
	parent = parents(g);
	starts(g)[row] = r->start;
	ends(g)[row] = r->end;
	slots(g)[row] = r->slot;
	parent[row] = TASK_NONE;
	id = task_ids_at(t->ids, r->id);
	if (!id)
		return false;
	if (id->row == TASK_NONE)
		settle(parent, id, row);
	else
		t->counts[TASK_NOTE_DUPLICATES]++;
	if (r->has_parent && !join(t, parent, row, r->parent))
		return false;
	if (!add_run(t, row, r->rowid))
		return false;
	g->count++;
	return true;
}

bool task_place(struct tasks *t)
{
	struct task_growing *g = &t->growing;
	bool ok = true;

	for (uint32_t i = 0; i < g->waiting && ok; i++)
		ok = place(t, &g->rows[i]);
	g->waiting = 0;
	return ok;
}

/* The entries of ids lie all over memory: what is fetched meanwhile is there when it is needed. */
bool task_add(struct tasks *t, const struct task_row *r)
{
	struct task_growing *g = &t->growing;

	task_ids_fetch(t->ids, r->id);
	if (r->has_parent)
		task_ids_fetch(t->ids, r->parent);
	g->rows[g->waiting++] = *r;
	return g->waiting < TASK_WAITING || task_place(t);
}

/* Of a row that has no place yet, too. */
uint32_t task_slot_at(const struct tasks *t, uint32_t row)
{
	const struct task_growing *g = &t->growing;

	return row < g->count ? slots(g)[row] : g->rows[row - g->count].slot;
}

bool task_set_end(struct tasks *t, uint32_t row, int64_t end)
{
	struct task_growing *g = &t->growing;
	const bool placed = row < g->count;

	if (end < (placed ? starts(g)[row] : g->rows[row - g->count].start))
		return false;
	if (placed)
		__atomic_store_n(&ends(g)[row], end, __ATOMIC_RELAXED);
	else
		g->rows[row - g->count].end = end;
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
	return malloc((count + 1) * sizeof(uint32_t));
}

/* Stable; one digit of the ticks since the first. */
static void sort_digit(const int64_t *start, int64_t first, unsigned shift, const uint32_t *from,
		       uint32_t *to, uint32_t n)
{
	uint32_t at[1 << DIGIT] = {0}, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		at[((uint64_t)(start[from[i]] - first) >> shift) & ((1 << DIGIT) - 1)]++;
	for (unsigned d = 0; d < 1 << DIGIT; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
		to[at[((uint64_t)(start[from[i]] - first) >> shift) & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Rows by start. Files are nearly in that order, so starts are met nearly one after another. */
static bool order_by_start(const struct task_columns *c, uint32_t *rows)
{
	uint32_t *other = new_rows(c->count), *from = rows, *to = other;
	int64_t first = c->first;

	if (!other)
		return false;
	for (uint32_t i = 0; i < c->count; i++)
		rows[i] = i;
	for (unsigned shift = 0; shift < 64 && (uint64_t)(c->last - first) >> shift; shift += DIGIT) {
		uint32_t *done = to;

		sort_digit(c->start, first, shift, from, to, c->count);
		to = from;
		from = done;
	}
	if (from != rows)
		memcpy(rows, from, c->count * sizeof(*rows));
	free(other);
	return true;
}

/* What a row is sorted by, for a counting sort of rows that are in the order of their starts. */
static uint32_t component_of(const struct tasks *t, const struct task_columns *c, uint32_t row)
{
	return t->tables.slots.data[c->slot[row]].component;
}

static void sums(uint32_t *at, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= count; i++) {
		uint32_t n = at[i];

		at[i] = sum;
		sum += n;
	}
}

static bool order_by_component(const struct tasks *t, const struct task_columns *c,
			       struct task_orders *o)
{
	uint32_t *at = new_rows(c->component_count);

	if (!at)
		return false;
	memset(o->component_from, 0, (c->component_count + 1) * sizeof(uint32_t));
	memset(o->component_longest, 0, c->component_count * sizeof(int64_t));
	for (uint32_t row = 0; row < c->count; row++) {
		uint32_t k = component_of(t, c, row);

		o->component_from[k]++;
		if (c->end[row] - c->start[row] > o->component_longest[k])
			o->component_longest[k] = c->end[row] - c->start[row];
	}
	sums(o->component_from, c->component_count);
	memcpy(at, o->component_from, (c->component_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < c->count; i++)
		o->by_component[at[component_of(t, c, o->by_start[i])]++] = o->by_start[i];
	free(at);
	return true;
}

/* Rows, then TASK_ORPHAN, then TASK_NONE. */
static uint32_t parent_key(uint32_t parent, uint32_t count)
{
	return parent < count ? parent : parent == TASK_ORPHAN ? count : count + 1;
}

static bool order_by_parent(const struct task_columns *c, struct task_orders *o)
{
	uint32_t *at = calloc((size_t)c->count + 3, sizeof(uint32_t));

	if (!at)
		return false;
	for (uint32_t row = 0; row < c->count; row++)
		at[parent_key(o->parent[row], c->count)]++;
	sums(at, c->count + 2);
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t row = o->by_start[i];

		o->by_parent[at[parent_key(o->parent[row], c->count)]++] = row;
	}
	free(at);
	return true;
}

static int by_tick(const void *a, const void *b)
{
	const struct task_mark *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return x->label < y->label ? -1 : x->label > y->label;
}

static bool is_in_order(const struct task_mark *m, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (m[i].tick < m[i - 1].tick)
			return false;
	return true;
}

/* By task, then tick; they come nearly by tick. */
static void order_marks(const struct tasks *t, uint32_t *at, struct task_mark *sorted)
{
	uint32_t n = (uint32_t)t->marks.count, tasks = t->growing.count;

	memset(at, 0, ((size_t)tasks + 1) * sizeof(*at));
	for (uint32_t i = 0; i < n; i++)
		at[t->marks.data[i].task]++;
	sums(at, tasks);
	for (uint32_t i = 0; i < n; i++)
		sorted[at[t->marks.data[i].task]++] = t->marks.data[i];
	/* at: where the next one begins */
	for (uint32_t task = 0, from = 0; task < tasks; from = at[task++])
		if (!is_in_order(sorted + from, at[task] - from))
			qsort(sorted + from, at[task] - from, sizeof(*sorted), by_tick);
}

static void orders_free(struct task_orders *o)
{
	free(o->parent);
	free(o->by_start);
	free(o->by_component);
	free(o->by_parent);
	free(o->component_from);
	free(o->component_longest);
	free(o->marks);
	free(o->marks_to);
	*o = (struct task_orders){.parent = NULL};
}

/* Parents so far: one that waits for its own is an orphan as yet. */
static void take_parents(const struct task_growing *g, uint32_t *out)
{
	const uint32_t *parent = parents(g);

	for (uint32_t row = 0; row < g->count; row++)
		out[row] = is_link(parent[row]) ? TASK_ORPHAN : parent[row];
}

/*
 * A row whose parent closes a ring, from *at on; TASK_NONE: there is none. In a ring there is one at
 * least whose parent does not stand behind it, which is rare: from those alone parents are
 * followed, each row once. stamps: zeros at first, one a row.
 */
static uint32_t find_ring(const uint32_t *parent, uint32_t count, uint32_t *stamps, uint32_t *at)
{
	for (; *at < count; ++*at) {
		if (parent[*at] > *at)
			continue;
		for (uint32_t row = *at; row < count && !stamps[row]; row = parent[row]) {
			stamps[row] = *at + 1;
			if (parent[row] < count && stamps[parent[row]] == *at + 1)
				return row;
		}
	}
	return TASK_NONE;
}

static bool has_forward_parent(const uint32_t *parent, uint32_t count)
{
	uint32_t any = 0;

	for (uint32_t row = 0; row < count; row++)
		any |= parent[row] <= row;
	return any;
}

bool task_parents_end(const uint32_t *parent, uint32_t count)
{
	uint32_t at = 0, *stamps;
	bool ok;

	if (!has_forward_parent(parent, count))
		return true;
	stamps = calloc(count, sizeof(*stamps));
	ok = stamps && find_ring(parent, count, stamps, &at) == TASK_NONE;
	free(stamps);
	return ok;
}

/* Whoever closes a ring becomes an orphan. False: no memory. */
static bool cut_rings(uint32_t *parent, uint32_t count, uint64_t *rings)
{
	uint32_t at = 0, row, *stamps;

	*rings = 0;
	if (!has_forward_parent(parent, count))
		return true;
	stamps = calloc(count, sizeof(*stamps));
	while (stamps && (row = find_ring(parent, count, stamps, &at)) != TASK_NONE) {
		parent[row] = TASK_ORPHAN;
		++*rings;
	}
	free(stamps);
	return stamps != NULL;
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

static bool make_orders(struct tasks *t, struct task_columns *c, struct task_orders *o)
{
	c->component_count = (uint32_t)intern_count(t->components);
	o->parent = new_rows(c->count);
	o->by_start = new_rows(c->count);
	o->by_component = new_rows(c->count);
	o->by_parent = new_rows(c->count);
	o->component_from = new_rows(c->component_count);
	o->component_longest = malloc((c->component_count + 1) * sizeof(int64_t));
	o->marks = malloc((c->mark_count + (size_t)1) * sizeof(*o->marks));
	o->marks_to = new_rows(c->count);
	if (!o->parent || !o->by_start || !o->by_component || !o->by_parent ||
	    !o->component_from || !o->component_longest || !o->marks || !o->marks_to)
		return false;
	take_parents(&t->growing, o->parent);
	if (!cut_rings(o->parent, c->count, &t->counts[TASK_NOTE_RINGS]))
		return false;
	order_marks(t, o->marks_to, o->marks);
	take_extent(c);
	c->parent = o->parent;
	c->by_start = o->by_start;
	c->by_component = o->by_component;
	c->by_parent = o->by_parent;
	c->component_from = o->component_from;
	c->component_longest = o->component_longest;
	c->marks = o->marks;
	c->marks_to = o->marks_to;
	return order_by_start(c, o->by_start) && order_by_component(t, c, o) &&
	       order_by_parent(c, o);
}

/* ---- publishing ---- */

/* False: no memory. */
static bool publish(struct tasks *t)
{
	struct task_growing *g = &t->growing;
	struct task_orders made = {.parent = NULL}, old;
	struct task_columns c = {
	    .count = g->count,
	    .start = starts(g),
	    .end = ends(g),
	    .slot = slots(g),
	    .mark_count = (uint32_t)t->marks.count,
	};
	double began = task_clock();

	if (t->reader->settle)
		t->reader->settle(t);
	if (!make_orders(t, &c, &made)) {
		orders_free(&made);
		return false;
	}
	pthread_rwlock_wrlock(&t->lines.lock);
	old = t->orders;
	t->orders = made;
	t->columns = c;
	t->publications++;
	t->lines.items = c.count;
	t->lines.first = c.first;
	t->lines.last = c.last;
	pthread_rwlock_unlock(&t->lines.lock);
	orders_free(&old);
	g->published = task_clock();
	g->cost = g->published - began;
	lines_wake(&t->lines);
	return true;
}

bool task_publish(struct tasks *t)
{
	return task_place(t) && publish(t);
}

bool task_publish_due(const struct tasks *t)
{
	const struct task_growing *g = &t->growing;
	double wait = g->published > 0 ? g->cost * PATIENCE : SOONEST_MS * 1e-3;
	double since = g->published > 0 ? g->published : t->lines.began;

	return task_clock() - since >= wait;
}

bool task_publish_in_time(struct tasks *t)
{
	return !task_publish_due(t) || task_publish(t);
}

void task_columns_free(struct tasks *t)
{
	struct task_growing *g = &t->growing;

	blob_free(&g->start);
	blob_free(&g->end);
	blob_free(&g->slot);
	blob_free(&g->parent);
	orders_free(&t->orders);
	vec_free(&t->marks);
}

/* ---- marks ---- */

bool task_add_mark(struct tasks *t, uint32_t row, int64_t tick, uint32_t label)
{
	struct task_mark m = {tick, row, label};

	return t->marks.count < UINT32_MAX && vec_push(&t->marks, m);
}

/* ---- the end ---- */

static uint64_t count_marks_outside(const struct tasks *t)
{
	const int64_t *start = starts(&t->growing), *end = ends(&t->growing);
	uint64_t count = 0;

	for (size_t i = 0; i < t->columns.mark_count; i++) {
		const struct task_mark *m = &t->columns.marks[i];

		count += m->tick < start[m->task] || m->tick > end[m->task];
	}
	return count;
}

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
		t->counts[TASK_NOTE_ORPHANS] += t->orders.parent[row] == TASK_ORPHAN;
		t->counts[TASK_NOTE_ZERO] += start[row] == end[row];
		t->counts[TASK_NOTE_OUTSIDE] += is_outside(&t->tables, start[row], end[row]);
	}
	t->counts[TASK_NOTE_MARKS_OUTSIDE] = count_marks_outside(t);
}

static void publish_counts(struct tasks *t)
{
	pthread_rwlock_wrlock(&t->lines.lock);
	memcpy(t->lines.notes, t->counts, sizeof(t->counts));
	t->lines.bytes = t->growing.count * (2 * sizeof(int64_t) + 5 * sizeof(uint32_t)) +
			 t->columns.mark_count * sizeof(struct task_mark);
	pthread_rwlock_unlock(&t->lines.lock);
}

bool task_publish_end(struct tasks *t)
{
	if (!task_publish(t))
		return false;
	vec_free(&t->marks); /* as they came */
	count_rows(t);
	publish_counts(t);
	blob_free(&t->growing.parent);
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
