#include "config.h"

#include "pipeline/index/indexer_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread.h"
#include "pipeline/store_private.h"

/* ---- cutting ----------------------------------------------------------------------------- */

/* The last cycle line in text[1..len) -> its place; 0: none. */
static size_t find_cut(const struct reader *reader, const char *text, size_t len, int64_t *tick)
{
	const char *end = text + len;

	for (size_t left = len; left > 1;) {
		const char *nl = memrchr(text, '\n', left - 1);

		if (!nl)
			return 0;
		if (reader->cut(nl + 1, end, tick))
			return (size_t)(nl + 1 - text);
		left = (size_t)(nl - text) + 1;
	}
	return 0;
}

static int64_t first_tick(const struct reader *reader, const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	int64_t tick = 0; /* of cycle lines that only count on, the first counts from 0 */

	while (p < end) {
		const char *nl;

		if (reader->cut(p, end, &tick))
			return tick;
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			break;
		p = nl + 1;
	}
	return 0;
}

/* The cycle that a piece ends in which has no cycle line but one that it may begin with. */
static int64_t only_tick(const struct reader *reader, const struct piece *p)
{
	int64_t tick = p->tick0;

	if (p->open)
		reader->cut(p->w.text, p->w.text + p->len, &tick);
	return tick;
}

/*
 * Where cycle lines count on from the one before, the next piece's tick is that of its first
 * line, so the clock is read as far as that. The piece's own first line is counted in tick0.
 */
static int64_t next_tick(const struct indexer *ix, const struct piece *p)
{
	const char *text = p->w.text, *end = text + p->w.len, *from = text, *to = text + p->len;
	const char *nl = memchr(to, '\n', (size_t)(end - to));

	if (ix->from > 0 && !p->open) {
		const char *first = memchr(text, '\n', p->len);

		from = first ? first + 1 : to;
	}
	if (p->cut)
		to = nl ? nl + 1 : end;
	return ix->o.reader->clock(from, (size_t)(to - from), p->tick0);
}

/*
 * Live text comes as it is written. Small pieces cost a leaf each, so let some come together;
 * but not longer than a person at the screen would notice.
 */
static void let_gather(struct indexer *ix)
{
	const struct timespec pause = {0, GATHER_MS * 1000000};
	bool whole;

	if (source_is_live(ix->o.source) && ix->from > 0 &&
	    source_size(ix->o.source, &whole) - ix->from < GATHER_BYTES && !whole)
		nanosleep(&pause, NULL);
}

enum status indexer_window(struct indexer *ix, uint64_t from, size_t want, struct window *w,
			   struct error *e)
{
	if (ix->o.first.len) {
		*w = ix->o.first;
		ix->o.first.len = 0;
		return STATUS_OK;
	}
	return source_next(ix->o.source, from, want, w, e);
}

static enum status cut_piece(struct indexer *ix, struct piece *p, struct error *e)
{
	size_t want = ix->want;

	memset(p, 0, sizeof(*p));
	let_gather(ix);
	while (!indexer_cut_quiet(ix, p)) {
		enum status st = indexer_window(ix, ix->from, want, &p->w, e);
		bool whole;
		uint64_t size;

		if (st != STATUS_OK)
			return st;
		ix->seen = p->w.off + p->w.len;
		size = source_size(ix->o.source, &whole);
		p->final = p->w.len == 0 || (whole && ix->from + p->w.len >= size);
		p->len = p->w.len;
		p->end_tick = TICK_NONE;
		if (p->final)
			break;
		p->len = find_cut(ix->o.reader, p->w.text, p->w.len, &p->end_tick);
		p->cut = p->len > 0;
		if (p->cut)
			break;
		if (p->w.len >= PIECE_LIMIT) {
			p->len = p->w.len;
			p->end_tick = INT64_MIN;
			p->loose = !ix->o.reader->clock;
			break;
		}
		if (p->w.len >= want) /* else live text has come only so far */
			want *= 2;
		source_release(ix->o.source, &p->w);
	}
	p->tick0 = ix->from == 0 ? first_tick(ix->o.reader, p->w.text, p->len) : ix->next_tick;
	p->open = ix->next_open && ix->from > 0;
	if (ix->next_loose)
		p->tick0 = INT64_MIN;
	if (p->quiet) {
		p->end_tick = only_tick(ix->o.reader, p);
		p->loose = ix->next_loose;
	}
	if (ix->o.reader->clock && !p->final)
		p->end_tick = next_tick(ix, p);
	ix->next_loose = p->loose;
	ix->next_open = p->quiet;
	ix->next_tick = p->end_tick;
	ix->from += p->len;
	if (ix->want < (source_kind(ix->o.source) != SOURCE_PLAIN ? PIECE_LAST_COPIED : PIECE_LAST))
		ix->want *= 2;
	return STATUS_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

static void discard(struct segment *s)
{
	segment_free(s);
	free(s);
}

/* With the lock held. */
static struct segment *new_segment(struct indexer *ix)
{
	struct segment *s;

	if (ix->spare.count)
		return ix->spare.data[--ix->spare.count];
	s = malloc(sizeof(*s));
	if (s && !segment_init(s)) {
		discard(s);
		s = NULL;
	}
	return s;
}

/* With the lock held. */
static struct row_run *new_run(struct indexer *ix)
{
	if (ix->spare_runs.count)
		return ix->spare_runs.data[--ix->spare_runs.count];
	return row_run_new(ix->o.reader, ix->o.names, ix->o.source);
}

static void read_piece(struct indexer *ix, struct piece *p, bool again)
{
	p->s->open = p->open;
	segment_read(p->s, ix->o.reader, ix->o.names, again, p->w.text, p->len, p->w.off,
		     p->tick0, p->end_tick, p->final);
	p->s->quiet = p->quiet;
}

static void pack_piece(struct indexer *ix, struct piece *p)
{
	bool ok;

	pthread_rwlock_wrlock(&ix->o.index->lock);
	ok = stitcher_map_codes(ix->o.codes, p->s);
	pthread_rwlock_unlock(&ix->o.index->lock);
	if (ok)
		segment_pack(p->s);
	else
		p->s->failed = true;
}

/* ---- workers ----------------------------------------------------------------------------- */

static struct piece *nth(struct indexer *ix, size_t i)
{
	return &ix->ring[(ix->ring_first + i) % ix->ring_cap];
}

static void fail(struct indexer *ix, enum status st, const struct error *e)
{
	if (ix->status != STATUS_OK)
		return;
	ix->status = st;
	ix->error = *e;
	ix->ended = true;
}

/* With the lock held: cut the next piece; NULL: there is none, now or ever. */
static struct piece *take_piece(struct indexer *ix)
{
	struct error e = {0};
	struct piece cut, *p;
	enum status st;

	while (!ix->ended && (ix->cutting || ix->ring_count == ix->ring_cap))
		pthread_cond_wait(&ix->room, &ix->lock);
	if (ix->ended)
		return NULL;
	ix->cutting = true;
	p = nth(ix, ix->ring_count++);
	memset(p, 0, sizeof(*p));
	pthread_mutex_unlock(&ix->lock);
	if (ix->feed) {
		let_gather(ix);
		st = rows_cut(ix, &cut, &e);
	} else {
		st = cut_piece(ix, &cut, &e);
	}
	pthread_mutex_lock(&ix->lock);
	ix->cutting = false;
	if (st == STATUS_OK && ix->feed)
		cut.run = new_run(ix);
	else if (st == STATUS_OK)
		cut.s = new_segment(ix);
	if (st == STATUS_OK && !cut.s && !cut.run) {
		source_release(ix->o.source, &cut.w);
		st = error_set(&e, STATUS_NOMEM, "out of memory");
	}
	if (st != STATUS_OK) {
		ix->ring_count--; /* it is the last: nobody else cuts */
		if (st == STATUS_INTERRUPTED)
			ix->ended = true;
		else
			fail(ix, st, &e);
		pthread_cond_broadcast(&ix->room);
		return NULL;
	}
	*p = cut;
	ix->ended |= cut.final || ix->cancelled;
	pthread_cond_broadcast(&ix->room);
	return p;
}

static int64_t now_ms(void)
{
	return (int64_t)(store_clock() * 1000);
}

/*
 * What is written without a pause is shown as it comes, too: behind a row that does not end all
 * others would wait.
 */
static void stitch_one(struct indexer *ix, struct piece *p)
{
	const bool live = source_is_live(ix->o.source);
	int64_t tick0;

	if (stitcher_rejects(ix->stitcher, p->s, &tick0)) {
		segment_clear(p->s);
		p->tick0 = tick0;
		read_piece(ix, p, true);
		pack_piece(ix, p);
	}
	source_release(ix->o.source, &p->w);
	p->s->added = live ? now_ms() : 0;
	stitcher_add(ix->stitcher, p->s);
	if (live)
		stitcher_show(ix->stitcher, now_ms() - FLIGHT_MS);
	p->s = NULL;
}

/* With the lock held. */
static void join_one(struct indexer *ix, struct piece *p)
{
	struct segment *spare;

	pthread_mutex_unlock(&ix->lock);
	stitch_one(ix, p);
	ix->o.published(ix->o.arg);
	spare = stitcher_recycle(ix->stitcher);
	pthread_mutex_lock(&ix->lock);
	for (; spare; spare = stitcher_recycle(ix->stitcher))
		if (!vec_push(&ix->spare, spare))
			discard(spare);
}

/* With the lock held: what the worker that stitches does with the first piece of the ring. */
static void feed_one(struct indexer *ix, struct piece *p)
{
	pthread_mutex_unlock(&ix->lock);
	rows_stitch(ix, p);
	source_release(ix->o.source, &p->w);
	pthread_mutex_lock(&ix->lock);
	for (struct row_run *r; (r = row_feed_recycle(ix->feed));)
		if (!vec_push(&ix->spare_runs, r))
			row_run_free(r);
}

/* With the lock held: stitch what is ready, in order, unless somebody is at it. */
static void stitch_ready(struct indexer *ix)
{
	if (ix->stitching)
		return;
	ix->stitching = true;
	while (ix->ring_count && nth(ix, 0)->ready) {
		struct piece *p = nth(ix, 0);

		if (ix->feed) {
			feed_one(ix, p);
			ix->o.published(ix->o.arg);
		} else {
			join_one(ix, p);
		}
		ix->ring_first = (ix->ring_first + 1) % ix->ring_cap;
		ix->ring_count--;
		pthread_cond_broadcast(&ix->room);
		if (ix->stitcher && stitcher_failed(ix->stitcher)) {
			struct error e;

			fail(ix, error_set(&e, STATUS_NOMEM, "out of memory while indexing"), &e);
		}
	}
	ix->stitching = false;
	pthread_cond_broadcast(&ix->room);
}

/* On Linux niceness is a thread's own: keys are answered first on a busy machine. */
static void give_way(void)
{
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10);
}

static void *work(void *arg)
{
	struct indexer *ix = arg;
	struct piece *p;

	if (ix->o.background)
		give_way();
	rows_look(ix);
	pthread_mutex_lock(&ix->lock);
	while ((p = take_piece(ix))) {
		pthread_mutex_unlock(&ix->lock);
		if (ix->feed) {
			rows_read(ix, p);
		} else {
			read_piece(ix, p, false);
			pack_piece(ix, p);
		}
		pthread_mutex_lock(&ix->lock);
		p->ready = true;
		stitch_ready(ix);
	}
	if (--ix->running == 0) {
		pthread_mutex_unlock(&ix->lock);
		if (ix->feed)
			rows_finish(ix);
		else
			stitcher_finish(ix->stitcher);
		ix->o.finished(ix->o.arg, ix->status, &ix->error);
		return NULL;
	}
	pthread_mutex_unlock(&ix->lock);
	return NULL;
}

enum status indexer_start(struct indexer **out, const struct indexer_options *o, struct error *e)
{
	struct indexer *ix = calloc(1, sizeof(*ix));
	bool begun = false;
	int threads = o->threads < 1 ? 1 : o->threads > WORKERS_MAX ? WORKERS_MAX : o->threads;

	if (!ix) {
		struct window first = o->first;

		source_release(o->source, &first);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	ix->o = *o;
	ix->want = PIECE_FIRST;
	ix->ring_cap = (size_t)threads * 2;
	ix->ring = calloc(ix->ring_cap, sizeof(*ix->ring));
	if (o->reader->lex_rows)
		begun = rows_begin(ix);
	else
		ix->stitcher =
		    stitcher_new(o->index, o->counts, o->codes, o->names, o->reader->births_needed);
	pthread_mutex_init(&ix->lock, NULL);
	pthread_cond_init(&ix->room, NULL);
	*out = ix;
	if (!ix->ring || (!ix->stitcher && !begun)) {
		indexer_join(ix);
		*out = NULL;
		return error_set(e, STATUS_NOMEM, "out of memory, or no temporary file: set TMPDIR "
						  "to a folder with room");
	}
	pthread_mutex_lock(&ix->lock);
	for (int i = 0; i < threads; i++)
		if (thread_start(&ix->workers[ix->worker_count], work, ix) == 0) {
			ix->worker_count++;
			ix->running++;
		}
	ix->looking = ix->running;
	pthread_mutex_unlock(&ix->lock);
	if (ix->worker_count == 0) {
		indexer_join(ix);
		*out = NULL;
		return error_set(e, STATUS_NOMEM, "cannot start a thread for indexing");
	}
	return STATUS_OK;
}

void indexer_cancel(struct indexer *ix)
{
	pthread_mutex_lock(&ix->lock);
	ix->cancelled = ix->ended = true;
	if (ix->order)
		order_stop(ix->order);
	pthread_cond_broadcast(&ix->room);
	pthread_mutex_unlock(&ix->lock);
	source_interrupt(ix->o.source);
}

void indexer_join(struct indexer *ix)
{
	if (!ix)
		return;
	for (int i = 0; i < ix->worker_count; i++)
		pthread_join(ix->workers[i], NULL);
	if (ix->o.first.len)
		source_release(ix->o.source, &ix->o.first);
	while (ix->spare.count)
		discard(ix->spare.data[--ix->spare.count]);
	vec_free(&ix->spare);
	stitcher_free(ix->stitcher);
	rows_free(ix);
	pthread_mutex_destroy(&ix->lock);
	pthread_cond_destroy(&ix->room);
	free(ix->ring);
	free(ix);
}
