#include "config.h"

#include "analysis/stalls_head.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 512 };

/* Committed rows wait here until no micro-op can come that belongs before them. */
struct head {
	const struct range *range;
	uint64_t first, last;
	head_fn *fn;
	void *arg;
	int64_t reached; /* the latest end so far */
	size_t count;
	struct head_row waiting[2 * HEAD_WINDOW]; /* in program order */
	struct row rows[STEP];
};

static bool is_before(const struct head_row *a, const struct head_row *b)
{
	return a->order != b->order ? a->order < b->order : a->row < b->row;
}

static bool in_range(const struct head *h, const struct head_row *r)
{
	struct row row = {.row = r->row, .start = r->start, .end = r->end};

	return r->row >= h->first && r->row < h->last && range_has(h->range, &row);
}

static void take(struct head *h, const struct head_row *r)
{
	int64_t from = r->start > h->reached ? r->start : h->reached;

	if (in_range(h, r))
		h->fn(h->arg, r, range_overlap(h->range, from, r->end));
	if (r->end > h->reached)
		h->reached = r->end;
}

static void take_first(struct head *h, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take(h, &h->waiting[i]);
	h->count -= n;
	memmove(h->waiting, h->waiting + n, h->count * sizeof(h->waiting[0]));
}

static void put(struct head *h, const struct row *row)
{
	struct head_row r = {
	    .row = row->row,
	    .order = row->micro_op && row->parent < row->row ? row->parent : row->row,
	    .start = row->start,
	    .end = row->end,
	    .code = row->code,
	};
	size_t at;

	if (row->fate != FATE_COMMITTED)
		return;
	if (h->count == 2 * HEAD_WINDOW)
		take_first(h, HEAD_WINDOW);
	for (at = h->count++; at > 0 && is_before(&r, &h->waiting[at - 1]); at--)
		h->waiting[at] = h->waiting[at - 1];
	h->waiting[at] = r;
}

/* The oldest row alive when `first` was born: rows that ended before cannot keep it waiting. */
static uint64_t lead_in(struct store *s, uint64_t first)
{
	struct row row;
	uint64_t from, to;

	if (!store_row(s, first, &row) || row.start == TICK_NONE)
		return first;
	store_rows_alive(s, row.start, row.start + 1, &from, &to);
	return from < first ? from : first;
}

static enum status walk(struct head *h, struct store *s, const volatile bool *stop, struct error *e)
{
	uint64_t row = lead_in(s, h->first);
	uint64_t end = h->last > UINT64_MAX - HEAD_WINDOW ? UINT64_MAX : h->last + HEAD_WINDOW;

	while (row < end) {
		size_t step = end - row < STEP ? (size_t)(end - row) : STEP;
		size_t n = store_rows(s, row, step, h->rows);

		if (!n)
			break;
		if (stop && *stop)
			return error_set(e, STATUS_INTERRUPTED, "interrupted");
		for (size_t i = 0; i < n; i++)
			put(h, &h->rows[i]);
		row += n;
	}
	take_first(h, h->count);
	return STATUS_OK;
}

enum status head_walk(struct store *s, const struct range *range, uint64_t first, uint64_t last,
		      const volatile bool *stop, head_fn *fn, void *arg, struct error *e)
{
	struct head *h;
	enum status status;

	if (first >= last)
		return STATUS_OK;
	h = malloc(sizeof(*h));
	if (!h)
		return error_set(e, STATUS_NOMEM, "out of memory");
	h->range = range;
	h->first = first;
	h->last = last;
	h->fn = fn;
	h->arg = arg;
	h->reached = INT64_MIN;
	h->count = 0;
	status = walk(h, s, stop, e);
	free(h);
	return status;
}
