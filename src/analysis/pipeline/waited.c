#include "config.h"

#include "analysis/pipeline/waited.h"

/* [from, to) in which it can have waited; empty: it did not wait. */
struct waited_stay {
	int64_t from, to;
};

/* The last stay, or, if that took no more than a cycle, the one before; if that took longer. */
static struct waited_stay last_stay(const struct row *row, const struct stay *stays, uint32_t count,
				    int64_t cycle)
{
	for (int looked = 0; row->fate == FATE_COMMITTED && count-- > 0 && looked < 2;) {
		const struct stay *s = &stays[count];
		int64_t to = s->end == TICK_NONE ? row->end : s->end;

		if (s->lane || s->behind || to <= s->start)
			continue;
		if (to - s->start > cycle)
			return (struct waited_stay){s->start, to};
		looked++;
	}
	return (struct waited_stay){0, 0};
}

/*
 * It committed at the end of the stay, or the cycle before. That commits are in order is not taken
 * for granted: a row that commits later than this one kept it from nothing.
 */
static bool held_up(const struct row *older, const struct row *row, const struct waited_stay *last,
		    int64_t cycle)
{
	int64_t commit = row_commit_tick(older);

	return older->fate == FATE_COMMITTED && commit > last->from && commit >= last->to - cycle &&
	       commit <= row_commit_tick(row);
}

bool waited_for(const struct store *s, const struct row *row, const struct stay *stays,
		uint32_t count, struct row *out)
{
	const int64_t cycle = store_ticks_per_cycle(s);
	const struct waited_stay last = last_stay(row, stays, count, cycle);
	uint64_t first = row->row > WAITED_WINDOW ? row->row - WAITED_WINDOW : 0;
	struct row batch[64];
	bool found = false;
	size_t n = last.to > last.from;

	for (; n && first < row->row; first += n) {
		uint64_t left = row->row - first;

		n = store_rows(s, first, left < 64 ? (size_t)left : 64, batch);
		for (size_t i = 0; i < n; i++) {
			if (!held_up(&batch[i], row, &last, cycle) ||
			    (found && row_commit_tick(&batch[i]) < row_commit_tick(out)))
				continue;
			*out = batch[i];
			found = true;
		}
	}
	return found;
}

uint64_t waited_squash(const struct store *s, const struct row *row, struct row *out)
{
	/* a wrong path is followed by a row of the right one, born when it was found out */
	const uint64_t most = row->row < WAITED_WINDOW ? row->row : WAITED_WINDOW;

	if (row->fate == FATE_SQUASHED || row->micro_op)
		return 0;
	for (uint64_t i = 0; i < most && store_row(s, row->row - 1 - i, out); i++)
		if (out->fate != FATE_SQUASHED)
			return i;
	return 0;
}
