/*
 * A trace of shared memory as a file in the cache folder: a header, then the arrays of the index as
 * they are, first the orders, which were put there when they were published (columns.c), and texts.
 * A file of the user's own that has its checksums is as it was written; any other is not used.
 * O(file) to write, and to look through.
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "memory/memory_private.h"
#include "trace/cacheparts.h"

/* Of the version the bytes are in another order on machines of another kind. */
enum { CACHE_VERSION = 0x6d58 };

enum cached_part {
	PART_ORDERS,
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
	uint64_t orders_sum, parts_crc; /* of the other parts */
};
_Static_assert(sizeof(struct cache_header) <= MEMORY_ORDERS_OFF, "orders begin behind the header");

static const uint64_t sum_key = UINT64_C(0x9e3779b97f4a7c15);

/* Of words, and of those sums, so that places count. */
static uint64_t sum_of(const char *p, size_t len)
{
	uint64_t sums[] = {len, 0}, word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sums[0] += word;
		sums[1] += sums[0];
	}
	return hash_bytes(sum_key, (const char *)sums, sizeof(sums)) ^ hash_bytes(sum_key, p, len);
}

/* ---- texts and numbers ---- */

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
}

/* ---- loading ---- */

static bool header_fits(const struct memory *m, const struct cache_header *h, uint64_t len)
{
	const struct cache_part *p = h->parts;

	return cache_head_fits(&h->head, sizeof(*h), CACHE_VERSION, m->lines.trace.source) &&
	       memcmp(&m->settings, &h->settings, sizeof(h->settings)) == 0 &&
	       cache_parts_fit(p, PART_COUNT, len) &&
	       cache_parts_crc(h, p, PART_ORDERS + 1, PART_COUNT) == h->parts_crc &&
	       sum_of((const char *)h + p->off, p->len) == h->orders_sum;
}

/* Arrays stay where they are: in a file that is mapped. */
static void load(struct memory *m, void *map, size_t len)
{
	const struct cache_header *h = map;
	struct cache_coder c = {.texts = m->texts, .of = m};

	m->index = h->index;
#define MAPPED(name, list, type)                                                                   \
	m->index.name##s = (const void *)((const char *)map + h->parts[PART_##name].off);
	MEMORY_TABLES(MAPPED)
#undef MAPPED
	m->lines.failed |= !cache_take_coded(map, &h->parts[PART_TEXTS], code_all, &c);
	memcpy(m->lines.notes, h->notes, sizeof(h->notes));
	m->lines.first = h->index.first;
	m->lines.last = h->index.last;
	memory_use_orders(m, map, len);
}

static bool load_file(struct memory *m, const struct trace_options *o)
{
	void *map;
	size_t len;

	if (!cachefile_find(&m->cache, m->lines.trace.source, o) ||
	    !(map = cache_map(m->cache.fd, MEMORY_ORDERS_OFF, &len)))
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

void memory_cache_give_up(struct memory *m, int error)
{
	cachefile_discard(&m->cache, error);
	m->caches_it = false;
}

void memory_cache_save(struct memory *m)
{
	const struct memory_index *x = &m->index;
	struct cache_writing w = {.fd = m->cache.fd, .off = m->map_len};
	struct cache_header h;

	if (!m->caches_it)
		return;
	memset(&h, 0, sizeof(h));
	h.settings = m->settings;
	h.index = *x;
	memcpy(h.notes, m->lines.notes, sizeof(h.notes));
	h.parts[PART_ORDERS] =
	    (struct cache_part){MEMORY_ORDERS_OFF, m->map_len - MEMORY_ORDERS_OFF};
	h.orders_sum = sum_of((const char *)m->map + MEMORY_ORDERS_OFF, h.parts[PART_ORDERS].len);
#define PUT(name, list, type)                                                                      \
	cache_put(&w, &h.parts[PART_##name], x->name##s, x->name##_count * sizeof(type), true);
	MEMORY_TABLES(PUT)
#undef PUT
	cache_put_coded(&w, &h.parts[PART_TEXTS], code_all, m);
	h.parts_crc = w.crc;
	cache_put_head(&w, &h.head, sizeof(h), CACHE_VERSION, m->lines.trace.source);
	if (w.error) {
		memory_cache_give_up(m, w.error);
		return;
	}
	cachefile_keep(&m->cache, true);
	pthread_rwlock_wrlock(&m->lines.lock);
	m->lines.bytes = w.off;
	pthread_rwlock_unlock(&m->lines.lock);
}
