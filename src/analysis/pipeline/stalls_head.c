#include "config.h"

#include "analysis/pipeline/stalls_head.h"

#include "analysis/pipeline/program.h"

struct head {
	const struct range *range;
	struct range_clock clock;
	uint64_t first, last;
	head_fn *fn;
	void *arg;
	int64_t reached; /* the latest commit so far */
};

static bool in_range(const struct head *h, const struct row *row)
{
	return row->row >= h->first && row->row < h->last && range_has(h->range, row);
}

static bool take(void *arg, const struct row *row)
{
	struct head *h = arg;
	int64_t from = row->start > h->reached ? row->start : h->reached;
	int64_t commit = row_commit_tick(row);

	if (in_range(h, row))
		h->fn(h->arg, row, range_cycles(h->range, &h->clock, from, commit));
	if (commit > h->reached)
		h->reached = commit;
	return true;
}

/* The oldest row alive when `first` was born: rows that ended before cannot keep it waiting. */
static uint64_t lead_in(const struct store *s, uint64_t first)
{
	struct row row;
	uint64_t from, to;

	if (!store_row(s, first, &row) || row.start == TICK_NONE)
		return first;
	store_rows_alive(s, row.start, row.start + 1, &from, &to);
	return from < first ? from : first;
}

enum status head_walk(const struct store *s, const struct range *range, uint64_t first,
		      uint64_t last, const atomic_bool *stop, head_fn *fn, void *arg,
		      struct error *e)
{
	struct head h = {range, range_clock(s), first, last, fn, arg, INT64_MIN};
	uint64_t end = last > UINT64_MAX - PROGRAM_WINDOW ? UINT64_MAX : last + PROGRAM_WINDOW;

	if (first >= last)
		return STATUS_OK;
	return program_walk(s, lead_in(s, first), end, FATE_BIT(FATE_COMMITTED), stop, take, &h, e);
}
