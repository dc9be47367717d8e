#include "config.h"

#include "analysis/pipeline/stalls_head.h"

#include <string.h>

#include "analysis/pipeline/program.h"

struct walk {
	const struct range *range;
	struct range_clock clock;
	uint64_t first, last;
	head_fn *fn;
	void *arg;
	unsigned mispredictions; /* events */
	int64_t reached;         /* the latest commit so far; INT64_MIN: none */
	bool wrong;              /* it was mispredicted, or rows of a wrong path came behind it */
};

static bool in_range(const struct walk *w, const struct row *row)
{
	return row->row >= w->first && row->row < w->last && range_has(w->range, row);
}

static bool take(void *arg, const struct row *row)
{
	struct walk *w = arg;
	int64_t from = row->start > w->reached ? row->start : w->reached;
	int64_t commit = row_commit_tick(row);
	struct head head = {.row = row, .refill = w->wrong};

	if (row->fate != FATE_COMMITTED) {
		w->wrong = true;
		return true;
	}
	if (in_range(w, row)) {
		head.held = range_cycles(w->range, &w->clock, from, commit);
		if (w->reached > INT64_MIN)
			head.empty = range_cycles(w->range, &w->clock, w->reached, from);
		w->fn(w->arg, &head);
	}
	if (commit > w->reached)
		w->reached = commit;
	w->wrong = row->events & w->mispredictions;
	return true;
}

/*
 * The oldest row alive when `first` was born: rows that ended before cannot keep it waiting. And
 * some before it, for what ended there.
 */
static uint64_t lead_in(const struct store *s, uint64_t first)
{
	struct row row;
	uint64_t from = first, to;

	if (store_row(s, first, &row) && row.start != TICK_NONE)
		store_rows_alive(s, row.start, row.start + 1, &from, &to);
	from = from < first ? from : first;
	return from > PROGRAM_WINDOW ? from - PROGRAM_WINDOW : 0;
}

enum status head_walk(const struct store *s, const struct range *range, uint64_t first,
		      uint64_t last, const atomic_bool *stop, head_fn *fn, void *arg,
		      struct error *e)
{
	static const unsigned fates =
	    FATE_BIT(FATE_COMMITTED) | FATE_BIT(FATE_SQUASHED) | FATE_BIT(FATE_LOST);
	struct walk w = {range, range_clock(s), first, last, fn, arg, .reached = INT64_MIN};
	uint64_t end = last > UINT64_MAX - PROGRAM_WINDOW ? UINT64_MAX : last + PROGRAM_WINDOW;

	if (first >= last)
		return STATUS_OK;
	for (size_t i = 0; i < store_event_count(s); i++)
		if (strncmp(store_event(s, i)->name, "mispredict", strlen("mispredict")) == 0)
			w.mispredictions |= 1u << i;
	return program_walk(s, lead_in(s, first), end, fates, stop, take, &w, e);
}
