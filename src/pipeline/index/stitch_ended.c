/*
 * Rows that ended so long ago that only the leaves know of them: a label may still come. Leaves
 * keep the least and the largest id of their rows; where those ascend without gaps a row follows
 * from its id, else the leaf's births are read again, once for labels that come together.
 */
#include "config.h"

#include "pipeline/index/stitch_private.h"
#include "pipeline/store_private.h"

/* A leaf that may bear an id, of a piece or of the index; rows from the trace's first birth on. */
struct bearer {
	uint64_t off, off_end, row0, rows, first_id, id_span;
};

static bool may_bear(const struct bearer *b, uint64_t id)
{
	return b->rows && id >= b->first_id && id - b->first_id <= b->id_span;
}

static bool read_births(struct stitcher *st, const struct bearer *b)
{
	struct births *known = &st->births;
	struct record batch[LEX_BATCH];
	struct lexer lx;
	struct window w;
	struct error e;
	bool ok = true;
	size_t n;

	if (known->off == b->off && known->off_end == b->off_end)
		return true;
	known->off_end = known->off;
	vec_clear(&known->ids);
	if (source_map(st->source, b->off, (size_t)(b->off_end - b->off), &w, &e))
		return false;
	lexer_begin_at(&lx, st->names, false, 0, text_at_cut(st->reader, &w, false));
	while (ok && (n = st->reader->lex(&lx, w.text, w.len, true, batch, LEX_BATCH)) > 0)
		for (size_t i = 0; ok && i < n; i++)
			if (batch[i].kind == REC_BIRTH)
				ok = vec_push(&known->ids, batch[i].id);
	source_release(st->source, &w);
	known->off = b->off;
	known->off_end = ok ? b->off_end : b->off;
	return ok;
}

static uint64_t row_in(struct stitcher *st, const struct bearer *b, uint64_t id, bool whole)
{
	if (whole && b->id_span == b->rows - 1)
		return b->row0 + (id - b->first_id);
	if (!st->source || !read_births(st, b))
		return ROW_NONE;
	for (size_t i = st->births.ids.count; i-- > 0;)
		if (st->births.ids.data[i] == id)
			return b->row0 + i;
	return ROW_NONE;
}

/* Born in the piece before `limit`. */
static uint64_t row_in_piece(struct stitcher *st, const struct segment *s, uint64_t id,
			     uint64_t limit)
{
	uint64_t end = s->off + s->len, row = ROW_NONE;

	for (size_t i = s->leaves.count; i-- > 0 && row == ROW_NONE;) {
		const struct leaf_sum *l = &s->leaves.data[i];
		struct bearer b = {l->off,
				   end < limit ? end : limit,
				   s->base_row + l->row0,
				   l->rows,
				   l->first_id,
				   l->id_span};

		if (l->off < limit && may_bear(&b, id))
			row = row_in(st, &b, id, end <= limit);
		end = l->off;
	}
	return row;
}

static uint64_t row_in_page(struct stitcher *st, size_t page, uint64_t id)
{
	uint64_t row = ROW_NONE;
	struct page_view v;

	if (!index_view(st->ix, page, &v))
		return ROW_NONE;
	for (unsigned i = v.entry.leaves; i-- > 0 && row == ROW_NONE;) {
		const struct leaf_head *h = &v.leaves[i];
		struct bearer b = {h->off,  leaf_off_end(&v, i), h->row0,
				   h->rows, h->first_id,         h->id_span};

		if (may_bear(&b, id))
			row = row_in(st, &b, id, true);
	}
	return row;
}

uint64_t stitch_row_of_own(struct stitcher *st, const struct foreign *f)
{
	return row_in_piece(st, st->s, f->id, st->s->off + f->at);
}

uint64_t stitch_row_of_old(struct stitcher *st, uint64_t id)
{
	uint64_t row = ROW_NONE;

	for (size_t i = st->pieces.count; i-- > 0 && row == ROW_NONE;)
		if (st->pieces.data[i] != st->s)
			row = row_in_piece(st, st->pieces.data[i], id, UINT64_MAX);
	if (row != ROW_NONE)
		return row;
	/* what is neither in a piece nor in a page is in the page being filled */
	if (st->ix->open.leaves && id >= st->ix->open.id_min && id <= st->ix->open.id_max)
		index_flush(st->ix);
	for (size_t page = st->ix->page_count; page-- > 0 && row == ROW_NONE;) {
		const struct page_entry *e = index_page(st->ix, page);

		if (id >= e->id_min && id <= e->id_max)
			row = row_in_page(st, page, id);
	}
	return row;
}
