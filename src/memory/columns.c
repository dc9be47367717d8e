/*
 * Stays and references as they come, and what is published of them.
 *
 * Rows lie in unlinked files (source/tempfile.h) that are mapped where they are read, so that they
 * take no memory of their own but the last piece of each. What is published are copies in their
 * orders: in one more such file, or the last ones in the cache file, if there is to be one. Where
 * no folder takes a file, all that is in memory.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/thread.h"
#include "memory/memory_private.h"
#include "source/tempfile.h"
#include "trace/blob.h"

enum {
	AHEAD = 16,   /* rows that memory is asked for before they are needed */
	FEW = 1 << 12 /* stays that are sooner in order than a thread begins */
};

/* Rows of one kind. */
struct column {
	struct blob rows;
	uint32_t count;
};

struct memory_columns {
	struct column stays, references;
	struct memory_orders made; /* while they are */
};

/* ---- rows as they come ---- */

/* -1: there is none, and memory takes its place. */
static int open_file(const struct memory *m)
{
	return m->in_memory ? -1 : tempfile_open();
}

bool memory_columns_new(struct memory *m)
{
	struct memory_columns *c = m->columns = calloc(1, sizeof(*c));
	bool done;

	if (!c)
		return false;
	done = blob_init(&c->references.rows, open_file(m), 0);
	done &= blob_init(&c->stays.rows, open_file(m), 0);
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

void memory_add_reference(struct memory *m, const struct memory_event *r)
{
	append(m, &m->columns->references, r, sizeof(*r));
	m->components[0].data[m->cells.data[r->cell].cpu].items++;
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
	x->masks = m->caches.masked && !m->caches.unmasked;
	x->first = m->lines.first;
	x->last = m->lines.last;
}

/* ---- orders ---- */

/* Where they are in a file, and how long it is. */
static struct memory_orders place_orders(void *map, uint32_t stays, uint32_t references)
{
	struct memory_stay *ordered = (void *)((char *)map + MEMORY_ORDERS_OFF);
	struct memory_event *events = (void *)(ordered + stays);
	struct memory_summary *sums = (void *)(events + stays + references);
	uint32_t *at = (void *)(sums + (stays + (size_t)references) / MEMORY_SUMMED + 1);

	return (struct memory_orders){ordered, events, sums, at};
}

static size_t orders_len(uint32_t stays, uint32_t references)
{
	const size_t events = (size_t)stays + references;

	return MEMORY_ORDERS_OFF + stays * (sizeof(struct memory_stay) + sizeof(uint32_t)) +
	       events * sizeof(struct memory_event) +
	       (events / MEMORY_SUMMED + 1) * sizeof(struct memory_summary);
}

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

/* Where rows of components and blocks are to be put in order; published: where they are. */
static void place_rows(struct memory *m, bool published)
{
	uint32_t at = 0;

	for (int k = 0; k < MEMORY_KINDS; k++)
		for (size_t i = 0; i < m->components[k].count; i++) {
			struct memory_component *c = &m->components[k].data[i];

			c->next = at;
			at += (uint32_t)c->items;
			if (published) {
				c->begin = c->next;
				c->end = at;
			}
		}
	at = 0;
	for (size_t i = 0; i < m->blocks.count; i++) {
		struct memory_block *b = &m->blocks.data[i];

		b->next = at;
		at += b->stays;
		if (published) {
			b->begin = b->next;
			b->end = at;
		}
	}
}

/* Rows of stays by cache, then as they came. */
static void order_rows(struct memory *m, uint32_t *rows)
{
	const struct memory_stay *s = memory_stay_at(m, 0);
	const uint32_t references = m->columns->references.count;

	for (uint32_t i = 0; i < m->columns->stays.count; i++)
		rows[m->components[1 + s[i].level].data[s[i].cache].next++ - references] = i;
}

/* By component, then as they came; into memory that is zeros. */
static void *order_events(void *of)
{
	struct memory *m = of;
	const struct memory_orders *o = &m->columns->made;
	const struct memory_stay *stays = memory_stay_at(m, 0);
	const struct memory_event *r = (const void *)m->columns->references.rows.base;
	const uint32_t n = m->columns->stays.count, references = m->columns->references.count;

	for (uint32_t i = 0; i < references; i++)
		o->events[m->components[0].data[m->cells.data[r[i].cell].cpu].next++] = r[i];
	for (uint32_t i = 0; i < n; i++) {
		const struct memory_stay *s = &stays[o->at[i]];

		o->events[references + i] =
		    (struct memory_event){.tick = s->start, .cell = s->cell, .kind = s->cause};
	}
	for (uint32_t i = 0; i < references + n; i++)
		sum_up(&o->sums[i / MEMORY_SUMMED], &o->events[i]);
	return NULL;
}

/* By block, then cache, then as they came: that is the order of time. */
static void order_stays(struct memory *m, struct memory_stay *out, const uint32_t *rows)
{
	const uint32_t n = m->columns->stays.count;
	const struct memory_stay *stays = memory_stay_at(m, 0);

	for (uint32_t i = 0; i < n; i++) {
		__builtin_prefetch(&stays[rows[i + AHEAD < n ? i + AHEAD : i]]);
		out[m->blocks.data[stays[rows[i]].block].next++] = stays[rows[i]];
	}
}

/* Events by a thread of their own, if there can be one. */
static void order_all(struct memory *m)
{
	const struct memory_orders *o = &m->columns->made;
	pthread_t thread;
	bool started;

	place_rows(m, false);
	order_rows(m, o->at);
	started = m->columns->stays.count > FEW && thread_start(&thread, order_events, m) == 0;
	order_stays(m, o->stays, o->at);
	if (started)
		pthread_join(thread, NULL);
	else
		order_events(m);
	for (uint32_t i = 0; i < m->columns->stays.count; i++)
		o->at[o->stays[i].row] = i;
}

/* ---- publishing ---- */

/* The cache file, or one more, or memory. NULL: no memory. */
static void *make_room(struct memory *m, size_t len, bool last)
{
	const bool cached = last && m->caches_it;
	const int fd = cached ? m->cache.fd : open_file(m);
	const int error = posix_fallocate(fd, 0, (off_t)len);
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 error ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, error ? -1 : fd, 0);

	if (cached && error)
		memory_cache_give_up(m, error);
	else if (!cached && fd >= 0)
		close(fd);
	return map == MAP_FAILED ? NULL : map;
}

void memory_use_orders(struct memory *m, void *map, size_t len)
{
	struct memory_index *x = &m->index;

	if (m->map)
		munmap(m->map, m->map_len);
	m->map = map;
	m->map_len = m->lines.bytes = len;
	m->orders = place_orders(map, x->stay_count, x->reference_count);
	x->ordered = m->orders.stays;
	x->at = m->orders.at;
	x->references = m->orders.events;
	m->lines.items = x->stay_count;
	place_rows(m, true);
}

bool memory_publish(struct memory *m, bool last)
{
	const double began = lines_now();
	const uint32_t stays = m->columns->stays.count, references = m->columns->references.count;
	const size_t len = orders_len(stays, references);
	void *map = make_room(m, len, last);

	if (!map)
		return false;
	m->columns->made = place_orders(map, stays, references);
	order_all(m);
	pthread_rwlock_wrlock(&m->lines.lock);
	memory_refresh(m);
	m->index.stay_count = stays;
	m->index.reference_count = references;
	memory_use_orders(m, map, len);
	pthread_rwlock_unlock(&m->lines.lock);
	lines_published(&m->lines, began);
	return true;
}

/* Of a file that nobody looks at meanwhile only all of it. */
bool memory_publish_in_time(struct memory *m)
{
	const bool seen = m->watched || source_is_live(m->lines.trace.source);

	return !seen || !lines_due(&m->lines) || memory_publish(m, false);
}
