#include "config.h"

#include "analysis/pipeline/align_stretch.h"

static int64_t end_of(const struct path *p, uint64_t index)
{
	struct path_step step;

	return path_read(p, index, 1, &step) ? step.end : TICK_NONE;
}

/* The first step that commits at a tick or later. */
static uint64_t step_from(const struct path *p, int64_t tick)
{
	uint64_t low = 0, high = path_count(p);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (end_of(p, middle) < tick)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The step of the other side that stands where one of this side does. */
static uint64_t other_step(const struct align *al, int side, uint64_t index)
{
	uint64_t pair, found[ALIGN_SIDES];

	if (!index)
		return 0;
	align_pair_of(al, side, index, &pair);
	return align_pair(al, pair, found) ? found[!side] : path_count(al->side[!side].path);
}

static void same_steps(const struct align *al, int side, const struct range *r, struct range *out)
{
	const struct path *here = al->side[side].path, *there = al->side[!side].path;
	uint64_t from = step_from(here, r->tick0), to = step_from(here, r->tick1);
	uint64_t first = other_step(al, side, from), last = other_step(al, side, to);

	out->tick0 = first ? end_of(there, first - 1) + 1 : INT64_MIN;
	out->tick1 = last ? end_of(there, last - 1) + 1 : INT64_MIN;
	if (from >= to || first >= last || out->tick1 < out->tick0)
		out->tick1 = out->tick0;
}

static uint64_t other_row(const struct align *al, int side, uint64_t row)
{
	return row < store_row_count(al->side[side].store)
		   ? align_near(al, side, row)
		   : store_row_count(al->side[!side].store);
}

struct range align_stretch(const struct align *al, int side, const struct range *r)
{
	struct range out = range_all(al->side[!side].store);
	bool rows = r->row0 > 0 || r->row1 < store_row_count(al->side[side].store);
	uint64_t first, last;

	if (!rows && align_by_time(al)) {
		out.tick0 = align_other_tick(al, side, r->tick0);
		out.tick1 = align_other_tick(al, side, r->tick1);
	} else if (!rows) {
		same_steps(al, side, r, &out);
	} else {
		range_rows(al->side[side].store, r, &first, &last);
		out.row0 = other_row(al, side, first);
		out.row1 = other_row(al, side, last);
		if (out.row1 < out.row0)
			out.row1 = out.row0;
	}
	return out;
}
