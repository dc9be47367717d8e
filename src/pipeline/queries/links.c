/*
 * Links both ways. A row's own links stand in its text, by the producers' ids; of each leaf the
 * index knows the least and the largest id, and whether they ascend without gaps: then the row
 * follows from the id. Who waited for a row stands in their text: the index keeps for each leaf
 * the smallest producer that its text names and for the trace the longest step back, so that only
 * the leaves that can name a row are read.
 *
 * Where lines between whole rows tell of registers, who read what a row wrote is told within
 * ROWS_RENAMED_BEFORE behind the line that gave it the register: that stretch is read.
 */
#include "config.h"

#include "pipeline/queries/detail_private.h"
#include "pipeline/queries/renames.h"

/* ---- producers --------------------------------------------------------------------------- */

/* A leaf that may bear the id. */
struct bearer {
	struct leaf_head leaf;
	uint64_t off_end, row0;
};

/* Who bears an id in a cycle: the last one born with it until then. */
struct bearing {
	uint64_t id;
	int64_t until;
};

/* Born in the leaf's text: ROW_NONE where nobody is. */
static uint64_t id_in_text(struct store *s, const struct bearing *k, const struct bearer *b)
{
	struct record batch[LEX_BATCH];
	uint64_t found = ROW_NONE, row = b->row0;
	int64_t tick = b->leaf.tick;
	struct lexer lx;
	struct window w;
	struct error e;
	size_t n;

	if (source_map(s->source, b->leaf.off, (size_t)(b->off_end - b->leaf.off), &w, &e))
		return ROW_NONE;
	lexer_begin_at(&lx, &s->names, false, tick, text_at_cut(s->reader, &w, b->leaf.split));
	while ((n = s->reader->lex(&lx, w.text, w.len, true, batch, LEX_BATCH)) > 0)
		for (size_t i = 0; i < n; i++) {
			if (batch[i].kind == REC_TICK && (int64_t)batch[i].id > tick)
				tick = (int64_t)batch[i].id;
			if (batch[i].kind != REC_BIRTH)
				continue;
			if (batch[i].id == k->id && tick <= k->until)
				found = row;
			row++;
		}
	source_release(s->source, &w);
	return found;
}

/* From the leaf of a birth on, back or, with dir > 0, forward: the nearest one. */
static bool bearer_in_page(const struct trace_index *ix, const struct page_view *v, uint64_t born,
			   int dir, uint64_t id, struct bearer *out)
{
	for (unsigned k = 0; k < v->entry.leaves; k++) {
		unsigned i = dir < 0 ? v->entry.leaves - 1 - k : k;
		const struct leaf_head *h = &v->leaves[i];

		if ((dir < 0 ? h->row0 > born : h->row0 + h->rows <= born) || h->rows == 0 ||
		    id < h->first_id || id - h->first_id > h->id_span)
			continue;
		*out = (struct bearer){*h, leaf_off_end(v, i), h->row0 + ix->early};
		return true;
	}
	return false;
}

static bool next_bearer(struct store *s, uint64_t born, int dir, uint64_t id, struct bearer *out)
{
	const struct trace_index *ix = &s->index;
	struct page_view v;
	bool found = false;
	size_t page;

	store_read_lock(s);
	page = born < ix->row_end ? index_page_of_row(ix, born) : ix->page_count - 1;
	for (; page < ix->page_count && !found; page += (size_t)dir) {
		const struct page_entry *e = index_page(ix, page);

		found = id >= e->id_min && id <= e->id_max && index_view(ix, page, &v) &&
			bearer_in_page(ix, &v, born, dir, id, out);
	}
	store_unlock(s);
	return found;
}

/* Where ids ascend without gaps no text need be read. */
static uint64_t id_in_leaf(struct store *s, const struct bearing *k, const struct bearer *b)
{
	uint64_t row = b->row0 + (k->id - b->leaf.first_id);
	struct row head;

	if (b->leaf.id_span != b->leaf.rows - 1)
		return id_in_text(s, k, b);
	if (k->until < INT64_MAX && !(store_row(s, row, &head) && head.start <= k->until))
		return ROW_NONE;
	return row;
}

/* Where to look for an id: of whole rows several may bear it, each of another CPU. */
struct sought {
	uint64_t id, row; /* nearest to row, on the side of dir */
	int dir;
	uint16_t thread; /* of row */
};

static uint64_t id_in_rows(struct store *s, const struct sought *k, uint64_t first, uint64_t n)
{
	struct detail d = {.no_notes = true};
	uint64_t found = ROW_NONE;
	struct error e;

	if (store_detail(s, first, (size_t)n, &d, &e) == STATUS_OK)
		for (size_t i = 0; i < d.count; i++) {
			const struct detail_row *r = &d.rows[k->dir > 0 ? i : d.count - 1 - i];

			if (found == ROW_NONE && r->id == k->id &&
			    (k->dir > 0 ? r->head.row > k->row : r->head.row < k->row) &&
			    detail_of_one_cpu(s, r->head.thread, k->thread))
				found = r->head.row;
		}
	detail_free(&d);
	return found;
}

/* Mostly ids ascend without gaps: then one row is read, else those of the leaf. */
static uint64_t id_in_whole_rows(struct store *s, const struct sought *k, const struct bearer *b)
{
	uint64_t found = ROW_NONE;

	if (b->leaf.id_span == b->leaf.rows - 1)
		found = id_in_rows(s, k, b->row0 + (k->id - b->leaf.first_id), 1);
	return found == ROW_NONE ? id_in_rows(s, k, b->row0, b->leaf.rows) : found;
}

enum { BEARERS_MOST = 64 }; /* leaves that can bear an id, and do not: other CPUs' */

static uint64_t whole_row_of_id(struct store *s, const struct sought *k)
{
	uint64_t row = ROW_NONE, born = k->row;
	struct bearer b;

	for (int i = 0; i < BEARERS_MOST && row == ROW_NONE; i++) {
		if (!next_bearer(s, born, k->dir, k->id, &b))
			break;
		row = id_in_whole_rows(s, k, &b);
		if (k->dir < 0 && b.leaf.row0 == 0)
			break;
		born = k->dir < 0 ? b.leaf.row0 - 1 : b.leaf.row0 + b.leaf.rows;
	}
	return row;
}

static uint16_t thread_of(const struct store *s, uint64_t row)
{
	struct row r;

	return store_row(s, row, &r) ? r.thread : 0;
}

/*
 * Producers are older as a rule: from the consumer back, then what came behind it. Where ids are
 * used again those that were not born yet are not meant, unless nobody else is.
 */
uint64_t store_link_row(struct store *s, const struct link *link, uint64_t consumer)
{
	struct bearing k = {link->id, INT64_MAX};
	uint64_t born, row = ROW_NONE;
	struct bearer b;

	if (link->row != ROW_NONE)
		return link->row;
	if (s->reader->lex_rows)
		return whole_row_of_id(
		    s, &(struct sought){link->id, consumer, -1, thread_of(s, consumer)});
	store_read_lock(s);
	consumer -= consumer < s->index.early ? consumer : s->index.early;
	k.until = s->counts.notes[NOTE_REUSED_IDS] ? link->tick : INT64_MAX;
	store_unlock(s);
	for (int dir = -1; dir <= 1 && row == ROW_NONE; dir += 2, k.until = INT64_MAX)
		for (born = consumer; row == ROW_NONE && next_bearer(s, born, dir, link->id, &b);) {
			row = id_in_leaf(s, &k, &b);
			if (dir < 0 && b.leaf.row0 == 0)
				break;
			born = dir < 0 ? b.leaf.row0 - 1 : b.leaf.row0 + b.leaf.rows;
		}
	return row;
}

/* ---- consumers --------------------------------------------------------------------------- */

enum { SEEK_MOST = 256 }; /* consumers by registers of one row */

struct seeking {
	struct store *s;
	uint64_t id; /* of the producer */
	struct link *out;
	size_t max, count;
	bool ids_again; /* some ids are used again */
};

static enum status seek_in(struct seeking *k, const struct leaf_head *h, uint64_t off_end,
			   struct error *e)
{
	struct record batch[LEX_BATCH];
	int64_t tick = h->tick;
	struct lexer lx;
	struct window w;
	size_t n;
	enum status st = source_map(k->s->source, h->off, (size_t)(off_end - h->off), &w, e);

	if (st != STATUS_OK)
		return st;
	lexer_begin_at(&lx, &k->s->names, false, tick, text_at_cut(k->s->reader, &w, h->split));
	while ((n = k->s->reader->lex(&lx, w.text, w.len, true, batch, LEX_BATCH)) > 0)
		for (size_t i = 0; i < n; i++) {
			const struct record *rec = &batch[i];

			if (rec->kind == REC_TICK && (int64_t)rec->id > tick)
				tick = (int64_t)rec->id;
			if (rec->kind != REC_LINK || k->count >= k->max ||
			    (rec->link.low | (uint64_t)rec->link.high << 32) != k->id)
				continue;
			k->out[k->count++] = (struct link){rec->id, ROW_NONE, tick, rec->stage};
		}
	source_release(k->s->source, &w);
	return STATUS_OK;
}

/* A stretch of text that may name the producer. */
struct suspect {
	struct leaf_head leaf;
	uint64_t off_end, last_row;
};

/* The next one from w on; false: none. Under the read lock. */
static bool next_suspect(struct leaf_walk *w, uint64_t born, uint64_t id, uint64_t span,
			 struct suspect *out)
{
	const bool late = w->ix->late.count || w->ix->late_new.count || !w->ix->complete;

	do {
		const struct leaf_head *h = &w->view.leaves[w->leaf];

		/* who was published before it ended is not among those that head looks at */
		if (!late && h->head > born && h->head - born > span)
			return false;
		if (h->link_min == LINK_NONE || h->link_min > id)
			continue;
		out->leaf = *h;
		out->off_end = leaf_off_end(&w->view, (unsigned)w->leaf);
		out->last_row = h->row0 + h->rows;
		return true;
	} while (leaf_walk_step(w, 1));
	return false;
}

/* How many links to the producer a row has in a cycle: in its last, lines may be left out. */
static size_t links_in_cycle(struct store *s, uint64_t row, uint64_t producer, int64_t tick)
{
	struct detail d = {.no_notes = true};
	struct error ignored;
	size_t n = 0;

	if (store_detail(s, row, 1, &d, &ignored) == STATUS_OK)
		for (size_t i = 0; i < d.link_count; i++)
			n += d.links[i].id == producer && d.links[i].tick == tick;
	detail_free(&d);
	return n;
}

/* Of the first n that were found: those of the same row and cycle. */
static size_t same_cycle(const struct seeking *k, size_t n, const struct link *l)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += k->out[i].row == l->row && k->out[i].tick == l->tick;
	return same;
}

/*
 * The line found, behind n others, is of a consumer's life, and where ids are used again its
 * producer is the row sought.
 */
static bool is_consumer(const struct seeking *k, size_t n, const struct link *found, uint64_t row)
{
	const struct link back = {k->id, ROW_NONE, found->tick, found->type};
	struct row consumer;

	if (found->row == ROW_NONE || !store_row(k->s, found->row, &consumer) ||
	    found->tick < consumer.start ||
	    (consumer.end != TICK_NONE && found->tick > consumer.end))
		return false;
	if (found->tick == consumer.end &&
	    links_in_cycle(k->s, found->row, k->id, found->tick) <= same_cycle(k, n, found))
		return false;
	return !k->ids_again || store_link_row(k->s, &back, found->row) == row;
}

/* The rows of those found last, from `before` on, in text whose last row is `last`. */
static void find_consumers(struct seeking *k, size_t before, uint64_t last, uint64_t row)
{
	size_t kept = before;

	for (size_t i = before; i < k->count; i++) {
		k->out[i].row = store_link_row(k->s, &k->out[i], last);
		if (is_consumer(k, kept, &k->out[i], row))
			k->out[kept++] = k->out[i];
	}
	k->count = kept;
}

static enum status seek(struct seeking *k, uint64_t row, struct error *e)
{
	const struct trace_index *ix = &k->s->index;
	enum status st = STATUS_OK;
	struct suspect suspect;
	struct leaf_walk w;
	bool more;

	store_read_lock(k->s);
	k->ids_again = k->s->counts.notes[NOTE_REUSED_IDS] > 0;
	more = row >= ix->early && leaf_walk_begin(&w, ix, row - ix->early) &&
	       next_suspect(&w, row - ix->early, k->id, k->s->counts.link_span, &suspect);
	store_unlock(k->s);
	while (more && st == STATUS_OK && k->count < k->max) {
		size_t before = k->count;

		st = seek_in(k, &suspect.leaf, suspect.off_end, e);
		find_consumers(k, before,
			       suspect.last_row ? suspect.last_row - 1 + ix->early : row, row);
		store_read_lock(k->s);
		more = leaf_walk_step(&w, 1) && next_suspect(&w, row - ix->early, k->id,
							     k->s->counts.link_span, &suspect);
		store_unlock(k->s);
	}
	return st;
}

/* ---- consumers by registers -------------------------------------------------------------- */

struct seeking_reads {
	struct seeking k;
	const struct detail_row *writer;
	uint64_t off[SEEK_MOST]; /* of the line that told of each */
};

static void on_read(void *arg, const struct register_read *read)
{
	struct seeking_reads *r = arg;
	struct seeking *k = &r->k;
	const struct row_told told = {.id = read->writer, .off = read->written, .cpu = read->cpu};

	if (!read->known || k->count == k->max || !detail_is_renamed(k->s, r->writer, &told))
		return;
	for (size_t i = 0; i < k->count; i++)
		if (k->out[i].id == read->reader)
			return;
	r->off[k->count] = read->off;
	k->out[k->count++] = (struct link){read->reader, ROW_NONE, read->tick, 0};
}

/* The rows of those that were found; told of too far from its own place, a row's is not told. */
static void find_readers(struct seeking_reads *r)
{
	struct seeking *k = &r->k;

	for (size_t i = 0; i < k->count; i++) {
		struct link *l = &k->out[i];
		struct detail_row d = {.id = l->id};
		const struct row_told told = {.id = l->id, .off = r->off[i], .cpu = CPU_NONE};

		l->row = whole_row_of_id(
		    k->s, &(struct sought){l->id, r->writer->head.row, 1, r->writer->head.thread});
		if (l->row == ROW_NONE || !store_row(k->s, l->row, &d.head))
			continue;
		d.offset = d.head.offset;
		if (!detail_is_told(k->s, &d, &told))
			l->row = ROW_NONE;
		else if (l->tick < 0)
			l->tick = d.head.start;
	}
}

static enum status seek_reads(struct seeking *k, const struct detail_row *writer, struct error *e)
{
	enum { BEFORE = ROWS_NOTES_BEFORE + ROWS_CONTEXT };
	struct seeking_reads r = {.k = *k, .writer = writer};
	uint64_t from = writer->offset < BEFORE ? 0 : writer->offset - BEFORE;
	uint64_t to = writer->offset + ROWS_NOTES_BEHIND + ROWS_RENAMED_BEFORE;
	enum status st;

	r.k.max = k->max < SEEK_MOST ? k->max : SEEK_MOST;
	st = renames_in(k->s, from, to, on_read, &r, e);
	find_readers(&r);
	k->count = r.k.count;
	return st;
}

enum status store_consumers(struct store *s, uint64_t row, struct link *out, size_t max, size_t *n,
			    struct error *e)
{
	struct seeking k = {.s = s, .out = out, .max = max};
	struct detail d = {.no_notes = true};
	enum status st = STATUS_OK;

	*n = 0;
	if (store_link_count(s) == 0 || max == 0)
		return STATUS_OK;
	st = store_detail(s, row, 1, &d, e);
	if (st == STATUS_OK && d.count == 1) {
		k.id = d.rows[0].id;
		st = s->reader->lex_rows ? seek_reads(&k, &d.rows[0], e) : seek(&k, row, e);
	}
	detail_free(&d);
	*n = k.count;
	return st;
}
