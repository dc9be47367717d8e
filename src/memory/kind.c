#include "config.h"

#include "memory/kind.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/ids.h"
#include "memory/memory_private.h"

static const char *const note_keys[] = {MEMORY_NOTES(NOTE_KEY)};
static const char *const note_helps[] = {MEMORY_NOTES(NOTE_HELP)};

/* ---- opening ---- */

static bool kind_format(size_t i, struct trace_format *out)
{
	*out = chiron_format;
	return i == 0;
}

void memory_free(struct memory *m)
{
	if (m->map)
		munmap(m->map, m->map_len);
	memory_columns_free(m);
#define TABLE_FREE(name, list, type) vec_free(&m->list);
	MEMORY_TABLES(TABLE_FREE)
#undef TABLE_FREE
	vec_free(&m->caches.holdings);
	vec_free(&m->caches.losses);
	for (int i = 0; i < ALL_IDS; i++)
		ids_free(m->ids[i]);
	intern_free(m->classes);
	intern_free(m->texts);
	vec_free(&m->instances);
	for (int k = 0; k < MEMORY_KINDS; k++)
		vec_free(&m->components[k]);
	vec_free(&m->files);
	regex_free(m->locks);
	cachefile_close(&m->cache);
	free(m);
}

static void kind_close(struct trace *t)
{
	lines_close(lines_of(t));
	memory_free(memory_of(t));
}

/* What was read stays, whatever became of the rest. */
static enum status read_all(struct lines *l, struct error *e)
{
	struct memory *m = memory_of(&l->trace);
	enum status status;

	if (m->cached)
		return STATUS_OK;
	status = chiron_read(l, e);
	if (l->failed || !memory_publish(m, true))
		return error_set(e, STATUS_NOMEM, "out of memory");
	memory_columns_free(m);
	if (!status && !lines_stopped(l) && !m->followed)
		memory_cache_save(m);
	else
		memory_cache_give_up(m, 0);
	return status == STATUS_INTERRUPTED ? STATUS_OK : status;
}

static enum status begin(struct lines *l, struct error *e)
{
	struct memory *m = memory_of(&l->trace);
	const bool ready = memory_cache_load(m, m->options) || memory_columns_new(m);

	memory_files_read(m);
	return ready && !l->failed ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

/* A piece is some 30 ms of text: one thread waits for the other, and others for the lock. */
static const struct lines_reader lines_reader = {.begin = begin,
						 .all = read_all,
						 .notes = note_keys,
						 .note_count = MEMORY_NOTE_COUNT,
						 .piece = 16 << 20};

struct memory *memory_new(struct source *source)
{
	struct memory *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->lines.trace = (struct trace){&memory_trace_kind, chiron_format, source};
	m->cache.fd = -1;
	m->index.last = m->lines.last = -1;
	m->version = 1;
	m->classes = intern_new();
	m->texts = intern_new();
	m->lines.failed = !m->classes || !m->texts;
	for (int i = 0; i < ALL_IDS; i++)
		m->lines.failed |= !(m->ids[i] = ids_new());
	return m;
}

static enum status kind_open(struct trace **out, struct source *source, size_t format,
			     struct window *first, const struct trace_options *o, struct error *e)
{
	const struct memory_settings *set = trace_settings_get(o->settings, &memory_trace_kind);
	struct memory *m = memory_new(source);
	enum status status;

	(void)format;
	if (!m) {
		source_release(source, first);
		source_close(source);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	m->options = o;
	m->sources = o->sources;
	m->followed = o->follow;
	m->watched = o->background;
	if (set)
		m->settings = *set;
	status = lines_open(&m->lines, &lines_reader, first, e);
	if (status)
		kind_close(&m->lines.trace);
	else
		*out = &m->lines.trace;
	return status;
}

static enum status kind_follow(struct trace *t, bool on, struct error *e)
{
	memory_of(t)->followed |= on;
	return lines_follow(t, on, e);
}

static void kind_progress(const struct trace *t, struct progress *p)
{
	const struct memory *m = memory_of(t);

	lines_progress(t, p);
	p->cached = m->cached;
	lines_lock(t);
	p->guessed = m->index.guessed ? "block sizes" : NULL;
	p->note = p->complete && m->cache.note[0] ? m->cache.note : NULL;
	lines_unlock(t);
	if (p->complete)
		p->bytes_done = p->bytes_total;
}

/* ---- components: CPUs, then caches ---- */

static size_t kind_component_count(const struct trace *t)
{
	const struct memory_index *x = memory_lock(t);
	const size_t count = memory_component(x, MEMORY_L2, x->caches[MEMORY_L2]);

	memory_unlock(t);
	return count;
}

static bool kind_component(const struct trace *t, size_t i, struct trace_component *out)
{
	const struct memory_component *found;

	memory_lock(t);
	found = memory_component_at(memory_of(t), i);
	if (found)
		*out = (struct trace_component){found->name, found->items};
	memory_unlock(t);
	return found != NULL;
}

/* When it was loaded; one that was there from the first was met when it ended. */
static int64_t kind_item_tick(const struct trace *t, uint64_t item)
{
	const struct memory_index *x = memory_lock(t);
	int64_t tick = TICK_NONE;

	if (item < x->stay_count) {
		const struct memory_stay *s = memory_stay(x, (uint32_t)item);
		const bool met_late =
		    s->cell == MEMORY_NONE && s->start < s->end && s->end != MEMORY_OPEN;

		tick = met_late ? s->end - 1 : s->start;
	}
	memory_unlock(t);
	return tick;
}

const struct trace_kind memory_trace_kind = {
    LINES_TRACE,
    .name = "memory",
    .items = "cache blocks",
    .settings_size = sizeof(struct memory_settings),
    .format = kind_format,
    .open = kind_open,
    .close = kind_close,
    .progress = kind_progress,
    .follow = kind_follow,
    .component_count = kind_component_count,
    .component = kind_component,
    .metric_count = memory_metric_count,
    .metric = memory_metric,
    .metric_find = memory_metric_find,
    .values = memory_values,
    .means = memory_means,
    .traced = memory_traced,
    .item_tick = kind_item_tick,
    .note_helps = note_helps,
    .info = memory_info_sections,
    .info_make = memory_info_make,
};
