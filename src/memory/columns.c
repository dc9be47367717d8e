/*
 * Stays and references as they come, and what is published of them.
 *
 * They lie in files that are mapped where they are read, so that they take no memory of their own
 * but the last piece of each: stays and the last orders, which are most of an index, in the cache
 * file, if there is to be one, so that they are written once; all else in unlinked ones
 * (source/tempfile.h). Where no folder takes a file, in memory.
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

/* Rows of one kind. */
struct column {
	struct blob rows;
	uint32_t count;
};

struct memory_columns {
	struct column stays, references;
	void *orders; /* the last ones; NULL: none */
	size_t orders_len;
	bool in_files; /* as far as there are folders that take them */
	bool behind;   /* orders are in the file of stays */
};

/* ---- rows as they come ---- */

bool memory_columns_new(struct memory *m, bool in_files)
{
	struct memory_columns *c = m->columns = calloc(1, sizeof(*c));
	bool done;

	if (!c)
		return false;
	c->in_files = in_files;
	done = blob_init(&c->references.rows, in_files ? tempfile_open() : -1, 0);
	done &= blob_init(&c->stays.rows,
			  m->caches_it ? dup(m->cache.fd) : in_files ? tempfile_open() : -1,
			  MEMORY_STAYS_OFF);
	c->stays.rows.late = true;
	return done;
}

static void column_free(struct column *c)
{
	blob_free(&c->rows);
	if (c->rows.fd >= 0)
		close(c->rows.fd);
}

void memory_columns_free(struct memory *m)
{
	struct memory_columns *c = m->columns;

	if (!c)
		return;
	column_free(&c->stays);
	column_free(&c->references);
	if (c->orders)
		munmap(c->orders, c->orders_len);
	free(c);
	m->columns = NULL;
}

/* Its row; MEMORY_NONE: no memory, or more of them than there are numbers. */
static uint32_t append(struct memory *m, struct column *c, const void *row, size_t len)
{
	unsigned char *to = c->count < MEMORY_NONE - 1 ? blob_reserve(&c->rows, len) : NULL;

	if (!to) {
		m->lines.failed = true;
		return MEMORY_NONE;
	}
	memcpy(to, row, len);
	blob_commit(&c->rows, len);
	return c->count++;
}

uint32_t memory_add_stay(struct memory *m, struct memory_stay *stay)
{
	struct memory_columns *c = m->columns;
	struct memory_block *block = &m->blocks.data[stay->block];

	stay->level = block->level & 1;
	stay->row = c->stays.count;
	block->stays++;
	m->components[1 + block->level].data[stay->cache].items++;
	m->lines.items_read = c->stays.count + UINT64_C(1);
	return append(m, &c->stays, stay, sizeof(*stay));
}

struct memory_stay *memory_stay_at(struct memory *m, uint32_t row)
{
	return (struct memory_stay *)(void *)m->columns->stays.rows.base + row;
}

void memory_add_reference(struct memory *m, int64_t tick, uint32_t cell, uint32_t cycles,
			  bool write)
{
	const struct memory_event r = {
	    .tick = tick,
	    .cell = cell,
	    .cycles = cycles & MEMORY_CYCLES_MOST,
	    .kind = write,
	};

	append(m, &m->columns->references, &r, sizeof(r));
	m->components[0].data[m->cells.data[cell].cpu].items++;
}

void memory_refresh(struct memory *m)
{
	struct memory_index *x = &m->index;

#define TABLE(name, list, type)                                                                    \
	x->name##s = m->list.data;                                                                 \
	x->name##_count = (uint32_t)m->list.count;
	MEMORY_TABLES(TABLE)
#undef TABLE
	x->class_count = (uint32_t)intern_count(m->classes);
	x->first = m->lines.first;
	x->last = m->lines.last;
	m->lines.failed |= !memory_find_locks(m);
}

/* ---- orders ---- */

/* What one thread puts in order. */
struct ordering {
	const struct memory *m;
	struct memory_orders orders;
};

static void sum_up(struct memory_summary *s, const struct memory_event *e)
{
	const int64_t end = e->tick + e->cycles;

	if (e->cell == MEMORY_NONE)
		return;
	s->first = !s->amounts[MEMORY_ALL] || e->tick < s->first ? e->tick : s->first;
	s->latest = !s->amounts[MEMORY_ALL] || end > s->latest ? end : s->latest;
	s->amounts[e->kind]++;
	s->amounts[MEMORY_ALL]++;
	s->amounts[MEMORY_WAITED] += e->cycles;
}

/* Where rows of components of a kind begin, by their number, behind `at` others; their end. */
static uint32_t begin_rows(const struct memory *m, int kind, uint32_t at, uint32_t *begin)
{
	for (size_t i = 0; i < m->components[kind].count; i++) {
		begin[i] = at;
		at += (uint32_t)m->components[kind].data[i].items;
	}
	return at;
}

/* By component, then as they came; into memory that is zeros. */
static void *order_events(void *of)
{
	const struct memory *m = ((const struct ordering *)of)->m;
	const struct memory_orders *o = &((const struct ordering *)of)->orders;
	const struct column *stays = &m->columns->stays, *references = &m->columns->references;
	const struct memory_stay *s = (const void *)stays->rows.base;
	const struct memory_event *r = (const void *)references->rows.base;
	uint32_t next[MEMORY_KINDS][MEMORY_CPUS_MOST], end = 0;

	for (int k = 0; k < MEMORY_KINDS; k++)
		end = begin_rows(m, k, end, next[k]);
	for (uint32_t i = 0; i < references->count; i++)
		o->events[next[0][m->cells.data[r[i].cell].cpu]++] = r[i];
	for (uint32_t i = 0; i < stays->count; i++)
		o->events[next[1 + s[i].level][s[i].cache]++] = (struct memory_event){
		    .tick = s[i].start, .cell = s[i].cell, .kind = s[i].cause};
	for (uint32_t i = 0; i < end; i++)
		sum_up(&o->sums[i / MEMORY_SUMMED], &o->events[i]);
	return NULL;
}

/* By block, then cache, then as they came: that is the order of time. False: no memory. */
static bool order_stays(const struct memory *m, struct memory_stay *out)
{
	const uint32_t n = m->columns->stays.count;
	const struct memory_stay *stays = (const void *)m->columns->stays.rows.base;
	uint32_t by_cache[MEMORY_LEVELS][MEMORY_CPUS_MOST], at = 0;
	uint32_t *rows = malloc((n + m->blocks.count + 1) * sizeof(*rows)), *by_block = rows + n;

	if (!rows)
		return false;
	for (int level = 0; level < MEMORY_LEVELS; level++)
		at = begin_rows(m, 1 + level, at, by_cache[level]);
	for (uint32_t i = 0; i < n; i++)
		rows[by_cache[stays[i].level][stays[i].cache]++] = i;
	at = 0;
	for (size_t i = 0; i < m->blocks.count; at += m->blocks.data[i++].stays)
		by_block[i] = at;
	for (uint32_t i = 0; i < n; i++) {
		__builtin_prefetch(&stays[rows[i + AHEAD < n ? i + AHEAD : i]]);
		out[by_block[stays[rows[i]].block]++] = stays[rows[i]];
	}
	free(rows);
	return true;
}

/* ---- publishing ---- */

/* Behind the stays, if they are the last; or in one more file, or in memory. NULL: no memory. */
static void *make_room(struct memory_columns *c, size_t len, bool last)
{
	const int fd = !c->in_files ? -1 : last ? dup(c->stays.rows.fd) : tempfile_open();
	const off_t off = last ? (off_t)memory_orders_off(c->stays.count) : 0;
	const bool fits = fd >= 0 && posix_fallocate(fd, off, (off_t)len) == 0;
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 fits ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fits ? fd : -1, fits ? off : 0);

	if (fd >= 0)
		close(fd);
	c->behind = last && fits;
	return map == MAP_FAILED ? NULL : map;
}

bool memory_columns_cached(struct memory *m, int *error)
{
	struct memory_columns *c = m->columns;
	const bool done = c->behind && blob_sync(&c->stays.rows);

	*error = done ? 0 : c->stays.rows.error ? c->stays.rows.error : ENOSPC;
	return done;
}

static void swap(struct memory *m, const struct memory_orders *o, size_t len)
{
	struct memory_columns *c = m->columns;
	struct memory_index *x = &m->index;

	pthread_rwlock_wrlock(&m->lines.lock);
	memory_refresh(m);
	memory_components_published(m);
	x->stays = memory_stay_at(m, 0);
	x->stay_count = c->stays.count;
	x->reference_count = c->references.count;
	m->orders = *o;
	x->ordered = o->stays;
	x->references = o->events;
	m->lines.items = c->stays.count;
	m->lines.bytes = c->stays.rows.len + len;
	pthread_rwlock_unlock(&m->lines.lock);
	if (c->orders)
		munmap(c->orders, c->orders_len);
	c->orders = o->stays;
	c->orders_len = len;
}

/* Events by a thread of their own, if there can be one. False: no memory. */
static bool order_all(struct ordering *o)
{
	pthread_t thread;
	const bool started = thread_start(&thread, order_events, o) == 0;
	const bool done = order_stays(o->m, o->orders.stays);

	if (started)
		pthread_join(thread, NULL);
	else
		order_events(o);
	return done;
}

bool memory_publish(struct memory *m, bool last)
{
	const double began = lines_now();
	const uint32_t stays = m->columns->stays.count, references = m->columns->references.count;
	const size_t len = memory_orders_len(stays, references);
	void *room = make_room(m->columns, len, last);
	struct ordering o = {m, memory_place_orders(room, stays, references)};
	const bool done = room && order_all(&o);

	if (done) {
		swap(m, &o.orders, len);
		lines_published(&m->lines, began);
	} else if (room) {
		munmap(room, len);
	}
	return done;
}

/* Of a file that nobody looks at meanwhile only all of it. */
bool memory_publish_in_time(struct memory *m)
{
	const bool seen = m->watched || source_is_live(m->lines.trace.source);

	return !seen || !lines_due(&m->lines) || memory_publish(m, false);
}
