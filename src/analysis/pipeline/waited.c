#include "config.h"

#include "analysis/pipeline/waited.h"

struct waited_stay waited_stay(const struct row *row, const struct stay *stays, uint32_t count,
			       int64_t cycle)
{
	struct waited_stay last = {0, 0};

	for (int looked = 0; row->fate == FATE_COMMITTED && count-- > 0 && looked < 2;) {
		const struct stay *s = &stays[count];
		int64_t to = s->end == TICK_NONE ? row->end : s->end;

		if (s->lane || s->behind || to <= s->start)
			continue;
		if (to - s->start > cycle)
			return (struct waited_stay){s->start, to};
		looked++;
	}
	return last;
}

/*
 * The older row that committed last before this one, or with it. That commits are in order is not
 * taken for granted: a row that commits later than this one kept it from nothing.
 */
static void look_at_commit(const struct row *older, const struct row *row,
			   struct waited_stay last, int64_t cycle, struct waited *out)
{
	int64_t commit = row_commit_tick(older);

	if (older->fate != FATE_COMMITTED || commit <= last.from ||
	    commit < last.to - cycle || commit > row_commit_tick(row))
		return;
	if (out->behind != ROW_NONE && commit < out->until)
		return;
	out->behind = older->row;
	out->until = commit;
}

/* Rows come from the older to the younger: the run of squashed ones that ends before the row. */
static void look_at_squash(const struct row *older, struct waited *out)
{
	if (older->fate != FATE_SQUASHED) {
		out->squashed = 0;
		out->before = older->row;
		return;
	}
	if (!out->squashed++)
		out->since = older->start;
}

void waited_for(const struct store *s, const struct row *row, struct waited_stay last,
		struct waited *out)
{
	const int64_t cycle = store_ticks_per_cycle(s);
	uint64_t first = row->row > WAITED_WINDOW ? row->row - WAITED_WINDOW : 0;
	struct row batch[64];

	*out = (struct waited){.behind = ROW_NONE, .before = ROW_NONE};
	while (first < row->row) {
		uint64_t left = row->row - first;
		size_t n = store_rows(s, first, left < 64 ? (size_t)left : 64, batch);

		for (size_t i = 0; i < n; i++) {
			if (last.to > last.from)
				look_at_commit(&batch[i], row, last, cycle, out);
			look_at_squash(&batch[i], out);
		}
		if (!n)
			break;
		first += n;
	}
	/* a wrong path is followed by a row of the right one, born when it was found out */
	if (row->fate == FATE_SQUASHED || row->micro_op || out->before == ROW_NONE)
		out->squashed = 0;
}
