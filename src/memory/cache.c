/*
 * A trace of shared memory as a file in the cache folder (trace/cacheparts.h): the arrays of the
 * index as they are, and a part of texts. A file of the user's own that has its checksum is as it was
 * written; any other is not used. O(file) to write, and to look through.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

#include "base/hash.h"
#include "memory/memory_private.h"
#include "trace/cacheparts.h"

/* Of the version the bytes are in another order on machines of another kind. */
enum { CACHE_VERSION = 0x6d0f };

static const char magic[16] = CACHE_MAGIC;

/* What is mapped, in the order of the file; as MEMORY_ORDERS(). */
#define ARRAYS(_) _(stays, index.stays, struct memory_stay, x->stay_count) MEMORY_ORDERS(_) TABLES(_)
#define TABLES(_)                                                                                  \
	_(references, index.references, struct memory_reference, x->reference_count)               \
	_(cells, index.cells, struct memory_cell, x->cell_count)                                   \
	_(words, index.words, struct memory_word, x->word_count)                                   \
	_(objects, index.objects, struct memory_object, x->object_count)                           \
	_(lines, index.lines, struct memory_line, x->line_count)                                   \
	_(culprits, index.culprits, struct memory_culprit, x->culprit_count)                       \
	_(evictions, index.evictions, struct memory_eviction, x->eviction_count)                   \
	_(blocks, index.blocks, struct memory_block, x->block_count)

/* What is no array, of struct memory: in the part of texts. */
#define NUMBERS(_)                                                                                 \
	_(index.block_bytes) _(index.caches) _(index.radix) _(index.first) _(index.last)           \
	_(index.guessed) _(index.masks) _(by_taker) _(cache_ids) _(lines.notes)                    \
	_(index.stay_count) _(index.reference_count) _(index.cell_count) _(index.word_count)       \
	_(index.block_count) _(index.object_count) _(index.line_count) _(index.culprit_count)      \
	_(index.eviction_count)

enum cached_part {
#define PART_ENUM(name, member, type, count) PART_##name,
	ARRAYS(PART_ENUM)
#undef PART_ENUM
	    PART_TEXTS,
	PART_COUNT
};

struct cache_header {
	char magic[16];
	uint64_t version;
	struct source_id id;
	struct memory_settings settings;
	struct cache_part parts[PART_COUNT];
	uint64_t sum; /* of all behind the header */
	uint32_t crc; /* of the header up to itself */
};

/* Sums of words, and of those sums, so that places count: memory sets the pace. */
static uint64_t sum_of(const char *p, size_t len)
{
	static const uint64_t key = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t sums[] = {len, 0}, word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sums[0] += word;
		sums[1] += sums[0];
	}
	return hash_bytes(key, (const char *)sums, sizeof(sums)) ^ hash_bytes(key, p, len);
}

/* ---- texts and numbers ---- */

static const char *keep(void *of, const char *p, size_t len)
{
	struct memory *m = of;
	const int32_t kept = intern_add(m->texts, p, len);

	m->lines.failed |= kept < 0;
	return kept < 0 ? "" : intern_name(m->texts, kept);
}

static void code_all(struct cache_coder *c, struct memory *m)
{
	code_names(c, m->classes);
	code_number(c, &m->lines.warning_count);
	CODE_VECTOR(c, &m->lines.warnings, code_warning(c, e););
#define NUMBER(member) code_bytes(c, &m->member, sizeof(m->member));
	NUMBERS(NUMBER)
#undef NUMBER
	c->bad |= c->in.over || m->lines.failed;
}

/* ---- looking through what is in a file ---- */

static bool header_fits(const struct memory *m, const struct cache_header *h, uint64_t len)
{
	struct source_id id;

	if (memcmp(h->magic, magic, sizeof(magic)) != 0 || h->version != CACHE_VERSION ||
	    h->crc != crc32_z(0, (const void *)h, offsetof(struct cache_header, crc)))
		return false;
	source_identity(m->lines.trace.source, &id);
	return memcmp(&id, &h->id, sizeof(id)) == 0 &&
	       memcmp(&m->settings, &h->settings, sizeof(h->settings)) == 0 &&
	       cache_parts_fit(h->parts, PART_COUNT, len) &&
	       sum_of((const char *)h + MEMORY_STAYS_OFF, len - MEMORY_STAYS_OFF) == h->sum;
}

/* ---- loading ---- */

/* Arrays stay where they are: in a file that is mapped. */
static void use_arrays(struct memory *m, const struct cache_header *h)
{
#define MAPPED(name, member, type, count) m->member = (const void *)((const char *)h + h->parts[PART_##name].off);
	ARRAYS(MAPPED)
#undef MAPPED
}

static void load(struct memory *m, const struct cache_header *h)
{
	struct cache_coder c = {.keep = keep, .of = m};
	struct memory_index *x = &m->index;

	c.in.p = (const unsigned char *)h + h->parts[PART_TEXTS].off;
	c.in.end = c.in.p + h->parts[PART_TEXTS].len;
	code_all(&c, m);
	use_arrays(m, h);
	memcpy(m->met, x->caches, sizeof(m->met));
	x->class_count = (uint32_t)intern_count(m->classes);
	m->lines.first = x->first;
	m->lines.last = x->last;
	m->lines.items = x->stay_count;
	m->lines.failed |= c.bad || !memory_count_names(m);
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
	load(m, map);
	m->map = map;
	m->map_len = m->lines.bytes = len;
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

/* Where stays and orders are already. */
static void set_parts(const struct memory *m, struct cache_header *h, struct cache_writing *w)
{
	const struct memory_index *x = &m->index;

	h->parts[PART_stays] = (struct cache_part){MEMORY_STAYS_OFF,
						   x->stay_count * sizeof(struct memory_stay)};
	w->off = memory_orders_off(x->stay_count);
#define PLACED(name, member, type, count)                                                          \
	h->parts[PART_##name] = (struct cache_part){w->off, (count) * sizeof(type)};               \
	w->off += MEMORY_ORDER_ROOM(type, count);
	MEMORY_ORDERS(PLACED)
#undef PLACED
}

static void put_parts(struct memory *m, struct cache_header *h, struct cache_writing *w)
{
	struct sbuf texts = {0};
	struct cache_coder c = {.out = &texts};
	const struct memory_index *x = &m->index;

#define PUT(name, member, type, count)                                                             \
	cache_put(w, &h->parts[PART_##name], m->member, (count) * sizeof(type), false);
	TABLES(PUT)
#undef PUT
	code_all(&c, m);
	if (texts.failed)
		w->error = ENOMEM;
	cache_put(w, &h->parts[PART_TEXTS], texts.text, texts.len, false);
	sbuf_free(&texts);
}

/* Over all that is behind it. */
static void put_header(struct memory *m, struct cache_header *h, struct cache_writing *w,
		       const void *map, size_t len)
{
	memcpy(h->magic, magic, sizeof(magic));
	h->version = CACHE_VERSION;
	source_identity(m->lines.trace.source, &h->id);
	h->settings = m->settings;
	h->sum = sum_of((const char *)map + MEMORY_STAYS_OFF, len - MEMORY_STAYS_OFF);
	h->crc = (uint32_t)crc32_z(0, (const void *)h, offsetof(struct cache_header, crc));
	cache_write(w, h, sizeof(*h), 0);
}

/* From now on all is in the file, and what it took elsewhere is free. */
static void use_file(struct memory *m, void *map, size_t len)
{
	pthread_rwlock_wrlock(&m->lines.lock);
	use_arrays(m, map);
	m->map = map;
	m->map_len = m->lines.bytes = len;
	memory_tables_free(m);
	pthread_rwlock_unlock(&m->lines.lock);
	memory_columns_free(m);
}

/* What has yet to be in the file, which is mapped then; NULL: it cannot be. */
static void *complete(struct memory *m, struct cache_writing *w, size_t *len)
{
	struct cache_header *h = calloc(1, sizeof(*h));
	void *map = NULL;

	_Static_assert(sizeof(*h) <= MEMORY_STAYS_OFF, "stays begin behind the header");
	if (h && memory_columns_cached(m, &w->error)) {
		set_parts(m, h, w);
		put_parts(m, h, w);
		map = w->error ? NULL : cache_map(w->fd, MEMORY_STAYS_OFF, len);
		if (map)
			put_header(m, h, w, map, *len);
	}
	free(h);
	return map;
}

void memory_cache_save(struct memory *m, bool whole)
{
	struct cache_writing w = {.fd = m->cache.fd};
	size_t len;
	void *map = m->caches_it && whole ? complete(m, &w, &len) : NULL;

	if (m->caches_it && (!map || w.error))
		cachefile_discard(&m->cache, w.error);
	else if (m->caches_it)
		cachefile_keep(&m->cache);
	if (map)
		use_file(m, map, len);
	pthread_rwlock_wrlock(&m->lines.lock);
	snprintf(m->note, sizeof(m->note), "%s", m->cache.note);
	pthread_rwlock_unlock(&m->lines.lock);
}
