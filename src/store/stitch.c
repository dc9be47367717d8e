#include "config.h"

#include "store/stitch.h"

#include <stdlib.h>
#include <string.h>

struct stitcher {
	struct trace_index *ix;
	struct trace_counts *counts;
	struct codes *codes;
	struct names *names;
	uint8_t role[STAGE_MAX];

	/* rows alive from the pieces before; rows are numbered from the trace's first birth */
	struct live_table live, ghosts; /* ghosts: unborn rows that have ended */
	uint64_t occupancy[SLOTS];
	struct fetch_queue fetched;
	struct limbo limbo;
	bool any_birth, jumbled;
	uint64_t first_id, next_id;
	VEC(struct id_gap) gaps;
	bool any_macro;
	uint64_t macro_row;
	int64_t last_active, end_tick;
	bool started;
	uint64_t rows, off; /* so far */

	VEC(struct segment *) pieces; /* not wholly published, in order */
	VEC(struct segment *) done;
	bool early; /* unborn rows still go before the born ones */
	bool failed;

	/* while a piece is joined */
	struct segment *s;
	struct leaf_sum *leaf;
};

struct stitcher *stitcher_new(struct trace_index *ix, struct trace_counts *counts,
			      struct codes *codes, struct names *names)
{
	struct stitcher *st = calloc(1, sizeof(*st));

	if (!st)
		return NULL;
	st->ix = ix;
	st->counts = counts;
	st->codes = codes;
	st->names = names;
	st->early = true;
	for (size_t i = 0; i < EVENT_MAX; i++)
		counts->totals.event_latency[i] = -1;
	counts->last = -1;
	if (!live_init(&st->live) || !live_init(&st->ghosts)) {
		stitcher_free(st);
		return NULL;
	}
	return st;
}

void stitcher_free(struct stitcher *st)
{
	if (!st)
		return;
	live_free(&st->live);
	live_free(&st->ghosts);
	fetch_queue_free(&st->fetched);
	vec_free(&st->gaps);
	for (size_t i = 0; i < st->pieces.count; i++) {
		segment_free(st->pieces.data[i]);
		free(st->pieces.data[i]);
	}
	for (size_t i = 0; i < st->done.count; i++) {
		segment_free(st->done.data[i]);
		free(st->done.data[i]);
	}
	vec_free(&st->pieces);
	vec_free(&st->done);
	free(st);
}

bool stitcher_failed(const struct stitcher *st)
{
	return st->failed || st->ix->failed;
}

bool stitcher_rejects(const struct stitcher *st, const struct segment *s, int64_t *tick0)
{
	*tick0 = st->started && s->tick0 < st->end_tick ? st->end_tick : s->tick0;
	return s->stumbled || (st->started && s->tick0 < st->end_tick);
}

bool stitcher_map_codes(struct codes *codes, struct segment *s)
{
	uint32_t *map = realloc(s->code_map, (s->codes.count + 1) * sizeof(*map));

	if (!map)
		return false;
	s->code_map = map;
	for (; s->mapped < s->codes.count; s->mapped++) {
		const struct code *c = &s->codes.entries[s->mapped];
		const char *pc = s->codes.text + c->at;

		map[s->mapped] =
		    codes_add(codes, c->hash, pc, c->pc_len, pc + c->pc_len, c->text_len);
	}
	return true;
}

/* ---- rows of earlier pieces -------------------------------------------------------------- */

/* The piece that still holds a row, or NULL when the row is published. */
static struct segment *piece_of(const struct stitcher *st, uint64_t row)
{
	for (size_t i = st->pieces.count; i-- > 0;) {
		struct segment *s = st->pieces.data[i];

		if (row >= s->base_row)
			return row < s->base_row + s->rows.count ? s : NULL;
	}
	return NULL;
}

static struct leaf_sum *leaf_of(struct segment *s, uint64_t local)
{
	size_t lo = 0, hi = s->leaves.count;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->leaves.data[mid].row0 <= local)
			lo = mid;
		else
			hi = mid;
	}
	return &s->leaves.data[lo];
}

static void add_late(struct stitcher *st, const struct live *l, enum fate fate, int64_t end)
{
	struct late_row late = {l->row, end, l->events, (uint8_t)fate, l->dominant};

	index_late(st->ix, &late);
}

/* Write down what is known of a row of an earlier piece: its end, or TICK_NONE. */
static void settle(struct stitcher *st, const struct live *l, enum fate fate, int64_t end)
{
	struct segment *s = piece_of(st, l->row);
	struct raw_row *row;
	struct leaf_sum *leaf;

	if (!s) {
		add_late(st, l, fate, end);
		return;
	}
	row = &s->rows.data[l->row - s->base_row];
	leaf = leaf_of(s, l->row - s->base_row);
	if (leaf->packed) {
		add_late(st, l, fate, end);
		return;
	}
	row->life = end == TICK_NONE ? LIFE_OPEN : (uint64_t)end - (uint64_t)row->birth;
	row->events = l->events;
	row->fate = (uint8_t)fate;
	row->dominant = l->dominant;
	row->micro_op = (l->flags & LIVE_MICRO) != 0;
	if (leaf->waiting)
		leaf->waiting--;
}

static void settle_unborn(struct stitcher *st, const struct live *l, int64_t end)
{
	struct unborn_row *row = &st->ix->unborn.data[l->row];

	row->end = end;
	row->events = l->events;
	row->dominant = l->dominant;
}

static void leave_stage(struct stitcher *st, const struct live *l)
{
	if (l->stage != STAGE_NONE && st->role[l->stage] != ROLE_COMMIT)
		st->occupancy[l->stage]--;
}

static void end_row(struct stitcher *st, struct live *l, enum fate fate, int64_t tick)
{
	live_leave(l, tick);
	leave_stage(st, l);
	st->occupancy[SLOT_ALIVE]--;
	if (l->flags & LIVE_UNBORN) {
		struct live *ghost = live_add(&st->ghosts, l->id);

		settle_unborn(st, l, tick);
		if (ghost)
			ghost->row = l->row;
		else
			st->failed = true;
	} else {
		settle(st, l, fate, tick);
		if (fate == FATE_COMMITTED) {
			st->leaf->committed++;
			st->leaf->committed_macro += !(l->flags & LIVE_MICRO);
		} else if (fate == FATE_SQUASHED) {
			st->leaf->squashed++;
		}
		st->counts->totals.fates[fate]++;
	}
	live_remove(&st->live, l);
}

static bool was_born(const struct stitcher *st, uint64_t id)
{
	if (!st->any_birth || (id < st->first_id && !st->jumbled) || id >= st->next_id)
		return false;
	for (size_t i = 0; i < st->gaps.count; i++)
		if (id >= st->gaps.data[i].from && id < st->gaps.data[i].to)
			return false;
	return true;
}

static void warn(struct stitcher *st, enum bad bad, uint64_t line, uint64_t off, uint64_t row)
{
	struct warning_entry w = {line, off, row, (uint8_t)bad};

	st->counts->warning_count++;
	if (st->counts->warnings.count < STORE_WARNINGS && !vec_push(&st->counts->warnings, w))
		st->failed = true;
}

/* Rows alive since the trace began were alive in all leaves before this one. */
static void alive_since_first(struct stitcher *st, int64_t tick)
{
	struct segment *s = st->s;

	for (size_t i = 0; i < s->leaves.count && s->leaves.data[i].tick < tick; i++) {
		struct leaf_sum *leaf = &s->leaves.data[i];
		int64_t to = leaf->end_tick < tick ? leaf->end_tick : tick;

		leaf->area[SLOT_ALIVE] += (uint64_t)(to - leaf->tick);
	}
}

/* An id that was never born: alive when the trace began. */
static struct live *unborn(struct stitcher *st, const struct foreign *f)
{
	struct unborn_row row = {.id = f->id, .off = f->off, .line = st->s->base_line + f->line + 1,
				 .end = TICK_NONE, .dominant = STAGE_NONE};
	struct live *l;
	bool ok;

	if (st->ix->unborn.count >= UNBORN_MAX) {
		warn(st, BAD_CROWD, f->line + st->s->base_line, f->off, st->s->base_row);
		return NULL;
	}
	pthread_rwlock_wrlock(&st->ix->lock);
	ok = vec_push(&st->ix->unborn, row);
	pthread_rwlock_unlock(&st->ix->lock);
	l = ok ? live_add(&st->live, f->id) : NULL;
	if (!l) {
		st->failed = true;
		return NULL;
	}
	l->row = st->ix->unborn.count - 1;
	l->since = f->tick;
	l->flags |= LIVE_UNBORN | LIVE_FETCHED;
	st->occupancy[SLOT_ALIVE]++;
	if (st->early)
		alive_since_first(st, f->tick);
	st->counts->totals.fates[FATE_UNKNOWN]++;
	return l;
}

static struct live *revive(struct stitcher *st, uint64_t id)
{
	struct limbo_row *limbo = &st->limbo.rows[id & (LIMBO - 1)];
	struct live *l;

	if (!limbo->used || limbo->id != id || !(l = live_add(&st->live, id)))
		return NULL;
	limbo->used = false;
	l->row = limbo->row;
	l->since = limbo->tick;
	l->flags |= LIVE_FETCHED;
	for (unsigned i = 0; i < STAGE_MAX && l->stage == STAGE_NONE; i++)
		if (st->role[i] == ROLE_FETCH)
			l->stage = (uint8_t)i;
	st->occupancy[l->stage]++;
	st->occupancy[SLOT_ALIVE]++;
	st->counts->totals.fates[FATE_LOST]--;
	return l;
}

/* Who is meant by a foreign record; NULL: nobody alive, and that has been counted. */
static struct live *whose(struct stitcher *st, const struct foreign *f)
{
	struct live *l = live_find(&st->live, f->id);

	if (l || (l = revive(st, f->id)))
		return l;
	if (live_find(&st->ghosts, f->id) || was_born(st, f->id)) {
		if (f->kind == REC_END)
			st->counts->notes[NOTE_SECOND_REMOVAL]++;
		else
			warn(st, BAD_DEAD, st->s->base_line + f->line, f->off, st->s->base_row);
		return NULL;
	}
	return unborn(st, f);
}

/* Everyone of the pieces before who is in fetch and older than row is overtaken. */
static void overtake(struct stitcher *st, uint64_t row, int64_t tick)
{
	struct fetch_queue *q = &st->fetched;

	while (q->count && q->ring[q->first].row <= row) {
		struct fetched f = q->ring[q->first];
		struct live *l = f.row < row ? live_find(&st->live, f.id) : NULL;

		fetch_queue_pop(q);
		if (!l || l->row != f.row || (l->flags & LIVE_UNBORN) || l->stage == STAGE_NONE ||
		    st->role[l->stage] != ROLE_FETCH)
			continue;
		st->limbo.rows[f.id & (LIMBO - 1)] = (struct limbo_row){f.id, f.row, tick, true};
		end_row(st, l, FATE_LOST, tick);
	}
}

/* ---- micro-ops whose parent was born in an earlier piece --------------------------------- */

static bool row_pc(const struct stitcher *st, uint64_t row, uint64_t *pc)
{
	const struct segment *s = piece_of(st, row);
	bool has = false;
	uint32_t code = s ? s->rows.data[row - s->base_row].code : CODE_NONE;

	if (code != CODE_NONE)
		*pc = codes_pc(&s->codes, code, &has);
	return has;
}

static void join_entry(struct stitcher *st, size_t entry, uint64_t parent)
{
	struct segment *s = st->s;
	uint64_t pc, parent_pc;

	if (s->joins.count == 0 || !row_pc(st, parent, &parent_pc))
		return;
	for (size_t i = 0; i < s->joins.count; i++) {
		struct raw_row *row = &s->rows.data[s->joins.data[i].row];

		if (s->joins.data[i].entry == entry && row->parent == 0 &&
		    row_pc(st, s->base_row + s->joins.data[i].row, &pc) && pc == parent_pc)
			row->parent = (uint32_t)(s->base_row + s->joins.data[i].row - parent);
	}
}

static void finish_joins(struct stitcher *st)
{
	struct segment *s = st->s;

	for (size_t i = 0; i < s->joins.count; i++) {
		struct leaf_sum *leaf = leaf_of(s, s->joins.data[i].row);

		if (leaf->waiting)
			leaf->waiting--;
	}
}

/* ---- the log of one piece ---------------------------------------------------------------- */

static void play_enter(struct stitcher *st, const struct foreign *f, size_t entry)
{
	struct live *l = whose(st, f);

	if (!l)
		return;
	if (l->stage != STAGE_NONE) {
		live_leave(l, f->tick);
		leave_stage(st, l);
	} else if (st->role[f->stage] == ROLE_DECODE && !(l->flags & LIVE_UNBORN)) {
		l->flags |= LIVE_MICRO;
	}
	if (st->role[f->stage] != ROLE_COMMIT)
		st->occupancy[f->stage]++;
	l->stage = f->stage;
	l->since = f->tick;
	l->events |= f->events;
	if (l->flags & LIVE_UNBORN)
		settle_unborn(st, l, TICK_NONE);
	if (st->role[f->stage] == ROLE_COMMIT)
		l->flags |= LIVE_COMMITTED;
	if (st->role[f->stage] == ROLE_FETCH) {
		l->flags |= LIVE_FETCHED;
		if (!fetch_queue_push(&st->fetched, l->id, l->row))
			st->failed = true;
	}
	if (st->role[f->stage] == ROLE_DECODE && (l->flags & LIVE_FETCHED) &&
	    !(l->flags & LIVE_UNBORN)) {
		join_entry(st, entry + 1, l->row);
		overtake(st, l->row, f->tick);
	}
}

static void play_end(struct stitcher *st, const struct foreign *f)
{
	struct live *l = whose(st, f);
	enum fate fate = FATE_SQUASHED;

	if (!l)
		return;
	if (l->flags & LIVE_COMMITTED) {
		fate = FATE_COMMITTED;
	} else if (l->stage != STAGE_NONE && st->role[l->stage] == ROLE_DECODE &&
		   l->since == f->tick && f->adjacent) {
		fate = FATE_DROPPED;
		st->any_macro = !(l->flags & LIVE_UNBORN);
		st->macro_row = l->row;
	}
	end_row(st, l, fate, f->tick);
}

static void add_time(struct stitcher *st, int64_t from, int64_t to)
{
	uint64_t ticks = (uint64_t)to - (uint64_t)from;

	if (ticks)
		for (int i = 0; i < SLOTS; i++)
			st->leaf->area[i] += st->occupancy[i] * ticks;
}

/* The oldest row of earlier pieces that is alive, unborn and stuck ones aside. */
static uint64_t oldest_alive(const struct stitcher *st)
{
	uint64_t oldest = UINT64_MAX;

	for (size_t i = 0; i < st->live.cap; i++) {
		const struct live *l = &st->live.slots[i];

		if (l->flags && !(l->flags & LIVE_UNBORN) && l->row < oldest && piece_of(st, l->row))
			oldest = l->row;
	}
	return oldest;
}

enum { CROWD = 4096, CROWD_LEAVES = 64 };

static void play_log(struct stitcher *st)
{
	struct segment *s = st->s;
	uint64_t oldest = UINT64_MAX;
	size_t entry = 0;

	for (size_t i = 0; i < s->leaves.count; i++) {
		int64_t now;
		uint64_t end_off =
		    i + 1 < s->leaves.count ? s->leaves.data[i + 1].off : UINT64_MAX;

		st->leaf = &s->leaves.data[i];
		now = st->leaf->tick;
		st->leaf->head += s->base_row;
		/* in a crowd an older bound will do: it only costs reading more text */
		if (st->live.count == 0)
			oldest = UINT64_MAX;
		else if (st->live.count < CROWD || i < CROWD_LEAVES)
			oldest = oldest_alive(st);
		if (oldest < st->leaf->head)
			st->leaf->head = oldest;
		for (; entry < s->log.count && s->log.data[entry].off < end_off; entry++) {
			const struct foreign *f = &s->log.data[entry];

			add_time(st, now, f->tick);
			now = f->tick;
			if (f->kind == REC_ENTER)
				play_enter(st, f, entry);
			else if (f->kind == REC_END)
				play_end(st, f);
			else
				overtake(st, UINT64_MAX, f->tick);
		}
		add_time(st, now, st->leaf->end_tick);
	}
}

/* ---- one piece --------------------------------------------------------------------------- */

static void merge_ids(struct stitcher *st)
{
	struct segment *s = st->s;

	if (!s->any_birth)
		return;
	if (!st->any_birth) {
		st->any_birth = true;
		st->first_id = s->first_id;
	} else if (s->first_id > st->next_id) {
		struct id_gap gap = {st->next_id, s->first_id};

		if (st->gaps.count < 4096 && !vec_push(&st->gaps, gap))
			st->failed = true;
	} else if (s->first_id < st->next_id) {
		st->jumbled = true;
	}
	for (size_t i = 0; i < s->gaps.count && st->gaps.count < 4096; i++)
		if (!vec_push(&st->gaps, s->gaps.data[i]))
			st->failed = true;
	st->jumbled |= s->jumbled;
	if (s->next_id > st->next_id || !st->jumbled)
		st->next_id = s->next_id;
}

/* The piece's own survivors join those from the pieces before. */
static void merge_alive(struct stitcher *st)
{
	struct segment *s = st->s;

	for (size_t i = 0; i < s->live.cap; i++) {
		const struct live *own = &s->live.slots[i];
		struct live *l;

		if (!own->flags)
			continue;
		l = live_find(&st->live, own->id);
		if (l) {
			warn(st, BAD_REBORN, s->base_line, s->off, s->base_row + own->row);
			end_row(st, l, FATE_LOST, s->end_tick);
		}
		l = live_add(&st->live, own->id);
		if (!l) {
			st->failed = true;
			return;
		}
		*l = *own;
		l->row += s->base_row;
		if (l->row > st->rows + s->rows.count)
			st->failed = true;
	}
	for (int i = 0; i < SLOTS; i++)
		st->occupancy[i] += s->occupancy[i];
	for (size_t i = 0; i < s->fetched.count; i++) {
		struct fetched f = s->fetched.ring[(s->fetched.first + i) & (s->fetched.cap - 1)];

		if (!fetch_queue_push(&st->fetched, f.id, f.row + s->base_row))
			st->failed = true;
	}
	for (size_t i = 0; i < LIMBO; i++)
		if (s->limbo->rows[i].used) {
			st->limbo.rows[i] = s->limbo->rows[i];
			st->limbo.rows[i].row += s->base_row;
		}
	if (s->any_macro) {
		st->any_macro = true;
		st->macro_row = s->base_row + s->macro_row;
	}
}

/* The quiet stretch that a cut went through. */
static void merge_gap(struct stitcher *st)
{
	struct segment *s = st->s;
	int64_t gap;

	if (s->first_active > s->last_active)
		return;
	gap = s->first_active - st->last_active - 1;
	for (size_t i = 0; i < s->leaves.count; i++) {
		struct leaf_sum *leaf = &s->leaves.data[i];

		if (s->first_active < leaf->end_tick || i + 1 == s->leaves.count) {
			leaf->gap = gap > leaf->gap ? gap : leaf->gap;
			break;
		}
	}
	st->last_active = s->last_active;
}

static void merge_metric(struct metric_sum *all, const struct metric_sum *m)
{
	if (m->count == 0)
		return;
	if (all->count == 0) {
		*all = *m;
		return;
	}
	all->count += m->count;
	all->min = m->min < all->min ? m->min : all->min;
	all->max = m->max > all->max ? m->max : all->max;
}

static void merge_counts(struct stitcher *st)
{
	struct segment *s = st->s;
	struct trace_counts *c = st->counts;

	for (size_t i = 0; i < STAGE_MAX; i++)
		c->totals.stage_entries[i] += s->entries[i];
	for (size_t i = 0; i < EVENT_MAX; i++) {
		c->totals.event_counts[i] += s->event_counts[i];
		if (s->event_latency[i] >= 0)
			c->totals.event_latency[i] +=
			    s->event_latency[i] + (c->totals.event_latency[i] < 0);
	}
	for (size_t i = 0; i < NOTE_COUNT; i++)
		c->notes[i] += s->notes[i];
	for (size_t i = 0; i < METRIC_MAX; i++)
		merge_metric(&c->metrics[i], &s->metrics[i]);
	for (size_t i = 0; i < s->bad.count; i++)
		warn(st, s->bad.data[i].bad, s->base_line + s->bad.data[i].line, s->bad.data[i].off,
		     s->base_row + s->bad.data[i].row);
	c->warning_count += s->bad_count - s->bad.count;
	c->totals.instructions += s->rows.count;
	for (size_t i = 0; i < s->rows.count; i++)
		if (s->rows.data[i].life != LIFE_OPEN)
			c->totals.fates[s->rows.data[i].fate]++;
	c->lines += s->lines;
	if (s->started) {
		if (!c->started)
			c->first = s->first;
		c->started = true;
		c->last = s->last;
	}
}

/* ---- publication ------------------------------------------------------------------------- */

/* Give up waiting for the rows of a leaf: they are published as open. */
static void force(struct segment *s, struct leaf_sum *leaf)
{
	for (uint64_t i = 0; i < leaf->rows; i++) {
		struct raw_row *row = &s->rows.data[leaf->row0 + i];

		if (row->life == LIFE_OPEN)
			row->fate = FATE_IN_FLIGHT;
	}
	leaf->waiting = 0;
}

static void publish(struct stitcher *st, bool all)
{
	while (st->pieces.count) {
		struct segment *s = st->pieces.data[0];

		while (s->published < s->leaves.count) {
			struct leaf_sum *leaf = &s->leaves.data[s->published];

			if (leaf->waiting && !all && st->off - leaf->off < STITCH_PATIENCE)
				return;
			if (leaf->waiting)
				force(s, leaf);
			if (!leaf->packed)
				segment_pack_leaf(s, leaf);
			st->early = false;
			index_append(st->ix, s, s->published++);
			st->failed |= s->failed;
		}
		st->pieces.count--;
		memmove(st->pieces.data, st->pieces.data + 1,
			st->pieces.count * sizeof(*st->pieces.data));
		if (!vec_push(&st->done, s)) {
			segment_free(s);
			free(s);
		}
	}
}

struct segment *stitcher_recycle(struct stitcher *st)
{
	struct segment *s;

	if (st->done.count == 0)
		return NULL;
	s = st->done.data[--st->done.count];
	segment_clear(s);
	return s;
}

static int by_id(const void *a, const void *b)
{
	const struct unborn_row *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Rows born before the trace come first, in the order of their ids, from now on for good. */
static void number_unborn(struct stitcher *st)
{
	struct trace_index *ix = st->ix;

	pthread_rwlock_wrlock(&ix->lock);
	ix->early = ix->unborn.count;
	ix->first = st->counts->first;
	if (ix->early)
		qsort(ix->unborn.data, ix->early, sizeof(*ix->unborn.data), by_id);
	pthread_rwlock_unlock(&ix->lock);
	for (size_t i = 0; i < ix->early; i++) {
		struct live *l = live_find(&st->live, ix->unborn.data[i].id);

		if (l && (l->flags & LIVE_UNBORN))
			l->row = i;
	}
}

void stitcher_add(struct stitcher *st, struct segment *s)
{
	bool first = !st->started;

	if (first) {
		st->last_active = s->tick0 - 1;
		st->end_tick = s->tick0;
	}
	pthread_mutex_lock(&st->names->lock);
	for (size_t i = 0; i < st->names->config.stage_count; i++)
		st->role[i] = st->names->config.stages[i].role;
	pthread_mutex_unlock(&st->names->lock);
	s->base_row = st->rows;
	s->base_line = st->counts->lines;
	s->published = 0;
	if (!vec_push(&st->pieces, s)) {
		st->failed = true;
		segment_free(s);
		free(s);
		return;
	}
	st->s = s;
	st->started = true;
	join_entry(st, 0, st->any_macro ? st->macro_row : UINT64_MAX);
	play_log(st);
	finish_joins(st);
	merge_gap(st);
	pthread_rwlock_wrlock(&st->ix->lock);
	merge_counts(st);
	pthread_rwlock_unlock(&st->ix->lock);
	merge_ids(st);
	merge_alive(st);
	st->rows += s->rows.count;
	st->off = s->off + s->len;
	st->end_tick = s->end_tick;
	st->failed |= s->failed;
	if (first)
		number_unborn(st);
	publish(st, false);
}

/* Whoever is alive now is in flight at the end of the trace. */
void stitcher_finish(struct stitcher *st)
{
	for (size_t i = 0; i < st->live.cap; i++) {
		struct live *l = &st->live.slots[i];

		if (!l->flags)
			continue;
		live_leave(l, st->end_tick);
		if (l->flags & LIVE_UNBORN) {
			settle_unborn(st, l, TICK_NONE);
			continue;
		}
		settle(st, l, FATE_IN_FLIGHT, TICK_NONE);
		st->counts->totals.fates[FATE_IN_FLIGHT]++;
	}
	publish(st, true);
	index_flush(st->ix);
	pthread_rwlock_wrlock(&st->ix->lock);
	st->ix->complete = true;
	pthread_rwlock_unlock(&st->ix->lock);
}
