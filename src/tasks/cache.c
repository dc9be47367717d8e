/*
 * Tasks as a file in the cache folder (trace/cachefile.h).
 *
 * Layout: a header of CACHE_HEADER bytes, then sections: arrays as they are in memory, and one of
 * texts, which has all the rest. Everything in it may have been made by somebody
 * else: checksums of the header and of what is small must hold, and each number that leads
 * somewhere is looked at before anything is used. Columns are mapped, and only looked through.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include "source/tempfile.h"
#include "tasks/tasks_private.h"
#include "trace/bits.h"

/* Of the version the bytes are in another order on machines of another kind. */
enum { CACHE_VERSION = 0x7405, CACHE_HEADER = 4096, CACHE_ALIGN = 64 };

static const char magic[16] = CACHE_MAGIC;

/*
 * Arrays that are mapped, in the order in which they are written: name, where it is in struct tasks,
 * elements. Big ones are as long as the trace; a checksum of them would take longer than all the rest.
 */
#define ARRAYS(_)                                                                                  \
	_(START, columns.start, t->columns.count)                                                  \
	_(END, columns.end, t->columns.count)                                                      \
	_(PARENT, columns.parent, t->columns.count)                                                \
	_(SLOT, columns.slot, t->columns.count)                                                    \
	_(BY_START, columns.by_start, t->columns.count)                                            \
	_(BY_COMPONENT, columns.by_component, t->columns.count)                                    \
	_(BY_PARENT, columns.by_parent, t->columns.count)                                          \
	_(MARKS_TO, columns.marks_to, t->columns.count)                                            \
	_(MARKS, columns.marks, t->columns.mark_count)                                             \
	_(FROM, columns.component_from, t->columns.component_count + 1)                            \
	_(LONGEST, columns.component_longest, t->columns.component_count)

enum cached_part {
#define SECTION_ENUM(name, member, count) SECTION_##name,
	ARRAYS(SECTION_ENUM)
#undef SECTION_ENUM
	    SECTION_TEXTS,
	SECTION_COUNT,
	SECTION_SMALL = SECTION_FROM /* from here on: there is a checksum of them */
};

struct section_entry {
	uint64_t off, len;
};

struct cache_header {
	char magic[16];
	uint64_t version;
	struct source_id id;
	struct task_sidecar beside[TASK_SIDECARS];
	struct section_entry sections[SECTION_COUNT];
	int64_t first, last;
	uint64_t counts[TASK_NOTE_COUNT];
	uint32_t form, absent;
	uint32_t small_crc; /* of what is small, in order */
	uint32_t crc;       /* of the header up to itself */
};

const char *const task_sidecars[TASK_SIDECARS] = {"-journal", "-wal"};

void task_sidecars_find(const struct source *source, struct task_sidecar out[TASK_SIDECARS])
{
	struct sbuf path = {0};
	struct stat st;

	for (int i = 0; i < TASK_SIDECARS; i++) {
		out[i] = (struct task_sidecar){0};
		if (source_is_pipe(source) || source_kind(source) != SOURCE_PLAIN)
			continue;
		sbuf_clear(&path);
		sbuf_printf(&path, "%s%s", source_path(source), task_sidecars[i]);
		if (stat(sbuf_text(&path), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
			out[i] = (struct task_sidecar){
			    (uint64_t)st.st_size,
			    (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
	}
	sbuf_free(&path);
}

/* ---- texts ---- */

/* Writes what is in the trace, or reads it into one that has nothing: so both are one. */
struct coder {
	struct tasks *t;
	struct sbuf *out; /* NULL: reads */
	struct byte_reader in;
	bool bad;
};

static void code_number(struct coder *c, uint64_t *value)
{
	if (c->out)
		varint_put(c->out, *value);
	else
		*value = varint_get(&c->in);
}

/* The next so many bytes; NULL: there are fewer. */
static const char *take(struct coder *c, uint64_t len)
{
	const char *p = (const char *)c->in.p;

	c->bad |= c->in.over || len > (uint64_t)(c->in.end - c->in.p);
	if (c->bad)
		return NULL;
	c->in.p += len;
	return p;
}

static void code_text(struct coder *c, const char **text)
{
	uint64_t len = c->out ? strlen(*text) : 0;
	const char *p;

	code_number(c, &len);
	if (c->out) {
		sbuf_add(c->out, *text, len);
		return;
	}
	p = take(c, len);
	*text = p ? task_keep(c->t, p, len) : "";
}

static void code_bytes(struct coder *c, void *value, size_t size)
{
	const char *p;

	if (c->out)
		sbuf_add(c->out, value, size);
	else if ((p = take(c, size)))
		memcpy(value, p, size);
}

/* How many elements follow, each of a byte at least. */
static size_t code_count(struct coder *c, size_t count)
{
	uint64_t n = count;

	code_number(c, &n);
	c->bad |= !c->out && (c->in.over || n > (uint64_t)(c->in.end - c->in.p));
	return c->bad ? 0 : (size_t)n;
}

static void code_names(struct coder *c, struct intern *names)
{
	size_t count = code_count(c, intern_count(names));

	for (size_t i = 0; i < count && !c->bad; i++) {
		const char *p = intern_name(names, (int32_t)i);
		uint64_t len = intern_length(names, (int32_t)i);

		code_number(c, &len);
		if (c->out)
			sbuf_add(c->out, p, len);
		else
			c->bad |= !(p = take(c, len)) ||
				  intern_add(names, p, len) != (int32_t)i;
	}
}

/* All elements of a vector by what is done with one, e. */
#define CODE_VECTOR(c, vec, body)                                                                  \
	do {                                                                                       \
		size_t n_ = code_count(c, (vec)->count);                                           \
                                                                                                   \
		if (!(c)->out && vec_reserve(vec, n_ + 1)) {                                       \
			memset((vec)->data, 0, n_ * sizeof(*(vec)->data));                         \
			(vec)->count = n_;                                                         \
		}                                                                                  \
		(c)->bad |= (vec)->count != n_;                                                    \
		for (size_t i_ = 0; i_ < (vec)->count && !(c)->bad; i_++) {                        \
			__typeof__((vec)->data) e = &(vec)->data[i_];                              \
			body                                                                       \
		}                                                                                  \
	} while (0)

/* What a struct begins with. */
static void code_texts(struct coder *c, void *texts, int count)
{
	for (int i = 0; i < count; i++)
		code_text(c, (const char **)texts + i);
}

static void code_label(struct coder *c, struct task_label *label)
{
	uint64_t tag = label->tag;

	code_texts(c, label, 3);
	code_number(c, &tag);
	if (!c->out)
		label->tag = tag != 0;
}

static void code_warning(struct coder *c, struct warning *w)
{
	code_number(c, &w->line);
	code_number(c, &w->offset);
	code_number(c, &w->item);
	code_text(c, &w->text);
}

static void code_tables(struct coder *c, struct task_tables *tables)
{
	CODE_VECTOR(c, &tables->slots, code_bytes(c, e, sizeof(*e)););
	CODE_VECTOR(c, &tables->windows, code_bytes(c, e, sizeof(*e)););
	CODE_VECTOR(c, &tables->labels, code_label(c, e););
	CODE_VECTOR(c, &tables->properties, code_texts(c, e, 2););
	CODE_VECTOR(c, &tables->specs, code_texts(c, e, 3););
	CODE_VECTOR(c, &tables->ports, code_texts(c, e, 3););
	CODE_VECTOR(c, &tables->figures, {
		code_texts(c, e, 3);
		code_bytes(c, &e->value, sizeof(e->value));
	});
}

static void code_all(struct coder *c)
{
	struct tasks *t = c->t;

	code_names(c, t->components);
	code_names(c, t->kinds);
	code_names(c, t->whats);
	code_tables(c, &t->tables);
	CODE_VECTOR(c, &t->runs, code_bytes(c, e, sizeof(*e)););
	code_number(c, &t->lines.warning_count);
	CODE_VECTOR(c, &t->lines.warnings, code_warning(c, e););
	c->bad |= c->in.over || t->lines.failed;
}

/* ---- looking through what is in a file ---- */

static bool header_fits(const struct tasks *t, const struct cache_header *h, uint64_t len)
{
	struct task_sidecar beside[TASK_SIDECARS];
	struct source_id id;

	if (memcmp(h->magic, magic, sizeof(magic)) != 0 || h->version != CACHE_VERSION ||
	    h->crc != crc32_z(0, (const void *)h, offsetof(struct cache_header, crc)) ||
	    h->form >= TASK_FORM_COUNT || (h->form == TASK_CSV) != (t->reader == &csv_task_reader))
		return false;
	source_identity(t->lines.trace.source, &id);
	task_sidecars_find(t->lines.trace.source, beside);
	if (memcmp(&id, &h->id, sizeof(id)) != 0 || memcmp(beside, h->beside, sizeof(beside)) != 0)
		return false;
	for (int i = 0; i < SECTION_COUNT; i++)
		if (h->sections[i].off % 8 || h->sections[i].off > len ||
		    h->sections[i].len > len - h->sections[i].off)
			return false;
	return true;
}

static const void *at(const struct cache_header *h, enum cached_part i)
{
	return (const char *)h + h->sections[i].off;
}

/* All arrays of tasks have one length; the others go with theirs. */
static bool lengths_fit(const struct tasks *t, const struct cache_header *h)
{
	const struct task_columns *c = &t->columns;
	const uint64_t lens[] = {
#define LEN(name, member, count) (uint64_t)(count) * sizeof(*t->member),
	    ARRAYS(LEN)
#undef LEN
	};

	for (int i = 0; i < SECTION_TEXTS; i++)
		if (h->sections[i].len != lens[i])
			return false;
	return c->count < TASK_ORPHAN && c->component_count == intern_count(t->components);
}

static bool small_crc_fits(const struct cache_header *h)
{
	uint32_t crc = 0;

	for (int i = SECTION_SMALL; i < SECTION_COUNT; i++)
		crc = (uint32_t)crc32_z(crc, at(h, (enum cached_part)i), (size_t)h->sections[i].len);
	return crc == h->small_crc;
}

/* As all that looks through columns it has no branches: then memory sets the pace. */
static bool all_below(const uint32_t *p, uint32_t n, uint32_t limit)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < n; i++)
		bad |= p[i] >= limit;
	return !bad;
}

/* Where stretches end that lie one behind the other, the last at most. */
static bool rise_to(const uint32_t *p, uint32_t n, uint32_t most)
{
	uint32_t bad = n ? p[n - 1] != most : most;

	for (uint32_t i = 1; i < n; i++)
		bad |= p[i - 1] > p[i];
	return !bad;
}

/* Rows, or one of the two that are none: which are the greatest. */
static bool parents_fit(const uint32_t *parent, uint32_t n)
{
	uint32_t bad = 0;
	uint64_t rings;

	for (uint32_t i = 0; i < n; i++)
		bad |= (parent[i] >= n) & (parent[i] < TASK_ORPHAN);
	return !bad && task_cut_rings(parent, n, NULL, &rings) && !rings;
}

/* Ticks from -TASK_TICK_MOST on, and lengths, are below twice that, which is a power of 2. */
static bool times_fit(const struct task_columns *c)
{
	const uint64_t most = TASK_TICK_MOST;
	uint64_t bits = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		const uint64_t start = (uint64_t)c->start[i], end = (uint64_t)c->end[i];

		bits |= (start + most) | (end + most) | (end - start);
	}
	return bits < 2 * most;
}

static bool names_fit(const struct tasks *t)
{
	const struct task_slot *s = t->tables.slots.data;
	uint32_t pairs = 0;

	for (size_t i = 0; i < t->tables.slots.count; i++) {
		if (s[i].component >= intern_count(t->components) || s[i].pair > pairs ||
		    s[i].kind >= intern_count(t->kinds) || s[i].what >= intern_count(t->whats))
			return false;
		pairs += s[i].pair == pairs;
	}
	return true;
}

static bool marks_fit(const struct tasks *t)
{
	const struct task_columns *c = &t->columns;
	const uint32_t labels = (uint32_t)t->tables.labels.count;
	uint32_t bad = 0;

	for (uint32_t i = 0; i < c->mark_count; i++)
		bad |= (c->marks[i].task >= c->count) | (c->marks[i].label >= labels);
	return !bad;
}

static bool runs_fit(const struct tasks *t)
{
	uint32_t count = t->columns.count;

	for (size_t i = 0; i < t->runs.count; i++)
		if (t->runs.data[i].row >= count ||
		    (i ? t->runs.data[i].row <= t->runs.data[i - 1].row : t->runs.data[i].row != 0))
			return false;
	return t->runs.count || !count;
}

/* Whatever the others say: what comes last in a chain of && is compiled as if it never came. */
static bool fits(const struct tasks *t)
{
	const struct task_columns *c = &t->columns;
	bool ok = names_fit(t) && runs_fit(t);

	ok &= all_below(c->slot, c->count, (uint32_t)t->tables.slots.count);
	ok &= all_below(c->by_start, c->count, c->count);
	ok &= all_below(c->by_component, c->count, c->count);
	ok &= all_below(c->by_parent, c->count, c->count);
	ok &= rise_to(c->component_from, c->component_count + 1, c->count);
	ok &= rise_to(c->marks_to, c->count, c->mark_count);
	ok &= parents_fit(c->parent, c->count);
	ok &= times_fit(c);
	ok &= marks_fit(t);
	return ok;
}

/* ---- loading ---- */

/* Columns stay where they are: in a file that is mapped. */
static void use_columns(struct tasks *t, const struct cache_header *h)
{
	struct task_columns *c = &t->columns;

#define MAPPED(name, member, count) t->member = at(h, SECTION_##name);
	ARRAYS(MAPPED)
#undef MAPPED
	c->count = (uint32_t)(h->sections[SECTION_SLOT].len / sizeof(*c->slot));
	c->component_count = (uint32_t)(h->sections[SECTION_LONGEST].len / sizeof(int64_t));
	c->mark_count = (uint32_t)(h->sections[SECTION_MARKS].len / sizeof(*c->marks));
	c->first = h->first;
	c->last = h->last;
}

static bool load(struct tasks *t, const struct cache_header *h)
{
	struct coder c = {.t = t};

	if (!small_crc_fits(h))
		return false;
	c.in.p = at(h, SECTION_TEXTS);
	c.in.end = c.in.p + h->sections[SECTION_TEXTS].len;
	code_all(&c);
	use_columns(t, h);
	t->form = (enum task_form)h->form;
	return !c.bad && lengths_fit(t, h) && fits(t);
}

/* NULL: it cannot be, or is too short. */
static void *map_file(int fd, size_t *len)
{
	struct stat st = {.st_size = 0};
	void *map = MAP_FAILED;

	if (fstat(fd, &st) == 0 && st.st_size >= CACHE_HEADER)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	*len = (size_t)st.st_size;
	return map == MAP_FAILED ? NULL : map;
}

static void keep_map(struct tasks *t, void *map, size_t len)
{
	t->map = map;
	t->map_len = len;
	t->lines.bytes = len;
}

static void forget(struct tasks *t)
{
	task_names_free(t);
	vec_free(&t->runs);
	vec_clear(&t->lines.warnings);
	t->lines.warning_count = 0;
	t->columns = (struct task_columns){.last = -1};
	t->form = t->reader->form;
	t->lines.failed = !task_names_new(t);
}

bool task_cache_load(struct tasks *t, const struct trace_options *o)
{
	const struct cache_header *h;
	void *map;
	size_t len;

	if (o->no_cache || o->follow || t->reader->uncached ||
	    source_is_pipe(t->lines.trace.source))
		return false;
	t->caches = true;
	if (!cachefile_find(&t->cache, t->lines.trace.source, o) ||
	    !(map = map_file(t->cache.fd, &len)))
		return false;
	h = map;
	if (!header_fits(t, h, len) || !load(t, h)) {
		munmap(map, len);
		forget(t);
		return false;
	}
	keep_map(t, map, len);
	memcpy(t->lines.notes, h->counts, sizeof(h->counts));
	memcpy(t->beside, h->beside, sizeof(t->beside));
	t->absent = h->absent;
	t->lines.items = t->columns.count;
	t->lines.first = t->columns.first;
	t->lines.last = t->columns.last;
	t->cached = true;
	cachefile_used(&t->cache);
	return true;
}

/* ---- saving ---- */

struct writing {
	int fd, error;
	uint64_t off;
	struct cache_header *h;
};

static void write_at(struct writing *w, const void *p, size_t len, uint64_t off)
{
	if (!w->error && tempfile_write(w->fd, off, p, len) < len)
		w->error = errno ? errno : ENOSPC;
}

static void put_section(struct writing *w, enum cached_part i, const void *p, size_t len)
{
	w->off = (w->off + CACHE_ALIGN - 1) / CACHE_ALIGN * CACHE_ALIGN;
	w->h->sections[i] = (struct section_entry){w->off, len};
	write_at(w, p, len, w->off);
	w->off += len;
	if (i >= SECTION_SMALL && len) /* of no bytes zlib has a sum of its own */
		w->h->small_crc = (uint32_t)crc32_z(w->h->small_crc, p, len);
}

static void put_sections(struct tasks *t, struct writing *w)
{
	struct sbuf texts = {0};
	struct coder c = {.t = t, .out = &texts};

#define PUT(name, member, count)                                                                   \
	put_section(w, SECTION_##name, t->member, (size_t)(count) * sizeof(*t->member));
	ARRAYS(PUT)
#undef PUT
	code_all(&c);
	if (texts.failed)
		w->error = ENOMEM;
	put_section(w, SECTION_TEXTS, texts.text, texts.len);
	sbuf_free(&texts);
}

static void put_header(struct tasks *t, struct writing *w)
{
	struct cache_header *h = w->h;

	memcpy(h->magic, magic, sizeof(magic));
	h->version = CACHE_VERSION;
	source_identity(t->lines.trace.source, &h->id);
	memcpy(h->beside, t->beside, sizeof(h->beside));
	h->first = t->columns.first;
	h->last = t->columns.last;
	memcpy(h->counts, t->lines.notes, sizeof(h->counts));
	h->form = t->form;
	h->absent = t->absent;
	h->crc = (uint32_t)crc32_z(0, (const void *)h, offsetof(struct cache_header, crc));
	write_at(w, h, sizeof(*h), 0);
}

/* From now on columns are those of the file, and what they take in memory is free. */
static void use_file(struct tasks *t)
{
	const struct task_columns old = t->columns;
	size_t len;
	void *map = map_file(t->cache.fd, &len);

	if (!map)
		return;
	pthread_rwlock_wrlock(&t->lines.lock);
	use_columns(t, map);
	keep_map(t, map, len);
	pthread_rwlock_unlock(&t->lines.lock);
	task_columns_free(t, &old);
}

void task_cache_save(struct tasks *t)
{
	struct writing w = {.off = CACHE_HEADER, .h = calloc(1, sizeof(*w.h))};

	if (t->caches && w.h && cachefile_begin(&t->cache)) {
		w.fd = t->cache.fd;
		put_sections(t, &w);
		put_header(t, &w);
		if (w.error)
			cachefile_discard(&t->cache, w.error);
		else if (cachefile_keep(&t->cache))
			use_file(t);
	}
	free(w.h);
	pthread_rwlock_wrlock(&t->lines.lock);
	if (!t->note[0])
		snprintf(t->note, sizeof(t->note), "%s", t->cache.note);
	pthread_rwlock_unlock(&t->lines.lock);
}
