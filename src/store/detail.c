/*
 * Reading the text around some rows again: everything the index does not hold.
 *
 * The index says where a row was born, when it ended and how, so this pass needs no life
 * cycle: it follows ids from their birth lines and files every stage entry up to the end that
 * the index names.
 */
#include "config.h"

#include "store/store_private.h"

#include <stdlib.h>
#include <string.h>

#include "reader/scan.h"

void detail_free(struct detail *d)
{
	free(d->rows);
	free(d->stays);
	sbuf_free(&d->text);
	memset(d, 0, sizeof(*d));
}

enum { WINDOW_BYTES = 4 << 20 };

/* A stay as found in the text, before stays are gathered by row. */
struct found_stay {
	struct stay stay;
	uint32_t row; /* in detail.rows */
};

struct rereading {
	struct store *s;
	struct detail *d;
	struct live_table ids; /* id -> index in detail.rows */
	VEC(struct found_stay) found;
	uint64_t first, next; /* rows wanted: [first, first + count); the next one born here */
	size_t open;          /* rows that have not ended yet */
	int64_t tick, stop;   /* nothing of interest after stop */
	uint64_t off, line;   /* of the text given */
	const char *text;
	bool failed;
};

static bool reserve(struct detail *d, size_t n)
{
	struct detail_row *rows;

	if (n <= d->rows_cap)
		return true;
	rows = realloc(d->rows, n * sizeof(*rows));
	if (!rows)
		return false;
	d->rows = rows;
	d->rows_cap = n;
	return true;
}

static void follow(struct rereading *r, uint64_t id, size_t i)
{
	struct live *l = live_find(&r->ids, id);

	if (!l)
		l = live_add(&r->ids, id);
	if (l)
		l->row = i;
	else
		r->failed = true;
}

static void on_birth(struct rereading *r, const struct record *rec)
{
	uint64_t row = r->next++;
	const char *at = r->text + rec->at;
	struct detail_row *d;
	bool overflow = false;

	if (row < r->first || row - r->first >= r->d->count) {
		struct live *l = live_find(&r->ids, rec->id);

		if (l)
			live_remove(&r->ids, l);
		return;
	}
	d = &r->d->rows[row - r->first];
	d->id = rec->id;
	d->offset = r->off + rec->at;
	d->line = r->line + rec->line + 1;
	d->text0 = (uint32_t)r->d->text.len;
	d->text_len = rec->birth.text_len < LEX_LONG_LINE ? rec->birth.text_len : LEX_LONG_LINE;
	sbuf_add(&r->d->text, at + rec->birth.text, d->text_len);
	d->has_pc = scan_hex_field(at + rec->birth.pc, at + rec->birth.pc + rec->birth.pc_len,
				   &d->pc, &overflow) != NULL;
	follow(r, rec->id, (size_t)(row - r->first));
}

static void on_enter(struct rereading *r, const struct record *rec)
{
	struct live *l = live_find(&r->ids, rec->id);
	struct detail_row *d;
	struct found_stay f = {.stay = {.start = r->tick,
					.end = TICK_NONE,
					.latency = rec->enter.latency,
					.events = rec->events,
					.colour = rec->enter.colour,
					.stage = rec->stage}};

	if (!l)
		return;
	d = &r->d->rows[l->row];
	if (r->tick > d->head.end)
		return;
	f.row = (uint32_t)l->row;
	d->stays++;
	if (!vec_push(&r->found, f))
		r->failed = true;
}

static void on_end(struct rereading *r, const struct record *rec)
{
	struct live *l = live_find(&r->ids, rec->id);

	if (!l || r->d->rows[l->row].head.end > r->tick)
		return;
	live_remove(&r->ids, l);
	if (r->open)
		r->open--;
}

static bool play(struct rereading *r, const struct record *recs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct record *rec = &recs[i];

		switch (rec->kind) {
		case REC_TICK:
			if ((int64_t)rec->id > r->tick)
				r->tick = (int64_t)rec->id;
			if (r->tick > r->stop || (r->open == 0 && r->next >= r->first + r->d->count))
				return false;
			break;
		case REC_BIRTH:
			on_birth(r, rec);
			break;
		case REC_ENTER:
			on_enter(r, rec);
			break;
		case REC_END:
			on_end(r, rec);
			break;
		default:
			break;
		}
	}
	return !r->failed;
}

/* A stay in commit has no length, whenever the removal comes. */
static void set_end(const struct rereading *r, struct stay *stay, int64_t end)
{
	bool commit = store_stage(r->s, stay->stage)->role == ROLE_COMMIT;

	stay->end = commit ? stay->start : end;
}

/* Stays by row, in order; each ends where the next begins, the last with its row. */
static bool gather(struct rereading *r)
{
	struct detail *d = r->d;
	uint32_t at = 0;

	if (r->found.count > d->stay_cap) {
		struct stay *stays = realloc(d->stays, r->found.count * sizeof(*stays));

		if (!stays)
			return false;
		d->stays = stays;
		d->stay_cap = r->found.count;
	}
	for (size_t i = 0; i < d->count; i++) {
		d->rows[i].stay0 = at;
		at += d->rows[i].stays;
		d->rows[i].stays = 0;
	}
	for (size_t i = 0; i < r->found.count; i++) {
		struct detail_row *row = &d->rows[r->found.data[i].row];

		d->stays[row->stay0 + row->stays++] = r->found.data[i].stay;
	}
	for (size_t i = 0; i < d->count; i++) {
		struct detail_row *row = &d->rows[i];

		for (uint32_t k = 0; k < row->stays; k++)
			set_end(r, &d->stays[row->stay0 + k],
				k + 1 < row->stays ? d->stays[row->stay0 + k + 1].start
						   : row->head.end);
	}
	d->stay_count = r->found.count;
	return true;
}

/* Lex and play one window; false: nothing of interest is left. *used: up to the last line. */
static bool play_window(struct rereading *r, const struct window *w, bool final, size_t *used)
{
	struct record batch[LEX_BATCH];
	struct lexer lx;
	size_t n;
	bool more = true;

	r->text = w->text;
	r->off = w->off;
	lexer_begin(&lx, &r->s->names, false);
	while (more && (n = r->s->reader->lex(&lx, w->text, w->len, final, batch, LEX_BATCH)) > 0)
		more = play(r, batch, n);
	*used = lx.pos;
	r->line += lx.line;
	return more;
}

static enum status reread(struct rereading *r, const struct extent *x, struct error *e)
{
	size_t want = WINDOW_BYTES, used;
	uint64_t at = x->off;
	bool more = true;

	r->line = x->line;
	r->tick = x->tick;
	r->next = x->row;
	while (more && at < x->off_end) {
		uint64_t left = x->off_end - at;
		struct window w;
		enum status st = source_map(r->s->source, at,
					    left < want ? (size_t)left : want, &w, e);

		if (st != STATUS_OK)
			return st;
		more = w.len > 0 && play_window(r, &w, w.len == left, &used);
		if (used == 0)
			want *= 2; /* a line longer than the window */
		at += used;
		r->d->read += used;
		source_release(r->s->source, &w);
	}
	return r->failed ? error_set(e, STATUS_NOMEM, "out of memory") : STATUS_OK;
}

/* ---- which text -------------------------------------------------------------------------- */

static void extent_begin(const struct leaf_head *h, const struct trace_index *ix, struct extent *x)
{
	x->off = h->off;
	x->line = h->line;
	x->tick = h->tick;
	x->row = h->row0 + ix->early;
}

/* Let x end behind tick, but not be longer than is read in one go. */
static void extent_end(const struct trace_index *ix, int64_t tick, uint64_t limit, struct extent *x)
{
	size_t page = index_page_of_tick(ix, tick);
	struct page_view v;

	x->off_end = ix->off_end;
	if (tick != TICK_NONE && page < ix->page_count && index_view(ix, page, &v)) {
		int leaf = index_leaf_of_tick(&v, tick);

		x->off_end = leaf_off_end(&v, (unsigned)leaf);
	}
	if (x->off_end < x->off)
		x->off_end = x->off;
	if (limit == 0)
		limit = STORE_EXACT_BYTES;
	if (x->off_end - x->off > limit) {
		x->off_end = x->off + limit;
		x->clipped = true;
	}
}

static bool extent_of_born(const struct trace_index *ix, uint64_t born, struct extent *x)
{
	size_t page = index_page_of_row(ix, born);
	struct page_view v;

	if (page >= ix->page_count || !index_view(ix, page, &v))
		return false;
	extent_begin(&v.leaves[index_leaf_of_row(&v, born)], ix, x);
	return true;
}

static int64_t latest_end(const struct row *rows, size_t n)
{
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < n; i++)
		end = rows[i].end > end ? rows[i].end : end;
	return end;
}

bool rows_extent(const struct trace_index *ix, uint64_t first, uint64_t n, const struct row *rows,
		 struct extent *out)
{
	memset(out, 0, sizeof(*out));
	if (n == 0 || first < ix->early || !extent_of_born(ix, first - ix->early, out))
		return false;
	extent_end(ix, latest_end(rows, (size_t)n), 0, out);
	return true;
}

bool ticks_extent(const struct trace_index *ix, int64_t t0, int64_t t1, struct extent *out)
{
	size_t page = index_page_of_tick(ix, t0);
	struct page_view v;
	const struct leaf_head *h;

	memset(out, 0, sizeof(*out));
	if (page >= ix->page_count || !index_view(ix, page, &v))
		return false;
	h = &v.leaves[index_leaf_of_tick(&v, t0)];
	if (!extent_of_born(ix, h->head < ix->row_end ? h->head : h->row0, out))
		extent_begin(h, ix, out);
	if (out->off > h->off)
		extent_begin(h, ix, out);
	extent_end(ix, t1, 0, out);
	return true;
}

/* The first line that mentions an unborn row, and the text up to the end of the last of them. */
static bool unborn_extent(const struct trace_index *ix, const struct detail *d, struct extent *x)
{
	struct page_view v;
	int64_t end = INT64_MIN;

	memset(x, 0, sizeof(*x));
	if (ix->page_count == 0 || !index_view(ix, 0, &v))
		return false;
	extent_begin(&v.leaves[0], ix, x);
	for (size_t i = 0; i < d->count; i++)
		end = d->rows[i].head.end > end ? d->rows[i].head.end : end;
	extent_end(ix, end, d->limit, x);
	return true;
}

/* ---- the query --------------------------------------------------------------------------- */

static bool load_heads(struct store *s, uint64_t first, size_t n, struct detail *d)
{
	struct row *rows = malloc((n ? n : 1) * sizeof(*rows));

	if (!rows || !reserve(d, n)) {
		free(rows);
		return false;
	}
	d->count = rows_get(&s->index, first, n, rows);
	for (size_t i = 0; i < d->count; i++)
		d->rows[i] = (struct detail_row){.head = rows[i]};
	free(rows);
	return true;
}

/* Rows without a birth record in d: their ids are known from the index. */
static size_t follow_unborn(struct rereading *r, uint64_t from, uint64_t to)
{
	const struct trace_index *ix = &r->s->index;
	size_t n = 0;

	for (uint64_t row = from; row < to; row++) {
		uint64_t i = row < ix->early ? row : row - ix->row_end;
		struct detail_row *d = &r->d->rows[row - r->first];

		if (d->head.fate != FATE_UNKNOWN)
			continue;
		d->id = ix->unborn.data[i].id;
		d->offset = ix->unborn.data[i].off;
		d->line = ix->unborn.data[i].line;
		follow(r, d->id, (size_t)(row - r->first));
		n++;
	}
	return n;
}

/* The text of the unborn among the rows wanted, from the trace's start; they are few. */
static enum status read_unborn(struct rereading *r, struct error *e)
{
	struct extent x;
	struct detail *d = r->d;
	bool ok;
	enum status st;

	store_read_lock(r->s);
	r->open = follow_unborn(r, r->first, r->first + d->count);
	ok = r->open && unborn_extent(&r->s->index, d, &x);
	store_unlock(r->s);
	if (!ok)
		return STATUS_OK;
	r->stop = TICK_NONE;
	x.row = ROW_NONE / 2; /* births of other rows do not count here */
	st = reread(r, &x, e);
	live_clear(&r->ids);
	d->clipped |= x.clipped;
	return st;
}

static enum status read_born(struct rereading *r, struct error *e)
{
	const struct trace_index *ix = &r->s->index;
	struct detail *d = r->d;
	struct extent x = {0};
	int64_t end = INT64_MIN;
	size_t i = 0;
	bool ok;
	enum status st;

	while (i < d->count && d->rows[i].head.fate == FATE_UNKNOWN)
		i++;
	r->open = 0;
	for (size_t k = i; k < d->count; k++)
		if (d->rows[k].head.fate != FATE_UNKNOWN) {
			end = d->rows[k].head.end > end ? d->rows[k].head.end : end;
			r->open++;
		}
	if (r->open == 0)
		return STATUS_OK;
	store_read_lock(r->s);
	ok = extent_of_born(ix, r->first + i - ix->early, &x);
	if (ok)
		extent_end(ix, end, d->limit, &x);
	store_unlock(r->s);
	if (!ok)
		return STATUS_OK;
	r->stop = end;
	st = reread(r, &x, e);
	d->clipped |= x.clipped;
	return st;
}

enum status store_detail(struct store *s, uint64_t first, size_t n, struct detail *d,
			 struct error *e)
{
	struct rereading r = {.s = s, .d = d, .first = first};
	enum status st = STATUS_OK;
	bool ok;

	d->count = d->stay_count = 0;
	d->read = 0;
	d->clipped = false;
	sbuf_clear(&d->text);
	store_read_lock(s);
	ok = load_heads(s, first, n, d);
	store_unlock(s);
	if (!ok || !live_init(&r.ids))
		return error_set(e, STATUS_NOMEM, "out of memory");
	if (d->count)
		st = read_unborn(&r, e);
	if (st == STATUS_OK && d->count)
		st = read_born(&r, e);
	if (st == STATUS_OK && !gather(&r))
		st = error_set(e, STATUS_NOMEM, "out of memory");
	if (st != STATUS_OK)
		d->count = 0;
	live_free(&r.ids);
	vec_free(&r.found);
	return st;
}

/* ---- raw lines --------------------------------------------------------------------------- */

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
	if (rec->kind != REC_BIRTH && rec->kind != REC_ENTER && rec->kind != REC_END)
		return true;
	if (rec->id != lr->id || lr->w->off + rec->at < lr->birth_off)
		return true;
	return give_line(lr, rec);
}

enum status store_row_lines(struct store *s, uint64_t row, store_line_fn *fn, void *arg,
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
	lexer_begin(&lx, &s->names, false);
	while (more && (n = s->reader->lex(&lx, w.text, w.len, true, batch, 64)) > 0)
		for (size_t i = 0; i < n && more; i++)
			more = line_record(&lr, &batch[i]);
	source_release(s->source, &w);
out:
	detail_free(&d);
	return st;
}
