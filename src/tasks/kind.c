#include "config.h"

#include "tasks/kind.h"

#include <stdlib.h>
#include <string.h>

#include "tasks/tasks_private.h"

static const struct task_reader *const readers[] = {&akita_task_reader, &csv_task_reader,
						    &json_task_reader};

enum { READERS = sizeof(readers) / sizeof(readers[0]) };

static const char *const note_keys[] = {
#define NOTE_KEY(name, key) key,
    TASK_NOTES(NOTE_KEY)
#undef NOTE_KEY
};

/* ---- opening ---- */

static bool kind_format(size_t i, struct trace_format *out)
{
	if (i >= READERS)
		return false;
	*out = readers[i]->format;
	return true;
}

static void free_names(struct tasks *t)
{
	intern_free(t->components);
	intern_free(t->kinds);
	intern_free(t->whats);
	intern_free(t->texts);
	intern_free(t->slot_keys);
	intern_free(t->label_keys);
	intern_free(t->place_ids);
	intern_free(t->places);
	vec_free(&t->place_names);
	sbuf_free(&t->key);
}

static void free_tables(struct task_tables *tables)
{
	vec_free(&tables->slots);
	vec_free(&tables->labels);
	vec_free(&tables->windows);
	vec_free(&tables->properties);
	vec_free(&tables->figures);
	vec_free(&tables->specs);
	vec_free(&tables->ports);
}

static void free_all(struct tasks *t)
{
	task_columns_free(t);
	task_ids_free(t->ids);
	task_metrics_free(t->metrics);
	free_tables(&t->tables);
	free_names(t);
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
	pthread_mutex_destroy(&t->asking);
	free_all(t);
}

static bool make_names(struct tasks *t)
{
	bool ok = true;
	struct intern **const all[] = {&t->components, &t->kinds,      &t->whats,     &t->texts,
				       &t->slot_keys,  &t->label_keys, &t->place_ids, &t->places};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ok &= (*all[i] = intern_new()) != NULL;
	t->ids = task_ids_new();
	t->metrics = task_metrics_new();
	return ok && t->ids && t->metrics;
}

/* Rows that were read stay, whatever became of the rest. */
static enum status read_all(struct lines *l, struct error *e)
{
	struct tasks *t = tasks_of(&l->trace);
	enum status status = t->reader->read(t, e);

	if (!task_publish_end(t) || l->failed)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	task_ids_free(t->ids);
	t->ids = NULL;
	return status;
}

/* A pipe and a packed file are not there yet: the thread sees what is in them. */
static enum status begin(struct lines *l, struct error *e)
{
	const struct source *s = l->trace.source;
	struct tasks *t = tasks_of(&l->trace);

	if (source_kind(s) != SOURCE_PLAIN || source_is_pipe(s) || !t->reader->open)
		return STATUS_OK;
	return t->reader->open(t, e);
}

static const struct lines_reader lines_reader = {
    .begin = begin, .all = read_all, .notes = note_keys, .note_count = TASK_NOTE_COUNT};

/* Ends the source, too. */
static enum status no_memory(struct tasks *t, struct source *source, struct window *first,
			     struct error *e)
{
	source_release(source, first);
	source_close(source);
	if (t)
		free_all(t);
	return error_set(e, STATUS_NOMEM, "out of memory");
}

static enum status kind_open(struct trace **out, struct source *source, size_t format,
			     struct window *first, const struct trace_options *o, struct error *e)
{
	struct tasks *t = calloc(1, sizeof(*t));
	enum status status;

	if (!t || !make_names(t))
		return no_memory(t, source, first, e);
	pthread_mutex_init(&t->asking, NULL);
	t->reader = readers[format];
	t->lines.trace = (struct trace){&tasks_trace_kind, t->reader->format, source};
	t->no_cache = o->no_cache;
	t->cache_dir = o->cache_dir ? strdup(o->cache_dir) : NULL;
	status = lines_open(&t->lines, &lines_reader, first, e);
	if (status)
		kind_close(&t->lines.trace);
	else
		*out = &t->lines.trace;
	return status;
}

/* What is there was read, or is being read; nothing is appended to it. */
static enum status kind_follow(struct trace *t, bool on, struct error *e)
{
	(void)t;
	return on ? error_set(e, STATUS_UNSUPPORTED,
			      "a trace of tasks is read once: open it again for what is new")
		  : STATUS_OK;
}

static void kind_progress(const struct trace *t, struct progress *p)
{
	lines_progress(t, p);
	p->reached = p->items;
	p->cached = tasks_of(t)->cached;
	p->note = tasks_of(t)->note[0] ? tasks_of(t)->note : NULL;
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

const struct trace_kind tasks_trace_kind = {
    .name = "tasks",
    .items = "tasks",
    .format = kind_format,
    .open = kind_open,
    .close = kind_close,
    .progress = kind_progress,
    .wake_fd = lines_wake_fd,
    .wait = lines_wait,
    .cancel = lines_cancel,
    .follow = kind_follow,
    .is_live = lines_is_live,
    .component_count = kind_component_count,
    .component = kind_component,
    .metric_count = task_metric_count,
    .metric = task_metric,
    .metric_find = task_metric_find,
    .values = task_metric_values,
    .means = task_metric_means,
    .warning_count = lines_warning_count,
    .warning = lines_warning,
    .note_count = lines_note_count,
    .note = lines_note,
};
