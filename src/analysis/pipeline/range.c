#include "config.h"

#include "analysis/pipeline/range.h"

struct range range_all(const struct store *s)
{
	return (struct range){.row1 = store_row_count(s), .tick0 = INT64_MIN, .tick1 = TICK_NONE};
}

bool range_rows(const struct store *s, const struct range *r, uint64_t *first, uint64_t *last)
{
	*first = r->row0;
	*last = store_row_count(s);
	if (r->tick0 > INT64_MIN || r->tick1 < TICK_NONE)
		store_rows_alive(s, r->tick0, r->tick1, first, last);
	if (*first < r->row0)
		*first = r->row0;
	if (*last > r->row1)
		*last = r->row1;
	if (*last < *first)
		*last = *first;
	if (r->limit == 0 || *last - *first <= r->limit)
		return false;
	*last = *first + r->limit;
	return true;
}

/* The record that ends a row is the row's too: with what stands there it is in that tick. */
bool range_has(const struct range *r, const struct row *row)
{
	return row->row >= r->row0 && row->row < r->row1 && row->start < r->tick1 &&
	       row->end >= r->tick0;
}

/* To what of [start, end) lies in the range; false: nothing does. */
static bool clip(const struct range *r, int64_t *start, int64_t *end)
{
	if (*start < r->tick0)
		*start = r->tick0;
	if (*end > r->tick1)
		*end = r->tick1;
	return *end > *start;
}

int64_t range_overlap(const struct range *r, int64_t start, int64_t end)
{
	int64_t ticks;

	if (!clip(r, &start, &end))
		return 0;
	return __builtin_sub_overflow(end, start, &ticks) ? INT64_MAX : ticks;
}

struct range_clock range_clock(const struct store *s)
{
	struct progress p;

	store_progress(s, &p);
	return (struct range_clock){store_ticks_per_cycle(s), p.first};
}

/* Of the first cycle that begins at the tick or behind it, from that of the first tick on. */
static __int128 cycle_from(const struct range_clock *c, int64_t tick)
{
	__int128 ticks = (__int128)tick - c->first;

	return ticks / c->ticks + (ticks % c->ticks > 0);
}

int64_t range_cycles(const struct range *r, const struct range_clock *c, int64_t start,
		     int64_t end)
{
	__int128 cycles;

	if (c->ticks <= 1)
		return range_overlap(r, start, end);
	if (!clip(r, &start, &end))
		return 0;
	cycles = cycle_from(c, end) - cycle_from(c, start);
	return cycles > INT64_MAX ? INT64_MAX : (int64_t)cycles;
}

bool range_starts(const struct range *r, int64_t start)
{
	return start >= r->tick0 && start < r->tick1;
}

static void count_stay(const struct range *r, const struct walk_row *row, const struct stay *stay,
		       int64_t trace_end, struct totals *t)
{
	if (stay->stage < STAGE_MAX) {
		t->stage_entries[stay->stage] += range_starts(r, stay->start);
		range_add(&t->stage_ticks[stay->stage],
			  range_overlap(r, stay->start, walk_stay_end(row, stay, trace_end)));
	}
	for (unsigned set = range_starts(r, stay->start) ? stay->events : 0; set; set &= set - 1) {
		unsigned event = (unsigned)__builtin_ctz(set);

		t->event_counts[event]++;
		if (!(stay->colour >> event & 1) || stay->latency < 0)
			continue;
		if (t->event_latency[event] < 0)
			t->event_latency[event] = 0;
		t->event_latency[event] += stay->latency;
	}
}

void range_count(const struct range *r, const struct walk_row *row, int64_t trace_end,
		 struct totals *t)
{
	const struct row *head = &row->detail->head;
	unsigned events = 0;

	t->fates[head->fate]++;
	t->instructions += head->fate != FATE_UNKNOWN;
	t->micro_ops += head->micro_op;
	t->committed_macro += head->fate == FATE_COMMITTED && !head->micro_op;
	for (uint32_t i = 0; i < row->detail->stays; i++) {
		count_stay(r, row, &row->stays[i], trace_end, t);
		if (range_starts(r, row->stays[i].start))
			events |= row->stays[i].events;
	}
	for (; events; events &= events - 1)
		t->event_rows[__builtin_ctz(events)]++;
}

struct totals range_zero(void)
{
	struct totals t = {0};

	for (int i = 0; i < EVENT_MAX; i++)
		t.event_latency[i] = -1;
	return t;
}

struct counting {
	const struct range *range;
	struct totals *totals;
	int64_t trace_end;
};

static bool count_row(void *arg, const struct walk_row *row)
{
	struct counting *c = arg;

	if (range_has(c->range, &row->detail->head))
		range_count(c->range, row, c->trace_end, c->totals);
	return true;
}

enum status range_totals(struct store *s, const struct range *r, struct totals *out, bool *clipped,
			 struct error *e)
{
	struct counting c = {.range = r, .totals = out};
	uint64_t first, last;
	struct progress p;

	store_progress(s, &p);
	c.trace_end = p.last < INT64_MAX ? p.last + 1 : p.last;
	*out = range_zero();
	*clipped = range_rows(s, r, &first, &last);
	return walk_rows(s, first, last, WALK_STAYS, count_row, &c, e);
}
