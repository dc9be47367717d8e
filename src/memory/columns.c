/*
 * Stays and references as they come, and what is published of them: briefs, sums and gaps.
 *
 * They lie in files that are mapped where they are read, so that they take no memory of their own
 * but the last piece of each. Stays, which are most of an index, and the last orders share a file:
 * the cache file, if there is to be one, which is written once. All else is in unlinked files
 * (source/tempfile.h), orders in one more for each publication before the last. Where no folder takes
 * a file, all is in memory.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/thread.h"
#include "memory/memory_private.h"
#include "source/tempfile.h"
#include "trace/blob.h"

enum { AHEAD = 16 }; /* rows that memory is asked for before they are needed */

struct orders {
	void *base;
	size_t len;
	bool behind; /* stays in their file, at memory_orders_off() */
#define ORDER(name, member, type, count) type *name;
	MEMORY_ORDERS(ORDER)
#undef ORDER
};

struct memory_columns {
	int files[2]; /* of stays and the last orders, which the cache may have; of references; -1: in memory */
	struct blob stays, references;
	uint32_t stay_count, reference_count;
	uint32_t held[MEMORY_LEVELS][MEMORY_CPUS_MOST], waited[MEMORY_CPUS_MOST]; /* how many of each */
	struct orders orders;
	bool in_files; /* as far as there are folders that take them */
};

/* ---- rows as they come ---- */

bool memory_columns_new(struct memory *m, bool in_files)
{
	struct memory_columns *c = m->columns = calloc(1, sizeof(*c));

	if (!c)
		return false;
	c->in_files = in_files;
	c->files[0] = m->caches_it ? m->cache.fd : in_files ? tempfile_open() : -1;
	c->files[1] = in_files ? tempfile_open() : -1;
	if (!blob_init(&c->stays, c->files[0], MEMORY_STAYS_OFF))
		return false;
	c->stays.late = true;
	return blob_init(&c->references, c->files[1], 0);
}

static void orders_free(const struct orders *o)
{
	if (o->base)
		munmap(o->base, o->len);
}

void memory_columns_free(struct memory *m)
{
	struct memory_columns *c = m->columns;

	if (!c)
		return;
	blob_free(&c->stays);
	blob_free(&c->references);
	for (int i = 0; i < 2; i++)
		if (c->files[i] >= 0 && (i || !m->caches_it))
			close(c->files[i]);
	orders_free(&c->orders);
	free(c);
	m->columns = NULL;
}

bool memory_columns_cached(struct memory *m, int *error)
{
	struct memory_columns *c = m->columns;
	const bool done = c->orders.behind && blob_sync(&c->stays);

	*error = done ? 0 : c->stays.error ? c->stays.error : ENOSPC;
	return done;
}

/* Behind the others; false: no memory, or more of them than there are numbers. */
static bool append(struct memory *m, struct blob *b, uint32_t *count, const void *row, size_t len)
{
	unsigned char *to = *count < MEMORY_NONE - 1 ? blob_reserve(b, len) : NULL;

	if (!to) {
		m->lines.failed = true;
		return false;
	}
	memcpy(to, row, len);
	blob_commit(b, len);
	++*count;
	return true;
}

static struct memory_stay *stays_of(const struct memory_columns *c)
{
	return (void *)c->stays.base;
}

uint32_t memory_add_stay(struct memory *m, const struct memory_stay *stay)
{
	struct memory_columns *c = m->columns;

	if (!append(m, &c->stays, &c->stay_count, stay, sizeof(*stay)))
		return MEMORY_NONE;
	m->blocks.data[stay->block].stays++;
	c->held[m->blocks.data[stay->block].level][stay->cache]++;
	m->lines.items_read = c->stay_count;
	return c->stay_count - 1;
}

struct memory_stay *memory_stay_at(struct memory *m, uint32_t row)
{
	return &stays_of(m->columns)[row];
}

bool memory_add_reference(struct memory *m, int64_t tick, uint32_t cell, uint32_t cycles, bool write)
{
	struct memory_columns *c = m->columns;
	const struct memory_reference r = {
	    .tick = tick,
	    .cell = cell,
	    .cycles = cycles & INT32_MAX,
	    .write = write,
	};

	c->waited[m->cells.data[cell].cpu]++;
	return append(m, &c->references, &c->reference_count, &r, sizeof(r));
}

void memory_refresh(struct memory *m)
{
	struct memory_index *x = &m->index;

#define TABLE(name, list, type)                                                                    \
	x->name##s = m->list.data;                                                                 \
	x->name##_count = (uint32_t)m->list.count;
	MEMORY_TABLES(TABLE)
#undef TABLE
	x->blocks = m->blocks.data; /* as many as before: orders are of those */
	x->class_count = (uint32_t)intern_count(m->classes);
	x->first = m->lines.first;
	x->last = m->lines.last;
	m->lines.failed |= !memory_count_names(m);
}

/* ---- what is made of them, in memory that is zeros ---- */

/* Among those of both levels: L1[0] .. L2[0] .. */
static uint32_t cache_of(const struct memory *m, const struct memory_stay *s)
{
	return s->cache + (m->blocks.data[s->block].level == MEMORY_L2 ? m->met[MEMORY_L1] : 0);
}

static struct memory_brief brief_of(const struct memory_stay *s, uint32_t row)
{
	const uint64_t length = (uint64_t)s->end - (uint64_t)s->start;

	return (struct memory_brief){
	    .start = s->start,
	    .row = row,
	    .block = s->block,
	    .change = s->change,
	    .length = length < MEMORY_LONG ? (uint32_t)length : MEMORY_LONG,
	    .cause = s->word == MEMORY_NONE ? MEMORY_CAUSE_COUNT : s->cause,
	    .ending = s->ending,
	    .private = s->private};
}

/* Where each begins, one behind its own place: counted up for each row, that is where the next begins. */
static void begin_each(uint32_t *from, const uint32_t *counts, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		from[k + 2] = from[k + 1] + counts[k];
}

static void begin_caches(const struct memory *m, uint32_t *from)
{
	from[1] = 0;
	begin_each(from, m->columns->held[MEMORY_L1], m->met[MEMORY_L1]);
	begin_each(from + m->met[MEMORY_L1], m->columns->held[MEMORY_L2], m->met[MEMORY_L2]);
}

static void add_to(struct memory_summary *s, int64_t start, int64_t end, unsigned kind)
{
	s->first = !s->rows || start < s->first ? start : s->first;
	s->latest = !s->rows || end > s->latest ? end : s->latest;
	s->counts[kind]++;
	s->rows++;
}

/*
 * Rows of stays by block, those of each in their order, which is that of time for each cache. at: by
 * block: where they begin.
 */
static void look_through_stays(const struct memory *m, const struct orders *o, uint32_t *rows,
			       uint32_t *at)
{
	const struct memory_stay *stays = stays_of(m->columns);

	begin_caches(m, o->cache_from);
	for (uint32_t i = 0; i < m->columns->stay_count; i++) {
		const struct memory_stay *s = &stays[i];
		const uint32_t load = o->cache_from[1 + cache_of(m, s)]++;

		rows[at[s->block]++] = i;
		o->loads[load] = (struct memory_load){
		    (uint64_t)s->start, s->word == MEMORY_NONE ? MEMORY_CAUSE_COUNT : s->cause};
		if (s->word != MEMORY_NONE)
			add_to(&o->load_sums[load / MEMORY_SUMMED], s->start, s->start, s->cause);
	}
}

/* False: no memory. */
static bool order_stays(const struct memory *m, const struct orders *o)
{
	const struct memory_stay *stays = stays_of(m->columns);
	const uint32_t n = m->columns->stay_count, blocks = (uint32_t)m->blocks.count;
	uint32_t *rows = malloc((n + (size_t)blocks + 1) * sizeof(*rows)), *at, begin = 0;

	if (!rows)
		return false;
	at = rows + n;
	for (uint32_t block = 0; block < blocks; begin += m->blocks.data[block++].stays)
		at[block] = begin;
	look_through_stays(m, o, rows, at);
	begin_caches(m, o->cache_from);
	for (uint32_t i = 0; i < n; i++) {
		const struct memory_stay *s = &stays[rows[i]];

		__builtin_prefetch(&stays[rows[i + AHEAD < n ? i + AHEAD : i]]);
		o->briefs[o->cache_from[1 + cache_of(m, s)]++] = brief_of(s, rows[i]);
	}
	free(rows);
	return true;
}

static void order_references(const struct memory *m, const struct orders *o)
{
	const struct memory_columns *c = m->columns;
	const struct memory_reference *all = (const void *)c->references.base;

	begin_each(o->cpu_from, c->waited, m->met[MEMORY_L1]);
	for (uint32_t i = 0; i < c->reference_count; i++) {
		const struct memory_reference *r = &all[i];
		const uint32_t at = o->cpu_from[1 + m->cells.data[r->cell].cpu]++;
		struct memory_summary *s = &o->wait_sums[at / MEMORY_SUMMED];

		o->references[at] = *r;
		add_to(s, r->tick, r->tick + r->cycles, r->write);
		s->cycles += r->cycles;
	}
}

/* Between references as they came, in [m->lines.first, m->lines.last]. */
static void find_gaps(const struct memory *m, const struct orders *o)
{
	const struct memory_reference *all = (const void *)m->columns->references.base;
	const uint32_t n = m->columns->reference_count;
	const double enough = MEMORY_GAP * (double)tick_sub(m->lines.last, m->lines.first) / (n + 1.0);
	struct memory_gap *gap = o->gaps;
	int64_t before = m->lines.first - 1;

	for (uint32_t i = 0; i <= n; i++) {
		const int64_t tick = i < n ? all[i].tick : m->lines.last;

		if ((double)tick_sub(tick, before) > enough && gap < o->gaps + memory_gaps(n))
			*gap++ = (struct memory_gap){before, tick};
		before = tick > before ? tick : before;
	}
}

/* A piece of a file, which grows by it. NULL: it cannot be. */
static void *map_file(int fd, uint64_t off, size_t len)
{
	void *map = MAP_FAILED;

	if (fd >= 0 && posix_fallocate(fd, (off_t)off, (off_t)len) == 0)
		map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)off);
	return map == MAP_FAILED ? NULL : map;
}

/* Where the last orders of all are, or those that others follow. */
static void *map_new(struct memory *m, struct orders *o, bool last)
{
	const struct memory_columns *c = m->columns;
	const uint64_t off = memory_orders_off(c->stay_count);
	void *map = last ? map_file(c->files[0], off, o->len) : NULL;
	const int fd = !map && c->in_files ? tempfile_open() : -1;

	o->behind = map != NULL;
	map = map ? map : map_file(fd, 0, o->len);
	if (fd >= 0)
		close(fd);
	if (map)
		return map;
	map = mmap(NULL, o->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return map == MAP_FAILED ? NULL : map;
}

/* Room for orders. */
static bool orders_new(struct memory *m, struct orders *o, bool last)
{
	const struct memory_columns *c = m->columns;
	const struct memory_index of = {.stay_count = c->stay_count,
					.reference_count = c->reference_count,
					.block_count = (uint32_t)m->blocks.count,
					.caches = {m->met[MEMORY_L1], m->met[MEMORY_L2]}},
				  *x = &of;
	char *at;

#define ORDER(name, member, type, count) o->len += MEMORY_ORDER_ROOM(type, count);
	MEMORY_ORDERS(ORDER)
#undef ORDER
	o->base = at = map_new(m, o, last);
	if (!at)
		return false;
#define ORDER(name, member, type, count)                                                           \
	o->name = (void *)at;                                                                      \
	at += MEMORY_ORDER_ROOM(type, count);
	MEMORY_ORDERS(ORDER)
#undef ORDER
	return true;
}

/* ---- publishing ---- */

static void swap(struct memory *m, const struct orders *o)
{
	struct memory_columns *c = m->columns;
	struct memory_index *x = &m->index;
	const struct orders old = c->orders;

	pthread_rwlock_wrlock(&m->lines.lock);
	memcpy(x->caches, m->met, sizeof(x->caches));
	memory_refresh(m);
	x->stays = stays_of(c);
	x->stay_count = c->stay_count;
	x->reference_count = c->reference_count;
	x->block_count = (uint32_t)m->blocks.count;
#define ORDER(name, member, type, count) m->member = o->name;
	MEMORY_ORDERS(ORDER)
#undef ORDER
	c->orders = *o;
	m->lines.items = c->stay_count;
	m->lines.bytes = c->stays.len + o->len;
	pthread_rwlock_unlock(&m->lines.lock);
	orders_free(&old);
}

/* What one thread puts in order. */
struct ordering {
	const struct memory *m;
	const struct orders *orders;
};

static void *run_references(void *of)
{
	const struct ordering *o = of;

	order_references(o->m, o->orders);
	find_gaps(o->m, o->orders);
	return NULL;
}

/* Stays and references at once, if there can be a thread. False: no memory. */
static bool order_all(const struct memory *m, const struct orders *orders)
{
	struct ordering references = {m, orders};
	pthread_t thread;
	const bool started = thread_start(&thread, run_references, &references) == 0;
	const bool done = order_stays(m, orders);

	if (started)
		pthread_join(thread, NULL);
	else
		run_references(&references);
	return done;
}

bool memory_publish(struct memory *m, bool last)
{
	const double began = lines_now();
	struct orders o = {0};

	if (!orders_new(m, &o, last) || !order_all(m, &o)) {
		orders_free(&o);
		return false;
	}
	swap(m, &o);
	lines_published(&m->lines, began);
	return true;
}

/* Of a file that nobody looks at meanwhile only all of it. */
bool memory_publish_in_time(struct memory *m)
{
	const bool seen = m->watched || source_is_live(m->lines.trace.source);

	return !seen || !lines_due(&m->lines) || memory_publish(m, false);
}
