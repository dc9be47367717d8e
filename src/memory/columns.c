/*
 * Stays and references as they come, and in which orders they are published.
 *
 * They lie in files that are mapped where they are read, so that they take no memory of their own
 * but the last piece of each. Stays, which are most of an index, and its last orders are where the
 * cache file will have them, if there is to be one: it is written once. All else is in unlinked files
 * (source/tempfile.h), orders in one more for each publication. Where no folder takes a file, all is
 * in memory.
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
#include "trace/order.h"

enum { AHEAD = 16 }; /* rows of an order that memory is asked for before they are needed */

struct orders {
	void *base;
	size_t len;
	bool cached; /* in the cache file, at memory_orders_off() */
#define ORDER(name, member, type, count) type *name;
	MEMORY_ORDERS(ORDER)
#undef ORDER
};

struct memory_columns {
	int files[2]; /* of stays and references; -1: another's, or in memory */
	struct blob stays, references;
	uint32_t stay_count, reference_count;
	struct orders orders;
	bool in_files; /* as far as there are folders that take them */
};

/* ---- rows as they come ---- */

bool memory_columns_new(struct memory *m, bool in_files)
{
	struct memory_columns *c = m->columns = calloc(1, sizeof(*c));
	bool made;

	if (!c)
		return false;
	c->in_files = in_files;
	c->files[0] = in_files && !m->caches_it ? tempfile_open() : -1;
	c->files[1] = in_files ? tempfile_open() : -1;
	made = m->caches_it ? blob_init(&c->stays, m->cache.fd, MEMORY_STAYS_OFF)
			    : blob_init(&c->stays, c->files[0], 0);
	c->stays.late = true;
	return made && blob_init(&c->references, c->files[1], 0);
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
		if (c->files[i] >= 0)
			close(c->files[i]);
	orders_free(&c->orders);
	free(c);
	m->columns = NULL;
}

bool memory_columns_cached(struct memory *m, int *error)
{
	struct memory_columns *c = m->columns;
	const bool done = c->orders.cached && blob_sync(&c->stays);

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

	return append(m, &c->references, &c->reference_count, &r, sizeof(r));
}

void memory_refresh(struct memory *m)
{
	struct memory_index *x = &m->index;

#define TABLE(name, list)                                                                          \
	x->name##s = m->list.data;                                                                 \
	x->name##_count = (uint32_t)m->list.count;
	x->blocks = m->blocks.data; /* as many as before: orders are of those */
	TABLE(cell, cells)
	TABLE(word, words)
	TABLE(object, objects)
	TABLE(line, source_lines)
	TABLE(culprit, culprits)
	TABLE(eviction, evictions)
#undef TABLE
	x->class_count = (uint32_t)intern_count(m->classes);
	x->first = m->lines.first;
	x->last = m->lines.last;
	m->lines.failed |= !memory_count_names(m);
}

/* ---- orders ---- */

/* Keys of rows side by side: rows themselves lie far apart in some orders. */
static inline uint32_t key_of(const void *of, uint32_t row)
{
	return ((const uint32_t *)of)[row];
}

/* Rows by their keys, and those of each key by their ticks; keys are lost. */
static void order_both(uint32_t *key, uint32_t keys, const struct order_ticks *ticks, uint32_t n,
		       uint32_t *out, uint32_t *from)
{
	order_rows(key_of, key, keys, NULL, out, n, from);
	for (uint32_t k = 0; k < keys; k++)
		order_by_tick(ticks, out + from[k], from[k + 1] - from[k], key);
}

/* The i-th row of an order goes into its stretch. */
static inline struct memory_stretch *stretch_of(struct memory_stretch *all, uint32_t i,
						int64_t start, int64_t end)
{
	struct memory_stretch *s = &all[i / MEMORY_STRETCH];

	if (i % MEMORY_STRETCH == 0)
		*s = (struct memory_stretch){.first = start, .soonest = end, .latest = end};
	s->last = start;
	s->soonest = end < s->soonest ? end : s->soonest;
	s->latest = end > s->latest ? end : s->latest;
	return s;
}

static struct memory_brief brief_of(const struct memory_stay *s)
{
	const uint64_t length = (uint64_t)s->end - (uint64_t)s->start;

	return (struct memory_brief){
	    .start = s->start,
	    .length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
	    .cache = s->cache,
	    .cause = s->word == MEMORY_NONE ? MEMORY_CAUSE_COUNT : s->cause,
	    .ending = s->ending};
}

/* In the order by cache each row is looked at once for all that is made of it. */
static void order_stays(const struct memory *m, const struct orders *o, uint32_t *key)
{
	const struct memory_columns *c = m->columns;
	const struct memory_stay *stays = stays_of(c);
	const struct order_ticks starts = {&stays->start, sizeof(*stays)};
	const uint32_t n = c->stay_count, blocks = (uint32_t)m->blocks.count, cpus = m->met[MEMORY_L1];
	uint32_t *from = o->block_from;

	memset(from, 0, (blocks + (size_t)2) * sizeof(*from));
	for (uint32_t row = 0; row < n; row++) {
		const uint32_t block = stays[row].block;

		key[row] = stays[row].cache + (m->blocks.data[block].level == MEMORY_L2 ? cpus : 0);
		from[block + 2]++;
	}
	for (uint32_t k = 2; k < blocks + 2; k++)
		from[k] += from[k - 1];
	order_both(key, cpus + m->met[MEMORY_L2], &starts, n, o->by_cache, o->cache_from);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t row = o->by_cache[i];
		const struct memory_stay *s = &stays[row];
		struct memory_stretch *stretch = stretch_of(o->stretches, i, s->start, s->end);
		const uint32_t at = from[s->block + 1]++;

		__builtin_prefetch(&stays[o->by_cache[i + AHEAD < n ? i + AHEAD : i]]);
		stretch->counts[s->cause] += s->word != MEMORY_NONE;
		stretch->counts[MEMORY_CAUSE_COUNT + s->ending]++;
		o->by_block[at] = row;
		o->briefs[at] = brief_of(s);
	}
}

static void order_references(const struct memory *m, const struct orders *o, uint32_t *key)
{
	const struct memory_columns *c = m->columns;
	const struct memory_reference *all = (const void *)c->references.base;
	const struct order_ticks ticks = {&all->tick, sizeof(*all)};
	const uint32_t n = c->reference_count;

	for (uint32_t row = 0; row < n; row++) {
		key[row] = m->cells.data[all[row].cell].cpu;
		o->references[row] = all[row];
	}
	order_both(key, m->met[MEMORY_L1], &ticks, n, o->by_cpu, o->cpu_from);
	for (uint32_t i = 0; i < n; i++) {
		const struct memory_reference *r = &all[o->by_cpu[i]];
		struct memory_stretch *s =
		    stretch_of(o->wait_stretches, i, r->tick, r->tick + r->cycles);

		__builtin_prefetch(&all[o->by_cpu[i + AHEAD < n ? i + AHEAD : i]]);
		s->counts[r->write]++;
		s->cycles += r->cycles;
	}
}

static int compare_blocks(const void *a, const void *b, void *of)
{
	const struct memory_block *blocks = of, *x = &blocks[*(const uint32_t *)a],
				  *y = &blocks[*(const uint32_t *)b];

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void order_blocks(const struct memory *m, const struct orders *o)
{
	const uint32_t blocks = (uint32_t)m->blocks.count;

	for (uint32_t i = 0; i < blocks; i++)
		o->by_address[i] = i;
	qsort_r(o->by_address, blocks, sizeof(*o->by_address), compare_blocks, m->blocks.data);
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
	void *map = last && m->caches_it ? map_file(m->cache.fd, off, o->len) : NULL;
	const int fd = !map && c->in_files ? tempfile_open() : -1;

	o->cached = map != NULL;
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

/* What one thread orders; key: room for its rows. */
struct ordering {
	const struct memory *m;
	const struct orders *orders;
	uint32_t *key;
};

static void *run_references(void *of)
{
	const struct ordering *o = of;

	order_references(o->m, o->orders, o->key);
	return NULL;
}

/* Stays and references at once, if there can be a thread. */
static bool order_all(const struct memory *m, const struct orders *orders)
{
	const struct memory_columns *c = m->columns;
	uint32_t *keys = malloc((c->stay_count + (size_t)c->reference_count + 1) * sizeof(*keys));
	struct ordering references = {m, orders, keys};
	pthread_t thread;
	bool started;

	if (!keys)
		return false;
	started = thread_start(&thread, run_references, &references) == 0;
	order_stays(m, orders, keys + c->reference_count);
	order_blocks(m, orders);
	if (started)
		pthread_join(thread, NULL);
	else
		run_references(&references);
	free(keys);
	return true;
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
