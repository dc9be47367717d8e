#include "config.h"

#include "analysis/pipeline/align_range.h"

#include "trace/tick.h"

struct align_ticks align_whole(const struct align_side *side)
{
	struct progress p;

	store_progress(side->store, &p);
	if (p.last < p.first)
		return (struct align_ticks){p.first, p.first};
	return (struct align_ticks){p.first, p.last < INT64_MAX ? p.last + 1 : p.last};
}

int64_t align_cycles(const struct align_side *side, int64_t from, int64_t to)
{
	int64_t cycles;

	return __builtin_sub_overflow(align_cycle(side, to), align_cycle(side, from), &cycles)
		   ? INT64_MAX
		   : cycles;
}

/* The first step that is not over, or the one behind the last; the latest commits beside it. */
struct cut {
	uint64_t index;
	int64_t before, end; /* of no step: both are the latest commit */
};

/* Behind all that has committed at a tick, but before step `most` in any case. */
static bool find_cut(const struct align_side *side, int64_t tick, uint64_t most, struct cut *out,
		     const atomic_bool *stop)
{
	const struct path_step *s = NULL;
	struct path_cursor at;

	*out = (struct cut){.before = align_whole(side).from};
	if (!path_cursor_new(&at, side->path))
		return false;
	for (; !(stop && *stop) && (s = path_at(&at, out->index)); out->index++) {
		out->end = s->end > out->before ? s->end : out->before;
		if (out->index >= most || out->end > tick)
			break;
		out->before = out->end;
	}
	if (!s)
		out->end = out->before;
	path_cursor_free(&at);
	return true;
}

/* So many ticks later on the clock of the other side, from a tick of that. */
static int64_t later_there(const struct align *al, int side, int64_t tick, int64_t from, int64_t to)
{
	int64_t by;

	if (!align_in_cycles(al))
		by = align_length(al, side, from, to);
	else if (__builtin_mul_overflow(align_cycles(&al->side[side], from, to),
					al->side[!side].ticks_per_cycle, &by))
		by = INT64_MAX;
	return __builtin_add_overflow(tick, by, &tick) ? INT64_MAX : tick;
}

/* A cycle that is before the cut in part is so as a whole, and so is that of the other side. */
static int64_t same_time(const struct align *al, int side, int64_t tick)
{
	if (!align_in_cycles(al))
		return align_other_tick(al, side, tick);
	tick = align_other_tick(al, side, tick - 1);
	return __builtin_add_overflow(tick, al->side[!side].ticks_per_cycle, &tick) ? INT64_MAX
										    : tick;
}

bool align_cut(const struct align *al, int side, int64_t tick, int64_t *out,
	       const atomic_bool *stop)
{
	const struct align_side *a = &al->side[side], *b = &al->side[!side];
	const struct align_ticks whole = align_whole(a);
	uint64_t pair, index[ALIGN_SIDES];
	struct cut here, there;
	bool cuts_both;

	*out = tick <= whole.from ? INT64_MIN : INT64_MAX;
	if (tick <= whole.from || tick >= whole.to)
		return true;
	if (align_by_time(al)) {
		*out = same_time(al, side, tick);
		return true;
	}
	if (!find_cut(a, tick, UINT64_MAX, &here, stop))
		return false;
	cuts_both = align_pair_of(al, side, here.index, &pair) || here.index == path_count(a->path);
	if (!align_pair(al, pair, index))
		index[!side] = path_count(b->path);
	if (!find_cut(b, INT64_MAX, index[!side], &there, stop))
		return false;
	*out = there.before;
	if (tick > here.before && cuts_both)
		*out = later_there(al, side, there.before, here.before, tick);
	if (there.index < path_count(b->path) && *out > there.end)
		*out = there.end;
	return true;
}

static uint64_t other_row(const struct align *al, int side, uint64_t row)
{
	return row < store_row_count(al->side[side].store) ? align_near(al, side, row)
							   : store_row_count(al->side[!side].store);
}

/* A range ends before its tick, a cut lies behind one. */
static int64_t other_tick(const struct align *al, int side, int64_t tick, int64_t open)
{
	int64_t cut;

	if (tick == open)
		return open;
	if (align_by_time(al))
		return align_other_tick(al, side, tick);
	if (!align_cut(al, side, tick_sub(tick, 1), &cut, NULL) || cut == INT64_MIN || cut == INT64_MAX)
		return open;
	return cut + 1;
}

struct range align_range(const struct align *al, int side, const struct range *r)
{
	struct range out = range_all(al->side[!side].store);
	bool rows = r->row0 > 0 || r->row1 < store_row_count(al->side[side].store);
	uint64_t first, last;

	if (rows) {
		range_rows(al->side[side].store, r, &first, &last);
		out.row0 = other_row(al, side, first);
		out.row1 = other_row(al, side, last);
		if (out.row1 < out.row0)
			out.row1 = out.row0;
		return out;
	}
	out.tick0 = other_tick(al, side, r->tick0, INT64_MIN);
	out.tick1 = other_tick(al, side, r->tick1, TICK_NONE);
	return out;
}
