/*
 * Reading the text around some rows again: everything the index does not hold.
 *
 * The index says where a row was born, when it ended and how, so this pass needs no life
 * cycle: it follows ids from their birth lines and files every stage entry, label and link up
 * to the end that the index names.
 */
#include "config.h"

#include "pipeline/queries/detail_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

enum {
	WINDOW_BYTES = 4 << 20,
	LATE_LINE = LEX_LONG_LINE + 64 /* what is kept of a label, and what stands before it */
};

void detail_free(struct detail *d)
{
	free(d->rows);
	free(d->stays);
	free(d->links);
	sbuf_free(&d->text);
	memset(d, 0, sizeof(*d));
}

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

/* ---- texts ------------------------------------------------------------------------------- */

/* Text is kept as found; what belongs to one row is put together in detail_gather(). */
static void keep_text(struct rereading *r, const struct record *rec, size_t row, uint32_t stay,
		      enum label_kind kind)
{
	struct detail_row *d = &r->d->rows[row];
	const char *at = r->text + rec->at;
	size_t len = rec->birth.text_len < LEX_LONG_LINE ? rec->birth.text_len : LEX_LONG_LINE;
	struct found_text t = {.row = (uint32_t)row,
			       .stay = stay,
			       .at = (uint32_t)r->words.len,
			       .len = (uint32_t)len,
			       .kind = (uint8_t)kind};

	if (rec->kind == REC_LABEL)
		t.between = label_between(rec->stage, rec->events);
	if (!d->has_pc)
		d->has_pc = detail_pc(at + rec->birth.pc, rec->birth.pc_len, &d->pc);
	if (len == 0 || (r->d->no_notes && kind != LABEL_TEXT))
		return;
	sbuf_add(&r->words, at + rec->birth.text, len);
	if (!vec_push(&r->texts, t))
		r->failed = true;
}

static void on_label(struct rereading *r, const struct record *rec, size_t row)
{
	uint32_t stay = rec->stage == LABEL_STAGE ? r->newest[row] : NOWHERE;
	enum label_kind kind = (enum label_kind)rec->stage;

	/* of no stage yet: it is the row's */
	if (kind == LABEL_STAGE && stay == NOWHERE)
		kind = LABEL_DETAIL;
	keep_text(r, rec, row, stay, kind);
}

/* ---- records ----------------------------------------------------------------------------- */

static void on_birth(struct rereading *r, const struct record *rec)
{
	uint64_t row = r->next++;
	struct detail_row *d;

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
	keep_text(r, rec, (size_t)(row - r->first), NOWHERE, LABEL_TEXT);
	follow(r, rec->id, (size_t)(row - r->first));
}

/* The row's last stay in a lane. NOWHERE: none. */
static uint32_t last_stay(const struct rereading *r, size_t row, unsigned lane)
{
	uint32_t i = r->newest[row];

	while (i != NOWHERE && r->found.data[i].stay.lane != lane)
		i = r->found.data[i].before;
	return i;
}

static void on_enter(struct rereading *r, const struct record *rec, size_t row)
{
	struct found_stay f = {.stay = {.start = r->tick,
					.end = TICK_NONE,
					.latency = rec->enter.latency,
					.events = rec->events,
					.colour = rec->enter.colour,
					.stage = rec->stage,
					.lane = rec->enter.lane},
			       .row = (uint32_t)row,
			       .before = r->newest[row],
			       .open = true};
	uint32_t last = last_stay(r, row, rec->enter.lane);

	if (last != NOWHERE && r->found.data[last].open)
		detail_close_stay(r, &r->found.data[last], r->tick);
	r->newest[row] = (uint32_t)r->found.count;
	r->d->rows[row].stays++;
	if (!vec_push(&r->found, f))
		r->failed = true;
}

/*
 * The end of a lane's open stage; or of one of the last before it, which then went on beside its
 * successors. An end of any other is stale and was counted.
 */
static void on_leave(struct rereading *r, const struct record *rec, size_t row)
{
	int ended = 0;

	for (uint32_t i = r->newest[row]; i != NOWHERE && ended < LIVE_PAST;
	     i = r->found.data[i].before) {
		struct found_stay *f = &r->found.data[i];

		if (f->stay.lane != rec->enter.lane)
			continue;
		if (f->stay.stage == rec->stage) {
			if (f->open || f->stay.end < r->tick)
				detail_close_stay(r, f, r->tick);
			return;
		}
		ended += !f->open;
	}
}

static void on_link(struct rereading *r, const struct record *rec, size_t row)
{
	struct found_link f = {{rec->link.low | (uint64_t)rec->link.high << 32, ROW_NONE, r->tick,
				rec->stage},
			       (uint32_t)row};

	r->d->rows[row].links++;
	if (!vec_push(&r->links, f))
		r->failed = true;
}

static void on_end(struct rereading *r, struct live *l)
{
	if (r->d->rows[l->row].head.end > r->tick)
		return;
	live_remove(&r->ids, l);
	if (r->open)
		r->open--;
}

/* A record of a row that is followed. */
static void on_life(struct rereading *r, const struct record *rec)
{
	struct live *l = live_find(&r->ids, rec->id);

	if (!l || r->tick > r->d->rows[l->row].head.end)
		return;
	switch (rec->kind) {
	case REC_ENTER:
		on_enter(r, rec, (size_t)l->row);
		break;
	case REC_LEAVE:
		on_leave(r, rec, (size_t)l->row);
		break;
	case REC_LABEL:
		on_label(r, rec, (size_t)l->row);
		break;
	case REC_LINK:
		on_link(r, rec, (size_t)l->row);
		break;
	default:
		on_end(r, l);
		break;
	}
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
		case REC_LEAVE:
		case REC_LABEL:
		case REC_LINK:
		case REC_END:
			on_life(r, rec);
			break;
		default:
			break;
		}
	}
	return !r->failed;
}

/* ---- windows ----------------------------------------------------------------------------- */

/* Lex and play one window; false: nothing of interest is left. *used: up to the last line. */
static bool play_window(struct rereading *r, const struct window *w, bool final, size_t *used)
{
	struct record batch[LEX_BATCH];
	struct lexer lx;
	size_t n;
	bool more = true;

	r->text = w->text;
	r->off = w->off;
	lexer_begin_at(&lx, &r->s->names, false, r->tick,
		       r->fresh && text_at_cut(r->s->reader, w, r->split));
	r->fresh = false;
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
	r->fresh = true;
	r->split = x->split;
	while (more && at < x->off_end) {
		uint64_t left = x->off_end - at;
		struct window w;
		enum status st = source_map(r->s->source, at,
					    left < want ? (size_t)left : want, &w, e);

		if (st != STATUS_OK)
			return st;
		more = w.len > 0 && play_window(r, &w, w.len == left, &used);
		if (used == 0) {
			want *= 2; /* a line longer than the window */
			r->fresh = at == x->off;
		}
		at += used;
		r->d->read += used;
		source_release(r->s->source, &w);
	}
	return r->failed ? error_set(e, STATUS_NOMEM, "out of memory") : STATUS_OK;
}

/* ---- labels that came late --------------------------------------------------------------- */

static size_t late_from(const struct trace_index *ix, uint64_t born)
{
	size_t lo = 0, hi = ix->late_labels.count;

	bisect(lo, hi, i, ix->late_labels.data[i].row < born);
	return lo;
}

/* Those of the rows wanted; while indexing goes on the table is in no order. */
static bool late_labels(const struct rereading *r, struct late_label **out, size_t *count)
{
	const struct trace_index *ix = &r->s->index;
	uint64_t from = r->first - ix->early, to = from + r->d->count;
	size_t n = 0, i = ix->complete ? late_from(ix, from) : 0, cap = 0;

	*out = NULL;
	for (; i < ix->late_labels.count; i++) {
		const struct late_label *l = &ix->late_labels.data[i];

		if (l->row >= to && ix->complete)
			break;
		if (l->row < from || l->row >= to)
			continue;
		if (n == cap) {
			struct late_label *more = realloc(*out, (cap = cap * 2 + 16) * sizeof(*more));

			if (!more) {
				free(*out);
				return false;
			}
			*out = more;
		}
		(*out)[n++] = *l;
	}
	*count = n;
	return true;
}

/* A line that is no label by itself goes on one that has a newline in it. */
static struct record bare_label(enum label_kind kind, const struct window *w)
{
	const char *nl = memchr(w->text, '\n', w->len);
	struct record rec = {.kind = REC_LABEL, .stage = (uint8_t)kind};

	rec.birth.text_len = (uint32_t)(nl ? (size_t)(nl - w->text) : w->len);
	rec.events = w->len ? label_goes_on(w->text) : LABEL_NEW;
	return rec;
}

static void read_label(struct rereading *r, const struct late_label *label, const struct window *w)
{
	const enum label_kind kind = (enum label_kind)label->kind;
	struct record recs[16], label_rec = bare_label(kind, w);
	struct lexer lx;
	size_t n;

	r->text = w->text;
	lexer_begin_at(&lx, &r->s->names, false, 0, false);
	lx.label_open = true;
	lx.label_kind = (uint8_t)kind;
	n = r->s->reader->lex(&lx, w->text, w->len, true, recs, 16);
	for (size_t i = 0; i < n && recs[i].at == 0; i++)
		if (recs[i].kind == REC_LABEL)
			label_rec = recs[i];
	on_label(r, &label_rec, (size_t)(label->row - (r->first - r->s->index.early)));
}

/*
 * Of a line longer than what is kept of its text the beginning stands for all: with an end, for
 * nothing is believed of a line that has none, and before it what is no blank, as those would go.
 */
static void read_long_label(struct rereading *r, const struct late_label *label,
			    const struct window *w)
{
	struct sbuf line = {0};

	sbuf_add(&line, w->text, w->len);
	sbuf_puts(&line, "x\n");
	if (line.failed)
		r->failed = true;
	else
		read_label(r, label, &(struct window){.text = line.text, .len = line.len});
	sbuf_free(&line);
}

static enum status read_late(struct rereading *r, struct error *e)
{
	struct late_label *labels;
	enum status st = STATUS_OK;
	size_t count = 0;
	bool ok;

	if (r->first < r->s->index.early)
		return STATUS_OK;
	store_read_lock(r->s);
	ok = late_labels(r, &labels, &count);
	store_unlock(r->s);
	if (!ok)
		return error_set(e, STATUS_NOMEM, "out of memory");
	for (size_t i = 0; i < count && st == STATUS_OK; i++) {
		struct window w;

		st = source_map(r->s->source, labels[i].off, LATE_LINE, &w, e);
		if (st != STATUS_OK)
			break;
		if (w.len >= LATE_LINE && !memchr(w.text, '\n', LATE_LINE))
			read_long_label(r, &labels[i], &w);
		else
			read_label(r, &labels[i], &w);
		source_release(r->s->source, &w);
	}
	free(labels);
	return st;
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

/*
 * As far as the row asks for text. Where stages go on beside the next one only their ends, which
 * may lie behind what is asked for, tell that they did.
 */
static int64_t end_of_reading(const struct rereading *r, const struct row *row)
{
	const struct detail *d = r->d;

	if (!d->bounded || d->until >= row->end || (r->ends_late && row->end != TICK_NONE))
		return row->end;
	return d->until;
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
	store_read_lock(r->s);
	r->ends_late = r->s->counts.notes[NOTE_LATE_END] > 0;
	store_unlock(r->s);
	r->open = 0;
	for (size_t k = i; k < d->count; k++)
		if (d->rows[k].head.fate != FATE_UNKNOWN) {
			int64_t until = end_of_reading(r, &d->rows[k].head);

			end = until > end ? until : end;
			r->open++;
		}
	if (r->open == 0)
		return STATUS_OK;
	store_read_lock(r->s);
	ok = born_extent(ix, r->first + i - ix->early, &x);
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

static bool begin(struct rereading *r)
{
	size_t n = r->d->count ? r->d->count : 1;

	r->newest = malloc(n * sizeof(*r->newest));
	for (size_t i = 0; r->newest && i < n; i++)
		r->newest[i] = NOWHERE;
	return r->newest && live_init(&r->ids);
}

static void end(struct rereading *r)
{
	live_free(&r->ids);
	free(r->newest);
	vec_free(&r->found);
	vec_free(&r->texts);
	vec_free(&r->links);
	sbuf_free(&r->words);
}

static enum status read_rows(struct rereading *r, struct error *e)
{
	enum status st;

	if (r->s->reader->lex_rows)
		st = detail_whole_rows(r, e);
	else
		st = read_unborn(r, e);
	if (st == STATUS_OK && r->s->reader->lex)
		st = read_born(r, e);
	if (st == STATUS_OK && r->s->reader->lex)
		st = read_late(r, e);
	if (st == STATUS_OK && !detail_gather(r))
		st = error_set(e, STATUS_NOMEM, "out of memory");
	return st;
}

enum status store_detail(struct store *s, uint64_t first, size_t n, struct detail *d,
			 struct error *e)
{
	struct rereading r = {.s = s, .d = d, .first = first};
	enum status st = STATUS_OK;
	bool ok;

	d->count = d->stay_count = d->link_count = 0;
	d->read = 0;
	d->clipped = false;
	sbuf_clear(&d->text);
	store_read_lock(s);
	ok = load_heads(s, first, n, d);
	store_unlock(s);
	if (!ok || !begin(&r))
		st = error_set(e, STATUS_NOMEM, "out of memory");
	else if (d->count)
		st = read_rows(&r, e);
	if (st != STATUS_OK)
		d->count = 0;
	end(&r);
	return st;
}
