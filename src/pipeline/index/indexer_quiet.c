/*
 * Live text that has fallen silent inside a cycle. Pieces are cut at cycle lines, and rows wait
 * for their ends: whoever watches a simulator that has stopped to think wants to see both the
 * rows it is at, and what it has said of its cycle so far, to its last word if nothing can be
 * added to that. The ends follow as late ones; the cycle goes on in the next piece, or the next one
 * begins there.
 */
#include "config.h"

#include "pipeline/index/indexer_private.h"

#include <string.h>
#include <time.h>

enum { REST_BYTES = 64 << 10 }; /* of the end of a long cycle: the cut is looked for there */

bool indexer_has_news(const struct indexer *ix, uint64_t *total)
{
	uint64_t before = *total, done;
	bool whole;

	source_check(ix->o.source);
	source_size(ix->o.source, &whole);
	source_progress(ix->o.source, &done, total);
	return whole || *total != before || source_followed(ix->o.source) != SOURCE_SAME;
}

/* All that was cut is stitched, and nobody else is at it. */
static bool is_idle(struct indexer *ix)
{
	bool idle;

	pthread_mutex_lock(&ix->lock);
	idle = ix->ended || (!ix->stitching && ix->ring_count == 1);
	pthread_mutex_unlock(&ix->lock);
	return idle;
}

static bool fell_silent(struct indexer *ix)
{
	const struct timespec pause = {0, GATHER_MS * 1000000};
	uint64_t done, total;
	bool whole;

	source_size(ix->o.source, &whole);
	source_progress(ix->o.source, &done, &total);
	if (whole || !source_is_live(ix->o.source) || ix->o.first.len || !ix->seen || done < total)
		return false;
	for (int ms = 0; ms < QUIET_MS || !is_idle(ix); ms += GATHER_MS) {
		nanosleep(&pause, NULL);
		if (indexer_has_news(ix, &total))
			return false;
	}
	return true;
}

static void show_in_flight(struct indexer *ix)
{
	bool mine;

	pthread_mutex_lock(&ix->lock);
	mine = !ix->stitching && ix->ring_count == 1 && !ix->ended;
	ix->stitching |= mine;
	pthread_mutex_unlock(&ix->lock);
	if (!mine)
		return;
	stitcher_show(ix->stitcher, STITCH_ALL);
	ix->o.published(ix->o.arg);
	pthread_mutex_lock(&ix->lock);
	ix->stitching = false;
	pthread_mutex_unlock(&ix->lock);
}

/* Records that are told by those around them are not to be parted from them. */
struct parting {
	uint8_t role[STAGE_MAX];
	const struct record *last;
	struct record kept; /* of the batch before */
	size_t cut, before; /* the newest place to cut, the one before it */
};

static bool is_decode(const struct parting *q, const struct record *r)
{
	return r->kind == REC_ENTER && q->role[r->stage] == ROLE_DECODE;
}

/* What is consumed at decode, and micro-ops, are known by the lines next to them. */
static bool may_end(const struct parting *q, const struct record *r)
{
	return r->kind != REC_TICK && !is_decode(q, r);
}

static bool may_begin(const struct parting *q, const struct record *r)
{
	return may_end(q, r) && r->kind != REC_LABEL;
}

/* Of a birth and a label there may be more to come. */
static bool may_be_last(const struct parting *q, const struct record *r)
{
	return r->kind == REC_TICK ||
	       (may_end(q, r) && r->kind != REC_LABEL && r->kind != REC_BIRTH);
}

static void part(struct parting *q, const struct record *r)
{
	if (q->last && r->at > q->last->at) {
		q->before = q->cut;
		if (may_end(q, q->last) && may_begin(q, r))
			q->cut = r->at;
	} else if (r->at == q->cut && !may_begin(q, r)) {
		q->cut = q->before; /* more of the same line */
	}
	q->last = r;
}

/* Where text inside a cycle can be cut: behind its last line, or a record before; 0: nowhere. */
static size_t find_rest(struct indexer *ix, const char *text, size_t len)
{
	struct parting q = {.last = NULL};
	struct record batch[LEX_BATCH];
	const char *nl = len > REST_BYTES ? memchr(text + len - REST_BYTES, '\n', REST_BYTES) : NULL;
	size_t skip = nl ? (size_t)(nl + 1 - text) : 0, n;
	struct lexer lx;

	pthread_mutex_lock(&ix->o.names->lock);
	for (size_t i = 0; i < STAGE_MAX; i++)
		q.role[i] = i < ix->o.names->config.stage_count ? ix->o.names->config.stages[i].role
								: (uint8_t)ROLE_OTHER;
	pthread_mutex_unlock(&ix->o.names->lock);
	lexer_begin(&lx, ix->o.names, true); /* all text before was lexed */
	while ((n = ix->o.reader->lex(&lx, text + skip, len - skip, false, batch, LEX_BATCH)) > 0) {
		for (size_t i = 0; i < n; i++)
			part(&q, &batch[i]);
		q.kept = batch[n - 1];
		q.last = &q.kept;
	}
	if (q.last && may_be_last(&q, q.last))
		return skip + lx.pos;
	return q.cut ? skip + q.cut : 0;
}

bool indexer_cut_quiet(struct indexer *ix, struct piece *p)
{
	const struct reader *reader = ix->o.reader;
	struct error ignored;
	int64_t tick;

	if (!fell_silent(ix))
		return false;
	if (ix->from > 0)
		show_in_flight(ix);
	if (ix->seen <= ix->from || ix->seen == ix->tried)
		return false;
	ix->tried = ix->seen;
	if (source_map(ix->o.source, ix->from, (size_t)(ix->seen - ix->from), &p->w, &ignored))
		return false;
	/* what stands before the first cycle belongs to it */
	if (ix->from > 0 || reader->cut(p->w.text, p->w.text + p->w.len, &tick))
		p->len = find_rest(ix, p->w.text, p->w.len);
	p->quiet = p->len > 0;
	if (!p->quiet)
		source_release(ix->o.source, &p->w);
	return p->quiet;
}
