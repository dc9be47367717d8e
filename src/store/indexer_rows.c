/*
 * Pieces of formats whose text gives whole rows. They are cut where a record begins; each is read
 * and sorted by its worker, and the feed puts their rows in order. Where records lie within each
 * other, one lexer reads all pieces again, in order.
 */
#include "config.h"

#include "store/indexer_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum {
	ROWS_PIECE_LAST = 4 << 20,
	ROWS_FOREIGN = 1 << 20, /* text without a record may be cut at any line */
	ROWS_DOCUMENT = 64 << 20,
	ROWS_SKIP = ROWS_CONTEXT + 4096 /* context before a piece */
};

/* Where text behind p->skip can be cut; 0: nowhere yet. */
static size_t find_cut(const struct reader *reader, const struct piece *p)
{
	const char *text = p->w.text + p->skip, *nl;
	size_t len = p->w.len > p->skip ? p->w.len - p->skip : 0, cut;

	if (reader->whole)
		return 0;
	cut = len ? reader->last_record(text, len) : 0;
	if (cut)
		return p->skip + cut;
	if (len < ROWS_FOREIGN)
		return 0;
	nl = memrchr(text, '\n', len);
	return nl ? (size_t)(nl + 1 - p->w.text) : len < PIECE_LIMIT ? 0 : p->w.len;
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
		enum status st = indexer_window(ix, ix->from - context, want + p->skip, &p->w, e);

		if (st != STATUS_OK)
			return st;
		size = source_size(ix->o.source, &whole);
		p->len = p->w.len;
		p->final = p->w.len <= p->skip || (whole && p->w.off + p->w.len >= size);
		if (p->final)
			break;
		p->len = find_cut(ix->o.reader, p);
		if (p->len)
			break;
		if (p->w.len - p->skip >= want)
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
	if (!ix->carry || !row_lexer_init(ix->carry, ix->o.reader, ix->o.names))
		return false;
	ix->carry->carry = true;
	return true;
}

bool rows_stitch(struct indexer *ix, struct piece *p)
{
	struct row_lexer *lexer = &p->run->lexer;
	struct row_run *run = p->run;
	enum feed_result result;

	if (lexer->interleaved || ix->carry) {
		row_run_clear(run);
		if (ix->carry || start_carrying(ix)) {
			lexer = ix->carry;
			row_run_read(run, lexer, &p->w, p->skip, p->len, p->final);
			map_and_sort(ix, run);
		}
	}
	p->run = NULL;
	result = row_feed_add(ix->feed, run, lexer);
	if (result == FEED_OK && source_is_live(ix->o.source))
		row_feed_show(ix->feed);
	if (result == FEED_FAILED) {
		pthread_mutex_lock(&ix->lock);
		if (ix->status == STATUS_OK)
			ix->status = error_set(&ix->error, STATUS_NOMEM,
					       "out of memory while indexing, or no room for a "
					       "temporary file: set TMPDIR");
		ix->ended = true;
		pthread_mutex_unlock(&ix->lock);
	}
	return result != FEED_STRAGGLER;
}

static void stop_carrying(struct indexer *ix)
{
	if (ix->carry)
		row_lexer_free(ix->carry);
	free(ix->carry);
	ix->carry = NULL;
}

void rows_restart(struct indexer *ix)
{
	stop_carrying(ix);
	if (!row_feed_restart(ix->feed) && ix->status == STATUS_OK) {
		ix->status = error_set(&ix->error, STATUS_IO,
				       "no temporary file to sort the rows in: set TMPDIR to a "
				       "folder with room");
		ix->ended = true;
	}
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
	enum feed_result result = row_feed_finish(ix->feed);

	if (ix->status != STATUS_OK || ix->cancelled)
		return;
	if (result == FEED_FAILED)
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
}
