#include "config.h"

#include "pipeline/index/rowfeed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pipeline/store_private.h"
#include "source/tempfile.h"

enum { ROWS_AHEAD = 12 };

/* A run's place in the merge: from memory by its keys, from the temporary file front to back. */
struct source_run {
	struct row_key head;
	uint64_t order;
	struct row_run *run; /* NULL: in the file */
	size_t next;
	const uint64_t *words, *words_end;
};

struct spilled {
	uint64_t at, len; /* in words of the file */
};

struct row_feed {
	struct trace_index *ix;
	struct trace_counts *counts;
	struct names *names;
	struct row_leaves leaves;
	struct horizon horizon;
	bool ticks; /* are not cycles */
	uint64_t order, records, text; /* text: counted up to there */
	VEC(struct source_run) heap;
	VEC(struct row_run *) done;
	struct row_key last; /* given out */
	bool any_out, failed;
	VEC(int64_t) warning_ticks; /* of counts->warnings */
	struct period period;
	int64_t last_start;
	/* the temporary file that all are sorted in */
	int fd; /* -1: none, they go by the horizon */
	uint64_t words;
	VEC(struct spilled) spilled;
	uint64_t *map;
};

struct row_feed *row_feed_new(struct trace_index *ix, struct trace_counts *counts,
			      struct names *names, bool ticks)
{
	struct row_feed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->ix = ix;
	f->counts = counts;
	f->names = names;
	f->ticks = ticks;
	f->fd = -1;
	horizon_init(&f->horizon, FEED_WINDOW);
	row_leaves_init(&f->leaves, ix, names);
	for (size_t i = 0; i < EVENT_MAX; i++)
		counts->totals.event_latency[i] = -1;
	counts->last = -1;
	return f;
}

static void drop_runs(struct row_feed *f)
{
	for (size_t i = 0; i < f->heap.count; i++)
		if (f->heap.data[i].run)
			row_run_free(f->heap.data[i].run);
	for (size_t i = 0; i < f->done.count; i++)
		row_run_free(f->done.data[i]);
	vec_clear(&f->heap);
	vec_clear(&f->done);
}

void row_feed_free(struct row_feed *f)
{
	if (!f)
		return;
	drop_runs(f);
	vec_free(&f->heap);
	vec_free(&f->done);
	horizon_free(&f->horizon);
	vec_free(&f->warning_ticks);
	vec_free(&f->spilled);
	if (f->map)
		munmap(f->map, f->words * 8);
	if (f->fd >= 0)
		close(f->fd);
	row_leaves_free(&f->leaves);
	free(f);
}

bool row_feed_sort(struct row_feed *f)
{
	f->fd = tempfile_open();
	return f->fd >= 0;
}

uint64_t row_feed_records(const struct row_feed *f)
{
	return f->records;
}

struct row_run *row_feed_recycle(struct row_feed *f)
{
	return f->done.count ? f->done.data[--f->done.count] : NULL;
}

static void retire(struct row_feed *f, struct row_run *run)
{
	row_run_clear(run);
	if (!vec_push(&f->done, run))
		row_run_free(run);
}

/* ---- merging ----------------------------------------------------------------------------- */

static const struct packed_row *head_row(const struct source_run *s)
{
	return (const struct packed_row *)(const void *)(s->run ? s->run->words.data + s->head.at
								: s->words);
}

/* False: it is used up. */
static bool load_head(struct source_run *s)
{
	const struct packed_row *p;

	if (s->run) {
		if (s->next >= s->run->keys.count)
			return false;
		s->head = s->run->keys.data[s->next];
		return true;
	}
	if (s->words >= s->words_end)
		return false;
	p = head_row(s);
	s->head = (struct row_key){p->start, p->id, 0, p->cpu};
	return true;
}

/* Rows lie in the order of the text, which was read some megabytes ago: fetch those to come. */
static inline void fetch_ahead(const struct source_run *s)
{
	size_t k = s->next + ROWS_AHEAD;

	if (k < s->run->keys.count) {
		const uint64_t *row = s->run->words.data + s->run->keys.data[k].at;

		__builtin_prefetch(row);
		__builtin_prefetch(row + 8);
	}
}

static bool step_head(struct source_run *s)
{
	if (s->run) {
		s->next++;
		fetch_ahead(s);
	} else {
		s->words += packed_size(head_row(s));
	}
	return load_head(s);
}

static bool source_less(const struct source_run *a, const struct source_run *b)
{
	if (row_key_less(&a->head, &b->head))
		return true;
	return !row_key_less(&b->head, &a->head) && a->order < b->order;
}

static void sift_down(struct row_feed *f)
{
	struct source_run top = f->heap.data[0];
	size_t n = f->heap.count, i = 0, down;

	for (; (down = 2 * i + 1) < n; i = down) {
		if (down + 1 < n && source_less(&f->heap.data[down + 1], &f->heap.data[down]))
			down++;
		if (!source_less(&f->heap.data[down], &top))
			break;
		f->heap.data[i] = f->heap.data[down];
	}
	f->heap.data[i] = top;
}

static bool push_source(struct row_feed *f, struct source_run s)
{
	size_t i = f->heap.count, up;

	if (!load_head(&s)) {
		if (s.run)
			retire(f, s.run);
		return true;
	}
	if (!vec_push(&f->heap, s)) {
		row_run_free(s.run);
		return false;
	}
	for (; i > 0 && source_less(&s, &f->heap.data[up = (i - 1) / 2]); i = up)
		f->heap.data[i] = f->heap.data[up];
	f->heap.data[i] = s;
	return true;
}

static void give_out(struct row_feed *f, const struct source_run *s)
{
	const struct packed_row *p = head_row(s);
	uint16_t thread = s->run ? s->run->thread_map[p->thread] : p->thread;
	uint32_t code = s->run ? row_run_code(s->run, p) : p->code;

	if (f->ticks && f->leaves.rows && p->start != f->last_start &&
	    period_wants(p->offset, p->id))
		period_add(&f->period, (uint64_t)p->start - (uint64_t)f->last_start, 1);
	f->last_start = p->start;
	row_leaves_add(&f->leaves, p, code, thread);
}

/* The run whose turn comes after the first one's: the lesser child. NULL: there is but one. */
static const struct source_run *second(const struct row_feed *f)
{
	if (f->heap.count < 2)
		return NULL;
	if (f->heap.count > 2 && source_less(&f->heap.data[2], &f->heap.data[1]))
		return &f->heap.data[2];
	return &f->heap.data[1];
}

/* All rows that start before the tick. */
static void merge_until(struct row_feed *f, int64_t tick)
{
	while (f->heap.count && f->heap.data[0].head.start < tick && !f->leaves.failed) {
		struct source_run *top = &f->heap.data[0];
		const struct source_run *next = second(f);
		bool more = true;

		while (more && top->head.start < tick && (!next || source_less(top, next))) {
			give_out(f, top);
			f->last = top->head;
			f->any_out = true;
			more = step_head(top);
		}
		if (!more) {
			if (top->run)
				retire(f, top->run);
			f->heap.data[0] = f->heap.data[--f->heap.count];
		}
		if (f->heap.count)
			sift_down(f);
	}
}

/* ---- the temporary file ------------------------------------------------------------------ */

static bool write_words(struct row_feed *f, const uint64_t *words, size_t n)
{
	uint64_t at = f->words * 8;

	f->words += n;
	return tempfile_write(f->fd, at, words, n * 8) == n * 8;
}

enum { SPILL_WORDS = 16 << 10 };

/* Rows in order, with the trace's own threads and codes, behind what is in the file. */
static bool spill(struct row_feed *f, struct row_run *run)
{
	struct spilled s = {f->words, 0};
	uint64_t *out = malloc(SPILL_WORDS * sizeof(*out));
	size_t n = 0;
	bool ok = out != NULL;

	for (size_t i = 0; ok && i < run->keys.count; i++) {
		struct packed_row *p =
		    (struct packed_row *)(void *)(run->words.data + run->keys.data[i].at);
		size_t size = packed_size(p);

		if (n + size > SPILL_WORDS) {
			ok = write_words(f, out, n);
			n = 0;
		}
		p->thread = run->thread_map[p->thread];
		p->code = row_run_code(run, p);
		memcpy(out + n, p, size * 8);
		n += size;
	}
	ok = ok && write_words(f, out, n);
	free(out);
	s.len = f->words - s.at;
	return ok && vec_push(&f->spilled, s);
}

static bool map_spilled(struct row_feed *f)
{
	if (f->words == 0)
		return true;
	f->map = mmap(NULL, f->words * 8, PROT_READ, MAP_SHARED, f->fd, 0);
	if (f->map == MAP_FAILED) {
		f->map = NULL;
		return false;
	}
	for (size_t i = 0; i < f->spilled.count; i++) {
		const uint64_t *words = f->map + f->spilled.data[i].at;
		struct source_run s = {
		    .order = i, .words = words, .words_end = words + f->spilled.data[i].len};

		if (!push_source(f, s))
			return false;
	}
	return true;
}

/* ---- counts ------------------------------------------------------------------------------ */

static void warn(struct row_feed *f, struct warning_entry w, int64_t tick)
{
	struct trace_counts *c = f->counts;

	if (c->warnings.count < TRACE_WARNINGS &&
	    (!vec_push(&c->warnings, w) || !vec_push(&f->warning_ticks, tick)))
		f->failed = true;
}

static void count_text(struct row_feed *f, const struct row_lexer *lx)
{
	struct trace_counts *c = f->counts;

	for (size_t i = 0; i < NOTE_COUNT; i++)
		c->notes[i] += lx->notes[i];
	for (size_t i = 0; i < ROW_STAGES; i++)
		if (lx->stage[i] < STAGE_MAX)
			c->totals.stage_entries[lx->stage[i]] += lx->entries[i];
	for (size_t i = 0; i < lx->bad.count; i++) {
		const struct row_bad *b = &lx->bad.data[i];

		warn(f, (struct warning_entry){c->lines + b->line, b->off, 0, b->bad}, b->tick);
	}
	c->warning_count += lx->bad_count;
	c->lines += lx->line;
	f->records += lx->records;
	f->text = lx->off + lx->pos;
}

static void count_rows(struct row_feed *f)
{
	struct trace_counts *c = f->counts;
	const struct row_leaves *l = &f->leaves;
	uint64_t off;

	c->totals.instructions = l->rows;
	memcpy(c->totals.fates, l->fates, sizeof(c->totals.fates));
	if (l->begun) {
		c->last = l->end_max;
		c->started = true;
	}
	if (!f->ticks)
		return;
	c->ticks_per_cycle = period_ticks(&f->period, &off);
	c->notes[NOTE_OFF_CLOCK] = off;
}

/* The first row is the oldest: it tells where the trace begins. */
static void count_first(struct row_feed *f, int64_t safe)
{
	if (f->heap.count == 0 || f->leaves.begun || f->heap.data[0].head.start >= safe)
		return;
	pthread_rwlock_wrlock(&f->ix->lock);
	f->counts->first = f->ix->first = f->heap.data[0].head.start;
	pthread_rwlock_unlock(&f->ix->lock);
}

/* Rows that start before safe. */
static void publish(struct row_feed *f, int64_t safe)
{
	count_first(f, safe);
	merge_until(f, safe);
	pthread_rwlock_wrlock(&f->ix->lock);
	count_rows(f);
	pthread_rwlock_unlock(&f->ix->lock);
	f->failed |= f->leaves.failed;
}

/* ---- runs -------------------------------------------------------------------------------- */

static void name_threads(struct row_feed *f, struct row_run *run)
{
	run->thread_map[0] = 0;
	for (size_t i = 0; i < run->threads.count; i++) {
		int number = names_thread(f->names, run->threads.data[i]);

		run->thread_map[i + 1] = number > 0 ? (uint16_t)number : 0;
	}
}

/* True: some waited long enough; then those of the leaf being filled are seen, too. */
static bool advance(struct row_feed *f, double now)
{
	bool waited = horizon_move(&f->horizon, now);

	publish(f, horizon_safe(&f->horizon));
	if (waited)
		row_leaves_show(&f->leaves);
	return waited;
}

static uint64_t line_feeds(struct source *source, uint64_t from, uint64_t to)
{
	struct window w;
	struct error ignored;
	uint64_t n = 0;

	if (source_map(source, from, (size_t)(to - from), &w, &ignored) != STATUS_OK)
		return 0;
	for (const char *p = w.text, *end = p + w.len; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		n++;
	source_release(source, &w);
	return n;
}

/* It belongs before what was given out, or into a leaf that was shown. */
static bool is_late(const struct row_feed *f, const struct row_key *key)
{
	return f->any_out &&
	       (row_key_less(key, &f->last) || key->start < row_leaves_floor(&f->leaves));
}

/* Those of the run, whose text goes on behind what was counted, that come too late. */
static void warn_late(struct row_feed *f, const struct row_run *run)
{
	struct trace_counts *c = f->counts;

	for (size_t i = 0; i < run->keys.count && is_late(f, &run->keys.data[i]); i++) {
		const struct packed_row *p =
		    (const struct packed_row *)(const void *)(run->words.data +
							      run->keys.data[i].at);
		uint64_t line = c->lines;

		if (c->warnings.count < TRACE_WARNINGS && p->offset > f->text)
			line += line_feeds(run->source, f->text, p->offset);
		pthread_rwlock_wrlock(&f->ix->lock);
		warn(f, (struct warning_entry){line, p->offset, 0, BAD_LATE},
		     row_leaves_floor(&f->leaves));
		c->warning_count++;
		c->late++;
		pthread_rwlock_unlock(&f->ix->lock);
	}
}

bool row_feed_add(struct row_feed *f, struct row_run *run, const struct row_lexer *lexer,
		  double now, bool idle)
{
	struct source_run s = {.order = f->order++, .run = run};
	bool ok = !run->failed;

	if (!ok) {
		retire(f, run);
		return false;
	}
	name_threads(f, run);
	period_merge(&f->period, &run->period);
	warn_late(f, run);
	pthread_rwlock_wrlock(&f->ix->lock);
	count_text(f, lexer);
	pthread_rwlock_unlock(&f->ix->lock);
	if (f->fd >= 0) {
		ok = spill(f, run);
		retire(f, run);
		return ok && !f->failed;
	}
	if (run->keys.count && is_late(f, run->keys.data))
		horizon_widen(&f->horizon, run->keys.data->start);
	ok = horizon_take(&f->horizon, run->keys.count, run->start_max, now) && push_source(f, s);
	advance(f, idle ? now : HORIZON_TIMELESS);
	return ok && !f->failed;
}

bool row_feed_elapse(struct row_feed *f, double now)
{
	if (f->fd >= 0 || !advance(f, now))
		return false;
	row_feed_show(f);
	return true;
}

bool row_feed_waits(const struct row_feed *f)
{
	return f->fd < 0 && horizon_waits(&f->horizon) && !f->failed;
}

void row_feed_show(struct row_feed *f)
{
	index_flush(f->ix);
}

/* ---- the end ----------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
	const struct warning_entry *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

/* Where a jump to a warning goes: the row that starts at its tick. */
static void place_warnings(struct row_feed *f)
{
	struct trace_counts *c = f->counts;

	for (size_t i = 0; i < c->warnings.count && i < f->warning_ticks.count; i++)
		c->warnings.data[i].row = rows_born_at(f->ix, f->warning_ticks.data[i]);
	if (c->notes[NOTE_OFF_CLOCK]) {
		struct warning_entry w = {UINT64_MAX, 0, 0, BAD_CLOCKS}; /* of no line */

		c->warning_count++;
		c->warnings.count -= c->warnings.count >= TRACE_WARNINGS;
		if (!vec_push(&c->warnings, w))
			f->failed = true;
	}
	if (c->warnings.count)
		qsort(c->warnings.data, c->warnings.count, sizeof(*c->warnings.data), by_line);
}

bool row_feed_finish(struct row_feed *f)
{
	if (f->fd >= 0 && !map_spilled(f))
		f->failed = true;
	if (!f->failed)
		publish(f, INT64_MAX);
	row_leaves_finish(&f->leaves);
	f->failed |= f->leaves.failed;
	index_settle_late(f->ix);
	pthread_rwlock_wrlock(&f->ix->lock);
	place_warnings(f);
	f->ix->complete = true;
	pthread_rwlock_unlock(&f->ix->lock);
	return !f->failed;
}
