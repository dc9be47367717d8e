#include "config.h"

#include "analysis/pipeline/path.h"

#include <stdlib.h>

#include "base/bisect.h"

enum {
	WORD_ROWS = 64,
	BLOCK_WORDS = 8,
	BLOCK_ROWS = WORD_ROWS * BLOCK_WORDS,
	SLICE_ROWS = 4096,
	READ_ROWS = 128 /* what the store decodes at once: reads end where its leaves do */
};

struct path {
	struct store *store;
	uint64_t rows, count;
	int64_t trace_end;
	uint64_t *words;
	uint64_t *before; /* steps before each block, and behind the last */
};

static void set_row(struct path *p, uint64_t row)
{
	p->words[row / WORD_ROWS] |= UINT64_C(1) << row % WORD_ROWS;
}

bool path_has(const struct path *p, uint64_t row)
{
	return row < p->rows && (p->words[row / WORD_ROWS] >> row % WORD_ROWS & 1);
}

/* The row whose step a committed row belongs to. */
static uint64_t owner(const struct row *r)
{
	bool near = r->micro_op && r->parent < r->row && r->row - r->parent <= PATH_REACH;

	return near ? r->parent : r->row;
}

static void mark_rows(struct path *p, struct row *rows, const atomic_bool *stop)
{
	for (uint64_t first = 0, n; first < p->rows && !(stop && *stop); first += n) {
		n = store_rows(p->store, first, SLICE_ROWS, rows);
		if (n == 0)
			return;
		for (uint64_t i = 0; i < n && rows[i].row < p->rows; i++)
			if (rows[i].fate == FATE_COMMITTED)
				set_row(p, owner(&rows[i]));
	}
}

static void count_blocks(struct path *p, uint64_t blocks)
{
	for (uint64_t b = 0; b < blocks; b++) {
		p->before[b] = p->count;
		for (uint64_t w = b * BLOCK_WORDS; w < (b + 1) * BLOCK_WORDS; w++)
			p->count += (uint64_t)__builtin_popcountll(p->words[w]);
	}
	p->before[blocks] = p->count;
}

enum status path_new(struct path **out, struct store *s, const atomic_bool *stop, struct error *e)
{
	struct path *p = calloc(1, sizeof(*p));
	struct row *rows = malloc(SLICE_ROWS * sizeof(*rows));
	struct progress at;
	uint64_t blocks;
	bool ok;

	store_progress(s, &at);
	blocks = at.items / BLOCK_ROWS + 1;
	if (p) {
		p->store = s;
		p->rows = at.items;
		p->trace_end = at.last < INT64_MAX ? at.last + 1 : at.last;
		p->words = calloc(blocks * BLOCK_WORDS, sizeof(*p->words));
		p->before = calloc(blocks + 1, sizeof(*p->before));
	}
	ok = p && rows && p->words && p->before;
	if (ok)
		mark_rows(p, rows, stop);
	free(rows);
	if (!ok || (stop && *stop)) {
		path_free(p);
		return ok ? error_set(e, STATUS_INTERRUPTED, "interrupted")
			  : error_set(e, STATUS_NOMEM, "not enough memory for the path of a trace");
	}
	count_blocks(p, blocks);
	*out = p;
	return STATUS_OK;
}

void path_free(struct path *p)
{
	if (!p)
		return;
	free(p->words);
	free(p->before);
	free(p);
}

uint64_t path_count(const struct path *p)
{
	return p->count;
}

uint64_t path_rank(const struct path *p, uint64_t row)
{
	uint64_t block, word, rank;

	if (row >= p->rows)
		return p->count;
	block = row / BLOCK_ROWS;
	word = row / WORD_ROWS;
	rank = p->before[block];
	for (uint64_t w = block * BLOCK_WORDS; w < word; w++)
		rank += (uint64_t)__builtin_popcountll(p->words[w]);
	return rank + (uint64_t)__builtin_popcountll(p->words[word] &
						     ((UINT64_C(1) << row % WORD_ROWS) - 1));
}

uint64_t path_row(const struct path *p, uint64_t index)
{
	uint64_t low = 0, high = p->rows / BLOCK_ROWS + 1, rest, word;

	if (index >= p->count)
		return ROW_NONE;
	/* the last block with no more steps before it than index */
	bisect(low, high, i, p->before[i] <= index);
	rest = index - p->before[--low];
	for (word = low * BLOCK_WORDS;; word++) {
		uint64_t here = (uint64_t)__builtin_popcountll(p->words[word]);

		if (rest < here)
			break;
		rest -= here;
	}
	for (uint64_t bits = p->words[word];; bits &= bits - 1)
		if (rest-- == 0)
			return word * WORD_ROWS + (uint64_t)__builtin_ctzll(bits);
}

uint64_t path_index(const struct path *p, uint64_t row)
{
	struct row r;

	if (!store_row(p->store, row, &r))
		return UINT64_MAX;
	if (r.fate == FATE_COMMITTED)
		row = owner(&r);
	return path_has(p, row) ? path_rank(p, row) : UINT64_MAX;
}

/* A committed row joins its step: the one that commits last decides when the step ends. */
static void join(const struct path *p, struct path_step *s, const struct row *r)
{
	int64_t end = r->end == TICK_NONE ? p->trace_end : row_commit_tick(r);

	s->events |= r->events;
	if (s->rows++ > 0 && end <= s->end)
		return;
	s->last = r->row;
	s->born = r->start;
	s->end = end;
}

struct reading {
	const struct path *p;
	struct path_step *out;
	uint64_t first;
	size_t n, found;
};

static void read_row(struct reading *g, const struct row *r)
{
	uint64_t at, own = owner(r);

	if (g->found < g->n && path_has(g->p, r->row))
		g->out[g->found++] = (struct path_step){.row = r->row,
							.last = r->row,
							.start = r->start,
							.born = r->start,
							.code = r->code,
							.events = r->events};
	if (r->fate != FATE_COMMITTED)
		return;
	at = own == r->row && g->found ? g->first + g->found - 1 : path_rank(g->p, own);
	if (at >= g->first && at - g->first < g->found && g->out[at - g->first].row == own)
		join(g->p, &g->out[at - g->first], r);
}

static size_t read_size(uint64_t row, uint64_t until)
{
	uint64_t n = READ_ROWS - row % READ_ROWS;

	return (size_t)(until - row < n ? until - row : n);
}

size_t path_read(const struct path *p, uint64_t first, size_t n, struct path_step *out)
{
	struct row rows[READ_ROWS];
	struct reading g = {.p = p, .out = out, .first = first, .n = n};
	uint64_t row, until;

	if (first >= p->count)
		return 0;
	if (p->count - first < n)
		g.n = (size_t)(p->count - first);
	row = path_row(p, first);
	until = path_row(p, first + g.n - 1) + 1;
	until = p->rows - until > PATH_REACH ? until + PATH_REACH : p->rows;
	while (row < until) {
		size_t got = store_rows(p->store, row, read_size(row, until), rows);

		if (got == 0)
			break;
		for (size_t i = 0; i < got; i++)
			read_row(&g, &rows[i]);
		row += got;
	}
	return g.found;
}

bool path_cursor_new(struct path_cursor *c, const struct path *p)
{
	*c = (struct path_cursor){.path = p, .steps = malloc(sizeof(*c->steps) * PATH_PAGE)};
	return c->steps != NULL;
}

void path_cursor_free(struct path_cursor *c)
{
	free(c->steps);
	c->steps = NULL;
}

const struct path_step *path_at(struct path_cursor *c, uint64_t index)
{
	if (index < c->first || index - c->first >= c->count) {
		c->first = index - index % PATH_PAGE;
		c->count = path_read(c->path, c->first, PATH_PAGE, c->steps);
	}
	return index - c->first < c->count ? &c->steps[index - c->first] : NULL;
}

/* The number of a committed row of a step: that of number `wanted`, or (below 0) that of *row. */
static int members(const struct path *p, uint64_t index, int wanted, uint64_t *row)
{
	struct row rows[READ_ROWS];
	uint64_t own = path_row(p, index), at = own, until;
	int k = 0;

	if (own == ROW_NONE)
		return -1;
	until = p->rows - own > PATH_REACH ? own + PATH_REACH + 1 : p->rows;
	while (at < until) {
		size_t got = store_rows(p->store, at, read_size(at, until), rows);

		if (got == 0)
			break;
		for (size_t i = 0; i < got; i++) {
			if (rows[i].fate != FATE_COMMITTED || owner(&rows[i]) != own)
				continue;
			if (k == wanted || (wanted < 0 && rows[i].row == *row)) {
				*row = rows[i].row;
				return k;
			}
			k++;
		}
		at += got;
	}
	return -1;
}

uint64_t path_member(const struct path *p, uint64_t index, int k)
{
	uint64_t row = ROW_NONE;

	return k >= 0 && members(p, index, k, &row) >= 0 ? row : ROW_NONE;
}

int path_ordinal(const struct path *p, uint64_t index, uint64_t row)
{
	return members(p, index, -1, &row);
}
