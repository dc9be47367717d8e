#include "config.h"

#include "pipeline/queries/renames.h"

#include <math.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "pipeline/kind.h"

const char *const fate_names[FATE_COUNT] = {
#define FATE_NAME(name, text, letter, help) text,
    FATE_INFO(FATE_NAME)
#undef FATE_NAME
};

const char fate_letters[FATE_COUNT] = {
#define FATE_LETTER(name, text, letter, help) letter,
    FATE_INFO(FATE_LETTER)
#undef FATE_LETTER
};

double store_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- opening ----------------------------------------------------------------------------- */

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
		cache_discard(s);
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

static enum status unknown_format(const struct source *source, const struct window *w,
				  struct error *e)
{
	struct sbuf name = {0}, known = {0};
	bool binary = memchr(w->text, '\0', w->len < 512 ? w->len : 512) != NULL;

	text_sanitise(&name, source_path(source), strlen(source_path(source)));
	for (size_t i = 0; readers[i]; i++)
		sbuf_printf(&known, "%s%s", i ? ", " : "", readers[i]->name);
	error_set(e, STATUS_INPUT, "%s:1: %snot a trace pipeglass knows (%s); name the format with --as",
		  sbuf_text(&name), binary ? "binary data, " : "", sbuf_text(&known));
	sbuf_free(&name);
	sbuf_free(&known);
	return STATUS_INPUT;
}

/* The names that the trace begins with: the format's own, or those asked for. */
static void begin_names(struct store *s, const struct store_options *o, const struct window *first)
{
	struct trace_config config;

	s->reader->config(&config);
	names_init(&s->names, o->config ? o->config : &config);
	s->names.of_cpus = s->reader->told != NULL;
	if (s->reader->recall) {
		s->segments = o->segments;
		segments_default(&s->segments);
	}
	if (s->reader->lex)
		learn_names(s, first);
}

/* Takes over the window. */
static enum status start(struct store *s, const struct store_options *o, struct window *first,
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
	if (!o->no_cache && !o->follow && cache_open(s, o->cache_dir)) {
		source_release(s->source, first);
		s->complete = s->cached = true;
		s->seconds = store_clock() - s->started;
		wake(s);
		return STATUS_OK;
	}
	if (!index_init(&s->index, s->cache_fd, CACHE_HEADER) || !codes_reserve(&s->codes)) {
		source_release(s->source, first);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	return indexer_start(&s->indexer, &io, e);
}

enum status store_open_known(struct store **out, struct source *source, const struct reader *reader,
			     struct window *first, const struct store_options *o, struct error *e)
{
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
	s->cache_fd = s->wake[0] = s->wake[1] = -1;
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
	*out = s;
	return STATUS_OK;
}

static bool knows(void *arg, const char *text, size_t len)
{
	const struct reader **reader = arg;

	if (!*reader)
		*reader = reader_detect(text, len);
	return *reader != NULL;
}

enum status store_open_source(struct store **out, struct source *source,
			      const struct store_options *options, struct error *e)
{
	static const struct store_options none;
	const struct store_options *o = options ? options : &none;
	const struct reader *reader = o->as;
	struct window first = {0};
	enum status st = o->follow ? source_follow(source, true, e) : STATUS_OK;

	*out = NULL;
	if (st == STATUS_OK)
		st = trace_peek(source, knows, &reader, &first, e);
	if (st == STATUS_OK && !reader) {
		st = unknown_format(source, &first, e);
		source_release(source, &first);
	}
	if (st != STATUS_OK) {
		source_close(source);
		return st;
	}
	return store_open_known(out, source, reader, &first, o, e);
}

enum status store_open(struct store **out, const char *path, const struct store_options *options,
		       struct error *e)
{
	struct source *source;
	enum status st = source_open(&source, path, e);

	*out = NULL;
	return st == STATUS_OK ? store_open_source(out, source, options, e) : st;
}

enum status store_open_fd(struct store **out, int fd, const char *name,
			  const struct store_options *options, struct error *e)
{
	struct source *source;
	enum status st = source_open_fd(&source, fd, name, e);

	*out = NULL;
	return st == STATUS_OK ? store_open_source(out, source, options, e) : st;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->indexer) {
		store_cancel(s);
		indexer_join(s->indexer);
	}
	cache_discard(s);
	if (s->map)
		s->index.blob.base = NULL;
	index_free(&s->index);
	if (s->map)
		munmap(s->map, s->map_len);
	if (s->cache_fd >= 0)
		close(s->cache_fd);
	sbuf_free(&s->cache_path);
	sbuf_free(&s->cache_temp);
	vec_free(&s->counts.warnings);
	codes_free(&s->codes);
	source_close(s->source);
	names_free(&s->names);
	for (int i = 0; i < 2; i++)
		if (s->wake[i] >= 0)
			close(s->wake[i]);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->done);
	free(s);
}

/* ---- progress ---------------------------------------------------------------------------- */

void store_progress(const struct store *s, struct progress *p)
{
	struct store *m = (struct store *)(uintptr_t)s;
	char drain[64];
	bool whole;

	while (read(s->wake[0], drain, sizeof(drain)) > 0)
		;
	memset(p, 0, sizeof(*p));
	pthread_mutex_lock(&m->lock);
	p->complete = s->complete;
	p->cached = s->cached;
	p->cancelled = s->cancelled;
	p->failed = s->failed;
	p->why = s->failed ? s->error.text : NULL;
	p->seconds = s->complete ? s->seconds : store_clock() - s->started;
	p->note = s->note[0] ? s->note : NULL;
	pthread_mutex_unlock(&m->lock);
	store_read_lock(s);
	p->items = rows_total(&s->index);
	p->reached = s->index.off_end;
	p->first = s->counts.first;
	p->last = s->counts.last;
	if (!p->complete && s->index.page_count)
		p->last = s->index.tick_end - 1;
	else if (!p->complete)
		p->last = p->first - 1;
	p->index_bytes = p->complete && s->index_bytes ? s->index_bytes : s->index.blob.len;
	store_unlock(s);
	source_progress(s->source, &p->bytes_done, &p->bytes_total);
	if (p->complete && !p->cancelled)
		p->bytes_done = p->bytes_total;
	p->source_bytes = source_size(s->source, &whole);
}

enum status store_wait(struct store *s, struct error *e)
{
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

void store_cancel(struct store *s)
{
	pthread_mutex_lock(&s->lock);
	if (!s->complete)
		s->cancelled = true;
	pthread_mutex_unlock(&s->lock);
	if (s->indexer)
		indexer_cancel(s->indexer);
}

enum status store_follow(struct store *s, bool on, struct error *e)
{
	bool complete;

	pthread_mutex_lock(&s->lock);
	complete = s->complete;
	s->followed |= on;
	pthread_mutex_unlock(&s->lock);
	return complete && on ? STATUS_OK : source_follow(s->source, on, e);
}

bool store_is_live(const struct store *s)
{
	bool complete;

	pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&s->lock);
	complete = s->complete;
	pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&s->lock);
	return !complete && source_is_live(s->source);
}

int store_wake_fd(const struct store *s)
{
	return s->wake[0];
}

struct source *store_source(struct store *s)
{
	return s->source;
}

const struct reader *store_format(const struct store *s)
{
	return s->reader;
}

int64_t store_ticks_per_cycle(const struct store *s)
{
	int64_t found;

	if (strcmp(s->reader->unit, "cycle") == 0)
		return 1;
	if (s->ticks_per_cycle > 0)
		return s->ticks_per_cycle;
	store_read_lock(s);
	found = s->counts.ticks_per_cycle;
	store_unlock(s);
	return found > 0 ? found : 1;
}

struct segments store_segments(const struct store *s)
{
	return s->segments;
}

const char *store_unit(const struct store *s)
{
	return s->reader->unit;
}

/* ---- names and counts -------------------------------------------------------------------- */

static size_t names_count(const struct store *s, const size_t *count)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&s->names.lock;
	size_t n;

	pthread_mutex_lock(lock);
	n = *count;
	pthread_mutex_unlock(lock);
	return n;
}

size_t store_stage_count(const struct store *s)
{
	return names_count(s, &s->names.config.stage_count);
}

const struct stage_info *store_stage(const struct store *s, size_t stage)
{
	return &s->names.config.stages[stage < STAGE_MAX ? stage : 0];
}

size_t store_event_count(const struct store *s)
{
	return names_count(s, &s->names.config.event_count);
}

const struct event_info *store_event(const struct store *s, size_t event)
{
	return &s->names.config.events[event < EVENT_MAX ? event : 0];
}

size_t store_metric_count(const struct store *s)
{
	return names_count(s, &s->names.metric_count);
}

bool store_metric(const struct store *s, size_t metric, struct metric_info *out)
{
	if (metric >= store_metric_count(s))
		return false;
	store_read_lock(s);
	*out = (struct metric_info){.name = s->names.metrics[metric],
				    .sampled = true,
				    .samples = s->counts.metrics[metric].count,
				    .min = s->counts.metrics[metric].min,
				    .max = s->counts.metrics[metric].max,
				    .total = NAN};
	store_unlock(s);
	return true;
}

size_t store_lane_count(const struct store *s)
{
	return names_count(s, &s->names.lane_count);
}

const char *store_lane(const struct store *s, size_t lane)
{
	return s->names.lanes[lane < LANE_MAX ? lane : 0];
}

size_t store_thread_count(const struct store *s)
{
	return names_count(s, &s->names.thread_count);
}

int64_t store_thread_name(const struct store *s, uint16_t thread)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&s->names.lock;
	int64_t value;

	pthread_mutex_lock(lock); /* the table may move */
	value = thread && thread <= s->names.thread_count ? s->names.threads[thread - 1] : 0;
	pthread_mutex_unlock(lock);
	return value;
}

int64_t store_thread(const struct store *s, uint16_t thread)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&s->names.lock;
	int64_t value = store_thread_name(s, thread);

	if (!s->names.of_cpus)
		return value;
	pthread_mutex_lock(lock);
	value = names_shown_thread(&s->names, value);
	pthread_mutex_unlock(lock);
	return value;
}

uint64_t store_link_count(const struct store *s)
{
	uint64_t n;

	store_read_lock(s);
	n = s->counts.links + s->counts.notes[NOTE_REGISTER_READS];
	store_unlock(s);
	return n;
}

bool store_link_count_is_bound(const struct store *s)
{
	return renames_are_told(s);
}

void store_totals(const struct store *s, struct totals *t)
{
	const struct sums *sum = &s->index.total;

	store_read_lock(s);
	*t = s->counts.totals;
	t->micro_ops = sum->micro_ops;
	t->committed_macro = sum->committed_macro;
	for (size_t i = 0; i < STAGE_MAX; i++)
		t->stage_ticks[i] = (int64_t)sum->area[i];
	memcpy(t->event_rows, sum->event_rows, sizeof(t->event_rows));
	for (size_t i = 0; i < s->index.unborn.count; i++)
		for (unsigned set = s->index.unborn.data[i].events; set; set &= set - 1)
			t->event_rows[__builtin_ctz(set)]++;
	store_unlock(s);
}

size_t store_note_count(const struct store *s)
{
	(void)s;
	return NOTE_COUNT;
}

const char *store_note(const struct store *s, size_t i, uint64_t *count)
{
	store_read_lock(s);
	*count = s->counts.notes[i];
	store_unlock(s);
	return note_keys[i];
}

/* A broken compressed stream is the first warning: it is the cause of the others. */
uint64_t store_warning_count(const struct store *s)
{
	uint64_t n;

	store_read_lock(s);
	n = s->counts.warning_count;
	store_unlock(s);
	return n + (source_damage(s->source) != NULL);
}

bool store_warning(const struct store *s, size_t i, struct warning *out)
{
	const char *damage = source_damage(s->source);
	uint64_t rows;
	bool whole, found = true;

	store_read_lock(s);
	rows = rows_total(&s->index);
	if (damage && i == 0) {
		*out = (struct warning){s->counts.lines + 1, source_size(s->source, &whole),
					rows ? rows - 1 : ROW_NONE, damage};
	} else if (i - (damage != NULL) < s->counts.warnings.count) {
		const struct warning_entry *w =
		    &s->counts.warnings.data[i - (damage != NULL)];
		uint64_t row = w->row + s->index.early;

		*out = (struct warning){w->line + 1, w->off,
					row < rows ? row : rows ? rows - 1 : ROW_NONE,
					bad_texts[w->bad]};
	} else {
		found = false;
	}
	store_unlock(s);
	return found;
}

size_t store_code_count(const struct store *s)
{
	size_t n;

	store_read_lock(s);
	n = s->codes.count;
	store_unlock(s);
	return n;
}

bool store_code(const struct store *s, uint32_t code, uint64_t *pc, bool *has_pc, const char **text,
		size_t *len)
{
	bool ok;

	store_read_lock(s);
	ok = code < s->codes.count;
	*pc = codes_pc(&s->codes, code, has_pc);
	*text = codes_text(&s->codes, code, len);
	store_unlock(s);
	if (!ok)
		*text = "";
	return ok;
}
