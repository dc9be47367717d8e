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
#include "trace/result.h"

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

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->indexer) {
		indexer_cancel(s->indexer);
		indexer_join(s->indexer);
	}
	if (s->map)
		s->index.blob.base = NULL;
	index_free(&s->index);
	if (s->map)
		munmap(s->map, s->map_len);
	cachefile_close(&s->cache);
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

void store_progress(const struct store *s, struct progress *p)
{
	struct store *m = (struct store *)(uintptr_t)s;
	bool whole;

	memset(p, 0, sizeof(*p));
	pthread_mutex_lock(&m->lock);
	p->complete = s->complete;
	p->cached = s->cached;
	p->cancelled = s->cancelled;
	p->failed = s->failed;
	p->why = s->failed ? s->error.text : NULL;
	p->seconds = s->complete ? s->seconds : store_clock() - s->started;
	p->note = s->cache.note[0] ? s->cache.note : NULL;
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
				    .total = NAN,
				    .mean = NAN};
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

struct value store_code_pc(const struct store *s, uint32_t code)
{
	const char *text;
	bool has_pc;
	uint64_t pc;
	size_t len;

	return store_code(s, code, &pc, &has_pc, &text, &len) && has_pc ? value_hex(pc)
									: value_none();
}

struct value store_code_text(const struct store *s, uint32_t code)
{
	const char *text;
	bool has_pc;
	uint64_t pc;
	size_t len;

	return store_code(s, code, &pc, &has_pc, &text, &len) ? value_bytes(text, len)
							      : value_none();
}
