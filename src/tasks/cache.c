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

#include "tasks/tasks_private.h"
#include "trace/cacheparts.h"

/* Of the version the bytes are in another order on machines of another kind. */
enum { CACHE_VERSION = 0x7406, CACHE_HEADER = 4096 };

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

struct cache_header {
	struct cache_head head;
	struct task_sidecar beside[TASK_SIDECARS];
	struct cache_part sections[SECTION_COUNT];
	int64_t first, last;
	uint64_t counts[TASK_NOTE_COUNT];
	uint32_t form, absent;
	uint32_t small_crc; /* of what is small, in order */
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

/* What a struct begins with. */
static void code_texts(struct cache_coder *c, void *texts, int count)
{
	for (int i = 0; i < count; i++)
		code_text(c, (const char **)texts + i);
}

static void code_label(struct cache_coder *c, struct task_label *label)
{
	uint64_t tag = label->tag;

	code_texts(c, label, 3);
	code_number(c, &tag);
	if (!c->out)
		label->tag = tag != 0;
}

static void code_tables(struct cache_coder *c, struct task_tables *tables)
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

static void code_all(struct cache_coder *c)
{
	struct tasks *t = c->of;

	code_names(c, t->components);
	code_names(c, t->kinds);
	code_names(c, t->whats);
	code_tables(c, &t->tables);
	CODE_VECTOR(c, &t->runs, code_bytes(c, e, sizeof(*e)););
	code_number(c, &t->lines.warning_count);
	CODE_VECTOR(c, &t->lines.warnings, code_warning(c, e););
}

/* ---- looking through what is in a file ---- */

static bool header_fits(const struct tasks *t, const struct cache_header *h, uint64_t len)
{
	struct task_sidecar beside[TASK_SIDECARS];

	if (!cache_head_fits(&h->head, sizeof(*h), CACHE_VERSION, t->lines.trace.source) ||
	    h->form >= TASK_FORM_COUNT || (h->form == TASK_CSV) != (t->reader == &csv_task_reader))
		return false;
	task_sidecars_find(t->lines.trace.source, beside);
	return memcmp(beside, h->beside, sizeof(beside)) == 0 &&
	       cache_parts_fit(h->sections, SECTION_COUNT, len) &&
	       cache_parts_crc(h, h->sections, SECTION_SMALL, SECTION_COUNT) == h->small_crc;
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

	ok &= cache_all_below(c->slot, c->count, (uint32_t)t->tables.slots.count);
	ok &= cache_all_below(c->by_start, c->count, c->count);
	ok &= cache_all_below(c->by_component, c->count, c->count);
	ok &= cache_all_below(c->by_parent, c->count, c->count);
	ok &= cache_rises_to(c->component_from, c->component_count + 1, c->count);
	ok &= cache_rises_to(c->marks_to, c->count, c->mark_count);
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
	struct cache_coder c = {.texts = t->texts, .of = t};
	const bool coded = cache_take_coded(h, &h->sections[SECTION_TEXTS], code_all, &c);

	use_columns(t, h);
	t->form = (enum task_form)h->form;
	return coded && lengths_fit(t, h) && fits(t);
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
	    !(map = cache_map(t->cache.fd, CACHE_HEADER, &len)))
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

static void put_sections(struct tasks *t, struct cache_header *h, struct cache_writing *w)
{
#define PUT(name, member, count)                                                                   \
	cache_put(w, &h->sections[SECTION_##name], t->member, (size_t)(count) * sizeof(*t->member), \
		  SECTION_##name >= SECTION_SMALL);
	ARRAYS(PUT)
#undef PUT
	cache_put_coded(w, &h->sections[SECTION_TEXTS], code_all, t);
}

static void put_header(struct tasks *t, struct cache_header *h, struct cache_writing *w)
{
	memcpy(h->beside, t->beside, sizeof(h->beside));
	h->first = t->columns.first;
	h->last = t->columns.last;
	memcpy(h->counts, t->lines.notes, sizeof(h->counts));
	h->form = t->form;
	h->absent = t->absent;
	h->small_crc = w->crc;
	cache_put_head(w, &h->head, sizeof(*h), CACHE_VERSION, t->lines.trace.source);
}

/* From now on columns are those of the file, and what they take in memory is free. */
static void use_file(struct tasks *t)
{
	const struct task_columns old = t->columns;
	size_t len;
	void *map = cache_map(t->cache.fd, CACHE_HEADER, &len);

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
	struct cache_writing w = {.off = CACHE_HEADER};
	struct cache_header *h = calloc(1, sizeof(*h));

	if (t->caches && h && cachefile_begin(&t->cache)) {
		w.fd = t->cache.fd;
		put_sections(t, h, &w);
		put_header(t, h, &w);
		if (w.error)
			cachefile_discard(&t->cache, w.error);
		else if (cachefile_keep(&t->cache, false))
			use_file(t);
	}
	free(h);
	pthread_rwlock_wrlock(&t->lines.lock);
	if (!t->note[0])
		snprintf(t->note, sizeof(t->note), "%s", t->cache.note);
	pthread_rwlock_unlock(&t->lines.lock);
}
