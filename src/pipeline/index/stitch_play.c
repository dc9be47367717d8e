#include "config.h"

#include "pipeline/index/stitch_private.h"
#include "pipeline/store_private.h"

enum { REUSED_TOLD = 16 };

/* ---- rows of earlier pieces -------------------------------------------------------------- */

struct segment *stitch_piece_of(const struct stitcher *st, uint64_t row)
{
	for (size_t i = st->pieces.count; i-- > 0;) {
		struct segment *s = st->pieces.data[i];

		if (row >= s->base_row)
			return row < s->base_row + s->rows.count ? s : NULL;
	}
	return NULL;
}

static void add_late(struct stitcher *st, const struct live *l, enum fate fate, int64_t end)
{
	struct late_row late = {l->row, end, l->events, (uint8_t)fate, l->dominant, CODE_NONE};

	index_late(st->ix, &late);
}

/* Write down what is known of a row of an earlier piece: its end, or TICK_NONE. */
static void settle_born(struct stitcher *st, const struct live *l, enum fate fate, int64_t end)
{
	struct segment *s = stitch_piece_of(st, l->row);
	struct raw_row *row;
	struct leaf_sum *leaf;

	if (!s) {
		add_late(st, l, fate, end);
		return;
	}
	row = &s->rows.data[l->row - s->base_row];
	leaf = segment_leaf(s, l->row - s->base_row);
	row->life = end == TICK_NONE ? LIFE_OPEN : (uint64_t)end - (uint64_t)row->birth;
	if (leaf->packed) {
		add_late(st, l, fate, end);
		return;
	}
	/* leaves begun while it seemed dead do not count it as alive: the late table does */
	if (l->flags & LIVE_REVIVED)
		add_late(st, l, fate, end);
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

	pthread_rwlock_wrlock(&st->ix->lock);
	row->end = end;
	row->events = l->events;
	row->dominant = l->dominant;
	pthread_rwlock_unlock(&st->ix->lock);
}

void stitch_settle(struct stitcher *st, const struct live *l, enum fate fate, int64_t end)
{
	if (l->flags & LIVE_UNBORN)
		settle_unborn(st, l, end);
	else
		settle_born(st, l, fate, end);
}

void stitch_leave_stage(struct stitcher *st, struct live *l, int64_t tick)
{
	if (l->stage == STAGE_NONE)
		return;
	if (st->role[l->stage] != ROLE_COMMIT) {
		live_leave(l, tick);
		st->occupancy[l->stage]--;
	} else if (l->dominant == STAGE_NONE) {
		l->dominant = l->stage;
	}
}

void stitch_end_row(struct stitcher *st, struct live *l, enum fate fate, int64_t tick)
{
	stitch_leave_stage(st, l, tick);
	if (st->explicit_lives)
		stitch_end_lanes(st, l, tick);
	st->occupancy[SLOT_ALIVE]--;
	if (l->flags & LIVE_UNBORN) {
		struct live *ghost = live_add(&st->ghosts, l->id);

		stitch_settle(st, l, fate, tick);
		if (ghost)
			ghost->row = l->row;
		else
			st->failed = true;
	} else {
		stitch_settle(st, l, fate, tick);
		if (fate == FATE_COMMITTED) {
			st->leaf->committed++;
			st->leaf->committed_macro += !(l->flags & LIVE_MICRO);
		} else if (fate == FATE_SQUASHED) {
			st->leaf->squashed++;
		}
		st->fates[FATE_IN_FLIGHT]--;
		st->fates[fate]++;
	}
	live_remove(&st->live, l);
}

void stitch_warn(struct stitcher *st, enum bad bad, uint64_t line, uint64_t off, uint64_t row)
{
	struct warning_entry w = {line, off, row, (uint8_t)bad};

	st->counts->warning_count++;
	if (st->counts->warnings.count < TRACE_WARNINGS && !vec_push(&st->counts->warnings, w))
		st->failed = true;
}

void stitch_warn_of(struct stitcher *st, enum bad bad, const struct foreign *f, uint64_t row)
{
	pthread_rwlock_wrlock(&st->ix->lock);
	stitch_warn(st, bad, st->s->base_line + f->line, st->s->off + f->at, row);
	pthread_rwlock_unlock(&st->ix->lock);
}

/* Where a record of no known row stands. */
static uint64_t row_near(const struct stitcher *st)
{
	return st->s->base_row + st->leaf->row0;
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
	struct unborn_row row = {.id = f->id, .off = st->s->off + f->at,
				 .line = st->s->base_line + f->line + 1,
				 .end = TICK_NONE, .dominant = STAGE_NONE};
	struct live *l;
	bool ok;

	if (st->ix->unborn.count >= UNBORN_MAX) {
		stitch_warn_of(st, BAD_CROWD, f, row_near(st));
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
	if (st->early && row.off < UNBORN_EARLY)
		alive_since_first(st, f->tick);
	st->fates[FATE_UNKNOWN]++;
	return l;
}

/* A row that was settled is open again. */
static void unsettle(struct stitcher *st, uint64_t row)
{
	struct segment *s = stitch_piece_of(st, row);
	struct leaf_sum *leaf = s ? segment_leaf(s, row - s->base_row) : NULL;

	if (!leaf)
		return;
	s->rows.data[row - s->base_row].life = LIFE_OPEN;
	leaf->waiting += !leaf->packed;
	st->oldest = row < st->oldest ? row : st->oldest;
}

static struct live *revive(struct stitcher *st, uint64_t id, int64_t tick)
{
	struct limbo_row *limbo = &st->limbo.rows[id & (LIMBO - 1)];
	struct live *l;

	if (!limbo->used || limbo->id != id || !(l = live_add(&st->live, id)))
		return NULL;
	limbo->used = false;
	l->row = limbo->row;
	l->since = limbo->birth;
	l->events = limbo->events;
	l->flags |= LIVE_FETCHED | LIVE_REVIVED;
	for (unsigned i = 0; i < STAGE_MAX && l->stage == STAGE_NONE; i++)
		if (st->role[i] == ROLE_FETCH)
			l->stage = (uint8_t)i;
	st->occupancy[l->stage]++;
	st->occupancy[SLOT_ALIVE]++;
	/* the time it was taken for dead is made up for in this leaf */
	st->leaf->area[l->stage] += (uint64_t)(tick - limbo->tick);
	st->leaf->area[SLOT_ALIVE] += (uint64_t)(tick - limbo->tick);
	st->fates[FATE_LOST]--;
	st->fates[FATE_IN_FLIGHT]++;
	unsettle(st, l->row);
	return l;
}

struct live *stitch_whose(struct stitcher *st, const struct foreign *f)
{
	struct live *l = live_find(&st->live, f->id);

	if (l || (l = revive(st, f->id, f->tick)))
		return l;
	if (live_find(&st->ghosts, f->id) || stitch_was_born(st, f->id)) {
		if (st->explicit_lives)
			stitch_warn_of(st, BAD_ENDED, f, ended_row(st->ended, f->id, row_near(st)));
		else if (f->kind != REC_END)
			stitch_warn_of(st, BAD_DEAD, f, row_near(st));
		else
			st->s->notes[NOTE_SECOND_REMOVAL]++;
		return NULL;
	}
	if (st->explicit_lives) {
		stitch_warn_of(st, BAD_UNDEFINED, f, row_near(st));
		return NULL;
	}
	return unborn(st, f);
}

/* Everyone of the pieces before who is in fetch, of that thread and older than row, is overtaken. */
static void overtake(struct stitcher *st, uint64_t row, uint16_t thread, int64_t tick)
{
	struct fetched f;
	size_t at = 0;

	while (fetch_queue_overtaken(&st->fetched, row, thread, &at, &f)) {
		struct live *l = f.row < row ? live_find(&st->live, f.id) : NULL;

		if (!l || l->row != f.row || (l->flags & LIVE_UNBORN) || l->stage == STAGE_NONE ||
		    st->role[l->stage] != ROLE_FETCH)
			continue;
		st->limbo.rows[f.id & (LIMBO - 1)] = (struct limbo_row){
		    .id = f.id, .row = f.row, .birth = l->since, .tick = tick, .events = l->events,
		    .used = true};
		stitch_end_row(st, l, FATE_LOST, tick);
	}
}

/* Published rows of unknown thread were fetched so long ago that the rule has had its say. */
static uint16_t row_thread(const struct stitcher *st, uint64_t row)
{
	const struct segment *s = stitch_piece_of(st, row);

	return s ? s->rows.data[row - s->base_row].thread : 0;
}

/* ---- micro-ops whose parent was born in an earlier piece --------------------------------- */

static bool row_pc(const struct stitcher *st, uint64_t row, uint64_t *pc)
{
	const struct segment *s = stitch_piece_of(st, row);
	struct row published;
	bool has = false;

	if (s)
		*pc = codes_pc(&s->codes, s->rows.data[row - s->base_row].code, &has);
	else if (rows_get(st->ix, row + st->ix->early, 1, &published) == 1)
		*pc = codes_pc(st->codes, published.code, &has);
	return has;
}

static void join_entry(struct stitcher *st, size_t entry, uint64_t parent, uint64_t parent_pc)
{
	struct segment *s = st->s;
	uint64_t pc;

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
		struct leaf_sum *leaf = segment_leaf(s, s->joins.data[i].row);

		if (leaf->waiting)
			leaf->waiting--;
	}
}

/* ---- the log of one piece ---------------------------------------------------------------- */

static void play_enter(struct stitcher *st, const struct foreign *f, size_t entry)
{
	struct live *l = stitch_whose(st, f);
	uint64_t pc;

	if (!l)
		return;
	st->s->entries[f->stage] += st->explicit_lives;
	if (f->lane) {
		stitch_enter_lane(st, l, f);
		return;
	}
	if (l->stage != STAGE_NONE) {
		stitch_leave_stage(st, l, f->tick);
	} else if (st->role[f->stage] == ROLE_DECODE && !(l->flags & LIVE_UNBORN)) {
		l->flags |= LIVE_MICRO;
	}
	if (st->role[f->stage] != ROLE_COMMIT)
		st->occupancy[f->stage]++;
	live_begin(l, f->stage, f->tick);
	l->events |= f->events;
	if (l->flags & LIVE_UNBORN)
		stitch_settle(st, l, FATE_UNKNOWN, TICK_NONE);
	if (st->role[f->stage] == ROLE_COMMIT)
		l->flags |= LIVE_COMMITTED;
	if (st->role[f->stage] == ROLE_FETCH) {
		l->flags |= LIVE_FETCHED;
		if (!fetch_queue_push(&st->fetched, l->id, l->row, row_thread(st, l->row)))
			st->failed = true;
	}
	if (st->role[f->stage] == ROLE_DECODE && (l->flags & LIVE_FETCHED) &&
	    !(l->flags & LIVE_UNBORN)) {
		if (st->s->joins.count && row_pc(st, l->row, &pc))
			join_entry(st, entry + 1, l->row, pc);
		overtake(st, l->row, row_thread(st, l->row), f->tick);
	}
}

static void play_end(struct stitcher *st, const struct foreign *f)
{
	struct live *l = stitch_whose(st, f);
	enum fate fate = FATE_SQUASHED;

	if (!l)
		return;
	if (f->stage == END_RETIRED || (l->flags & LIVE_COMMITTED)) {
		fate = FATE_COMMITTED;
	} else if (f->stage == END_BY_STAGES && l->stage != STAGE_NONE && st->role[l->stage] == ROLE_DECODE &&
		   l->since == f->tick && f->adjacent) {
		fate = FATE_DROPPED;
		st->any_macro = !(l->flags & LIVE_UNBORN);
		st->macro_row = l->row;
		st->macro_has_pc = st->any_macro && row_pc(st, l->row, &st->macro_pc);
	}
	stitch_end_row(st, l, fate, f->tick);
}

/*
 * Some logs use each of a few ids again and again: that is their way, and all that the list of
 * warnings needs to say of it is where it begins.
 */
static void tell_reuse(struct stitcher *st, const struct foreign *f)
{
	uint64_t before = st->counts->notes[NOTE_REUSED_IDS] + st->s->notes[NOTE_REUSED_IDS]++;

	if (before < REUSED_TOLD)
		stitch_warn_of(st, BAD_REUSED, f, st->s->base_row + f->row);
}

/* An id is born that may still be another's. */
static void play_birth(struct stitcher *st, const struct foreign *f)
{
	struct live *l = live_find(&st->live, f->id);
	struct limbo_row *limbo = &st->limbo.rows[f->id & (LIMBO - 1)];

	if (limbo->id == f->id)
		limbo->used = false;
	if (st->explicit_lives && st->ended[f->id & (ENDED - 1)].id == f->id)
		st->ended[f->id & (ENDED - 1)].used = false;
	if (st->explicit_lives && !l && !f->adjacent && stitch_was_surely_born(st, f->id))
		tell_reuse(st, f);
	stitch_know_id(st, f->id);
	if (!l)
		return;
	stitch_warn_of(st, BAD_REBORN, f, st->s->base_row + f->row);
	stitch_end_row(st, l, FATE_LOST, f->tick);
}

static void add_time(struct stitcher *st, int64_t from, int64_t to)
{
	uint64_t ticks = (uint64_t)to - (uint64_t)from;

	if (ticks)
		for (int i = 0; i < SLOTS; i++)
			st->leaf->area[i] += st->occupancy[i] * ticks;
}

/* The oldest row of earlier pieces that is alive, unborn and stuck ones aside. O(1) amortised. */
static uint64_t oldest_alive(struct stitcher *st)
{
	for (size_t i = 0; i < st->pieces.count && st->pieces.data[i] != st->s; i++) {
		const struct segment *s = st->pieces.data[i];
		uint64_t end = s->base_row + s->rows.count;

		if (st->oldest < s->base_row)
			st->oldest = s->base_row;
		while (st->oldest < end && s->rows.data[st->oldest - s->base_row].life != LIFE_OPEN)
			st->oldest++;
		if (st->oldest < end)
			return st->oldest;
	}
	return UINT64_MAX;
}

static void play_link(struct stitcher *st, const struct foreign *f)
{
	if (stitch_whose(st, f))
		st->s->links++;
	else
		st->s->notes[NOTE_STRAY_LINKS]++;
}

static void play_one(struct stitcher *st, const struct foreign *f, size_t entry)
{
	switch (f->kind) {
	case REC_ENTER:
		play_enter(st, f, entry);
		break;
	case REC_END:
		play_end(st, f);
		break;
	case REC_LEAVE:
		stitch_leave(st, f);
		break;
	case REC_LABEL:
		stitch_label(st, f);
		break;
	case REC_LINK:
		play_link(st, f);
		break;
	case FOREIGN_BIRTH:
		play_birth(st, f);
		break;
	default:
		overtake(st, UINT64_MAX, (uint16_t)f->thread, f->tick);
		break;
	}
}

static void play_log(struct stitcher *st)
{
	struct segment *s = st->s;
	size_t entry = 0;

	for (size_t i = 0; i < s->leaves.count; i++) {
		uint64_t oldest = oldest_alive(st);
		int64_t now;
		uint64_t end =
		    i + 1 < s->leaves.count ? s->leaves.data[i + 1].off - s->off : UINT64_MAX;

		st->leaf = &s->leaves.data[i];
		now = st->leaf->tick;
		st->leaf->head += s->base_row;
		if (oldest < st->leaf->head)
			st->leaf->head = oldest;
		for (; entry < s->log.count && s->log.data[entry].at < end; entry++) {
			const struct foreign *f = &s->log.data[entry];

			add_time(st, now, f->tick);
			now = f->tick;
			play_one(st, f, entry);
		}
		add_time(st, now, st->leaf->end_tick);
	}
}

/* Rows of the piece that were revived and ended in it: as in settle_born(). */
static void revived_in_piece(struct stitcher *st)
{
	struct segment *s = st->s;

	for (size_t i = 0; i < s->revived.count; i++) {
		const struct raw_row *row = &s->rows.data[s->revived.data[i]];
		struct late_row late = {s->base_row + s->revived.data[i],
					row->birth + (int64_t)row->life, row->events, row->fate,
					row->dominant, CODE_NONE};

		index_late(st->ix, &late);
	}
}

void stitch_play(struct stitcher *st)
{
	revived_in_piece(st);
	if (st->any_macro && st->macro_has_pc)
		join_entry(st, 0, st->macro_row, st->macro_pc);
	play_log(st);
	finish_joins(st);
}
