#include "config.h"

#include "analysis/pipeline/compare.h"

#include "analysis/pipeline/compare_private.h"
#include "analysis/pipeline/range.h"
#include "analysis/pipeline/walk.h"

enum { AWAITED = 2 * PATH_REACH }; /* at least PATH_REACH + 1, so that no two share a place */

/* A charge that waits for the row, further down, that decides when the step ends. */
struct awaited {
	uint64_t row;
	int64_t from, to;
	size_t slot;
};

struct charging {
	struct compare *r;
	int side;
	const struct compare_stretch *stretch;
	const atomic_bool *stop;
	int64_t first; /* tick of the trace */
	struct path_cursor at;
	uint64_t index;  /* of the next step */
	int64_t reached; /* the latest commit so far */
	struct awaited awaited[AWAITED];
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Runs are charged cycles, whatever their files count. */
int64_t compare_cycles(const struct align_side *side, int64_t from, int64_t to)
{
	int64_t cycles;

	return __builtin_sub_overflow(align_cycle(side, to), align_cycle(side, from), &cycles)
		   ? INT64_MAX
		   : cycles;
}

/* Ticks [from, to) after the charged ones: a tick goes to where the step was at its end. */
static void charge(struct charging *c, size_t slot, size_t part, int64_t from, int64_t to)
{
	struct compare *r = c->r;
	int64_t cycles;

	if (to <= from)
		return;
	from = later(from - 1, c->stretch->tick0);
	to = earlier(to - 1, c->stretch->tick1);
	if (to <= from)
		return;
	cycles = compare_cycles(&r->al->side[c->side], from, to);
	range_add(&r->slots[slot].parts[c->side][part], cycles);
	range_add(&r->slots[slot].cycles[c->side], cycles);
	range_add(&r->totals[c->side][part], cycles);
	range_add(&r->cycles[c->side], cycles);
}

/* The last stay in the pipeline itself up to the commit; stays of them: none. */
static uint32_t last_stay(const struct walk_row *row)
{
	uint32_t last = row->detail->stays;

	for (uint32_t i = 0; i < row->detail->stays; i++)
		if (row->stays[i].lane == 0 && row->stays[i].stage < STAGE_MAX &&
		    !row->stays[i].behind)
			last = i;
	return last;
}

/*
 * [from, to) by the stages that the row was in; each tick once. A row that commits then (`ends`)
 * does so from its last stage, be it that of commit, without length, or one that ends there.
 */
static void charge_stays(struct charging *c, size_t slot, const struct walk_row *row, int64_t from,
			 int64_t to, bool ends)
{
	const size_t other = c->r->stages + COMPARE_OTHER;
	const uint32_t last = last_stay(row);

	for (uint32_t i = 0; i < row->detail->stays && from < to; i++) {
		const struct stay *s = &row->stays[i];
		int64_t end = ends && i == last ? to : earlier(walk_stay_end(row, s, to), to);

		if (s->lane != 0 || s->stage >= STAGE_MAX || end <= from || s->start >= to)
			continue;
		charge(c, slot, other, from, earlier(s->start, end));
		from = later(from, s->start);
		charge(c, slot, c->r->part_of[c->side][s->stage], from, end);
		from = later(from, end);
	}
	charge(c, slot, other, from, to);
}

static void charge_step(struct charging *c, const struct path_step *s, const struct walk_row *row)
{
	struct compare *r = c->r;
	size_t slot = compare_slot_of(r, c->side, c->index, s->code);
	int64_t from = c->reached, to = later(s->end, from), mine;

	c->reached = to;
	if (c->index < c->stretch->over) {
		r->slots[slot].count[c->side]++;
		r->steps[c->side]++;
		r->rows[c->side] += s->rows;
	}
	if (to == from)
		return;
	from++;
	to += to < INT64_MAX;
	charge(c, slot, r->stages + COMPARE_NOT_FETCHED, from, earlier(s->start, to));
	from = earlier(later(from, s->start), to);
	mine = s->last == s->row ? to : later(from, earlier(to, s->born));
	charge_stays(c, slot, row, from, mine, s->last == s->row);
	if (mine < to)
		c->awaited[s->last % AWAITED] = (struct awaited){s->last, mine, to, slot};
}

static bool charge_row(void *arg, const struct walk_row *row)
{
	struct charging *c = arg;
	uint64_t number = row->detail->head.row;
	struct awaited *w = &c->awaited[number % AWAITED];
	const struct path_step *s;

	if (w->row == number && w->to > w->from) {
		charge_stays(c, w->slot, row, w->from, w->to, true);
		w->to = w->from;
	}
	s = c->index < c->stretch->to ? path_at(&c->at, c->index) : NULL;
	if (s && s->row == number) {
		charge_step(c, s, row);
		c->index++;
	}
	return !(c->stop && *c->stop);
}

static int64_t trace_end(const struct store *s, int64_t *first)
{
	struct progress p;

	store_progress(s, &p);
	*first = p.first;
	if (p.last < p.first)
		return *first;
	return p.last < INT64_MAX ? p.last + 1 : p.last;
}

/* The latest commit before a step. */
static int64_t reached_before(struct charging *c, uint64_t index)
{
	int64_t reached;

	trace_end(c->r->al->side[c->side].store, &reached);
	for (uint64_t i = 0; i < index && !(c->stop && *c->stop); i++) {
		const struct path_step *s = path_at(&c->at, i);

		reached = s ? later(reached, s->end) : reached;
	}
	return reached;
}

static enum status charge_rows(struct charging *c, struct error *e)
{
	const struct align_side *side = &c->r->al->side[c->side];
	const struct compare_stretch *x = c->stretch;
	uint64_t from, to, rows = store_row_count(side->store);
	int64_t end = trace_end(side->store, &c->first), reached;
	bool whole = end <= x->tick1;
	enum status status;

	c->index = x->from;
	c->reached = reached_before(c, x->from);
	if (x->from < x->to) {
		from = path_row(side->path, x->from);
		to = path_row(side->path, x->to - 1) + 1;
		to = rows - to > PATH_REACH ? to + PATH_REACH : rows;
		status = walk_rows(side->store, from, to, charge_row, c, e);
		if (status)
			return status;
	}
	if (x->to < path_count(side->path))
		return STATUS_OK;
	reached = later(later(c->reached, c->first), x->tick0);
	end = earlier(end, x->tick1);
	if (end > reached) {
		int64_t tail = compare_cycles(side, reached, whole ? end - 1 : end);

		/* the cycle that the last tick lies in counts as a whole */
		range_add(&tail, whole);
		range_add(&c->r->totals[c->side][c->r->stages + COMPARE_TAIL], tail);
		range_add(&c->r->cycles[c->side], tail);
	}
	return STATUS_OK;
}

enum status compare_charge(struct compare *r, int side, const struct compare_stretch *stretch,
			   const atomic_bool *stop, struct error *e)
{
	struct charging c = {.r = r, .side = side, .stretch = stretch, .stop = stop};
	enum status status;

	if (!path_cursor_new(&c.at, r->al->side[side].path))
		return error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	status = charge_rows(&c, e);
	path_cursor_free(&c.at);
	if (!status && stop && *stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	return status;
}

/* ---- what a range means ------------------------------------------------------------------- */

/* Where a range begins or ends in a trace. */
struct cut {
	int64_t tick;   /* charges go up to it, or on from it */
	uint64_t index; /* the first step whose charge is not over then */
	int64_t before; /* the latest commit before that step; of none the first tick */
	int64_t end;    /* where its charge ends; `before`: there is no step */
};

/* Behind all charges that are over at tick, but before step `most` in any case. */
static bool cut_behind(const struct align_side *side, int64_t tick, uint64_t most, struct cut *out,
		       const atomic_bool *stop)
{
	struct path_cursor at;
	const struct path_step *s;

	*out = (struct cut){.tick = tick};
	trace_end(side->store, &out->before);
	if (!path_cursor_new(&at, side->path))
		return false;
	while (!(stop && *stop) && out->index < most && (s = path_at(&at, out->index)) &&
	       later(out->before, s->end) <= tick) {
		out->before = later(out->before, s->end);
		out->index++;
	}
	s = path_at(&at, out->index);
	out->end = s ? later(out->before, s->end) : out->before;
	path_cursor_free(&at);
	return true;
}

/* The cut that lies before a step. */
static bool cut_before(const struct align_side *side, uint64_t index, struct cut *out,
		       const atomic_bool *stop)
{
	bool ok = cut_behind(side, INT64_MAX, index, out, stop);

	out->tick = out->before;
	return ok;
}

/* The cut at a tick. What commits then is before it, and all is behind one at the first tick. */
static bool cut_at(const struct align_side *side, int64_t tick, struct cut *out,
		   const atomic_bool *stop)
{
	int64_t first;

	trace_end(side->store, &first);
	return cut_behind(side, tick, tick <= first ? 0 : UINT64_MAX, out, stop);
}

/* So many ticks of A later on the clock of B, from a tick of B. */
static int64_t tick_of_b(const struct align *al, int64_t tick, int64_t from_a, int64_t to_a)
{
	const struct align_side *a = &al->side[ALIGN_A], *b = &al->side[ALIGN_B];
	int64_t by;

	if (!align_in_cycles(al))
		by = align_length(al, ALIGN_A, from_a, to_a);
	else if (__builtin_mul_overflow(compare_cycles(a, from_a, to_a), b->ticks_per_cycle, &by))
		by = INT64_MAX;
	return __builtin_add_overflow(tick, by, &tick) ? INT64_MAX : tick;
}

/*
 * The cut of B for one of A: before the same step, and where A's is cut inside, and B has it, as
 * far inside of that, or behind all of its charge if that is shorter. So ranges side by side have
 * all of B, each part once.
 */
static bool cut_alike(const struct align *al, const struct cut *a, struct cut *b,
		      const atomic_bool *stop)
{
	const struct align_side *side = &al->side[ALIGN_B];
	uint64_t pair, found[ALIGN_SIDES], count = path_count(side->path);
	int64_t first, end = trace_end(al->side[ALIGN_A].store, &first);
	bool matched = align_pair_of(al, ALIGN_A, a->index, &pair);

	if (!cut_before(side, align_pair(al, pair, found) ? found[ALIGN_B] : count, b, stop))
		return false;
	if (a->tick <= first) {
		*b = (struct cut){.tick = INT64_MIN};
	} else if (a->tick >= end) {
		*b = (struct cut){.tick = INT64_MAX, .index = count};
	} else if (a->tick > a->before &&
		   (matched || a->index == path_count(al->side[ALIGN_A].path))) {
		b->tick = tick_of_b(al, b->before, a->before, a->tick);
		if (b->index < count)
			b->tick = earlier(b->tick, b->end);
	}
	return true;
}

/* A cycle of A that is in a range in part is in it as a whole, and so is that of B. */
static int64_t tick_at_same_time(const struct align *al, int64_t tick)
{
	if (tick == INT64_MIN || tick == TICK_NONE || !align_in_cycles(al))
		return align_other_tick(al, ALIGN_A, tick);
	tick = align_other_tick(al, ALIGN_A, tick - 1);
	return __builtin_add_overflow(tick, al->side[ALIGN_B].ticks_per_cycle, &tick) ? INT64_MAX
										      : tick;
}

static struct compare_stretch stretch_of(const struct cut *from, const struct cut *to)
{
	struct compare_stretch x = {from->index, to->index, to->index, from->tick, to->tick};

	if (to->end > to->before && to->tick > to->before)
		x.to++; /* the beginning of its charge */
	if (x.from > x.to)
		x.from = x.to;
	return x;
}

enum status compare_stretches(const struct compare *r, const struct compare_range *range,
			      struct compare_stretch out[ALIGN_SIDES], const atomic_bool *stop,
			      struct error *e)
{
	const struct align *al = r->al;
	struct cut cuts[ALIGN_SIDES][2];
	int64_t ticks[2];
	bool ok = true;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		uint64_t count = path_count(al->side[s].path);

		out[s] = (struct compare_stretch){0, count, count, INT64_MIN, INT64_MAX};
	}
	if (!range)
		return STATUS_OK;
	ticks[0] = range->from;
	ticks[1] = range->to;
	for (int i = 0; i < 2 && ok; i++) {
		ok = cut_at(&al->side[ALIGN_A], ticks[i], &cuts[ALIGN_A][i], stop);
		if (ok && align_by_time(al))
			ok = cut_at(&al->side[ALIGN_B], tick_at_same_time(al, ticks[i]),
				    &cuts[ALIGN_B][i], stop);
		else if (ok)
			ok = cut_alike(al, &cuts[ALIGN_A][i], &cuts[ALIGN_B][i], stop);
	}
	if (!ok)
		return error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	for (int s = 0; s < ALIGN_SIDES; s++)
		out[s] = stretch_of(&cuts[s][0], &cuts[s][1]);
	return STATUS_OK;
}
