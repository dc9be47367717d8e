#include "config.h"

#include "pipeline/kind.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/info.h"
#include "pipeline/store_private.h"

enum { ENTRY_ROWS = 128 }; /* of an entry of the index */

static const char *const series_names[SERIES_COUNT] = {
#define SERIES_NAME(name, text, help) text,
    SERIES_INFO(SERIES_NAME)
#undef SERIES_NAME
};

static const char *const series_helps[SERIES_COUNT] = {
#define SERIES_HELP(name, text, help) help,
    SERIES_INFO(SERIES_HELP)
#undef SERIES_HELP
};

static const struct store *store_of(const struct trace *t)
{
	return (const struct store *)t;
}

static struct store *store(struct trace *t)
{
	return (struct store *)t;
}

/* ---- formats and opening ---- */

static bool kind_format(size_t i, struct trace_format *out)
{
	size_t count = 0;

	while (readers[count])
		count++;
	if (i >= count)
		return false;
	*out = (struct trace_format){readers[i]->name, readers[i]->title,
				      readers[i]->unit, readers[i]->detect, NULL};
	return true;
}

static void wake(struct store *s)
{
	ssize_t n = write(s->wake[1], "", 1); /* full is as good as written */

	(void)n;
}

static void on_published(void *arg)
{
	wake(arg);
}

static void on_finished(void *arg, enum status status, const struct error *e)
{
	struct store *s = arg;
	bool followed;

	pthread_mutex_lock(&s->lock);
	followed = s->followed;
	pthread_mutex_unlock(&s->lock);
	/* read again, a file can be put in order */
	if (status == STATUS_OK && !s->cancelled && !followed && !s->counts.late)
		cache_save(s);
	else
		cachefile_discard(&s->cache, 0);
	pthread_mutex_lock(&s->lock);
	s->failed = status;
	s->error = *e;
	s->complete = true;
	s->seconds = store_clock() - s->started;
	pthread_cond_broadcast(&s->done);
	pthread_mutex_unlock(&s->lock);
	wake(s);
}

/* Statistics get their numbers in the order of the first ones in the text, for any threads. */
static void learn_names(struct store *s, const struct window *w)
{
	struct record out[64];
	struct lexer lx;

	lexer_begin(&lx, &s->names, true);
	while (s->reader->lex(&lx, w->text, w->len, false, out, 64) > 0)
		;
}

/* The names that the trace begins with: the format's own, or those asked for. */
static void begin_names(struct store *s, const struct trace_options *o, const struct window *first)
{
	const struct pipeline_settings *own = trace_settings_get(o->settings, &pipeline_kind);
	struct trace_config config;

	if (!pipeline_settings_config(own, s->reader, &config))
		s->reader->config(&config);
	names_init(&s->names, &config);
	s->names.of_cpus = s->reader->told != NULL;
	if (s->reader->recall) {
		s->segments = own ? own->segments : (struct segments){0, 0};
		segments_default(&s->segments);
	}
	if (s->reader->lex)
		learn_names(s, first);
}

/* Takes over the window. */
static enum status start(struct store *s, const struct trace_options *o, struct window *first,
			 struct error *e)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct indexer_options io = {
	    .source = s->source,
	    .reader = s->reader,
	    .first = *first,
	    .index = &s->index,
	    .counts = &s->counts,
	    .codes = &s->codes,
	    .names = &s->names,
	    .segments = s->segments,
	    .background = o->background,
	    .threads = o->threads > 0 ? o->threads : (int)(cores > 0 ? cores : 1),
	    .published = on_published,
	    .finished = on_finished,
	    .arg = s,
	};

	s->started = store_clock();
	if (!o->no_cache && !o->follow && cache_open(s, o)) {
		source_release(s->source, first);
		s->complete = s->cached = true;
		s->seconds = store_clock() - s->started;
		wake(s);
		return STATUS_OK;
	}
	if (!index_init(&s->index, s->cache.fd, CACHE_HEADER) || !codes_reserve(&s->codes)) {
		source_release(s->source, first);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	return indexer_start(&s->indexer, &io, e);
}

static enum status kind_open(struct trace **out, struct source *source, size_t format,
			     struct window *first, const struct trace_options *o, struct error *e)
{
	const struct reader *reader = readers[format];
	struct store *s = calloc(1, sizeof(*s));
	enum status st = STATUS_OK;

	*out = NULL;
	if (!s) {
		source_release(source, first);
		source_close(source);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	s->trace = (struct trace){
	    &pipeline_kind, {.name = reader->name, .title = reader->title, .unit = reader->unit}, source};
	s->source = source;
	s->reader = reader;
	s->cache.fd = s->wake[0] = s->wake[1] = -1;
	s->ticks_per_cycle = o->ticks_per_cycle;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->done, NULL);
	begin_names(s, o, first);
	trace_peek_done(source, first);
	if (pipe2(s->wake, O_CLOEXEC | O_NONBLOCK) < 0) {
		st = error_set(e, STATUS_IO, "no file descriptors left");
		source_release(source, first);
	} else {
		st = start(s, o, first, e);
	}
	if (st != STATUS_OK) {
		store_close(s);
		return st;
	}
	*out = trace_of_store(s);
	return STATUS_OK;
}

static void kind_close(struct trace *t)
{
	store_close(store(t));
}

/* ---- progress ---- */

static void kind_progress(const struct trace *t, struct progress *p)
{
	store_progress(store_of(t), p);
}

static int kind_wake_fd(const struct trace *t)
{
	return store_of(t)->wake[0];
}

static enum status kind_wait(struct trace *t, struct error *e)
{
	struct store *s = store(t);
	enum status st;

	pthread_mutex_lock(&s->lock);
	while (!s->complete)
		pthread_cond_wait(&s->done, &s->lock);
	st = s->failed;
	if (st != STATUS_OK && e)
		*e = s->error;
	pthread_mutex_unlock(&s->lock);
	return st;
}

static void kind_cancel(struct trace *t)
{
	struct store *s = store(t);

	pthread_mutex_lock(&s->lock);
	if (!s->complete)
		s->cancelled = true;
	pthread_mutex_unlock(&s->lock);
	if (s->indexer)
		indexer_cancel(s->indexer);
}

static enum status kind_follow(struct trace *t, bool on, struct error *e)
{
	struct store *s = store(t);
	bool complete;

	pthread_mutex_lock(&s->lock);
	complete = s->complete;
	s->followed |= on;
	pthread_mutex_unlock(&s->lock);
	return complete && on ? STATUS_OK : source_follow(s->source, on, e);
}

static bool kind_is_live(const struct trace *t)
{
	const struct store *s = store_of(t);
	bool complete;

	pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&s->lock);
	complete = s->complete;
	pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&s->lock);
	return !complete && source_is_live(s->source);
}

static int64_t kind_ticks_per_cycle(const struct trace *t)
{
	return store_ticks_per_cycle(store_of(t));
}

/* ---- components and metrics ---- */

static size_t kind_component_count(const struct trace *t)
{
	return store_stage_count(store_of(t));
}

static bool kind_component(const struct trace *t, size_t i, struct trace_component *out)
{
	struct totals totals;

	if (i >= store_stage_count(store_of(t)))
		return false;
	store_totals(store_of(t), &totals);
	*out = (struct trace_component){store_stage(store_of(t), i)->name, totals.stage_entries[i]};
	return true;
}

static size_t kind_metric_count(const struct trace *t)
{
	return SERIES_STATISTIC + store_metric_count(store_of(t));
}

static bool kind_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	if (i >= SERIES_STATISTIC)
		return store_metric(store_of(t), i - SERIES_STATISTIC, out);
	*out = (struct metric_info){
	    .name = series_names[i],
	    .help = series_helps[i],
	    .rate = series_is_rate(&(struct series){.kind = (enum series_kind)i}),
	    .per_component = i == SERIES_OCCUPANCY,
	};
	return true;
}

static bool kind_metric_find(const struct trace *t, const char *name,
			     const struct regex *component, struct metric_ref *out)
{
	struct series found;

	if (!series_parse(store_of(t), name, component, &found))
		return false;
	*out = metric_of_series(&found);
	return true;
}

static enum status kind_values(struct trace *t, const struct metric_ref *m, int64_t from,
			       int64_t to, size_t n, double *values, bool *exact, struct error *e)
{
	struct series q = {(enum series_kind)m->kind, m->set, m->index};
	enum status status = store_series(store(t), &q, from, to, n, values, exact, e);
	double cycle = (double)store_ticks_per_cycle(store(t));

	for (size_t i = 0; !status && series_is_rate(&q) && i < n; i++)
		values[i] *= cycle;
	return status;
}

/* An entry of the index. */
static int64_t kind_grain(const struct trace *t)
{
	struct progress p;

	store_progress(store_of(t), &p);
	return p.items ? (int64_t)(((double)p.last - (double)p.first + 1) / (double)p.items *
				  ENTRY_ROWS)
		      : 1;
}

/* ---- what was not understood ---- */

static uint64_t kind_warning_count(const struct trace *t)
{
	return store_warning_count(store_of(t));
}

static bool kind_warning(const struct trace *t, size_t i, struct warning *out)
{
	return store_warning(store_of(t), i, out);
}

static size_t kind_note_count(const struct trace *t)
{
	return store_note_count(store_of(t));
}

static const char *kind_note(const struct trace *t, size_t i, uint64_t *count)
{
	return store_note(store_of(t), i, count);
}

const struct trace_kind pipeline_kind = {
    .name = "pipeline",
    .items = "instructions",
    .settings_size = sizeof(struct pipeline_settings),
    .format = kind_format,
    .open = kind_open,
    .close = kind_close,
    .progress = kind_progress,
    .wake_fd = kind_wake_fd,
    .wait = kind_wait,
    .cancel = kind_cancel,
    .follow = kind_follow,
    .is_live = kind_is_live,
    .ticks_per_cycle = kind_ticks_per_cycle,
    .component_count = kind_component_count,
    .component = kind_component,
    .metric_count = kind_metric_count,
    .metric = kind_metric,
    .metric_find = kind_metric_find,
    .values = kind_values,
    .grain = kind_grain,
    .warning_count = kind_warning_count,
    .warning = kind_warning,
    .note_count = kind_note_count,
    .note = kind_note,
    .note_helps = note_helps,
    .info = pipeline_info_sections,
    .info_make = pipeline_info_make,
};
