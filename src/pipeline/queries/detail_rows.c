/*
 * Reading whole rows again, each from the place that the index holds for it.
 *
 * Rows next to each other mostly lie near each other in the text, so those are read through one
 * window. What debug lines say of an instruction stands mostly before its record, which is printed
 * when it is destroyed: in a log with all flags of gem5's O3 model 89 of 100 such lines are within
 * 512 KB of it, 98.7 within ROWS_NOTES_BEFORE. Those farther away are not found.
 */
#include "config.h"

#include "pipeline/queries/detail_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "pipeline/formats/rows.h"
#include "pipeline/queries/renames.h"

enum {
	GROUP_GAP = 64 << 10, /* rows farther apart get windows of their own */
	GROUP_BYTES = 4 << 20,
	RECORD_BYTES = 4 << 10, /* read behind the last row's place to begin with */
	RECORD_MOST = 4 << 20,  /* lines of one row are not farther apart */
	NOTES_TEXT = 64 << 10,  /* of one row; lines beyond that are counted */
	LINKS_BYTES = 16 << 20, /* rows farther apart do not share a stretch */
	LINKS_MOST = 64,        /* of one row: no instruction reads so many registers */
	NAMESAKES_MOST = 256,   /* rows of one number among those: one of each CPU */
	DOCUMENT_BATCH = 16
};

struct place {
	uint64_t off;
	uint32_t row; /* in detail.rows */
};

struct note_line {
	uint32_t row, at, len; /* in rereading.words */
};

struct whole_rows {
	struct rereading *r;
	struct row_lexer lexer;
	struct place *places;
	uint32_t *next_same; /* rows by id: the next one of the same slot, + 1 */
	uint32_t *slots;
	size_t slot_count;
	VEC(struct note_line) notes;
	uint32_t *kept, *left;  /* of each row: lines about it, those that are left out */
	struct live_table once; /* what a row is known to have read, in a stretch of text */
	bool debug;             /* debug lines are read for notes */
	bool renames;           /* and for links: there are those that tell of registers */
};

static int by_off(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* ---- one row ----------------------------------------------------------------------------- */

static void keep(struct rereading *r, uint32_t row, const char *p, size_t len, uint8_t kind)
{
	struct found_text t = {.row = row,
			       .stay = NOWHERE,
			       .at = (uint32_t)r->words.len,
			       .len = (uint32_t)len,
			       .kind = kind};

	if (len == 0)
		return;
	sbuf_add(&r->words, p, len);
	if (!vec_push(&r->texts, t))
		r->failed = true;
}

/* Lines of the record that are no stage: what a tracer added. */
static void keep_extra(struct whole_rows *w, uint32_t row, const struct text_row *t, const char *at)
{
	struct rereading *r = w->r;
	const char *end = at + t->len, *nl;

	for (const char *p = at; p < end; p = nl + 1) {
		struct note_line note = {row, (uint32_t)r->words.len, 0};

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		if (!r->s->reader->is_extra(p, nl))
			continue;
		note.len = (uint32_t)(nl - p);
		sbuf_add(&r->words, p, note.len);
		if (!vec_push(&w->notes, note))
			r->failed = true;
	}
}

static void on_row(struct whole_rows *w, uint32_t row, struct text_row *t, const char *at)
{
	struct rereading *r = w->r;
	struct detail_row *d = &r->d->rows[row];
	const char *words;

	if (r->s->reader->recall)
		r->s->reader->recall(&w->lexer, d->head.row, d->head.start, d->head.end, t);
	d->id = t->id;
	d->offset = t->off;
	words = t->words ? t->words : at;
	d->has_pc = detail_pc(words + t->pc, t->pc_len, &d->pc);
	keep(r, row, words + t->text, t->text_len, LABEL_TEXT);
	if (t->note_len && !r->d->no_notes)
		keep(r, row, words + t->note, t->note_len, LABEL_DETAIL);
	for (unsigned k = 0; k < t->stays; k++) {
		struct found_stay f = {.stay = {.start = t->stay[k].start,
						.end = t->stay[k].end,
						.latency = -1,
						.stage = t->stay[k].stage,
						.lane = t->stay[k].lane,
						.behind = k + 1u == t->stays &&
							  row_commits_before_last(t)},
				       .row = row,
				       .before = NOWHERE};

		if (f.stay.stage >= STAGE_MAX)
			continue;
		if (f.stay.end == INT64_MAX || (k + 1u == t->stays && d->head.end == TICK_NONE))
			f.stay.end = d->head.end;
		d->stays++;
		if (!vec_push(&r->found, f))
			r->failed = true;
	}
	if (t->extra && !r->d->no_notes)
		keep_extra(w, row, t, at);
}

/* The record at `at` of the window; false: it goes on behind the window. */
static bool read_one(struct whole_rows *w, const struct place *p, const struct window *win,
		     bool final)
{
	struct row_lexer *lx = &w->lexer;
	struct text_row t;
	bool found = false;

	lx->carry = true;
	row_lexer_begin(lx, win->off, (size_t)(p->off - win->off));
	lx->open.used = lx->any_retired = false;
	lx->first = lx->count = 0;
	while (!found && w->r->s->reader->lex_rows(lx, win->text, win->len, final, final, &t, 1))
		found = t.off == p->off;
	w->r->d->read += lx->pos - (size_t)(p->off - win->off);
	if (found)
		on_row(w, p->row, &t, win->text + (t.off - win->off));
	w->r->failed |= lx->damaged;
	return found || final;
}

/* ---- debug lines ------------------------------------------------------------------------- */

static size_t slot_of(const struct whole_rows *w, uint64_t id)
{
	return (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (w->slot_count - 1);
}

static void index_ids(struct whole_rows *w, const struct place *p, size_t n)
{
	memset(w->slots, 0, w->slot_count * sizeof(*w->slots));
	for (size_t i = n; i-- > 0;) {
		size_t slot = slot_of(w, w->r->d->rows[p[i].row].id);

		w->next_same[p[i].row] = w->slots[slot];
		w->slots[slot] = p[i].row + 1;
	}
}

bool detail_is_told(const struct store *s, const struct detail_row *d, const struct row_told *told)
{
	if (d->id != told->id || told->off > d->offset + ROWS_NOTES_BEHIND ||
	    d->offset > told->off + ROWS_NOTES_BEFORE)
		return false;
	return told->cpu == CPU_NONE || d->head.thread == 0 ||
	       names_is_of_cpu(&s->names, store_thread_name(s, d->head.thread), told->cpu);
}

bool detail_is_renamed(const struct store *s, const struct detail_row *d,
		       const struct row_told *told)
{
	return (told->cpu == CPU_NONE || d->head.thread != 0) && detail_is_told(s, d, told);
}

static void on_told(struct whole_rows *w, const struct row_told *told, const char *line, size_t len)
{
	struct rereading *r = w->r;

	for (uint32_t i = w->slots[slot_of(w, told->id)]; i; i = w->next_same[i - 1]) {
		struct detail_row *d = &r->d->rows[i - 1];
		struct note_line note = {i - 1, (uint32_t)r->words.len, (uint32_t)len};

		if (!detail_is_told(r->s, d, told))
			continue;
		if (d->note_len > NOTES_TEXT) {
			w->left[i - 1]++;
			continue;
		}
		w->kept[i - 1]++;
		d->note_len += note.len; /* counted here, put together when all are found */
		sbuf_add(&r->words, line, len);
		if (!vec_push(&w->notes, note))
			r->failed = true;
	}
}

/* Search text around and between the records of a group. */
static enum status read_notes(struct whole_rows *w, const struct place *p, size_t n,
			      struct error *e)
{
	static const char mention[] = "[sn:";
	uint64_t from = p[0].off < ROWS_NOTES_BEFORE ? 0 : p[0].off - ROWS_NOTES_BEFORE;
	uint64_t to = p[n - 1].off + ROWS_NOTES_BEHIND;
	struct window win;
	const char *at, *end, *line, *nl;
	enum status st = source_map(w->r->s->source, from, (size_t)(to - from), &win, e);

	if (st != STATUS_OK)
		return st;
	index_ids(w, p, n);
	end = win.text + win.len;
	for (at = win.text; (at = memmem(at, (size_t)(end - at), mention, sizeof(mention) - 1));
	     at = nl) {
		struct row_told told;

		line = memrchr(win.text, '\n', (size_t)(at - win.text));
		line = line ? line + 1 : win.text;
		nl = memchr(at, '\n', (size_t)(end - at));
		nl = nl ? nl : end;
		if (!w->r->s->reader->told(line, nl, &told))
			continue;
		told.off = win.off + (uint64_t)(line - win.text);
		on_told(w, &told, line, (size_t)(nl - line));
	}
	source_release(w->r->s->source, &win);
	return STATUS_OK;
}

/* ---- links ------------------------------------------------------------------------------- */

/*
 * Several registers may have the same writer, and one may be read several times: the row waited
 * for it once. what: the writer, or a register whose writer is not known.
 */
static bool is_new(struct whole_rows *w, uint32_t row, uint64_t what, bool known)
{
	uint64_t key = what * UINT64_C(0x9e3779b97f4a7c15) +
		       (row * UINT64_C(2) + known) * UINT64_C(0xd6e8feb86659fd93);

	if (live_find(&w->once, key))
		return false;
	w->r->failed |= !live_add(&w->once, key);
	return true;
}

static void add_link(struct rereading *r, struct detail_row *d, struct found_link f)
{
	if (f.link.tick < 0)
		f.link.tick = d->head.start;
	d->links++;
	if (!vec_push(&r->links, f))
		r->failed = true;
}

static void on_read(void *arg, const struct register_read *read)
{
	struct whole_rows *w = arg;
	struct rereading *r = w->r;
	const struct row_told told = {.id = read->reader, .off = read->off, .cpu = read->cpu};
	unsigned looked = 0;

	for (uint32_t i = w->slots[slot_of(w, told.id)]; i && looked < NAMESAKES_MOST;
	     i = w->next_same[i - 1]) {
		struct detail_row *d = &r->d->rows[i - 1];
		struct found_link f = {{read->writer, ROW_NONE, read->tick, 0}, i - 1};

		looked += d->id == told.id;
		if (!detail_is_renamed(r->s, d, &told))
			continue;
		d->renamed = true;
		if (read->begins)
			continue;
		if (!is_new(w, f.row, read->known ? read->writer : read->reg, read->known))
			continue;
		if (!read->known) /* near the beginning: it was written before the trace */
			d->far += read->off > ROWS_RENAMED_BEFORE;
		else if (d->links < LINKS_MOST)
			add_link(r, d, f);
		else
			d->left++;
	}
}

static bool share_cpu(const struct store *s, uint16_t a, uint16_t b)
{
	return names_share_cpu(&s->names, store_thread_name(s, a), store_thread_name(s, b));
}

static bool are_several_cpus(const struct store *s)
{
	size_t count = store_thread_count(s);

	for (size_t i = 2; i <= count; i++)
		if (!share_cpu(s, (uint16_t)i, 1))
			return true;
	return false;
}

bool detail_of_one_cpu(const struct store *s, uint16_t a, uint16_t b)
{
	if (!a || !b)
		return !are_several_cpus(s);
	return a == b || share_cpu(s, a, b);
}

/* Producers among the rows that were read: the nearest one before, as store_link_row() has it. */
static void find_producers(struct whole_rows *w, size_t n)
{
	struct rereading *r = w->r;

	if (r->links.count)
		index_ids(w, w->places, n);
	for (size_t k = 0; k < r->links.count; k++) {
		struct found_link *f = &r->links.data[k];
		const struct detail_row *rows = r->d->rows;
		unsigned looked = 0;

		for (uint32_t i = w->slots[slot_of(w, f->link.id)]; i && looked < NAMESAKES_MOST;
		     i = w->next_same[i - 1]) {
			if (rows[i - 1].id != f->link.id)
				continue;
			looked++;
			if (i - 1 < f->row &&
			    (f->link.row == ROW_NONE || f->link.row < rows[i - 1].head.row) &&
			    detail_of_one_cpu(r->s, rows[i - 1].head.thread,
					      rows[f->row].head.thread))
				f->link.row = rows[i - 1].head.row;
		}
	}
}

/* Rows nearer to each other than what is read before them share a stretch of text. */
static enum status read_links(struct whole_rows *w, size_t n, struct error *e)
{
	enum { BEFORE = ROWS_NOTES_BEFORE + RENAMES_BEFORE };
	enum status st = STATUS_OK;

	for (size_t i = 0, k; i < n && st == STATUS_OK; i += k) {
		const struct place *p = &w->places[i];

		for (k = 1; i + k < n && p[k].off - p[k - 1].off < BEFORE &&
			    p[k].off - p[0].off < LINKS_BYTES;)
			k++;
		index_ids(w, p, k);
		live_clear(&w->once);
		st = renames_in(w->r->s, p[0].off < BEFORE ? 0 : p[0].off - BEFORE,
				p[k - 1].off + ROWS_NOTES_BEHIND, on_read, w, e);
	}
	if (st == STATUS_OK)
		find_producers(w, n);
	return st;
}

/* ---- notes ------------------------------------------------------------------------------- */

static int by_row(const void *a, const void *b)
{
	const struct note_line *x = a, *y = b;

	if (x->row != y->row)
		return (x->row > y->row) - (x->row < y->row);
	return (x->at > y->at) - (x->at < y->at);
}

/* What is left out of the lines of a row is said behind them. */
static void keep_count(struct whole_rows *w, uint32_t row)
{
	char kept[32], all[32];

	if (!w->left[row])
		return;
	num_group(w->kept[row], kept);
	num_group((int64_t)w->kept[row] + w->left[row], all);
	sbuf_printf(&w->r->words, "(%s of %s lines about it)\n", kept, all);
}

/* Lines of one row together, each on its own line. */
static void keep_notes(struct whole_rows *w)
{
	struct rereading *r = w->r;

	for (size_t i = 0; i < r->d->count; i++)
		r->d->rows[i].note_len = 0;
	if (w->notes.count)
		qsort(w->notes.data, w->notes.count, sizeof(*w->notes.data), by_row);
	for (size_t i = 0; i < w->notes.count;) {
		uint32_t row = w->notes.data[i].row;
		struct found_text t = {.row = row,
				       .stay = NOWHERE,
				       .at = (uint32_t)r->words.len,
				       .kind = LABEL_DETAIL};

		for (; i < w->notes.count && w->notes.data[i].row == row; i++) {
			const struct note_line *note = &w->notes.data[i];

			if (!sbuf_room(&r->words, note->len + 1))
				return;
			sbuf_add(&r->words, r->words.text + note->at, note->len);
			sbuf_add(&r->words, "\n", 1);
		}
		keep_count(w, row);
		t.len = (uint32_t)r->words.len - t.at;
		if (!vec_push(&r->texts, t))
			r->failed = true;
	}
}

/* ---- groups ------------------------------------------------------------------------------ */

static size_t group_of(const struct place *p, size_t n)
{
	size_t k = 1;

	while (k < n && p[k].off - p[k - 1].off < GROUP_GAP && p[k].off - p[0].off < GROUP_BYTES)
		k++;
	return k;
}

/* Rows that are left out are clipped: nothing but what the index has is known of them. */
static bool enough(struct whole_rows *w)
{
	struct detail *d = w->r->d;
	uint64_t limit = d->limit ? d->limit : STORE_EXACT_BYTES;

	d->clipped |= d->read > limit;
	return d->clipped;
}

static enum status read_group(struct whole_rows *w, const struct place *p, size_t n,
			      struct error *e)
{
	size_t reach = RECORD_BYTES, i = 0;

	while (i < n && !enough(w)) {
		uint64_t from = p[i].off;
		size_t want = (size_t)(p[n - 1].off - from) + reach;
		struct window win;
		enum status st = source_map(w->r->s->source, from, want, &win, e);
		bool final;

		if (st != STATUS_OK)
			return st;
		final = win.len < want || reach >= RECORD_MOST;
		while (i < n && !enough(w) && read_one(w, &p[i], &win, final))
			i++;
		reach *= 2;
		source_release(w->r->s->source, &win);
	}
	return STATUS_OK;
}

/* A document is read as a whole: there is no telling what an entry means without what is around. */
static enum status read_document(struct whole_rows *w, size_t n, struct error *e)
{
	struct source *source = w->r->s->source;
	struct text_row t[DOCUMENT_BATCH];
	struct window win;
	bool whole;
	uint64_t size = source_size(source, &whole);
	enum status st = source_map(source, 0, (size_t)size, &win, e);
	size_t got;

	if (st != STATUS_OK)
		return st;
	row_lexer_begin(&w->lexer, 0, 0);
	while ((got = w->r->s->reader->lex_rows(&w->lexer, win.text, win.len, true, true, t,
						DOCUMENT_BATCH)) > 0)
		for (size_t i = 0; i < got; i++) {
			struct place key = {t[i].off, 0};
			const struct place *p = bsearch(&key, w->places, n, sizeof(key), by_off);

			if (p)
				on_row(w, p->row, &t[i], win.text + t[i].off);
		}
	w->r->failed |= w->lexer.damaged;
	w->r->d->read += win.len;
	source_release(source, &win);
	return STATUS_OK;
}

static bool prepare(struct whole_rows *w)
{
	struct rereading *r = w->r;
	size_t n = r->d->count;

	for (w->slot_count = 16; w->slot_count < n * 2;)
		w->slot_count *= 2;
	w->places = malloc((n + 1) * sizeof(*w->places));
	w->next_same = malloc((n + 1) * sizeof(*w->next_same));
	w->slots = malloc(w->slot_count * sizeof(*w->slots));
	w->kept = calloc(n + 1, sizeof(*w->kept));
	w->left = calloc(n + 1, sizeof(*w->left));
	if (!w->places || !w->next_same || !w->slots || !w->kept || !w->left ||
	    !live_init(&w->once))
		return false;
	row_lexer_init(&w->lexer, r->s->reader, &r->s->names);
	w->lexer.reread = true;
	w->lexer.segments = r->s->segments;
	for (size_t i = 0; i < n; i++)
		w->places[i] = (struct place){r->d->rows[i].head.offset, (uint32_t)i};
	qsort(w->places, n, sizeof(*w->places), by_off);
	store_read_lock(r->s);
	w->debug = r->s->counts.notes[NOTE_FOREIGN] > 0 && r->s->reader->told && !r->d->no_notes;
	store_unlock(r->s);
	w->renames = (!r->d->no_notes || r->d->with_links) && renames_are_told(r->s);
	return true;
}

enum status detail_whole_rows(struct rereading *r, struct error *e)
{
	struct whole_rows w = {.r = r};
	size_t n = r->d->count, k;
	enum status st = STATUS_OK;

	if (!prepare(&w))
		st = error_set(e, STATUS_NOMEM, "out of memory");
	else if (r->s->reader->whole)
		st = read_document(&w, n, e);
	for (size_t i = 0; i < n && st == STATUS_OK && !r->s->reader->whole && !enough(&w);
	     i += k) {
		k = group_of(w.places + i, n - i);
		st = read_group(&w, w.places + i, k, e);
		if (st == STATUS_OK && w.debug && !r->d->clipped)
			st = read_notes(&w, w.places + i, k, e);
	}
	if (st == STATUS_OK && w.renames && !r->d->clipped)
		st = read_links(&w, n, e);
	if (st == STATUS_OK)
		keep_notes(&w);
	row_lexer_free(&w.lexer);
	vec_free(&w.notes);
	live_free(&w.once);
	free(w.places);
	free(w.next_same);
	free(w.slots);
	free(w.kept);
	free(w.left);
	return st;
}
