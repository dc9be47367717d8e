#include "config.h"

#include "pipeline/index/stitch_private.h"
#include "pipeline/store_private.h"

static void close_stage(struct stitcher *st, struct live *in, int64_t tick)
{
	if (in->stage == STAGE_NONE)
		return;
	st->occupancy[in->stage]--;
	live_begin(in, STAGE_NONE, tick);
}

void stitch_enter_lane(struct stitcher *st, struct live *l, const struct foreign *f)
{
	struct live *in = lane_entry(&st->lanes, f->lane, l->id, l->row);

	if (!in) {
		st->failed = true;
		return;
	}
	close_stage(st, in, f->tick);
	st->occupancy[f->stage]++;
	live_begin(in, f->stage, f->tick);
	l->lanes |= (uint16_t)(1u << f->lane);
	l->events |= f->events;
}

/* What is published stays: the rest of the time is the last leaf's. */
static void add_late_time(struct stitcher *st, unsigned slot, int64_t from, int64_t to)
{
	for (size_t i = st->pieces.count; i-- > 0 && from < to;) {
		struct segment *s = st->pieces.data[i];
		size_t leaves = s == st->s ? (size_t)(st->leaf - s->leaves.data) + 1
					   : s->leaves.count;

		to = segment_add_time(s, leaves, slot, from, to);
	}
	st->leaf->area[slot] += (uint64_t)(to - from);
}

static bool stretch_stage(struct stitcher *st, struct live *in, const struct foreign *f)
{
	int64_t from;

	if (!live_stretch(in, f->stage, f->tick, &from))
		return false;
	st->s->notes[NOTE_LATE_END] += from < f->tick;
	add_late_time(st, f->stage, from, f->tick);
	return true;
}

void stitch_leave(struct stitcher *st, const struct foreign *f)
{
	struct live *l = stitch_whose(st, f), *in = l;

	if (!l)
		return;
	if (f->lane)
		in = l->lanes >> f->lane & 1 ? live_find(&st->lanes.of[f->lane], f->id) : NULL;
	if (in && in->stage == f->stage && in == l) {
		stitch_leave_stage(st, l, f->tick);
		live_begin(l, STAGE_NONE, f->tick);
	} else if (in && in->stage == f->stage) {
		close_stage(st, in, f->tick);
	} else if (!in || !stretch_stage(st, in, f)) {
		st->s->notes[NOTE_STALE_END]++;
	}
}

void stitch_end_lanes(struct stitcher *st, struct live *l, int64_t tick)
{
	st->ended[l->id & (ENDED - 1)] = (struct ended_row){l->id, l->row, true};
	for (unsigned set = l->lanes; set; set &= set - 1) {
		struct live_table *lane = &st->lanes.of[__builtin_ctz(set)];
		struct live *in = live_find(lane, l->id);

		if (!in)
			continue;
		close_stage(st, in, tick);
		live_remove(lane, in);
	}
}

/* Of a row that is published: its text goes among the trace's codes. */
static void add_to_published(struct stitcher *st, uint64_t row, uint32_t code, char between)
{
	struct row published;

	if (rows_get(st->ix, row + st->ix->early, 1, &published) != 1)
		return;
	pthread_rwlock_wrlock(&st->ix->lock);
	code = codes_join(st->codes, published.code, &st->s->codes, code, between);
	pthread_rwlock_unlock(&st->ix->lock);
	index_late_text(st->ix, row, code);
}

/* The text of a row of an earlier piece goes among that piece's codes. */
static void add_text(struct stitcher *st, uint64_t row, uint32_t code, char between)
{
	struct segment *s = stitch_piece_of(st, row);
	struct raw_row *r;
	bool ok;

	if (!s) {
		add_to_published(st, row, code, between);
		return;
	}
	r = &s->rows.data[row - s->base_row];
	r->code = codes_join(&s->codes, r->code, &st->s->codes, code, between);
	pthread_rwlock_wrlock(&st->ix->lock);
	ok = stitcher_map_codes(st->codes, s);
	pthread_rwlock_unlock(&st->ix->lock);
	st->failed |= !ok;
	if (!ok || !segment_leaf(s, row - s->base_row)->packed)
		return;
	code = r->code == CODE_NONE ? CODE_NONE : s->code_map[r->code];
	index_late_text(st->ix, row, code);
}

static void add_late_label(struct stitcher *st, struct late_label label)
{
	pthread_rwlock_wrlock(&st->ix->lock);
	if (!vec_push(&st->ix->late_labels, label))
		st->failed = true;
	pthread_rwlock_unlock(&st->ix->lock);
}

void stitch_label(struct stitcher *st, const struct foreign *f)
{
	struct live *l = live_find(&st->live, f->id);
	uint64_t row = l ? l->row : ended_row(st->ended, f->id, ROW_NONE);

	if (l && f->stage == LABEL_STAGE && l->stage == STAGE_NONE && l->dominant == STAGE_NONE &&
	    l->lanes == 0)
		stitch_warn_of(st, BAD_LABEL, f, row);
	if (!l && row == ROW_NONE) {
		stitch_whose(st, f);
		return;
	}
	if (!l) {
		st->s->notes[NOTE_LATE_LABEL]++;
		add_late_label(st, (struct late_label){row, st->s->off + f->at, f->stage});
	}
	if (f->stage == LABEL_TEXT)
		add_text(st, row, f->code, label_between(LABEL_TEXT, f->joint));
}

/* What the piece leaves behind: its own rows' lanes, its ended rows, its late labels. */
void stitch_merge_lanes(struct stitcher *st)
{
	struct segment *s = st->s;

	for (unsigned lane = 1; lane < LANE_MAX; lane++) {
		const struct live_table *t = &s->lanes.of[lane];

		for (size_t i = 0; i < t->cap && t->slots; i++) {
			const struct live *own = &t->slots[i];
			struct live *l;

			if (!own->flags)
				continue;
			l = lane_entry(&st->lanes, lane, own->id, 0);
			if (!l) {
				st->failed = true;
				return;
			}
			*l = *own;
			l->row += s->base_row;
		}
	}
	for (size_t i = 0; i < ENDED; i++)
		if (s->ended[i].used) {
			st->ended[i] = s->ended[i];
			st->ended[i].row += s->base_row;
		}
	for (size_t i = 0; i < s->late_labels.count; i++) {
		struct late_label label = s->late_labels.data[i];

		label.row += s->base_row;
		add_late_label(st, label);
	}
}
