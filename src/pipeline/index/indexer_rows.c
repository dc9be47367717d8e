/*
 * Pieces of formats whose text gives whole rows. They are cut where a record begins; each is read
 * and sorted by its worker, and the feed puts their rows in order. Where records lie within each
 * other, or their ticks follow from those before, one lexer reads all pieces, in order.
 */
#include "config.h"

#include "pipeline/index/indexer_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "pipeline/store_private.h"

enum {
	ROWS_PIECE_LAST = 4 << 20,
	ROWS_FOREIGN = 1 << 20, /* text without a record may be cut at any line */
	ROWS_DOCUMENT = 64 << 20,
	ROWS_SKIP = ROWS_TOLD_BEFORE + 4096, /* context before a piece */
	LOOK_MOST = 1 << 30 /* half a second; who waits for the first screen waits no longer */
};

/* ---- the order ---------------------------------------------------------------------------- */

/*
 * A file is looked through first. What cannot be, because it is packed or is still to come, is
 * sorted as a whole where nobody waits for its first rows.
 */
bool rows_begin(struct indexer *ix)
{
	const struct indexer_options *o = &ix->o;
	bool looked_at = source_kind(o->source) == SOURCE_PLAIN && !source_is_live(o->source);

	ix->feed =
	    row_feed_new(o->index, o->counts, o->names, strcmp(o->reader->unit, "cycle") != 0);
	if (!ix->feed || !o->reader->starts)
		return ix->feed != NULL;
	if (!looked_at)
		return o->background || row_feed_sort(ix->feed);
	ix->order = order_new(o->source, o->reader, o->background ? LOOK_MOST : ORDER_ALL);
	return ix->order != NULL;
}

void rows_look(struct indexer *ix)
{
	if (!ix->order)
		return;
	order_look(ix->order);
	pthread_mutex_lock(&ix->lock);
	if (--ix->looking == 0 && !ix->cancelled && !order_holds(ix->order, FEED_WINDOW) &&
	    !row_feed_sort(ix->feed)) {
		ix->status = error_set(&ix->error, STATUS_IO,
				       "no temporary file to sort the rows in: set TMPDIR to a "
				       "folder with room");
		ix->ended = true;
	}
	pthread_cond_broadcast(&ix->room);
	while (ix->looking)
		pthread_cond_wait(&ix->room, &ix->lock);
	pthread_mutex_unlock(&ix->lock);
}

/* ---- cutting ----------------------------------------------------------------------------- */

/* The record is as long as that if its last line is there, newline and all; else 0. */
static size_t whole_record(const struct reader *reader, const char *record, size_t len)
{
	const char *end = record + len, *nl;
	enum row_line line = ROW_LINE_OTHER;
	int64_t tick;

	for (const char *p = record; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		line = reader->row_line(record, p, nl, &tick);
		if (line == ROW_LINE_LAST)
			return (size_t)(nl + 1 - record);
		if (line == ROW_LINE_BEHIND)
			break;
	}
	return 0;
}

/*
 * Where text behind p->skip can be cut; 0: nowhere yet. Behind the last record of live text there
 * may be nothing for long, so that is not waited for where the record is whole.
 */
static size_t find_cut(const struct indexer *ix, const struct piece *p)
{
	const struct reader *reader = ix->o.reader;
	const char *text = p->w.text + p->skip, *nl;
	size_t len = p->w.len > p->skip ? p->w.len - p->skip : 0, cut;

	if (reader->whole)
		return 0;
	cut = len ? reader->last_record(text, len) : 0;
	if (source_is_live(ix->o.source))
		cut += whole_record(reader, text + cut, len - cut);
	if (cut)
		return p->skip + cut;
	if (len < ROWS_FOREIGN)
		return 0;
	nl = memrchr(text, '\n', len);
	return nl ? (size_t)(nl + 1 - p->w.text) : len < PIECE_LIMIT ? 0 : p->w.len;
}

/* Publish what waited, once all that was read is in the feed. False: nothing waits. */
static bool elapse(struct indexer *ix)
{
	bool mine, waits;

	pthread_mutex_lock(&ix->lock);
	waits = !ix->ended;
	mine = waits && !ix->stitching && ix->ring_count == 1;
	ix->stitching |= mine;
	pthread_mutex_unlock(&ix->lock);
	if (!mine)
		return waits;
	if (row_feed_elapse(ix->feed, store_clock()))
		ix->o.published(ix->o.arg);
	waits = row_feed_waits(ix->feed);
	pthread_mutex_lock(&ix->lock);
	ix->stitching = false;
	pthread_cond_broadcast(&ix->room);
	pthread_mutex_unlock(&ix->lock);
	return waits;
}

/* All text that there is by now was cut. */
static bool is_read(const struct indexer *ix)
{
	uint64_t done, total;

	source_progress(ix->o.source, &done, &total);
	return done >= total;
}

/*
 * The source waits for text as long as it takes; rows that wait in the feed for younger ones are
 * not to wait with it.
 */
static void await_text(struct indexer *ix)
{
	const struct timespec pause = {0, GATHER_MS * 1000000};
	uint64_t done, total;

	if (!source_is_live(ix->o.source) || ix->o.first.len || !is_read(ix))
		return;
	source_progress(ix->o.source, &done, &total);
	while (!indexer_has_news(ix, &total) && elapse(ix))
		nanosleep(&pause, NULL);
}

static enum status too_long(const struct indexer *ix, struct error *e)
{
	struct sbuf name = {0};
	enum status st;

	text_sanitise(&name, source_path(ix->o.source), strlen(source_path(ix->o.source)));
	st =
	    error_set(e, STATUS_INPUT, "%s:1: a %s of more than %d MB is not read; make it smaller",
		      sbuf_text(&name), ix->o.reader->title, ROWS_DOCUMENT >> 20);
	sbuf_free(&name);
	return st;
}

enum status rows_cut(struct indexer *ix, struct piece *p, struct error *e)
{
	uint64_t context = ix->from < ROWS_SKIP ? ix->from : ROWS_SKIP, size;
	size_t want = ix->want;
	bool whole;

	memset(p, 0, sizeof(*p));
	p->skip = (size_t)context;
	for (;;) {
		enum status st;

		await_text(ix);
		st = indexer_window(ix, ix->from - context, want + p->skip, &p->w, e);
		if (st != STATUS_OK)
			return st;
		size = source_size(ix->o.source, &whole);
		p->len = p->w.len;
		/* of live text nothing new means no end: its beginning came another way */
		p->final = whole ? p->w.off + p->w.len >= size || p->w.len <= p->skip
				 : p->w.len <= p->skip && !source_is_live(ix->o.source);
		if (p->final)
			break;
		p->len = find_cut(ix, p);
		if (p->len)
			break;
		if (p->w.len >= p->skip + want)
			want *= 2;
		source_release(ix->o.source, &p->w);
		if (ix->o.reader->whole && want > ROWS_DOCUMENT)
			return too_long(ix, e);
	}
	if (p->skip > p->w.len)
		p->skip = p->w.len;
	ix->from = p->w.off + p->len;
	if (ix->want < ROWS_PIECE_LAST)
		ix->want *= 2;
	return STATUS_OK;
}

static void map_and_sort(struct indexer *ix, struct row_run *run)
{
	pthread_rwlock_wrlock(&ix->o.index->lock);
	row_run_map_codes(run, ix->o.codes);
	pthread_rwlock_unlock(&ix->o.index->lock);
	row_run_sort(run);
}

void rows_read(struct indexer *ix, struct piece *p)
{
	row_run_read(p->run, &p->run->lexer, &p->w, p->skip, p->len, p->final);
	if (!p->run->lexer.interleaved)
		map_and_sort(ix, p->run);
}

static bool start_carrying(struct indexer *ix)
{
	if (!ix->carry)
		ix->carry = calloc(1, sizeof(*ix->carry));
	if (!ix->carry)
		return false;
	row_lexer_init(ix->carry, ix->o.reader, ix->o.names);
	ix->carry->carry = true;
	ix->carry->segments = ix->o.segments;
	return true;
}

void rows_stitch(struct indexer *ix, struct piece *p)
{
	struct row_lexer *lexer = &p->run->lexer;
	struct row_run *run = p->run;
	bool live = source_is_live(ix->o.source);

	if (lexer->interleaved || ix->carry) {
		row_run_clear(run);
		if (ix->carry || start_carrying(ix)) {
			lexer = ix->carry;
			row_run_read(run, lexer, &p->w, p->skip, p->len, p->final);
			map_and_sort(ix, run);
		}
	}
	p->run = NULL;
	if (!row_feed_add(ix->feed, run, lexer, live ? store_clock() : HORIZON_TIMELESS,
			  is_read(ix))) {
		pthread_mutex_lock(&ix->lock);
		if (ix->status == STATUS_OK)
			ix->status = error_set(&ix->error, STATUS_NOMEM,
					       "out of memory while indexing, or no room for a "
					       "temporary file: set TMPDIR");
		ix->ended = true;
		pthread_mutex_unlock(&ix->lock);
	} else if (live) {
		row_feed_show(ix->feed);
	}
}

static void stop_carrying(struct indexer *ix)
{
	if (ix->carry)
		row_lexer_free(ix->carry);
	free(ix->carry);
	ix->carry = NULL;
}

static void nothing_found(struct indexer *ix)
{
	struct sbuf name = {0};

	text_sanitise(&name, source_path(ix->o.source), strlen(source_path(ix->o.source)));
	ix->status =
	    error_set(&ix->error, STATUS_INPUT, "%s:1: %s", sbuf_text(&name), ix->o.reader->empty);
	sbuf_free(&name);
}

void rows_finish(struct indexer *ix)
{
	bool ok = row_feed_finish(ix->feed);

	if (ix->status != STATUS_OK || ix->cancelled)
		return;
	if (!ok)
		ix->status = error_set(&ix->error, STATUS_NOMEM, "out of memory while indexing");
	else if (row_feed_records(ix->feed) == 0 && ix->o.reader->empty)
		nothing_found(ix);
}

void rows_free(struct indexer *ix)
{
	stop_carrying(ix);
	while (ix->spare_runs.count)
		row_run_free(ix->spare_runs.data[--ix->spare_runs.count]);
	vec_free(&ix->spare_runs);
	row_feed_free(ix->feed);
	order_free(ix->order);
}
