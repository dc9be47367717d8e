#include "config.h"

#include "pipeline/index/rowrun.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/formats/scan.h"

enum { ROWS_BATCH = 32, SORTED_BLOCK = 16 };

struct row_run *row_run_new(const struct reader *reader, struct names *names, struct source *source)
{
	struct row_run *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	row_lexer_init(&r->lexer, reader, names);
	r->reader = reader;
	r->source = source;
	return r;
}

void row_run_free(struct row_run *r)
{
	if (!r)
		return;
	row_lexer_free(&r->lexer);
	codes_free(&r->codes);
	free(r->code_map);
	vec_free(&r->words);
	vec_free(&r->keys);
	vec_free(&r->spare);
	vec_free(&r->threads);
	free(r);
}

void row_run_clear(struct row_run *r)
{
	vec_clear(&r->words);
	vec_clear(&r->keys);
	vec_clear(&r->threads);
	memset(&r->period, 0, sizeof(r->period));
	r->start_max = INT64_MIN;
	r->failed = false;
	/* the next piece runs much the same code: what is known of it stays known */
	if (r->codes.text_len > CODE_BYTES / 8) {
		codes_clear(&r->codes);
		r->mapped = 0;
	}
}

/* ---- packing ----------------------------------------------------------------------------- */

static uint16_t thread_of(struct row_run *r, const struct text_row *row)
{
	if (!row->has_thread)
		return 0;
	for (size_t i = r->threads.count; i-- > 0;)
		if (r->threads.data[i] == row->thread)
			return (uint16_t)(i + 1);
	if (r->threads.count >= RUN_THREADS) {
		row_lexer_bad(&r->lexer, BAD_THREAD, r->lexer.line, row->off, row->start);
		return 0;
	}
	if (!vec_push(&r->threads, row->thread))
		r->failed = true;
	return (uint16_t)r->threads.count;
}

static uint32_t pc_low(const char *p, size_t len)
{
	uint32_t pc = 0;

	if (len >= 8)
		return scan_hex8(p + len - 8);
	for (size_t i = 0; i < len; i++)
		pc = pc << 4 | (scan_hex_value(p[i]) & 15);
	return pc;
}

static void code_of(struct row_run *r, const struct text_row *row, const char *at,
		    struct packed_row *p)
{
	size_t len = row->text_len < CODE_TEXT ? row->text_len : CODE_TEXT;
	const char *pc, *text;
	uint32_t *guess;

	at = row->words ? row->words : at;
	pc = at + row->pc;
	text = at + row->text;
	p->pc = pc_low(pc, row->pc_len);
	guess = &r->guess[p->pc * UINT32_C(0x9e3779b1) >> (32 - RUN_GUESS_BITS)];
	if (!codes_is(&r->codes, *guess, pc, row->pc_len, text, len))
		*guess = codes_add(&r->codes, codes_hash(pc, row->pc_len, text, len), pc,
				   row->pc_len, text, len);
	p->code = *guess;
}

/* The text of a record may have begun in a piece before this one. */
static void far_code_of(struct row_run *r, const struct text_row *row, struct packed_row *p)
{
	struct window w;
	struct error e;
	size_t need = row->text + row->text_len;

	p->code = CODE_NONE;
	p->pc = 0;
	if (source_map(r->source, row->off, need, &w, &e) != STATUS_OK)
		return;
	if (w.len == need)
		code_of(r, row, w.text, p);
	source_release(r->source, &w);
}

static uint64_t since(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

/* Stays that are open end with the row, whose end says that it has none. */
static inline void put_stays(const struct text_row *row, struct packed_row *p, bool wide)
{
	uint8_t *stages = (uint8_t *)(p + 1), *at = stages + (row->stays + 7u) / 8 * 8;
	const size_t n = row->stays;
	const int64_t start = row->start;

	memset(stages, 0, (ROW_STAYS + 7) / 8 * 8);
	for (size_t k = 0; k < n; k++) {
		const struct text_stay *s = &row->stay[k];
		uint64_t from = since(start, s->start);
		uint64_t to = s->end == INT64_MAX ? from : since(start, s->end);
		uint32_t pair[2] = {(uint32_t)from, (uint32_t)to};

		stages[k] = s->stage;
		if (wide) {
			memcpy(at + 16 * k, &from, 8);
			memcpy(at + 16 * k + 8, &to, 8);
		} else {
			memcpy(at + 8 * k, pair, 8);
		}
	}
}

/* No stay reaches beyond its row. */
static bool is_wide(const struct text_row *row)
{
	int64_t last = row->end == INT64_MAX ? row->stay[row->stays - 1].start : row->end;

	return since(row->start, last) > UINT32_MAX;
}

static void count_steps(struct row_run *r, const struct text_row *row)
{
	if (!period_wants(row->off, row->id))
		return;
	for (size_t k = 1; k < row->stays; k++)
		if (!row->stay[k].loose && !row->stay[k - 1].loose)
			period_add(&r->period, since(row->stay[k - 1].start, row->stay[k].start),
				   1);
}

/* Among CPUs whose rows start in one tick; 0: it is not told. Those of like names by number. */
static uint16_t cpu_place(uint32_t cpu)
{
	unsigned n = cpu_number(cpu);

	return cpu == CPU_NONE ? 0
			       : (uint16_t)(cpu >> CPU_NUMBER_BITS << 8 | (n < 0xff ? n : 0xff));
}

static void pack(struct row_run *r, const struct text_row *row, const struct window *w)
{
	static const uint8_t fates[] = {[END_RETIRED] = FATE_COMMITTED,
					[END_FLUSHED] = FATE_SQUASHED,
					[END_BY_STAGES] = FATE_IN_FLIGHT};
	bool wide = is_wide(row), open = row->end == INT64_MAX;
	struct row_key key = {row->start, row->id, (uint32_t)r->words.count, cpu_place(row->cpu)};
	struct packed_row *p;

	if (!vec_reserve(&r->words, sizeof(*p) / 8 + 1 + 2 * ROW_STAYS) ||
	    !vec_push(&r->keys, key)) {
		r->failed = true;
		return;
	}
	p = (struct packed_row *)(void *)(r->words.data + r->words.count);
	p->start = row->start;
	p->id = row->id;
	p->offset = row->off;
	p->life = open ? LIFE_OPEN : since(row->start, row->end);
	p->thread = thread_of(r, row);
	p->cpu = key.cpu;
	p->part = row->part < UINT16_MAX ? (uint16_t)row->part : UINT16_MAX;
	p->fate = fates[row->fate];
	p->stays = (uint8_t)(row->stays | (wide ? PACKED_WIDE : 0) |
			     (row_commits_before_last(row) ? PACKED_BEHIND : 0));
	if (row->off >= w->off)
		code_of(r, row, w->text + (row->off - w->off), p);
	else
		far_code_of(r, row, p);
	if (wide)
		put_stays(row, p, true);
	else
		put_stays(row, p, false);
	count_steps(r, row);
	r->start_max = row->start > r->start_max ? row->start : r->start_max;
	r->words.count += packed_size(p);
}

/* Does a line of the text name an instruction? Most traces have none: seen at memory speed. */
static bool tells(const struct reader *reader, const char *text, size_t len)
{
	const char *end = text + len, *at = text;

	if (!reader->told)
		return false;
	for (; (at = memchr(at, '[', (size_t)(end - at))); at++)
		if (end - at >= 4 && memcmp(at, "[sn:", 4) == 0)
			return true;
	return false;
}

void row_run_read(struct row_run *r, struct row_lexer *lexer, const struct window *w, size_t skip,
		  size_t len, bool final)
{
	struct text_row batch[ROWS_BATCH];
	size_t n;

	r->start_max = INT64_MIN;
	row_lexer_begin(lexer, w->off, 0);
	if (skip && !lexer->carry && tells(r->reader, w->text, skip)) {
		/* only to hear what is told of the instructions that follow */
		while (r->reader->lex_rows(lexer, w->text, skip, true, false, batch, ROWS_BATCH))
			;
		row_lexer_begin(lexer, w->off, skip);
	}
	lexer->pos = skip;
	do {
		n = r->reader->lex_rows(lexer, w->text, len, true, final, batch, ROWS_BATCH);
		for (size_t i = 0; i < n && !r->failed; i++)
			pack(r, &batch[i], w);
	} while (n && !r->failed);
	r->failed |= lexer->damaged;
}

void row_run_map_codes(struct row_run *r, struct codes *codes)
{
	uint32_t *map = realloc(r->code_map, (r->codes.count + 1) * sizeof(*map));

	if (!map) {
		r->failed = true;
		return;
	}
	r->code_map = map;
	for (; r->mapped < r->codes.count; r->mapped++) {
		const struct code *c = &r->codes.entries[r->mapped];
		const char *pc = r->codes.text + c->at;

		map[r->mapped] =
		    codes_add(codes, c->hash, pc, c->pc_len, pc + c->pc_len, c->text_len);
	}
}

/* ---- sorting ----------------------------------------------------------------------------- */

static void sort_block(struct row_key *k, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct row_key key = k[i];
		size_t j = i;

		for (; j > 0 && row_key_less(&key, &k[j - 1]); j--)
			k[j] = k[j - 1];
		k[j] = key;
	}
}

/* How many of n keys in order come before the key. O(log of them): they are few. */
static size_t count_before(const struct row_key *k, size_t n, const struct row_key *key)
{
	size_t lo = 0, step = 1;

	while (lo + step <= n && row_key_less(&k[lo + step - 1], key)) {
		lo += step;
		step *= 2;
	}
	for (; step; step /= 2)
		while (lo + step <= n && row_key_less(&k[lo + step - 1], key))
			lo += step;
	return lo;
}

/* How many of them come after it. */
static size_t count_behind(const struct row_key *k, size_t n, const struct row_key *key)
{
	size_t hi = 0, step = 1;

	while (hi + step <= n && row_key_less(key, &k[n - hi - step])) {
		hi += step;
		step *= 2;
	}
	for (; step; step /= 2)
		while (hi + step <= n && row_key_less(key, &k[n - hi - step]))
			hi += step;
	return hi;
}

/*
 * a[0..na) and a[na..na + nb), each in order, become one. What is in its place already, which is
 * nearly all where rows are nearly in order, is left there. spare: room for na.
 */
static void merge(struct row_key *a, size_t na, size_t nb, struct row_key *spare)
{
	const struct row_key *b = a + na, *from = spare;

	a += na;
	na = count_behind(a - na, na, b);
	if (na == 0)
		return;
	nb = count_before(b, nb, a - 1);
	a -= na;
	memcpy(spare, a, na * sizeof(*a));
	while (na && nb) {
		bool second = row_key_less(b, from);

		*a++ = second ? *b : *from;
		b += second;
		nb -= second;
		from += !second;
		na -= !second;
	}
	memcpy(a, from, na * sizeof(*a));
}

void row_run_sort(struct row_run *r)
{
	struct row_key *k = r->keys.data;
	size_t n = r->keys.count;

	if (r->failed || n == 0)
		return;
	vec_clear(&r->spare);
	if (!vec_reserve(&r->spare, n)) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i += SORTED_BLOCK)
		sort_block(k + i, n - i < SORTED_BLOCK ? n - i : SORTED_BLOCK);
	for (size_t width = SORTED_BLOCK; width < n; width *= 2)
		for (size_t i = 0; i + width < n; i += 2 * width)
			merge(k + i, width, n - i - width < width ? n - i - width : width,
			      r->spare.data);
}
