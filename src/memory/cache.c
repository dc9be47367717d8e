/*
 * A trace of shared memory as a file in the cache folder: a header, the arrays of the index as they
 * are, of which stays and orders are there before the others (columns.c), and texts. A file of the
 * user's own that has its checksum is as it was written; any other is not used. O(file) to write,
 * and to look through.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/thread.h"
#include "memory/memory_private.h"
#include "trace/cacheparts.h"

/* Of the version the bytes are in another order on machines of another kind. */
enum { CACHE_VERSION = 0x6d56 };

enum cached_part {
#define PART_ENUM(name, list, type) PART_##name,
	MEMORY_TABLES(PART_ENUM)
#undef PART_ENUM
	    PART_TEXTS,
	PART_COUNT
};

struct cache_header {
	struct cache_head head;
	struct memory_settings settings;
	struct memory_index index; /* its pointers lead nowhere */
	struct cache_part parts[PART_COUNT];
	uint64_t notes[LINES_NOTES];
	uint64_t sum; /* of all behind the header */
};
_Static_assert(sizeof(struct cache_header) <= MEMORY_STAYS_OFF, "stays begin behind the header");

static const uint64_t sum_key = UINT64_C(0x9e3779b97f4a7c15);

struct half {
	const char *p;
	size_t len;
	uint64_t sum;
};

/* Sums of words, and of those sums, so that places count. */
static void *sum_half(void *arg)
{
	struct half *h = arg;
	uint64_t sums[] = {h->len, 0}, word;

	for (; h->len >= sizeof(word); h->p += sizeof(word), h->len -= sizeof(word)) {
		memcpy(&word, h->p, sizeof(word));
		sums[0] += word;
		sums[1] += sums[0];
	}
	h->sum = hash_bytes(sum_key, (const char *)sums, sizeof(sums)) ^
		 hash_bytes(sum_key, h->p, h->len);
	return NULL;
}

/* Memory sets the pace: two threads read nearly twice as fast. */
static uint64_t sum_of(const char *p, size_t len)
{
	struct half first = {p, len / 2, 0}, last = {p + len / 2, len - len / 2, 0};
	pthread_t thread;
	const bool alone = thread_start(&thread, sum_half, &first);
	uint64_t sums[2];

	sum_half(&last);
	if (alone)
		sum_half(&first);
	else
		pthread_join(thread, NULL);
	sums[0] = first.sum;
	sums[1] = last.sum;
	return hash_bytes(sum_key, (const char *)sums, sizeof(sums));
}

/* ---- texts and numbers ---- */

static const char *keep(void *of, const char *p, size_t len)
{
	struct memory *m = of;
	const int32_t kept = intern_add(m->texts, p, len);

	m->lines.failed |= kept < 0;
	return kept < 0 ? "" : intern_name(m->texts, kept);
}

static void code_all(struct cache_coder *c)
{
	struct memory *m = c->of;

	code_names(c, m->classes);
	CODE_VECTOR(c, &m->instances, code_bytes(c, e, sizeof(*e)););
	for (int k = 0; k < MEMORY_KINDS; k++)
		CODE_VECTOR(c, &m->components[k], {
			code_text(c, &e->name);
			code_number(c, &e->items);
		});
	code_number(c, &m->lines.warning_count);
	CODE_VECTOR(c, &m->lines.warnings, code_warning(c, e););
	c->bad |= m->lines.failed;
}

/* ---- loading ---- */

static bool header_fits(const struct memory *m, const struct cache_header *h, uint64_t len)
{
	return cache_head_fits(&h->head, sizeof(*h), CACHE_VERSION, m->lines.trace.source) &&
	       memcmp(&m->settings, &h->settings, sizeof(h->settings)) == 0 &&
	       cache_parts_fit(h->parts, PART_COUNT, len) &&
	       sum_of((const char *)h + MEMORY_STAYS_OFF, len - MEMORY_STAYS_OFF) == h->sum;
}

/* Arrays stay where they are: in a file that is mapped. */
static void use_arrays(struct memory *m, void *map, size_t len)
{
	const struct cache_header *h = map;
	char *const base = map;

	m->index = h->index;
#define MAPPED(name, list, type)                                                                   \
	m->index.name##s = (const void *)(base + h->parts[PART_##name].off);
	MEMORY_TABLES(MAPPED)
#undef MAPPED
	m->index.stays = (const void *)(base + MEMORY_STAYS_OFF);
	m->orders = memory_place_orders(base + memory_orders_off(h->index.stay_count),
					h->index.stay_count, h->index.reference_count);
	m->index.ordered = m->orders.stays;
	m->index.references = m->orders.events;
	m->map = map;
	m->map_len = m->lines.bytes = len;
}

static void load(struct memory *m, void *map, size_t len)
{
	const struct cache_header *h = map;
	struct cache_coder c = {.keep = keep, .of = m};

	use_arrays(m, map, len);
	m->lines.failed |= !cache_take_coded(map, &h->parts[PART_TEXTS], code_all, &c);
	memory_components_published(m);
	memcpy(m->lines.notes, h->notes, sizeof(h->notes));
	m->lines.first = h->index.first;
	m->lines.last = h->index.last;
	m->lines.items = h->index.stay_count;
}

static bool load_file(struct memory *m, const struct trace_options *o)
{
	void *map;
	size_t len;

	if (!cachefile_find(&m->cache, m->lines.trace.source, o) ||
	    !(map = cache_map(m->cache.fd, MEMORY_STAYS_OFF, &len)))
		return false;
	if (!header_fits(m, map, len)) {
		munmap(map, len);
		return false;
	}
	load(m, map, len);
	cachefile_used(&m->cache);
	return true;
}

bool memory_cache_load(struct memory *m, const struct trace_options *o)
{
	if (o->no_cache || o->follow || source_is_pipe(m->lines.trace.source))
		return false;
	m->cached = load_file(m, o);
	m->caches_it = !m->cached && cachefile_begin(&m->cache);
	return m->cached;
}

/* ---- saving ---- */

static void put_parts(struct memory *m, struct cache_header *h, struct cache_writing *w)
{
	const struct memory_index *x = &m->index;

	w->off =
	    memory_orders_off(x->stay_count) + memory_orders_len(x->stay_count, x->reference_count);
#define PUT(name, list, type)                                                                      \
	cache_put(w, &h->parts[PART_##name], x->name##s, x->name##_count * sizeof(type), false);
	MEMORY_TABLES(PUT)
#undef PUT
	cache_put_coded(w, &h->parts[PART_TEXTS], code_all, m);
}

/* Over all that is behind it. */
static void put_header(struct memory *m, struct cache_header *h, struct cache_writing *w,
		       const void *map, size_t len)
{
	h->settings = m->settings;
	h->index = m->index;
	memcpy(h->notes, m->lines.notes, sizeof(h->notes));
	h->sum = sum_of((const char *)map + MEMORY_STAYS_OFF, len - MEMORY_STAYS_OFF);
	cache_put_head(w, &h->head, sizeof(*h), CACHE_VERSION, m->lines.trace.source);
}

/* What has yet to be in the file, which is mapped then; NULL: it cannot be. */
static void *complete(struct memory *m, struct cache_writing *w, size_t *len)
{
	struct cache_header h;
	void *map = NULL;

	memset(&h, 0, sizeof(h));
	if (memory_columns_cached(m, &w->error))
		put_parts(m, &h, w);
	if (!w->error)
		map = cache_map(w->fd, MEMORY_STAYS_OFF, len);
	if (map)
		put_header(m, &h, w, map, *len);
	if (map && w->error)
		munmap(map, *len);
	return w->error ? NULL : map;
}

/* From now on all is in the file, and what it took elsewhere is free. */
static void use_file(struct memory *m, void *map, size_t len)
{
	pthread_rwlock_wrlock(&m->lines.lock);
	use_arrays(m, map, len);
	memory_tables_free(m);
	pthread_rwlock_unlock(&m->lines.lock);
	memory_columns_free(m);
}

void memory_cache_save(struct memory *m, bool whole)
{
	struct cache_writing w = {.fd = m->cache.fd};
	size_t len;
	void *map = m->caches_it && whole ? complete(m, &w, &len) : NULL;

	if (map) {
		cachefile_keep(&m->cache);
		use_file(m, map, len);
	} else if (m->caches_it) {
		cachefile_discard(&m->cache, w.error);
	}
}
