/*
 * Finding what is not a property of single rows in the index: quiet stretches, and rows by the
 * file's own numbers.
 */
#include "config.h"

#include "pipeline/queries/find_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- quiet stretches --------------------------------------------------------------------- */

/* The stretch wanted: of at least n ticks, the next one on the side dir of tick `at`. */
struct quiet {
	int64_t n, at;
	int64_t step, first; /* ticks a cycle; where the first one begins */
	int dir;
	int64_t previous; /* last tick with a record so far */
	int64_t from, to; /* found; from > to: none yet */
};

/* How far into its cycle a tick is. */
static int64_t into_cycle(const struct quiet *q, int64_t tick)
{
	return (int64_t)(((uint64_t)tick - (uint64_t)q->first) % (uint64_t)q->step);
}

/* From the first whole cycle behind the record before to the cycle of this one. */
static void on_active(struct quiet *q, int64_t tick)
{
	int64_t from = q->previous + 1, to = tick - into_cycle(q, tick);
	int64_t into = into_cycle(q, from), skip = into ? q->step - into : 0;

	q->previous = tick;
	if (q->n == INT64_MAX || to <= from || to - from < skip || to - from - skip < q->n)
		return;
	from += skip;
	if (q->dir > 0 ? from > q->at && q->from > q->to : to <= q->at) {
		q->from = from;
		q->to = to;
	}
}

static bool play_whole_rows(struct store *s, const struct page_view *v, int leaf, struct quiet *q)
{
	int64_t *ticks = NULL;
	size_t n = 0;
	bool ok = find_active_ticks(s, v, leaf, &ticks, &n);

	for (size_t i = 0; ok && i < n; i++)
		on_active(q, ticks[i]);
	free(ticks);
	return ok;
}

/* Play the ticks of a leaf that have life records to q. */
static bool play_leaf(struct store *s, const struct page_view *v, int leaf, struct quiet *q)
{
	const struct leaf_head *h = &v->leaves[leaf];
	struct record batch[LEX_BATCH];
	struct lexer lx;
	struct window w;
	struct error e;
	int64_t tick = h->tick;
	bool active = false;
	size_t n;

	if (s->reader->lex_rows)
		return play_whole_rows(s, v, leaf, q);
	if (source_map(s->source, h->off, (size_t)(leaf_off_end(v, (unsigned)leaf) - h->off), &w,
		       &e) != STATUS_OK)
		return false;
	lexer_begin_at(&lx, &s->names, false, h->tick, text_at_cut(s->reader, &w, h->split));
	while ((n = s->reader->lex(&lx, w.text, w.len, true, batch, LEX_BATCH)) > 0)
		for (size_t i = 0; i < n; i++) {
			unsigned kind = batch[i].kind;

			if (kind == REC_TICK && (int64_t)batch[i].id > tick) {
				tick = (int64_t)batch[i].id;
				active = false;
			} else if (!active &&
				   kind >= REC_BIRTH && kind <= REC_END) {
				active = true;
				on_active(q, tick);
			}
		}
	source_release(s->source, &w);
	return true;
}

/* The last tick with a record before the leaf that w stands at. */
static int64_t active_before(struct store *s, const struct leaf_walk *w)
{
	struct leaf_walk back = *w;
	struct quiet q = {
	    .n = INT64_MAX, .step = 1, .dir = 1, .from = 1, .previous = INT64_MIN};

	back.rows = NULL;
	back.rows_cap = 0;
	while (q.previous == INT64_MIN && leaf_walk_step(&back, -1))
		if (!play_leaf(s, &back.view, back.leaf, &q))
			break;
	return q.previous == INT64_MIN ? s->index.first - 1 : q.previous;
}

static bool walk_at_tick(struct leaf_walk *w, const struct trace_index *ix, int64_t tick)
{
	memset(w, 0, sizeof(*w));
	w->ix = ix;
	w->ok = index_at_tick(ix, tick, &w->page, &w->view, &w->leaf);
	return w->ok;
}

/* On to the next leaf with a long stretch, whole pages without one at a time. */
static bool next_quiet_leaf(struct leaf_walk *w, int dir, int64_t n)
{
	while (leaf_walk_step(w, dir)) {
		while (w->view.entry.gap < n) {
			if (dir < 0 && w->page == 0)
				return false;
			w->page += (size_t)(ptrdiff_t)dir;
			if (w->page >= w->ix->page_count || !index_view(w->ix, w->page, &w->view))
				return false;
			w->leaf = dir > 0 ? 0 : (int)w->view.entry.leaves - 1;
		}
		if (w->view.leaves[w->leaf].gap >= n)
			return true;
	}
	return false;
}

bool store_find_gap(struct store *s, int64_t n, int64_t tick, int dir, int64_t *from, int64_t *to)
{
	struct quiet q = {.n = n < 1 ? 1 : n,
			  .step = store_ticks_per_cycle(s),
			  .at = tick,
			  .dir = dir,
			  .from = 1,
			  .to = 0};
	struct leaf_walk w;
	bool more;

	store_read_lock(s);
	q.first = s->index.first;
	more = walk_at_tick(&w, &s->index, tick);
	if (more && w.view.leaves[w.leaf].gap < q.n)
		more = next_quiet_leaf(&w, dir, q.n);
	while (more && q.from > q.to) {
		q.previous = active_before(s, &w);
		if (!play_leaf(s, &w.view, w.leaf, &q))
			break;
		if (q.from > q.to)
			more = next_quiet_leaf(&w, dir, q.n);
	}
	store_unlock(s);
	*from = q.from;
	*to = q.to;
	return q.from <= q.to;
}

/* ---- the file's own numbers -------------------------------------------------------------- */

uint64_t find_id_in_rows(struct store *s, uint64_t id, uint64_t from, uint64_t first, uint64_t n)
{
	struct detail d = {.no_notes = true};
	struct error e;
	uint64_t found = ROW_NONE;

	if (store_detail(s, first, (size_t)n, &d, &e) == STATUS_OK)
		for (size_t i = 0; i < d.count && found == ROW_NONE; i++)
			if (d.rows[i].id == id && d.rows[i].head.row >= from)
				found = d.rows[i].head.row;
	detail_free(&d);
	return found;
}

/*
 * Ids are dense in any trace worth the name, so a leaf can hold the id when it lies between the
 * leaf's first id and the next leaf's; only such leaves are read.
 */
uint64_t store_find_id(struct store *s, uint64_t id, uint64_t from)
{
	const struct trace_index *ix = &s->index;
	struct leaf_walk w;
	uint64_t found = ROW_NONE;
	bool more;

	store_read_lock(s);
	if (s->reader->lex_rows) {
		found = find_id_of_whole_row(s, id, from);
		store_unlock(s);
		return found;
	}
	for (size_t i = 0; i < ix->unborn.count && from == 0; i++)
		if (ix->unborn.data[i].id == id && (i < ix->early || ix->complete)) {
			found = i < ix->early ? i : i + ix->row_end;
			break;
		}
	more = found == ROW_NONE && leaf_walk_begin(&w, ix, from > ix->early ? from - ix->early : 0);
	while (more) {
		struct leaf_head h = w.view.leaves[w.leaf];
		uint64_t next;

		more = leaf_walk_step(&w, 1);
		next = more ? w.view.leaves[w.leaf].first_id : UINT64_MAX;
		if (h.rows == 0 || id < h.first_id || (next >= h.first_id && id >= next))
			continue;
		found = find_id_in_rows(s, id, from, h.row0 + ix->early, h.rows);
		if (found != ROW_NONE)
			break;
	}
	store_unlock(s);
	return found;
}
