#include "config.h"

#include "pipeline/kind.h"

#include <string.h>

#include "pipeline/info.h"

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

static enum status kind_open(struct trace **out, struct source *source, size_t format,
			     struct window *first, const struct trace_options *o, struct error *e)
{
	const struct pipeline_settings *own = trace_settings_get(o->settings, &pipeline_kind);
	struct trace_config config;
	struct store_options options = {
	    .threads = o->threads,
	    .no_cache = o->no_cache,
	    .background = o->background,
	    .cache_dir = o->cache_dir,
	    .follow = o->follow,
	    .ticks_per_cycle = o->ticks_per_cycle,
	};
	struct store *s;
	enum status status;

	if (own)
		options.segments = own->segments;
	if (pipeline_settings_config(own, readers[format], &config))
		options.config = &config; /* the store copies it */
	status = store_open_known(&s, source, readers[format], first, &options, e);
	*out = trace_of_store(s);
	return status;
}

static void kind_close(struct trace *t)
{
	store_close(store(t));
}

static void kind_progress(const struct trace *t, struct progress *p)
{
	store_progress(store_of(t), p);
}

static int kind_wake_fd(const struct trace *t)
{
	return store_wake_fd(store_of(t));
}

static enum status kind_wait(struct trace *t, struct error *e)
{
	return store_wait(store(t), e);
}

static void kind_cancel(struct trace *t)
{
	store_cancel(store(t));
}

static enum status kind_follow(struct trace *t, bool on, struct error *e)
{
	return store_follow(store(t), on, e);
}

static bool kind_is_live(const struct trace *t)
{
	return store_is_live(store_of(t));
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
    .info = pipeline_info_sections,
    .info_make = pipeline_info_make,
};
