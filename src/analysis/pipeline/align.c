#include "config.h"

#include "analysis/pipeline/align.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/align_keys.h"
#include "analysis/pipeline/align_steps.h"
#include "base/bisect.h"

const char *const align_by_names[ALIGN_BY_COUNT] = {
#define ALIGN_BY_NAME(way, name, help) name,
    ALIGN_BY_INFO(ALIGN_BY_NAME)
#undef ALIGN_BY_NAME
};

const char *const align_key_names[ALIGN_KEY_COUNT] = {
#define ALIGN_KEY_NAME(key, name) name,
    ALIGN_KEY_INFO(ALIGN_KEY_NAME)
#undef ALIGN_KEY_NAME
};

/* Events and stages are the same when their names are. */
static void map_names(struct align *al)
{
	const struct store *a = al->side[ALIGN_A].store;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct align_side *side = &al->side[s];

		memset(side->stage_of, STAGE_NONE, sizeof(side->stage_of));
		memset(side->event_of, 0, sizeof(side->event_of));
		for (size_t i = 0; i < store_stage_count(side->store) && i < STAGE_MAX; i++)
			for (size_t k = store_stage_count(a); k-- > 0;)
				if (strcmp(store_stage(side->store, i)->name,
					   store_stage(a, k)->name) == 0)
					side->stage_of[i] = (uint8_t)k;
		for (size_t i = 0; i < store_event_count(side->store) && i < EVENT_MAX; i++)
			for (size_t k = 0; k < store_event_count(a) && k < EVENT_MAX; k++)
				if (strcmp(store_event(side->store, i)->name,
					   store_event(a, k)->name) == 0)
					side->event_of[i] = (uint16_t)(1U << k);
	}
}

/* Time. */

int64_t align_cycle(const struct align_side *side, int64_t tick)
{
	__int128 ticks = (__int128)tick - side->phase;
	const int64_t n = side->ticks_per_cycle;

	return n > 1 ? (int64_t)(ticks / n - (ticks % n < 0)) : tick;
}

bool align_in_cycles(const struct align *al)
{
	const struct align_side *a = &al->side[ALIGN_A], *b = &al->side[ALIGN_B];

	return a->ticks_per_cycle != b->ticks_per_cycle || a->phase != b->phase;
}

bool align_by_time(const struct align *al)
{
	return al->by == ALIGN_BY_CYCLE || al->by == ALIGN_BY_START;
}

static int64_t time_of(const struct align *al, int side, int64_t tick)
{
	return align_in_cycles(al) ? align_cycle(&al->side[side], tick) : tick;
}

int64_t align_time(const struct align *al, int side, int64_t tick)
{
	int64_t time;

	if (__builtin_sub_overflow(time_of(al, side, tick), al->side[side].origin, &time))
		return tick < 0 ? INT64_MIN : INT64_MAX;
	return time;
}

int64_t align_length(const struct align *al, int side, int64_t from, int64_t to)
{
	int64_t length;

	if (!__builtin_sub_overflow(align_time(al, side, to), align_time(al, side, from), &length))
		return length;
	return to > from ? INT64_MAX : INT64_MIN;
}

int64_t align_other_tick(const struct align *al, int side, int64_t tick)
{
	const struct align_side *other = &al->side[!side];
	__int128 time;

	if (tick == INT64_MIN || tick == TICK_NONE)
		return tick;
	time = (__int128)time_of(al, side, tick) - al->side[side].origin + other->origin;
	if (align_in_cycles(al))
		time = time * other->ticks_per_cycle + other->phase;
	if (time > INT64_MAX)
		return INT64_MAX;
	return time < INT64_MIN ? INT64_MIN : (int64_t)time;
}

/* As the instruction view does, cycles are counted from tick 0 and begin as the first one does. */
static void read_clocks(struct align *al)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct align_side *side = &al->side[s];
		struct progress p;

		store_progress(side->store, &p);
		side->ticks_per_cycle = store_ticks_per_cycle(side->store);
		side->phase = p.first % side->ticks_per_cycle;
		if (side->phase < 0)
			side->phase += side->ticks_per_cycle;
	}
	for (int s = 0; s < ALIGN_SIDES && al->by == ALIGN_BY_START; s++) {
		struct progress p;

		store_progress(al->side[s].store, &p);
		al->side[s].origin = p.first <= p.last ? time_of(al, s, p.first) : 0;
	}
}

static enum status count_before(struct align *al, struct error *e)
{
	uint64_t before = 0;

	if (!vec_reserve(&al->before, al->diff.runs.count + 1))
		return error_no_memory(e);
	for (size_t i = 0; i < al->diff.runs.count; i++) {
		al->before.data[al->before.count++] = before;
		before += al->diff.runs.data[i].length;
	}
	return STATUS_OK;
}

enum status align_new(struct align *out, struct store *a, struct store *b,
		      const struct align_options *options, const atomic_bool *stop, struct error *e)
{
	enum status status = STATUS_OK;

	*out = (struct align){.by = options->by};
	out->side[ALIGN_A].store = a;
	out->side[ALIGN_B].store = b;
	read_clocks(out);
	for (int s = 0; s < ALIGN_SIDES && !status; s++)
		status = path_new(&out->side[s].path, out->side[s].store, stop, e);
	if (!status)
		status = align_keys(out, stop, e);
	if (!status) {
		map_names(out);
		status = align_steps(out, options, stop, e);
	}
	if (!status)
		status = count_before(out, e);
	if (status)
		align_free(out);
	return status;
}

void align_free(struct align *al)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		path_free(al->side[s].path);
		free(al->side[s].code_keys);
		free(al->side[s].keys);
	}
	diff_free(&al->diff);
	vec_free(&al->before);
	*al = (struct align){.by = ALIGN_BY_COMMIT};
}

/* Queries. */

static uint64_t run_start(const struct run *r, int side)
{
	return side == ALIGN_A ? r->a : r->b;
}

bool align_is_bound(const struct align *al)
{
	return al->diff.bounded;
}

bool align_is_apart(const struct align *al)
{
	return al->by == ALIGN_BY_COMMIT && align_pairs(al) == 0;
}

const char *align_caveat(const struct align *al)
{
	return al->guessed	   ? " (an estimate: texts beyond 12 MB count as alike)"
	       : al->diff.bounded ? " (a lower bound)"
				   : "";
}

uint64_t align_pairs(const struct align *al)
{
	return al->diff.matched;
}

bool align_pair(const struct align *al, uint64_t n, uint64_t index[ALIGN_SIDES])
{
	size_t low = 0, high = al->before.count;

	if (n >= al->diff.matched)
		return false;
	bisect(low, high, i, al->before.data[i] <= n);
	low--;
	index[ALIGN_A] = al->diff.runs.data[low].a + (n - al->before.data[low]);
	index[ALIGN_B] = al->diff.runs.data[low].b + (n - al->before.data[low]);
	return true;
}

bool align_pair_of(const struct align *al, int side, uint64_t index, uint64_t *pair)
{
	const struct run *runs = al->diff.runs.data;
	size_t low = 0, high = al->diff.runs.count;

	/* the first run that ends behind index */
	bisect(low, high, i, run_start(&runs[i], side) + runs[i].length <= index);
	*pair = al->diff.matched;
	if (low == al->diff.runs.count)
		return false;
	*pair = al->before.data[low];
	if (run_start(&runs[low], side) > index)
		return false;
	*pair += index - run_start(&runs[low], side);
	return true;
}

void align_pair_rows(const struct align *al, uint64_t n, uint64_t row[ALIGN_SIDES])
{
	uint64_t index[ALIGN_SIDES];
	bool found = align_pair(al, n, index);

	for (int s = 0; s < ALIGN_SIDES; s++)
		row[s] = found ? path_row(al->side[s].path, index[s])
			       : store_row_count(al->side[s].store);
}

uint64_t align_match(const struct align *al, int side, uint64_t row)
{
	const struct path *path = al->side[side].path, *other = al->side[!side].path;
	uint64_t index = path_index(path, row), pair, found[ALIGN_SIDES];

	if (index == UINT64_MAX || !align_pair_of(al, side, index, &pair) ||
	    !align_pair(al, pair, found))
		return ROW_NONE;
	if (path_row(path, index) == row)
		return path_row(other, found[!side]);
	return path_member(other, found[!side], path_ordinal(path, index, row));
}

uint64_t align_next_pair(const struct align *al, int side, uint64_t row)
{
	uint64_t pair;

	align_pair_of(al, side, path_rank(al->side[side].path, row), &pair);
	return pair;
}

/* The pair that a row which did not commit goes by; false: it did, or there are no pairs. */
static bool guide(const struct align *al, int side, uint64_t row, uint64_t rows[ALIGN_SIDES])
{
	uint64_t pair;

	if (align_pairs(al) == 0 || path_index(al->side[side].path, row) != UINT64_MAX)
		return false;
	pair = align_next_pair(al, side, row);
	align_pair_rows(al, pair ? pair - 1 : 0, rows);
	return true;
}

uint64_t align_near(const struct align *al, int side, uint64_t row)
{
	uint64_t near = align_match(al, side, row), rows[ALIGN_SIDES], by[ALIGN_SIDES];
	uint64_t count = store_row_count(al->side[!side].store);

	if (near != ROW_NONE)
		return near;
	/* nothing in common: side by side from the first row on */
	if (align_pairs(al) == 0)
		return row < count ? row : count ? count - 1 : 0;
	align_pair_rows(al, align_next_pair(al, side, row), rows);
	near = rows[!side];
	if (guide(al, side, row, by)) {
		if (row < by[side])
			near -= by[side] - row < near ? by[side] - row : near;
		else if (row - by[side] < near - by[!side])
			near = by[!side] + (row - by[side]);
	}
	return near < count ? near : count ? count - 1 : 0;
}

void align_anchor(const struct align *al, int side, uint64_t row, uint64_t rows[ALIGN_SIDES])
{
	if (guide(al, side, row, rows))
		return;
	rows[side] = row;
	rows[!side] = align_near(al, side, row);
}
