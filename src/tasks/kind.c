#include "config.h"

#include "tasks/kind.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tasks/tasks_private.h"

static const struct task_reader *const readers[] = {&akita_task_reader, &csv_task_reader,
						    &json_task_reader, &stream_task_reader};

enum { NAMES = 8, READERS = sizeof(readers) / sizeof(readers[0]) };

static const char *const note_keys[] = {TASK_NOTES(NOTE_KEY)};
static const char *const note_helps[] = {TASK_NOTES(NOTE_HELP)};

/* ---- opening ---- */

static bool kind_format(size_t i, struct trace_format *out)
{
	if (i >= READERS)
		return false;
	*out = readers[i]->format;
	return true;
}

/* All that names are in. */
static void list_names(struct tasks *t, struct intern **out[NAMES])
{
	struct intern **const all[NAMES] = {&t->components, &t->kinds,	    &t->whats, &t->texts,
					    &t->slot_keys,  &t->label_keys, &t->pairs, &t->asked};

	memcpy(out, all, sizeof(all));
}

bool task_names_new(struct tasks *t)
{
	struct intern **all[NAMES];
	bool ok = true;

	list_names(t, all);
	for (size_t i = 0; i < NAMES; i++)
		ok &= (*all[i] = intern_new()) != NULL;
	return ok;
}

void task_names_free(struct tasks *t)
{
	struct task_tables *tables = &t->tables;
	struct intern **all[NAMES];

	list_names(t, all);
	for (size_t i = 0; i < NAMES; i++)
		intern_free(*all[i]);
	vec_free(&tables->slots);
	vec_free(&tables->labels);
	vec_free(&tables->windows);
	vec_free(&tables->properties);
	vec_free(&tables->figures);
	vec_free(&tables->specs);
	vec_free(&tables->ports);
}

void task_trace_free(struct tasks *t)
{
	if (t->map)
		munmap(t->map, t->map_len);
	else
		task_columns_free(t, &t->columns);
	ids_free(t->ids);
	samples_free(&t->samples);
	task_names_free(t);
	vec_free(&t->places);
	vec_free(&t->runs);
	sbuf_free(&t->key);
	cachefile_close(&t->cache);
	pthread_mutex_destroy(&t->asking);
	pthread_mutex_destroy(&t->naming);
	free(t->cache_dir);
	free(t);
}

static void kind_close(struct trace *trace)
{
	struct tasks *t = tasks_of(trace);

	lines_stop(&t->lines);
#ifdef HAVE_SQLITE
	database_close(t->database);
#endif
	lines_close(&t->lines);
	task_trace_free(t);
}

/* Rows that were read stay, whatever became of the rest. */
static enum status read_all(struct lines *l, struct error *e)
{
	struct tasks *t = tasks_of(&l->trace);
	enum status status = STATUS_OK;

	if (t->cached)
		return STATUS_OK;
	t->ids = ids_new();
	if (t->ids)
		status = t->reader->read(t, e);
	if (!t->ids || !task_publish_end(t) || l->failed)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (!status && !lines_stopped(l) && !t->followed && !t->reader->uncached)
		task_cache_save(t);
	return status == STATUS_INTERRUPTED ? STATUS_OK : status;
}

/* A pipe and a packed file are not there yet: the thread sees what is in them. */
static enum status begin(struct lines *l, struct error *e)
{
	const struct source *s = l->trace.source;
	struct tasks *t = tasks_of(&l->trace);

	if (task_cache_load(t, t->options) || source_kind(s) != SOURCE_PLAIN || source_is_pipe(s) ||
	    !t->reader->open)
		return STATUS_OK;
	return t->reader->open(t, e);
}

static const struct lines_reader lines_reader = {
    .begin = begin, .all = read_all, .notes = note_keys, .note_count = TASK_NOTE_COUNT};

struct tasks *task_trace_new(const struct task_reader *reader, struct source *source)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->cache.fd = -1;
	pthread_mutex_init(&t->asking, NULL);
	pthread_mutex_init(&t->naming, NULL);
	t->reader = reader;
	t->form = reader->form;
	t->absent = reader->absent;
	t->lines.trace = (struct trace){&tasks_trace_kind, reader->format, source};
	samples_init(&t->samples);
	if (task_names_new(t) && t->samples.ids && t->samples.components && t->samples.texts)
		return t;
	task_trace_free(t);
	return NULL;
}

static enum status kind_open(struct trace **out, struct source *source, size_t format,
			     struct window *first, const struct trace_options *o, struct error *e)
{
	struct tasks *t = task_trace_new(readers[format], source);
	enum status status;

	if (!t) {
		source_release(source, first);
		source_close(source);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	t->options = o;
	t->followed = o->follow;
	t->asks = o->asks;
	t->cache_dir = o->cache_dir ? strdup(o->cache_dir) : NULL;
	status = lines_open(&t->lines, &lines_reader, first, e);
	if (status)
		kind_close(&t->lines.trace);
	else
		*out = &t->lines.trace;
	return status;
}

/* Only text is read as it grows. */
static enum status kind_follow(struct trace *t, bool on, struct error *e)
{
	if (tasks_of(t)->reader->line || !on) {
		tasks_of(t)->followed |= on;
		return source_follow(t->source, on, e);
	}
	return error_set(e, STATUS_UNSUPPORTED,
			 "a database is read once: open it again for what is new");
}

static void kind_progress(const struct trace *t, struct progress *p)
{
	lines_progress(t, p);
	p->cached = tasks_of(t)->cached;
	lines_lock(t);
	p->reached = p->items + tasks_of(t)->publications;
	p->note = tasks_of(t)->note[0] ? tasks_of(t)->note : NULL;
	lines_unlock(t);
	if (p->complete)
		p->bytes_done = p->bytes_total;
	else if (tasks_of(t)->bytes_done)
		p->bytes_done = tasks_of(t)->bytes_done;
}

/* ---- components ---- */

static size_t kind_component_count(const struct trace *t)
{
	size_t count = tasks_lock(t)->component_count;

	tasks_unlock(t);
	return count;
}

static bool kind_component(const struct trace *t, size_t i, struct trace_component *out)
{
	const struct task_columns *c = tasks_lock(t);
	bool there = i < c->component_count;

	if (there)
		*out = (struct trace_component){tasks_component(t, (uint32_t)i),
						c->component_from[i + 1] - c->component_from[i]};
	tasks_unlock(t);
	return there;
}

/* ---- metrics: those that are worked out, then those that were sampled ---- */

static size_t kind_metric_count(const struct trace *t)
{
	return task_metric_count(t) + samples_metric_count(t);
}

static bool kind_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	const size_t worked_out = task_metric_count(t);

	return i < worked_out ? task_metric(t, i, out) : samples_metric(t, i - worked_out, out);
}

static bool kind_metric_find(const struct trace *t, const char *name,
			     const struct regex *component, struct metric_ref *out)
{
	return task_metric_find(t, name, component, out) ||
	       task_sampled_find(t, name, component, out);
}

static enum status kind_values(struct trace *t, const struct metric_ref *m, int64_t from,
			       int64_t to, size_t n, double *values, bool *exact, struct error *e)
{
	if (exact)
		*exact = true;
	if (!m->sampled)
		return task_metric_values(t, m, from, to, n, values, e);
	task_sampled_values(t, m, from, to, n, values);
	return STATUS_OK;
}

static bool kind_traced(struct trace *t, int64_t from, int64_t to)
{
	const struct task_tables *tables;
	bool traced;

	tasks_lock(t);
	tables = tasks_tables(t);
	traced = !tables->windows.count;
	for (size_t i = 0; i < tables->windows.count && !traced; i++)
		traced = tables->windows.data[i].start < to && from < tables->windows.data[i].end;
	tasks_unlock(t);
	return traced;
}

const struct trace_kind tasks_trace_kind = {
    LINES_TRACE,
    .name = "tasks",
    .items = "tasks",
    .format = kind_format,
    .open = kind_open,
    .close = kind_close,
    .progress = kind_progress,
    .follow = kind_follow,
    .component_count = kind_component_count,
    .component = kind_component,
    .metric_count = kind_metric_count,
    .metric = kind_metric,
    .metric_find = kind_metric_find,
    .kinds = task_kinds,
    .values = kind_values,
    .means = task_metric_means,
    .traced = kind_traced,
    .note_helps = note_helps,
    .info = task_info_sections,
    .info_make = task_info_make,
};
