/*
 * A trace of shared memory as a file in the cache folder (trace/cacheparts.h): the arrays of the
 * index as they are, and a part of texts. Each number that leads somewhere is looked at before
 * anything is used. O(file) to write, and to look through.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

#include "memory/memory_private.h"
#include "trace/cacheparts.h"

/* Of the version the bytes are in another order on machines of another kind. */
enum { CACHE_VERSION = 0x6d09 };

static const char magic[16] = CACHE_MAGIC;

/* What is mapped, in the order of the file; as MEMORY_ORDERS(). */
#define ARRAYS(_) _(stays, index.stays, struct memory_stay, x->stay_count) MEMORY_ORDERS(_) TABLES(_)
#define TABLES(_)                                                                                  \
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
	PART_COUNT,
	PART_SMALL = PART_cells /* from here on: there is a checksum of them */
};

struct cache_header {
	char magic[16];
	uint64_t version;
	struct source_id id;
	struct memory_settings settings;
	struct cache_part parts[PART_COUNT];
	uint32_t small_crc; /* of what is small, in order */
	uint32_t crc;       /* of the header up to itself */
};

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
	       cache_parts_crc(h, h->parts, PART_SMALL, PART_COUNT) == h->small_crc;
}

static bool lengths_fit(const struct memory_index *x, const struct cache_header *h)
{
	const uint64_t lens[] = {
#define LEN(name, member, type, count) (uint64_t)(count) * sizeof(type),
	    ARRAYS(LEN)
#undef LEN
	};

	for (int i = 0; i < PART_TEXTS; i++)
		if (h->parts[i].len != lens[i])
			return false;
	return x->caches[MEMORY_L1] <= MEMORY_CPUS_MOST && x->caches[MEMORY_L2] <= MEMORY_CPUS_MOST;
}

/* Not below the limit, and not MEMORY_NONE, which is one less than nothing. */
static inline int astray(uint32_t number, uint32_t limit)
{
	return number + 1 > limit;
}

/* What a bool is read from may be any byte. */
static inline int is_no_bool(const bool *b)
{
	return *(const unsigned char *)b > 1;
}

static bool flags_fit(const struct memory *m)
{
	return !(is_no_bool(&m->index.guessed) | is_no_bool(&m->index.masks) |
		 is_no_bool(&m->by_taker) | is_no_bool(&m->cache_ids));
}

static inline int tick_astray(int64_t tick)
{
	return tick <= -MEMORY_TICK_MOST || tick >= MEMORY_TICK_MOST;
}

/* Elements of an array of the index, until one is bad. */
#define EACH(type, e, array, count)                                                                \
	for (const struct type *e = x->array; !bad && e < x->array + x->count; e++)

static bool rows_fit(const struct memory_index *x)
{
	const uint32_t words = x->word_count, lines = x->line_count, cpus = x->caches[MEMORY_L1];
	int bad = 0;

	EACH(memory_stay, s, stays, stay_count) {
		bad = s->block >= x->block_count ||
		      s->cache >= x->caches[x->blocks[s->block].level];
		bad |= astray(s->word, words) | astray(s->line, lines) |
		       astray(s->taker_word, words) | astray(s->taker_line, lines);
		bad |= (s->taker >= cpus) & (s->taker != UINT16_MAX);
		bad |= (s->cause >= MEMORY_CAUSE_COUNT) | (s->ending > MEMORY_INVALIDATED) |
		       is_no_bool(&s->private) | is_no_bool(&s->dirty);
		bad |= tick_astray(s->start) | (s->end < s->start) |
		       (tick_astray(s->end) & (s->end != MEMORY_OPEN));
	}
	EACH(memory_brief, b, briefs, stay_count)
		bad = (b->cause > MEMORY_CAUSE_COUNT) | (b->ending > MEMORY_INVALIDATED) |
		      tick_astray(b->start);
	EACH(memory_reference, r, references, reference_count)
		bad = (r->cell >= x->cell_count) | tick_astray(r->tick);
	return !bad;
}

/* A block of that level, or none. */
static bool block_fits(const struct memory_index *x, uint32_t block, uint8_t level)
{
	return block == MEMORY_NONE || (block < x->block_count && x->blocks[block].level == level);
}

static bool places_fit(const struct memory_index *x)
{
	int bad = 0;

	EACH(memory_block, b, blocks, block_count)
		bad = b->level >= MEMORY_LEVELS;
	EACH(memory_word, w, words, word_count)
		bad = astray(w->object, x->object_count) ||
		      !block_fits(x, w->block[MEMORY_L1], MEMORY_L1) ||
		      !block_fits(x, w->block[MEMORY_L2], MEMORY_L2);
	/* what is around an object was there before it */
	EACH(memory_object, o, objects, object_count)
		bad = o->class >= x->class_count || astray(o->parent, (uint32_t)(o - x->objects));
	return !bad;
}

static bool sums_fit(const struct memory_index *x)
{
	const uint32_t objects = x->object_count, lines = x->line_count;
	int bad = 0;

	EACH(memory_cell, c, cells, cell_count)
		bad = c->word >= x->word_count || astray(c->object, objects) ||
		      astray(c->line, lines) || c->cpu >= x->caches[MEMORY_L1];
	EACH(memory_culprit, c, culprits, culprit_count)
		bad = astray(c->victim_object, objects) || astray(c->object, objects) ||
		      astray(c->victim_line, lines) || astray(c->line, lines) ||
		      c->level >= MEMORY_LEVELS || c->cause >= MEMORY_CAUSE_COUNT;
	EACH(memory_eviction, v, evictions, eviction_count)
		bad = v->victim >= x->block_count || v->by >= x->block_count;
	return !bad;
}

static bool orders_fit(const struct memory *m)
{
	const struct memory_index *x = &m->index;
	bool ok = cache_all_below(x->by_block, x->stay_count, x->stay_count);

	ok &= cache_all_below(x->by_cache, x->stay_count, x->stay_count);
	ok &= cache_all_below(x->by_cpu, x->reference_count, x->reference_count);
	ok &= cache_all_below(m->by_address, x->block_count, x->block_count);
	ok &= cache_rises_to(x->block_from, x->block_count + 1, x->stay_count);
	ok &= cache_rises_to(x->cache_from, x->caches[MEMORY_L1] + x->caches[MEMORY_L2] + 1, x->stay_count);
	ok &= cache_rises_to(x->cpu_from, x->caches[MEMORY_L1] + 1, x->reference_count);
	return ok;
}

/* ---- loading ---- */

/* Arrays stay where they are: in a file that is mapped. */
static void use_arrays(struct memory *m, const struct cache_header *h)
{
#define MAPPED(name, member, type, count) m->member = (const void *)((const char *)h + h->parts[PART_##name].off);
	ARRAYS(MAPPED)
#undef MAPPED
}

static bool load(struct memory *m, const struct cache_header *h)
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
	return !c.bad && flags_fit(m) && lengths_fit(x, h) && places_fit(x) && rows_fit(x) &&
	       sums_fit(x) && orders_fit(m) && memory_count_names(m);
}

static void keep_map(struct memory *m, void *map, size_t len)
{
	m->map = map;
	m->map_len = len;
	m->lines.bytes = len;
}

static bool load_file(struct memory *m, const struct trace_options *o)
{
	void *map;
	size_t len;

	if (!cachefile_find(&m->cache, m->lines.trace.source, o) ||
	    !(map = cache_map(m->cache.fd, MEMORY_STAYS_OFF, &len)))
		return false;
	if (!header_fits(m, map, len) || !load(m, map)) {
		munmap(map, len);
		memory_forget(m);
		return false;
	}
	keep_map(m, map, len);
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
	cache_put(w, &h->parts[PART_##name], m->member, (count) * sizeof(type),                    \
		  PART_##name >= PART_SMALL);
	TABLES(PUT)
#undef PUT
	code_all(&c, m);
	if (texts.failed)
		w->error = ENOMEM;
	cache_put(w, &h->parts[PART_TEXTS], texts.text, texts.len, true);
	sbuf_free(&texts);
}

static void put_header(struct memory *m, struct cache_header *h, struct cache_writing *w)
{
	memcpy(h->magic, magic, sizeof(magic));
	h->version = CACHE_VERSION;
	source_identity(m->lines.trace.source, &h->id);
	h->settings = m->settings;
	h->small_crc = w->crc;
	h->crc = (uint32_t)crc32_z(0, (const void *)h, offsetof(struct cache_header, crc));
	cache_write(w, h, sizeof(*h), 0);
}

/* From now on all is in the file, and what it took elsewhere is free. */
static void use_file(struct memory *m)
{
	size_t len;
	void *map = cache_map(m->cache.fd, MEMORY_STAYS_OFF, &len);

	if (!map)
		return;
	pthread_rwlock_wrlock(&m->lines.lock);
	use_arrays(m, map);
	keep_map(m, map, len);
	memory_tables_free(m);
	pthread_rwlock_unlock(&m->lines.lock);
	memory_columns_free(m);
}

void memory_cache_save(struct memory *m, bool whole)
{
	struct cache_writing w = {.fd = m->cache.fd};
	struct cache_header *h = calloc(1, sizeof(*h));

	_Static_assert(sizeof(*h) <= MEMORY_STAYS_OFF, "stays begin behind the header");
	if (m->caches_it && whole && h && memory_columns_cached(m, &w.error)) {
		w.error = 0;
		set_parts(m, h, &w);
		put_parts(m, h, &w);
		put_header(m, h, &w);
	}
	if (m->caches_it && (!whole || !h || w.error))
		cachefile_discard(&m->cache, w.error);
	else if (m->caches_it && cachefile_keep(&m->cache))
		use_file(m);
	free(h);
	pthread_rwlock_wrlock(&m->lines.lock);
	snprintf(m->note, sizeof(m->note), "%s", m->cache.note);
	pthread_rwlock_unlock(&m->lines.lock);
}
