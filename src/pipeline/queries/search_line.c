/*
 * From a line of text to the row that it speaks of.
 */
#include "config.h"

#include "pipeline/queries/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "pipeline/formats/rows.h"
#include "pipeline/queries/find_private.h"
#include "pipeline/queries/search_part.h"

/* ---- text in the order of time ----------------------------------------------------------- */

/* The leaf whose text the place is in; false: none. Under the read lock. */
static bool leaf_of_offset(const struct trace_index *ix, uint64_t off, struct leaf_head *out)
{
	size_t from = 0, to = ix->page_count;
	struct page_view v;
	int leaf;

	bisect(from, to, i, index_page(ix, i)->off <= off);
	if (!from || !index_view(ix, from - 1, &v) || v.entry.leaves == 0)
		return false;
	for (leaf = (int)v.entry.leaves - 1; leaf > 0 && v.leaves[leaf].off > off; leaf--)
		;
	*out = v.leaves[leaf];
	return out->off <= off;
}

struct line_search {
	bool here; /* the line itself is read, no longer what is before it */
	uint64_t born, id, label_id;
	int64_t tick;
	bool is_birth, has_id;
};

static void look_at(struct line_search *ls, const struct record *rec)
{
	if (rec->kind == REC_TICK && (int64_t)rec->id > ls->tick)
		ls->tick = (int64_t)rec->id;
	if (rec->kind == REC_LABEL)
		ls->label_id = rec->id;
	if (rec->kind == REC_BIRTH && !ls->here)
		ls->born++;
	if (!ls->here)
		return;
	if (rec->kind == REC_NOTE && rec->stage == NOTE_CONTINUATION) {
		ls->id = ls->label_id;
		ls->has_id = true;
	} else if (rec->kind >= REC_BIRTH && rec->kind <= REC_LINK) {
		ls->id = rec->id;
		ls->has_id = true;
		ls->is_birth |= rec->kind == REC_BIRTH;
	}
}

static void look_through(struct line_search *ls, const struct reader *reader, struct lexer *lx,
			 const char *text, size_t len)
{
	struct record batch[LEX_BATCH];
	size_t n;

	while ((n = reader->lex(lx, text, len, true, batch, LEX_BATCH)) > 0)
		for (size_t i = 0; i < n; i++)
			look_at(ls, &batch[i]);
}

/*
 * The line at w->text + at, behind what lx has read. A reader does not believe a line without an
 * end, so that one which is longer than what is looked at gets its end there.
 */
static enum status look_at_line(struct line_search *ls, const struct reader *reader,
				struct lexer *lx, const struct window *w, size_t at,
				struct error *e)
{
	const char *nl = memchr(w->text + at, '\n', w->len - at);
	char *clipped;

	ls->here = true;
	if (nl || w->len - at <= SEARCH_LINE) {
		look_through(ls, reader, lx, w->text, nl ? (size_t)(nl + 1 - w->text) : w->len);
		return STATUS_OK;
	}
	clipped = malloc(SEARCH_LINE + 1);
	if (!clipped)
		return error_set(e, STATUS_NOMEM, "out of memory");
	memcpy(clipped, w->text + at, SEARCH_LINE);
	clipped[SEARCH_LINE] = '\n';
	lx->pos = 0;
	look_through(ls, reader, lx, clipped, SEARCH_LINE + 1);
	free(clipped);
	return STATUS_OK;
}

static enum status owner_by_records(struct store *s, uint64_t off, struct line_owner *out,
				    struct error *e)
{
	struct line_search ls = {.born = 0};
	struct leaf_head h;
	struct lexer lx;
	struct window w;
	uint64_t total, early;
	size_t at;
	enum status st;
	bool some;

	store_read_lock(s);
	some = leaf_of_offset(&s->index, off, &h);
	total = rows_total(&s->index);
	early = s->index.early;
	store_unlock(s);
	if (!some || total == 0)
		return STATUS_OK;
	at = (size_t)(off - h.off);
	ls.tick = h.tick;
	st = source_map(s->source, h.off, at + SEARCH_LINE + 1, &w, e);
	if (st != STATUS_OK)
		return st;
	if (w.len > at) {
		out->line = h.line + line_feeds(w.text, w.text + at) + 1;
		lexer_begin_at(&lx, &s->names, false, h.tick, text_at_cut(s->reader, &w, h.split));
		look_through(&ls, s->reader, &lx, w.text, at);
		st = look_at_line(&ls, s->reader, &lx, &w, at, e);
	}
	source_release(s->source, &w);
	if (st != STATUS_OK)
		return st;
	out->tick = ls.tick;
	out->row = h.row0 + early + ls.born;
	out->row = out->row < total ? out->row : total - 1;
	out->own = ls.is_birth;
	if (ls.has_id && !ls.is_birth) {
		uint64_t row =
		    store_link_row(s, &(struct link){ls.id, ROW_NONE, ls.tick, 0}, out->row);

		out->own = row != ROW_NONE;
		out->row = out->own ? row : out->row;
	}
	return STATUS_OK;
}

/* ---- text that gives whole rows ---------------------------------------------------------- */

enum { ROWS_NEAR = 64 << 10, ROWS_FAR = 1 << 20, SAME_TICK = 64 };

/* Of formats whose rows stand in the order of the text. */
static uint64_t row_at_offset(struct store *s, uint64_t off)
{
	uint64_t low = 0, high = store_row_count(s);
	struct row row;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!store_row(s, middle, &row))
			return ROW_NONE;
		if (row.offset == off)
			return middle;
		if (row.offset < off)
			low = middle + 1;
		else
			high = middle;
	}
	return ROW_NONE;
}

/* The row whose record begins at t->off: among those that begin at its tick. */
static uint64_t row_of_record(struct store *s, const struct text_row *t)
{
	uint64_t row = store_row_born_at(s, t->start);
	struct row rows[SAME_TICK];
	size_t n;

	if (s->reader->recall)
		return row_at_offset(s, t->off);
	while ((n = store_rows(s, row, SAME_TICK, rows)) > 0) {
		for (size_t i = 0; i < n; i++) {
			if (rows[i].start != t->start)
				return ROW_NONE;
			if (rows[i].offset == t->off)
				return rows[i].row;
		}
		row += n;
	}
	return ROW_NONE;
}

static uint64_t row_of_id(struct store *s, uint64_t id)
{
	uint64_t row;

	store_read_lock(s);
	row = find_id_of_whole_row(s, id, 0);
	store_unlock(s);
	return row;
}

/* The last record that begins at or before the line at w->text + at, else the next one. */
static bool record_before(struct store *s, const struct window *w, size_t at, size_t line_end,
			  struct text_row *out)
{
	size_t begin = s->reader->last_record ? s->reader->last_record(w->text, line_end) : 0;
	struct row_lexer lx;
	struct text_row t;
	bool found = false;

	row_lexer_init(&lx, s->reader, &s->names);
	lx.reread = true;
	lx.carry = true;
	row_lexer_begin(&lx, w->off, begin);
	/* a document is read from its beginning; of other text the record is the first */
	while (s->reader->lex_rows(&lx, w->text, w->len, true, true, &t, 1) > 0) {
		bool behind = t.off > w->off + at;

		if (!behind || !found)
			*out = t;
		found = true;
		if (behind || (!s->reader->whole && t.off >= w->off + begin))
			break;
	}
	row_lexer_free(&lx);
	return found;
}

/* *cut: its row is not told, and more of the text might do so. */
static enum status owner_within(struct store *s, uint64_t off, size_t reach, struct line_owner *out,
				bool *cut, struct error *e)
{
	const struct reader *reader = s->reader;
	uint64_t from = off < reach || reader->whole ? 0 : off - reach;
	size_t at = (size_t)(off - from), end;
	struct text_row t = {0};
	struct row_told told;
	struct window w;
	bool whole;
	enum status st =
	    source_map(s->source, from,
		       reader->whole ? (size_t)source_size(s->source, &whole) : at + reach, &w, e);
	const char *nl;

	if (st != STATUS_OK)
		return st;
	nl = w.len > at ? memchr(w.text + at, '\n', w.len - at) : NULL;
	end = nl ? (size_t)(nl - w.text) : w.len;
	if (at < end && reader->told && reader->told(w.text + at, w.text + end, &told))
		out->row = row_of_id(s, told.id);
	out->own = out->row != ROW_NONE;
	if (at < end && !out->own && record_before(s, &w, at, end, &t)) {
		out->row = row_of_record(s, &t);
		out->own = out->row != ROW_NONE && off >= t.off && off < t.off + t.len;
	}
	*cut = !out->own && at < end && reader->last_record &&
	       (!nl || (from > 0 && reader->last_record(w.text, end) == 0));
	source_release(s->source, &w);
	return STATUS_OK;
}

/* Records are short, but lines in them may be long. */
static enum status owner_by_rows(struct store *s, uint64_t off, struct line_owner *out,
				 struct error *e)
{
	const struct line_owner none = *out;
	bool cut;
	enum status st = owner_within(s, off, ROWS_NEAR, out, &cut, e);

	if (st != STATUS_OK || !cut)
		return st;
	*out = none;
	return owner_within(s, off, ROWS_FAR, out, &cut, e);
}

enum status store_line_owner(struct store *s, uint64_t off, struct line_owner *out, struct error *e)
{
	*out = (struct line_owner){.row = ROW_NONE, .tick = TICK_NONE};
	return s->reader->lex_rows ? owner_by_rows(s, off, out, e)
				   : owner_by_records(s, off, out, e);
}
