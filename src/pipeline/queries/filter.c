/*
 * Row sets: one bit a row, and the count of bits before each block, so that the k-th row and
 * the place of a row are found in O(log n).
 *
 * Of rows that were published in flight, or whose text is still to come, a judgement holds until
 * more is known. Whenever more came, all from the first row that was in flight on are judged again,
 * of the latest ones; once the index is complete, all.
 */
#include "config.h"

#include "pipeline/store_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "pipeline/queries/subject.h"

enum {
	BLOCK_WORDS = 64,
	BLOCK_ROWS = BLOCK_WORDS * 64,
	SLICE_ROWS = 8192,
	READ_ROWS = 4096,   /* whose text is read at once */
	READ_GAP = 64,      /* so many others between them */
	AGAIN_ROWS = 1 << 16, /* the latest ones, that are judged again as the text grows */
	ROW_BYTES = 8 << 10 /* rarely more text from the birth of one to that of the next */
};

struct filter {
	struct store *store;
	struct regex *regex; /* own copy: the caller's may go */
	bool invert, no_micro_ops;
	unsigned fates;
	bool *threads; /* kept; NULL: all */
	size_t thread_count;
	uint64_t rows;  /* covered */
	uint64_t count; /* kept */
	VEC(uint64_t) words;
	VEC(uint64_t) before; /* kept rows before each block */
	struct code_matches matches;
	uint64_t late_seen; /* of the index's late_count */
	uint64_t open;      /* the first row that was in flight when it was judged; ROW_NONE */
	bool complete;      /* was the index, when they were judged? */
	uint64_t turned;
};

/* Rows under judgement. */
struct slice {
	struct row *rows;
	signed char *fits;
	struct detail d;
};

/* Does the index tell? 1, 0, or -1: the row's text must be read. */
static int judge(struct filter *f, const struct row *r)
{
	int fits;

	if (f->fates && !(f->fates >> r->fate & 1))
		return 0;
	if (f->no_micro_ops && r->micro_op)
		return 0;
	if (f->threads && (r->thread >= f->thread_count || !f->threads[r->thread]))
		return 0;
	if (!f->regex)
		return 1;
	fits = code_matches_row(&f->matches, r);
	return fits < 0 ? -1 : (fits == 1) != f->invert;
}

/* Was as much of the text behind its birth read as there is or as is read for the screen? */
static bool seen(const struct detail *d, size_t i)
{
	return i == 0 || !d->clipped ||
	       (d->rows[i].offset > d->rows[0].offset && /* 0: it was not come by */
		d->rows[i].offset + STORE_EXACT_BYTES <= d->rows[0].offset + d->read);
}

/* Rows whose text the index does not keep, rows[0] among them: read again as far as need be. */
static void read_texts(struct filter *f, const struct row *rows, size_t n, signed char *fits,
		       struct detail *d)
{
	struct error e;

	d->limit = STORE_EXACT_BYTES + n * ROW_BYTES;
	d->no_notes = true;
	fits[0] = f->invert; /* what cannot be read does not match */
	if (store_detail(f->store, rows[0].row, n, d, &e) != STATUS_OK || d->count == 0)
		return;
	fits[0] = -1;
	for (size_t i = 0; i < d->count; i++)
		if (fits[i] < 0 && seen(d, i))
			fits[i] = subject_match(f->regex, d, &d->rows[i], NULL, NULL) != f->invert;
}

/* What the index cannot tell of rows[0..n), many rows at once: few others between them do no harm.
 */
static enum status read_doubtful(struct filter *f, const struct row *rows, size_t n,
				 signed char *fits, struct detail *d, const atomic_bool *stop,
				 struct error *e)
{
	for (size_t i = 0; i < n; i++) {
		size_t last = i;

		if (fits[i] >= 0)
			continue;
		if (stop && *stop)
			return error_set(e, STATUS_INTERRUPTED, "stopped");
		for (size_t k = i; k < n && k - last <= READ_GAP && k - i < READ_ROWS; k++)
			last = fits[k] < 0 ? k : last;
		read_texts(f, rows + i, last - i + 1, fits + i, d);
	}
	return STATUS_OK;
}

static bool add_row(struct filter *f, uint64_t row, bool keep)
{
	if (row % BLOCK_ROWS == 0 && !vec_push(&f->before, f->count))
		return false;
	if (row % 64 == 0 && !vec_push(&f->words, 0))
		return false;
	if (keep) {
		vec_last(&f->words) |= UINT64_C(1) << row % 64;
		f->count++;
	}
	f->rows = row + 1;
	return true;
}

static enum status out_of_memory(struct error *e)
{
	return error_set(e, STATUS_NOMEM, "out of memory");
}

static void note_open(struct filter *f, const struct row *r)
{
	if (r->end == TICK_NONE && r->row < f->open)
		f->open = r->row;
}

static enum status judge_slice(struct filter *f, struct slice *s, size_t n, const atomic_bool *stop,
			       struct error *e)
{
	if (stop && *stop)
		return error_set(e, STATUS_INTERRUPTED, "stopped");
	for (size_t i = 0; i < n; i++)
		s->fits[i] = (signed char)judge(f, &s->rows[i]);
	return read_doubtful(f, s->rows, n, s->fits, &s->d, stop, e);
}

/* ---- rows of which more is known --------------------------------------------------------- */

static void set_row(struct filter *f, uint64_t row, bool keep)
{
	uint64_t bit = UINT64_C(1) << row % 64, *word = &f->words.data[row / 64];

	if (((*word & bit) != 0) == keep)
		return;
	*word ^= bit;
	f->turned++;
}

static uint64_t count_block(const struct filter *f, size_t block)
{
	uint64_t n = 0;

	for (size_t w = block * BLOCK_WORDS; w < (block + 1) * BLOCK_WORDS && w < f->words.count;
	     w++)
		n += (uint64_t)__builtin_popcountll(f->words.data[w]);
	return n;
}

/* From the block of a row on. */
static void count_again(struct filter *f, uint64_t row)
{
	size_t block = row / BLOCK_ROWS;

	for (; block + 1 < f->before.count; block++)
		f->before.data[block + 1] = f->before.data[block] + count_block(f, block);
	f->count = f->before.data[block] + count_block(f, block);
}

/* Rows from one on that have been judged. */
static enum status judge_again(struct filter *f, struct slice *s, uint64_t from,
			       const atomic_bool *stop, struct error *e)
{
	enum status st = STATUS_OK;
	size_t n;

	for (uint64_t row = from; row < f->rows && st == STATUS_OK; row += n) {
		n = f->rows - row < SLICE_ROWS ? (size_t)(f->rows - row) : SLICE_ROWS;
		n = store_rows(f->store, row, n, s->rows);
		if (n == 0)
			break;
		st = judge_slice(f, s, n, stop, e);
		for (size_t i = 0; i < n && st == STATUS_OK; i++) {
			note_open(f, &s->rows[i]);
			set_row(f, row + i, s->fits[i] > 0);
		}
	}
	if (from < f->rows)
		count_again(f, from);
	return st;
}

/* ---- all rows ---------------------------------------------------------------------------- */

static enum status add_rows(struct filter *f, struct slice *s, const atomic_bool *stop,
			    struct error *e)
{
	enum status st = STATUS_OK;
	size_t n;

	while (st == STATUS_OK && (n = store_rows(f->store, f->rows, SLICE_ROWS, s->rows)) > 0) {
		st = judge_slice(f, s, n, stop, e);
		for (size_t i = 0; i < n && st == STATUS_OK; i++) {
			note_open(f, &s->rows[i]);
			if (!add_row(f, f->rows, s->fits[i] > 0))
				st = out_of_memory(e);
		}
	}
	return st;
}

/* From which row on they are to be judged again; f->rows: none. */
static uint64_t doubtful_from(const struct filter *f, uint64_t late, bool complete)
{
	uint64_t latest = f->rows > AGAIN_ROWS ? f->rows - AGAIN_ROWS : 0;

	if (complete && !f->complete && late)
		return 0;
	if (late == f->late_seen || f->open > f->rows)
		return f->rows;
	return f->open > latest ? f->open : latest;
}

/* What comes late of rows that are added meanwhile is judged the next time. */
enum status filter_extend(struct filter *f, const atomic_bool *stop, struct error *e)
{
	const struct trace_index *ix = &f->store->index;
	struct slice s = {.rows = NULL};
	enum status st = STATUS_OK;
	uint64_t late, rows, from, open = f->open;
	bool complete;

	store_read_lock(f->store);
	rows = rows_total(ix);
	late = ix->late_count;
	complete = ix->complete;
	store_unlock(f->store);
	from = doubtful_from(f, late, complete);
	if (from == f->rows && f->rows == rows)
		return STATUS_OK;
	s.rows = malloc(SLICE_ROWS * sizeof(*s.rows));
	s.fits = malloc(SLICE_ROWS);
	if (!s.rows || !s.fits)
		st = out_of_memory(e);
	if (st == STATUS_OK && from <= f->open)
		f->open = ROW_NONE;
	if (st == STATUS_OK)
		st = judge_again(f, &s, from, stop, e);
	if (st == STATUS_OK) {
		f->late_seen = late;
		f->complete = complete;
		st = add_rows(f, &s, stop, e);
	} else {
		f->open = open;
	}
	detail_free(&s.d);
	free(s.fits);
	free(s.rows);
	return st;
}

enum status filter_new(struct filter **out, struct store *s, const struct filter_spec *spec,
		       const atomic_bool *stop, struct error *e)
{
	struct filter *f = calloc(1, sizeof(*f));
	enum status st = STATUS_OK;

	*out = NULL;
	if (!f)
		return error_set(e, STATUS_NOMEM, "out of memory");
	f->store = s;
	f->open = ROW_NONE;
	f->invert = spec->invert;
	f->fates = spec->fates;
	f->no_micro_ops = spec->no_micro_ops;
	if (spec->threads) {
		f->threads = malloc(spec->thread_count + 1);
		if (f->threads)
			memcpy(f->threads, spec->threads, spec->thread_count);
		else
			st = error_set(e, STATUS_NOMEM, "out of memory");
		f->thread_count = spec->thread_count;
	}
	if (st == STATUS_OK && spec->text)
		st = regex_new(&f->regex, regex_pattern(spec->text), e);
	f->matches = (struct code_matches){.store = s, .pattern = f->regex};
	if (st == STATUS_OK)
		st = filter_extend(f, stop, e);
	if (st != STATUS_OK) {
		filter_free(f);
		return st;
	}
	*out = f;
	return STATUS_OK;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	regex_free(f->regex);
	vec_free(&f->words);
	vec_free(&f->before);
	code_matches_free(&f->matches);
	free(f->threads);
	free(f);
}

uint64_t filter_count(const struct filter *f)
{
	return f->count;
}

uint64_t filter_total(const struct filter *f)
{
	return f->rows;
}

bool filter_limited(const struct filter *f)
{
	return f->regex && regex_limited(f->regex);
}

uint64_t filter_turned(const struct filter *f)
{
	return f->turned;
}

uint64_t filter_rank(const struct filter *f, uint64_t row)
{
	uint64_t rank;

	if (row >= f->rows)
		return f->count;
	rank = f->before.data[row / BLOCK_ROWS];
	for (uint64_t w = row / BLOCK_ROWS * BLOCK_WORDS; w < row / 64; w++)
		rank += (uint64_t)__builtin_popcountll(f->words.data[w]);
	if (row % 64)
		rank += (uint64_t)__builtin_popcountll(f->words.data[row / 64] &
						       (~UINT64_C(0) >> (64 - row % 64)));
	return rank;
}

uint64_t filter_row(const struct filter *f, uint64_t index)
{
	size_t lo = 0, hi = f->before.count;
	uint64_t left;

	if (index >= f->count)
		return ROW_NONE;
	bisect(lo, hi, i, f->before.data[i] <= index);
	left = index - f->before.data[--lo];
	for (size_t w = lo * BLOCK_WORDS; w < f->words.count; w++) {
		uint64_t word = f->words.data[w];
		uint64_t n = (uint64_t)__builtin_popcountll(word);

		if (left >= n) {
			left -= n;
			continue;
		}
		while (left--)
			word &= word - 1;
		return w * 64 + (uint64_t)__builtin_ctzll(word);
	}
	return ROW_NONE;
}

bool filter_has(const struct filter *f, uint64_t row)
{
	return row < f->rows && f->words.data[row / 64] >> row % 64 & 1;
}
