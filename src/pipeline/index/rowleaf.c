#include "config.h"

#include "pipeline/index/rowleaf.h"

#include <stdlib.h>
#include <string.h>

enum { BURY_LEAST = 4096 };

void row_leaves_init(struct row_leaves *l, struct trace_index *ix, struct names *names)
{
	memset(l, 0, sizeof(*l));
	l->ix = ix;
	l->end_max = INT64_MIN;
	memset(l->slot, SLOT_NOWHERE, sizeof(l->slot));
	pthread_mutex_lock(&names->lock);
	for (size_t i = 0; i < STAGE_MAX; i++)
		if (i >= names->config.stage_count || names->config.stages[i].role != ROLE_COMMIT)
			l->slot[i] = (uint8_t)i;
	pthread_mutex_unlock(&names->lock);
	if (!vec_reserve(&l->s.leaves, 1))
		l->failed = true;
}

void row_leaves_free(struct row_leaves *l)
{
	vec_free(&l->s.leaves);
	vec_free(&l->s.rows);
	sbuf_free(&l->s.packed);
	vec_free(&l->whole);
	vec_free(&l->young);
	vec_free(&l->steps);
	vec_free(&l->old);
}

/* ---- quiet stretches --------------------------------------------------------------------- */

/*
 * Which ticks of a leaf have a record, in buckets: the longest stretch without may be told too
 * long by two buckets, never too short. Who looks for one reads the rows.
 */
static inline void put_mark(uint64_t quiet[QUIET_BITS / 64], uint64_t bit)
{
	quiet[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void mark(struct row_leaves *l, int64_t tick)
{
	put_mark(l->quiet, ((uint64_t)tick - (uint64_t)l->tick) >> l->quiet_shift);
	l->seen = tick > l->seen ? tick : l->seen;
}

static void quiet_begin(struct row_leaves *l, int64_t end)
{
	uint64_t ticks = (uint64_t)end - (uint64_t)l->tick;

	memset(l->quiet, 0, sizeof(l->quiet));
	l->quiet_shift = 0;
	while ((ticks - 1) >> l->quiet_shift >= QUIET_BITS)
		l->quiet_shift++;
	l->seen = INT64_MIN;
}

static int64_t quiet_longest(const struct row_leaves *l)
{
	int64_t gap = l->leaf_count ? l->tick - l->active - 1 : 0;
	uint64_t last = 0, most = 0;
	bool lead = l->shown;

	for (unsigned w = 0; w < QUIET_BITS / 64; w++)
		for (uint64_t set = l->quiet[w]; set; set &= set - 1) {
			uint64_t bit = w * 64 + (unsigned)__builtin_ctzll(set);

			if (lead)
				gap += (int64_t)((bit + 1) << l->quiet_shift) - 1;
			else
				most = bit - last > most ? bit - last : most;
			lead = false;
			last = bit;
		}
	most = l->quiet_shift ? (most + 1) << l->quiet_shift : most;
	return most > 0 && (int64_t)most - 1 > gap ? (int64_t)most - 1 : gap;
}

/* ---- rows that are no longer young ------------------------------------------------------- */

static void push_step(struct row_leaves *l, struct row_step step)
{
	size_t i = l->steps.count, up;

	if (!vec_push(&l->steps, step)) {
		l->failed = true;
		return;
	}
	for (; i > 0 && l->steps.data[up = (i - 1) / 2].tick > step.tick; i = up)
		l->steps.data[i] = l->steps.data[up];
	l->steps.data[i] = step;
}

static struct row_step pop_step(struct row_leaves *l)
{
	struct row_step top = l->steps.data[0], last = l->steps.data[--l->steps.count];
	size_t n = l->steps.count, i = 0, down;

	for (; (down = 2 * i + 1) < n; i = down) {
		if (down + 1 < n && l->steps.data[down + 1].tick < l->steps.data[down].tick)
			down++;
		if (l->steps.data[down].tick >= last.tick)
			break;
		l->steps.data[i] = l->steps.data[down];
	}
	l->steps.data[i] = last;
	return top;
}

/* Time counts from the tick at which the row stops being young. */
static void grow_old(struct row_leaves *l, const struct young_row *y, int64_t tick)
{
	struct old_row old = {y->row, l->leaf_count, y->end, y->fate, STAGE_NONE};
	uint64_t longest = 0;

	for (unsigned k = 0; k <= y->stays; k++) {
		bool whole = k == y->stays;
		int64_t from = whole ? y->start : y->from[k], to = whole ? y->end : y->to[k];
		uint8_t slot = whole ? SLOT_ALIVE : y->slot[k];

		if (!whole && slot < STAGE_MAX && (uint64_t)to - (uint64_t)from > longest) {
			longest = (uint64_t)to - (uint64_t)from;
			old.dominant = slot;
		}
		if (to <= tick && !whole)
			continue;
		if (from < tick) {
			l->occupancy[slot]++;
			l->moved[slot] += (uint64_t)tick;
		} else {
			push_step(l, (struct row_step){from, slot, STEP_ENTER, 0, 0});
		}
		if (to != TICK_NONE)
			push_step(l, (struct row_step){to, slot, STEP_LEAVE, 0, 0});
	}
	if (y->commit >= tick && y->commit != TICK_NONE)
		push_step(l, (struct row_step){y->commit, SLOT_NOWHERE, STEP_FATE, y->fate,
					       y->micro_op});
	if (!vec_push(&l->old, old))
		l->failed = true;
}

/* It commits, or is squashed. */
static void count_fate(struct row_leaves *l, uint8_t fate, bool micro_op)
{
	struct leaf_sum *leaf = l->s.leaves.data;

	leaf->committed += fate == FATE_COMMITTED;
	leaf->committed_macro += fate == FATE_COMMITTED && !micro_op;
	leaf->squashed += fate == FATE_SQUASHED;
}

/* What the old ones do before end, and how long they were where. */
static void play_steps(struct row_leaves *l, int64_t end)
{
	struct leaf_sum *leaf = l->s.leaves.data;

	while (l->steps.count && l->steps.data[0].tick < end) {
		struct row_step step = pop_step(l);

		mark(l, step.tick);
		if (step.kind == STEP_FATE) {
			count_fate(l, step.fate, step.micro_op);
			continue;
		}
		if (step.kind == STEP_ENTER) {
			l->occupancy[step.slot]++;
			l->moved[step.slot] += (uint64_t)step.tick;
			continue;
		}
		l->occupancy[step.slot]--;
		l->moved[step.slot] -= (uint64_t)step.tick;
	}
	for (int i = 0; i < SLOTS; i++) {
		uint64_t area = l->occupancy[i] * (uint64_t)end - l->moved[i];

		leaf->area[i] += area - l->area[i];
		l->area[i] = area;
	}
}

/* Forget the old ones that have died; report those that hold heads back for too long. */
static void bury(struct row_leaves *l, int64_t tick)
{
	for (; l->old_first < l->old.count; l->old_first++) {
		struct old_row *o = &l->old.data[l->old_first];

		if (o->end >= tick && l->leaf_count - o->leaf < STUCK_LEAVES)
			break;
		if (o->end >= tick)
			index_late(l->ix,
				   &(struct late_row){.row = o->row,
						      .end = o->end,
						      .fate = o->fate,
						      .dominant = o->dominant});
	}
	if (l->old_first == 0 || (l->old_first < BURY_LEAST && l->old_first < l->old.count))
		return;
	l->old.count -= l->old_first;
	memmove(l->old.data, l->old.data + l->old_first, l->old.count * sizeof(*l->old.data));
	l->old_first = 0;
}

/* ---- closing a leaf ---------------------------------------------------------------------- */

static inline uint64_t overlap(int64_t from, int64_t to, int64_t lo, int64_t hi)
{
	int64_t a = from > lo ? from : lo, b = to < hi ? to : hi;

	return b > a ? (uint64_t)b - (uint64_t)a : 0;
}

/* One row's share of the leaf; false: it has ended in it. */
static bool live_through(struct row_leaves *l, struct young_row *y, int64_t end,
			 uint64_t area[SLOTS + 1])
{
	int64_t lo = l->tick;

	area[SLOT_ALIVE] += overlap(y->start, y->end, lo, end);
	for (unsigned k = 0; k < y->stays; k++) {
		area[y->slot[k]] += overlap(y->from[k], y->to[k], lo, end);
		if (y->from[k] >= lo && y->from[k] < end)
			mark(l, y->from[k]);
	}
	if (y->start >= lo)
		mark(l, y->start);
	if (y->commit >= lo && y->commit < end)
		count_fate(l, y->fate, y->micro_op);
	if (y->end >= end)
		return true;
	mark(l, y->end);
	return false;
}

/* The same of a row that was born and has ended in the leaf, as most are. */
static void live_within(struct row_leaves *l, const struct young_row *y, uint64_t area[SLOTS + 1])
{
	const unsigned stays = y->stays, shift = l->quiet_shift;
	const int64_t lo = l->tick;
	uint64_t *quiet = l->quiet;

	area[SLOT_ALIVE] += (uint64_t)y->end - (uint64_t)y->start;
	for (unsigned k = 0; k < stays; k++) {
		uint64_t from = (uint64_t)y->from[k];

		area[y->slot[k]] += (uint64_t)y->to[k] - from;
		put_mark(quiet, (from - (uint64_t)lo) >> shift);
	}
	mark(l, y->start);
	mark(l, y->end);
	count_fate(l, y->fate, y->micro_op);
}

static void share_out(struct row_leaves *l, int64_t end)
{
	struct leaf_sum *leaf = l->s.leaves.data;
	uint64_t area[SLOTS + 1] = {0};
	size_t kept = 0;

	for (size_t i = 0; i < l->young.count; i++) {
		struct young_row *y = &l->young.data[i];

		if (y->end < end && y->start >= l->tick) {
			live_within(l, y, area);
			continue;
		}
		if (!live_through(l, y, end, area))
			continue;
		if (++y->age < YOUNG_LEAVES) {
			if (kept != i)
				l->young.data[kept] = *y;
			kept++;
		} else {
			grow_old(l, y, end);
		}
	}
	l->young.count = kept;
	for (int i = 0; i < SLOTS; i++)
		leaf->area[i] += area[i];
}

static void sum_rows(struct leaf_sum *leaf, const struct raw_row *rows)
{
	leaf->end_max = leaf->tick;
	for (uint64_t i = 0; i < leaf->rows; i++) {
		const struct raw_row *row = &rows[i];
		int64_t end = row->life == LIFE_OPEN ? TICK_NONE
						     : (int64_t)((uint64_t)row->birth + row->life);

		leaf->end_max = end > leaf->end_max ? end : leaf->end_max;
		leaf->fates[row->fate]++;
		if (row->dominant != STAGE_NONE && row->life != LIFE_OPEN)
			leaf->dominant[row->dominant] += row->life;
		leaf->micro_ops += row->micro_op;
	}
}

static void close_leaf(struct row_leaves *l, int64_t end)
{
	struct segment *s = &l->s;
	struct leaf_sum *leaf = s->leaves.data;

	leaf->end_tick = end;
	leaf->rows = s->rows.count;
	leaf->id_span = l->id_max - leaf->first_id;
	quiet_begin(l, end);
	play_steps(l, end);
	share_out(l, end);
	leaf->gap = quiet_longest(l);
	l->active = l->seen > l->active || !l->leaf_count ? l->seen : l->active;
	l->shown = false;
	sum_rows(leaf, s->rows.data);
	sbuf_clear(&s->packed);
	leaf_encode(&s->packed, s->rows.data, s->rows.count, leaf->tick, NULL, l->whole.data);
	leaf->len = s->packed.len;
	s->base_row = l->row0;
	s->off = l->row0 * ROW_TEXT;
	s->len = leaf->rows * ROW_TEXT;
	leaf->off = s->off;
	index_append(l->ix, s, 0);
	l->failed |= s->packed.failed || l->ix->failed;
	l->leaf_count++;
	l->row0 += leaf->rows;
	vec_clear(&s->rows);
	vec_clear(&l->whole);
}

static void open_leaf(struct row_leaves *l, int64_t tick, uint64_t id)
{
	struct leaf_sum *leaf = l->s.leaves.data;

	memset(leaf, 0, sizeof(*leaf));
	l->s.leaves.count = 1;
	leaf->tick = l->tick = tick;
	leaf->first_id = l->id_max = id;
	leaf->link_min = LINK_NONE;
	bury(l, tick);
	leaf->head = l->row0;
	if (l->young.count) /* none of them ended before */
		leaf->head = l->young.data[0].row;
	if (l->old_first < l->old.count && l->old.data[l->old_first].row < leaf->head)
		leaf->head = l->old.data[l->old_first].row;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* The instruction that a micro-op is part of: same pc, numbers without a gap (2.6). 0: none. */
static uint32_t parent_of(struct row_leaves *l, const struct packed_row *p)
{
	uint64_t row = l->row0 + l->s.rows.count, back;
	size_t cpu = (p->cpu ^ p->cpu >> 8) & (MACROS - 1);

	if (p->part == 0) {
		l->macro[cpu].used = true;
		l->macro[cpu].pc = p->pc;
		l->macro[cpu].row = row;
	} else if (!l->macro[cpu].used || l->macro[cpu].pc != p->pc ||
		   p->id - l->macro[cpu].last_id != 1) {
		l->macro[cpu].used = false;
		return 0;
	}
	l->macro[cpu].last_id = p->id;
	back = row - l->macro[cpu].row;
	return back < UINT32_MAX ? (uint32_t)back : 0;
}

/* The row's stays -> the stage of the longest, the first of those. */
static inline uint8_t add_stays(struct row_leaves *l, struct young_row *y,
				const struct packed_row *p, bool wide)
{
	const uint8_t *stages = packed_stages(p);
	const unsigned n = y->stays;
	const uint64_t start = (uint64_t)p->start;
	uint64_t longest = 0, from, to;
	uint8_t dominant = STAGE_NONE;

	for (unsigned k = 0; k < n; k++) {
		bool more;

		packed_stay_at(p, n, wide, k, &from, &to);
		more = (to - from > longest) | (k == 0);
		longest = more ? to - from : longest;
		dominant = more ? stages[k] : dominant;
		y->slot[k] = l->slot[stages[k]];
		y->from[k] = (int64_t)(start + from);
		y->to[k] = (int64_t)(start + to);
	}
	return dominant;
}

static int64_t not_before(int64_t tick, int64_t floor)
{
	return tick < floor ? floor : tick;
}

static void be_late(struct young_row *y, int64_t floor)
{
	y->start = floor;
	y->end = not_before(y->end, floor);
	y->commit = not_before(y->commit, floor);
	for (unsigned k = 0; k < y->stays; k++) {
		y->from[k] = not_before(y->from[k], floor);
		y->to[k] = not_before(y->to[k], floor);
	}
}

/* raw, *tail: its birth, its life, and how long that lasted after its commit. */
static uint8_t add_young(struct row_leaves *l, const struct packed_row *p, bool micro_op,
			 struct raw_row *raw, uint64_t *tail)
{
	bool open = p->life == LIFE_OPEN;
	int64_t floor = row_leaves_floor(l);
	struct young_row *y;
	uint8_t dominant;
	int64_t last;

	if (!vec_reserve(&l->young, 1)) {
		l->failed = true;
		return STAGE_NONE;
	}
	y = &l->young.data[l->young.count++];
	y->row = l->row0 + l->s.rows.count;
	y->start = p->start;
	y->end = open ? TICK_NONE : (int64_t)((uint64_t)p->start + p->life);
	y->commit = y->end;
	y->fate = p->fate;
	y->micro_op = micro_op;
	y->age = 0;
	y->stays = (uint8_t)packed_stays(p);
	if (p->stays & PACKED_WIDE)
		dominant = add_stays(l, y, p, true);
	else
		dominant = add_stays(l, y, p, false);
	if (p->stays & PACKED_BEHIND)
		y->commit = y->from[y->stays - 2];
	/* no stay reaches beyond its row, and the last one of a row in flight has no end */
	last = open ? y->to[y->stays - 1] : y->end;
	if (open)
		y->to[y->stays - 1] = TICK_NONE;
	l->end_max = last > l->end_max ? last : l->end_max;
	if (p->start < floor)
		be_late(y, floor);
	raw->birth = y->start;
	raw->life = open ? LIFE_OPEN : (uint64_t)y->end - (uint64_t)y->start;
	*tail = open ? 0 : (uint64_t)y->end - (uint64_t)y->commit;
	return dominant;
}

void row_leaves_add(struct row_leaves *l, const struct packed_row *p, uint32_t code,
		    uint16_t thread)
{
	struct raw_row raw = {.code = code,
			      .fate = p->fate,
			      .thread = thread,
			      .micro_op = p->part > 0};
	struct whole_row whole = {.offset = p->offset};
	struct leaf_sum *leaf;

	if (l->failed)
		return;
	if (!l->begun) {
		l->begun = true;
		l->newest = p->start;
		open_leaf(l, p->start, p->id);
	} else if (l->s.rows.count >= LEAF_ROWS && p->start > l->newest) {
		close_leaf(l, p->start);
		open_leaf(l, p->start, p->id);
	}
	leaf = l->s.leaves.data;
	if (l->s.rows.count == 0)
		leaf->first_id = l->id_max = p->id;
	leaf->first_id = p->id < leaf->first_id ? p->id : leaf->first_id;
	l->id_max = p->id > l->id_max ? p->id : l->id_max;
	raw.parent = parent_of(l, p);
	raw.dominant = add_young(l, p, raw.micro_op, &raw, &whole.tail);
	l->newest = raw.birth;
	if (!vec_push(&l->s.rows, raw) || !vec_push(&l->whole, whole))
		l->failed = true;
	l->fates[p->fate]++;
	l->rows++;
}

int64_t row_leaves_floor(const struct row_leaves *l)
{
	if (!l->begun)
		return INT64_MIN;
	return l->tick > l->newest ? l->tick : l->newest;
}

void row_leaves_show(struct row_leaves *l)
{
	if (!l->begun || l->failed || l->s.rows.count == 0)
		return;
	close_leaf(l, l->newest + 1);
	open_leaf(l, l->newest + 1, l->id_max);
	l->shown = true;
}

void row_leaves_finish(struct row_leaves *l)
{
	int64_t end = l->end_max < INT64_MAX - 1 ? l->end_max + 1 : INT64_MAX - 1;

	if (!l->begun || l->failed)
		return;
	if (l->s.rows.count || end > l->tick)
		close_leaf(l, end);
	index_flush(l->ix);
}
