/*
 * The raw lines that mention a row.
 */
#include "config.h"

#include <string.h>

#include "pipeline/formats/rows.h"
#include "pipeline/queries/detail_private.h"

struct line_reading {
	uint64_t id, birth_off;
	bool begun, done;
	int64_t tick, end;
	const struct window *w;
	store_line_fn *fn;
	void *arg;
};

static bool give_line(struct line_reading *lr, const struct record *rec)
{
	const char *p = lr->w->text + rec->at;
	const char *nl = memchr(p, '\n', lr->w->len - rec->at);

	return lr->fn(lr->arg, lr->w->off + rec->at, lr->tick, p,
		      (size_t)((nl ? nl : lr->w->text + lr->w->len) - p));
}

static bool line_record(struct line_reading *lr, const struct record *rec)
{
	if (rec->kind == REC_TICK) {
		lr->tick = (int64_t)rec->id > lr->tick ? (int64_t)rec->id : lr->tick;
		return lr->tick <= lr->end;
	}
	if (rec->kind < REC_BIRTH || rec->kind > REC_LINK)
		return true;
	if (rec->id != lr->id || lr->w->off + rec->at < lr->birth_off)
		return true;
	return give_line(lr, rec);
}

static enum status record_lines(struct store *s, uint64_t row, store_line_fn *fn, void *arg,
				struct error *e)
{
	struct detail d = {0};
	enum status st = store_detail(s, row, 1, &d, e);
	struct line_reading lr = {.fn = fn, .arg = arg};
	struct extent x = {0};
	struct record batch[64];
	struct lexer lx;
	struct window w = {0};
	size_t n;
	bool more = true;

	if (st != STATUS_OK || d.count == 0)
		goto out;
	lr.id = d.rows[0].id;
	lr.birth_off = d.rows[0].offset;
	lr.end = d.rows[0].head.end;
	store_read_lock(s);
	if (d.rows[0].head.fate == FATE_UNKNOWN)
		more = unborn_extent(&s->index, &d, &x);
	else
		more = rows_extent(&s->index, row, 1, &d.rows[0].head, &x);
	store_unlock(s);
	if (!more)
		goto out;
	st = source_map(s->source, x.off, (size_t)(x.off_end - x.off), &w, e);
	if (st != STATUS_OK)
		goto out;
	lr.w = &w;
	lr.tick = x.tick;
	lexer_begin_at(&lx, &s->names, false, x.tick, text_at_cut(s->reader, &w, x.split));
	while (more && (n = s->reader->lex(&lx, w.text, w.len, true, batch, 64)) > 0)
		for (size_t i = 0; i < n && more; i++)
			more = line_record(&lr, &batch[i]);
	source_release(s->source, &w);
out:
	detail_free(&d);
	return st;
}

/* ---- whole rows -------------------------------------------------------------------------- */

enum { LINES_BEHIND = 1 << 20 };

static bool tells_of(struct store *s, const struct detail_row *row, const struct window *w,
		     const char *line, const char *end)
{
	struct row_told told;

	if (!s->reader->told || !s->reader->told(line, end, &told))
		return false;
	told.off = w->off + (uint64_t)(line - w->text);
	return detail_is_told(s, row, &told);
}

/* Lines of text that belong to the row: its record's, and those that tell of it by its number. */
static void give_whole_row(struct store *s, const struct detail_row *row, const struct window *w,
			   store_line_fn *fn, void *arg)
{
	const struct reader *reader = s->reader;
	const char *end = w->text + w->len, *nl, *record = w->text + (row->offset - w->off);
	int64_t tick = row->head.start;
	const char *notes = end - record > ROWS_NOTES_BEHIND ? record + ROWS_NOTES_BEHIND : end;
	bool inside = true;

	for (const char *p = w->text; p < (inside ? end : notes); p = nl + 1) {
		enum row_line line = ROW_LINE_OTHER;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		if (p >= record && inside)
			line = reader->row_line ? reader->row_line(record, p, nl, &tick)
						: ROW_LINE_BEHIND;
		if (line == ROW_LINE_LAST || line == ROW_LINE_BEHIND)
			inside = false;
		if (line == ROW_LINE_BEHIND)
			line = ROW_LINE_OTHER;
		if (line == ROW_LINE_OTHER && tells_of(s, row, w, p, nl))
			line = ROW_LINE_OWN;
		if (line != ROW_LINE_OTHER &&
		    !fn(arg, w->off + (uint64_t)(p - w->text), tick, p, (size_t)(nl - p)))
			break;
	}
}

static enum status whole_row_lines(struct store *s, uint64_t row, store_line_fn *fn, void *arg,
				   struct error *e)
{
	struct detail d = {.no_notes = true};
	enum status st = store_detail(s, row, 1, &d, e);
	uint64_t from, foreign;
	struct window w;

	if (st == STATUS_OK && d.count) {
		store_read_lock(s);
		foreign = s->counts.notes[NOTE_FOREIGN];
		store_unlock(s);
		from = d.rows[0].offset;
		if (foreign)
			from = from < ROWS_NOTES_BEFORE ? 0 : from - ROWS_NOTES_BEFORE;
		st = source_map(s->source, from, (size_t)(d.rows[0].offset - from) + LINES_BEHIND,
				&w, e);
		if (st == STATUS_OK) {
			give_whole_row(s, &d.rows[0], &w, fn, arg);
			source_release(s->source, &w);
		}
	}
	detail_free(&d);
	return st;
}

enum status store_row_lines(struct store *s, uint64_t row, store_line_fn *fn, void *arg,
			    struct error *e)
{
	return s->reader->lex_rows ? whole_row_lines(s, row, fn, arg, e)
				   : record_lines(s, row, fn, arg, e);
}
