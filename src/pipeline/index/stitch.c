#include "config.h"

#include "pipeline/index/stitch_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

enum { GAPS_MAX = 4096 };

struct stitcher *stitcher_new(struct trace_index *ix, struct trace_counts *counts,
			      struct codes *codes, struct names *names, bool explicit_lives)
{
	struct stitcher *st = calloc(1, sizeof(*st));

	if (!st)
		return NULL;
	st->ix = ix;
	st->counts = counts;
	st->codes = codes;
	st->names = names;
	st->early = true;
	st->sure_end = UINT64_MAX;
	st->explicit_lives = explicit_lives;
	for (size_t i = 0; i < EVENT_MAX; i++)
		counts->totals.event_latency[i] = -1;
	counts->last = -1;
	if (explicit_lives)
		st->ended = calloc(ENDED, sizeof(*st->ended));
	if (!live_init(&st->live) || !live_init(&st->ghosts) || (explicit_lives && !st->ended)) {
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
	lane_set_free(&st->lanes);
	free(st->ended);
	free(st);
}

bool stitcher_failed(const struct stitcher *st)
{
	return st->failed || st->ix->failed;
}

/*
 * The piece bears ids that were born before, or that were heard of before they were born: when it
 * does so matters.
 */
static bool reborn(const struct stitcher *st, const struct segment *s)
{
	if (!s->any_birth)
		return false;
	if (s->jumbled || (st->any_birth && s->first_id < st->next_id))
		return true;
	for (size_t i = 0; i < s->log.count; i++)
		if (s->log.data[i].kind != FOREIGN_OVERTAKE && s->log.data[i].id >= s->first_id &&
		    s->log.data[i].id < s->next_id)
			return true;
	for (size_t i = 0; i < st->live.cap && st->ix->unborn.count; i++) {
		const struct live *l = &st->live.slots[i];

		if ((l->flags & LIVE_UNBORN) && l->id >= s->first_id && l->id < s->next_id)
			return true;
	}
	return false;
}

bool stitcher_rejects(const struct stitcher *st, const struct segment *s, int64_t *tick0)
{
	*tick0 = st->started && s->tick0 < st->end_tick ? st->end_tick : s->tick0;
	return s->stumbled || (st->started && s->tick0 < st->end_tick) || (!s->again && reborn(st, s));
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

/* ---- one piece --------------------------------------------------------------------------- */

/* Gaps before the id: all that end at it or sooner. */
static size_t gaps_before(const struct stitcher *st, uint64_t id)
{
	size_t lo = 0, hi = st->gaps.count;

	bisect(lo, hi, i, st->gaps.data[i].to <= id);
	return lo;
}

bool stitch_was_born(const struct stitcher *st, uint64_t id)
{
	size_t i = gaps_before(st, id);

	return st->any_birth && id >= st->first_id && id < st->next_id &&
	       (i == st->gaps.count || id < st->gaps.data[i].from);
}

bool stitch_was_surely_born(const struct stitcher *st, uint64_t id)
{
	return id < st->sure_end && stitch_was_born(st, id);
}

static void insert_gap(struct stitcher *st, size_t i, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	if (st->gaps.count >= GAPS_MAX) {
		st->sure_end = from < st->sure_end ? from : st->sure_end;
		return;
	}
	if (!vec_reserve(&st->gaps, 1)) {
		st->failed = true;
		return;
	}
	memmove(st->gaps.data + i + 1, st->gaps.data + i,
		(st->gaps.count - i) * sizeof(*st->gaps.data));
	st->gaps.data[i] = (struct id_gap){from, to};
	st->gaps.count++;
}

static void add_gap(struct stitcher *st, uint64_t from, uint64_t to)
{
	insert_gap(st, st->gaps.count, from, to);
}

/* Ids that had been left out come after all: what is left of their gap. */
static void narrow_gap(struct stitcher *st, uint64_t id)
{
	size_t i = gaps_before(st, id);
	struct id_gap *gap;
	uint64_t to;

	if (i == st->gaps.count || id < st->gaps.data[i].from)
		return;
	gap = &st->gaps.data[i];
	to = gap->to;
	gap->to = id;
	insert_gap(st, i + 1, id + 1, to);
	gap = st->gaps.data + i;
	if (gap->from < gap->to)
		return;
	memmove(gap, gap + 1, (--st->gaps.count - i) * sizeof(*gap));
}

void stitch_know_id(struct stitcher *st, uint64_t id)
{
	if (!st->any_birth) {
		st->any_birth = true;
		st->first_id = st->next_id = id;
	}
	if (id >= st->next_id) {
		add_gap(st, st->next_id, id);
		st->next_id = id + 1;
	} else if (id < st->first_id) {
		insert_gap(st, 0, id + 1, st->first_id);
		st->first_id = id;
	} else {
		narrow_gap(st, id);
	}
}

/* Ids of a piece read again became known one by one. */
static void merge_ids(struct stitcher *st)
{
	struct segment *s = st->s;

	if (!s->any_birth || s->again)
		return;
	stitch_know_id(st, s->first_id);
	for (size_t i = 0; i < s->gaps.count; i++)
		add_gap(st, s->gaps.data[i].from, s->gaps.data[i].to);
	st->next_id = s->next_id > st->next_id ? s->next_id : st->next_id;
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
			pthread_rwlock_wrlock(&st->ix->lock);
			stitch_warn(st, BAD_REBORN, s->base_line, s->off, s->base_row + own->row);
			pthread_rwlock_unlock(&st->ix->lock);
			stitch_end_row(st, l, FATE_LOST, s->end_tick);
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

		if (!f.gone && !fetch_queue_push(&st->fetched, f.id, f.row + s->base_row, f.thread))
			st->failed = true;
	}
	for (size_t i = 0; s->lost && i < LIMBO; i++)
		if (s->limbo->rows[i].used) {
			st->limbo.rows[i] = s->limbo->rows[i];
			st->limbo.rows[i].row += s->base_row;
		}
	if (st->explicit_lives)
		stitch_merge_lanes(st);
	if (s->any_macro) {
		st->any_macro = true;
		st->macro_row = s->base_row + s->macro_row;
		st->macro_pc = codes_pc(&s->codes, s->rows.data[s->macro_row].code,
					&st->macro_has_pc);
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
		stitch_warn(st, s->bad.data[i].bad, s->base_line + s->bad.data[i].line, s->bad.data[i].off,
		     s->base_row + s->bad.data[i].row);
	c->warning_count += s->bad_count - s->bad.count;
	c->totals.instructions += s->rows.count;
	for (size_t i = 0; i < s->rows.count; i++) {
		const struct raw_row *row = &s->rows.data[i];

		st->fates[row->life == LIFE_OPEN ? FATE_IN_FLIGHT : row->fate]++;
	}
	memcpy(c->totals.fates, st->fates, sizeof(c->totals.fates));
	c->lines += s->lines;
	c->links += s->links;
	c->link_span = s->link_span > c->link_span ? s->link_span : c->link_span;
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

/* In the order of the text; rows that are still alive are waited for, but not in old pieces. */
static void publish(struct stitcher *st, int64_t added_before)
{
	while (st->pieces.count) {
		struct segment *s = st->pieces.data[0];

		while (s->published < s->leaves.count) {
			struct leaf_sum *leaf = &s->leaves.data[s->published];

			if (leaf->waiting && s->added >= added_before &&
			    st->off - leaf->off < STITCH_PATIENCE)
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

/*
 * Rows born before the trace come first, in the order of their ids, from now on for good: those
 * heard of near its start. How much of the text has been read by now must not matter.
 */
static void number_unborn(struct stitcher *st)
{
	struct trace_index *ix = st->ix;

	pthread_rwlock_wrlock(&ix->lock);
	while (ix->early < ix->unborn.count && ix->unborn.data[ix->early].off < UNBORN_EARLY)
		ix->early++;
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
	/* the cycle line at the cut may say the tick again that the piece before ended in */
	if (st->counts->started && s->leaves.count && s->leaves.data[0].tick == st->counts->last)
		s->leaves.data[0].split = true;
	if (!vec_push(&st->pieces, s)) {
		st->failed = true;
		segment_free(s);
		free(s);
		return;
	}
	st->s = s;
	st->started = true;
	stitch_play(st);
	merge_gap(st);
	pthread_rwlock_wrlock(&st->ix->lock);
	merge_counts(st);
	pthread_rwlock_unlock(&st->ix->lock);
	merge_ids(st);
	merge_alive(st);
	segment_joined(s);
	st->rows += s->rows.count;
	st->off = s->off + s->len;
	st->end_tick = s->end_tick;
	st->failed |= s->failed;
	if (first)
		number_unborn(st);
	publish(st, STITCH_NONE);
}

static int by_line(const void *a, const void *b)
{
	const struct warning_entry *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

static int by_row(const void *a, const void *b)
{
	const struct late_label *x = a, *y = b;

	return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
				: (x->off > y->off) - (x->off < y->off);
}

static void sort_late_labels(struct stitcher *st)
{
	pthread_rwlock_wrlock(&st->ix->lock);
	if (st->ix->late_labels.count)
		qsort(st->ix->late_labels.data, st->ix->late_labels.count,
		      sizeof(*st->ix->late_labels.data), by_row);
	pthread_rwlock_unlock(&st->ix->lock);
}

static void sort_warnings(struct stitcher *st)
{
	pthread_rwlock_wrlock(&st->ix->lock);
	if (st->counts->warnings.count)
		qsort(st->counts->warnings.data, st->counts->warnings.count,
		      sizeof(*st->counts->warnings.data), by_line);
	pthread_rwlock_unlock(&st->ix->lock);
}

void stitcher_show(struct stitcher *st, int64_t added_before)
{
	publish(st, added_before);
	index_flush(st->ix);
}

/* Whoever is alive now is in flight at the end of the trace. */
void stitcher_finish(struct stitcher *st)
{
	for (size_t i = 0; i < st->live.cap; i++) {
		struct live *l = &st->live.slots[i];

		if (!l->flags)
			continue;
		stitch_leave_stage(st, l, st->end_tick);
		stitch_settle(st, l, FATE_IN_FLIGHT, TICK_NONE);
	}
	publish(st, STITCH_ALL);
	index_flush(st->ix);
	index_settle_late(st->ix);
	sort_warnings(st);
	sort_late_labels(st);
	pthread_rwlock_wrlock(&st->ix->lock);
	memcpy(st->counts->totals.fates, st->fates, sizeof(st->fates));
	st->ix->complete = true;
	pthread_rwlock_unlock(&st->ix->lock);
}
