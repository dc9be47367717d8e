#include "config.h"

#include "store/segment.h"

#include <stdlib.h>
#include <string.h>

enum { GAPS_MAX = 4096, PENDING_MAX = 64, BAD_MAX = STORE_WARNINGS };

/* What is needed only while a piece is read. */
struct reading {
	struct segment *s;
	const char *text;
	uint64_t off;
	int64_t now;
	uint64_t elapsed; /* now, from tick0 */
	uint64_t lanes;   /* events of this batch */
	bool active; /* a life record in this tick */
	bool log_births;
	uint8_t role[STAGE_MAX];
	uint8_t slot[STAGE_NONE + 1]; /* of each stage, where its time counts */
	uint64_t moved[SLOTS + 1]; /* sum of entry ticks less sum of leaving ticks, from tick0 */
	uint64_t area[SLOTS];  /* at the last leaf's end */
	struct leaf_sum *leaf;
	struct live *last; /* the row of the record before */
	uint64_t oldest;   /* no row before it is alive */
	uint64_t pending[PENDING_MAX]; /* micro-ops that wait for their parent's decode */
	size_t pending_count;
	bool decoded;   /* some fetched row has reached decode: no flow from before goes on */
	bool overtook;  /* a row of ours has reached decode */
	bool macro_foreign; /* the last macro dropped at decode is entry macro_entry of the log */
	size_t macro_entry;
	struct sample_sum sums[METRIC_MAX]; /* of the current leaf */
	uint64_t sampled;                   /* set of metrics with a sum */
};

static void note_bad(struct reading *r, enum bad bad, const struct record *rec)
{
	struct segment *s = r->s;
	struct bad_line b = {rec->line, r->off + rec->at, s->rows.count, (uint8_t)bad};

	s->bad_count++;
	if (s->bad.count < BAD_MAX && !vec_push(&s->bad, b))
		s->failed = true;
}

/* ---- leaves ------------------------------------------------------------------------------ */

static uint64_t rel(const struct reading *r, int64_t tick)
{
	return (uint64_t)tick - (uint64_t)r->s->tick0;
}

static void close_samples(struct reading *r)
{
	struct segment *s = r->s;

	r->leaf->sample0 = s->samples.count;
	for (uint64_t set = r->sampled; set; set &= set - 1)
		if (!vec_push(&s->samples, r->sums[__builtin_ctzll(set)]))
			s->failed = true;
	r->leaf->samples = s->samples.count - r->leaf->sample0;
	r->sampled = 0;
}

/* Time in each stage during the leaf: occupancy * T less what moved in and out, by T. */
static void close_leaf(struct reading *r, int64_t end)
{
	struct leaf_sum *leaf = r->leaf;
	uint64_t t = rel(r, end);

	for (int i = 0; i < SLOTS; i++) {
		uint64_t area = r->s->occupancy[i] * t - r->moved[i];

		leaf->area[i] = area - r->area[i];
		r->area[i] = area;
	}
	leaf->end_tick = end;
	leaf->rows = r->s->rows.count - leaf->row0;
	close_samples(r);
}

static bool open_leaf(struct reading *r, uint64_t off, uint64_t line, int64_t tick)
{
	struct segment *s = r->s;

	if (!vec_reserve(&s->leaves, 1)) {
		s->failed = true;
		return false;
	}
	r->leaf = &s->leaves.data[s->leaves.count++];
	memset(r->leaf, 0, sizeof(*r->leaf));
	r->leaf->off = off;
	r->leaf->line = line;
	r->leaf->tick = tick;
	r->leaf->row0 = s->rows.count;
	r->leaf->first_id = s->next_id;
	while (r->oldest < s->rows.count && s->rows.data[r->oldest].life != LIFE_OPEN)
		r->oldest++;
	r->leaf->head = r->oldest;
	return true;
}

/* ---- lives ------------------------------------------------------------------------------- */

static inline void slot_enter(struct reading *r, unsigned slot, uint64_t elapsed)
{
	r->s->occupancy[slot]++;
	r->moved[slot] += elapsed;
}

static inline void slot_leave(struct reading *r, unsigned slot)
{
	r->s->occupancy[slot]--;
	r->moved[slot] -= r->elapsed;
}

/* Nobody spends time in commit, even if the trace ends before the removal. */
static inline void leave_stage(struct reading *r, struct live *l)
{
	unsigned slot = r->slot[l->stage];

	live_leave(l, slot == SLOT_NOWHERE ? l->since : r->now);
	slot_leave(r, slot);
}

static void end_row(struct reading *r, struct live *l, enum fate fate)
{
	struct segment *s = r->s;
	struct raw_row *row = &s->rows.data[l->row];

	leave_stage(r, l);
	slot_leave(r, SLOT_ALIVE);
	row->life = (uint64_t)r->now - (uint64_t)row->birth;
	row->events = l->events;
	row->dominant = l->dominant;
	row->fate = (uint8_t)fate;
	row->micro_op = (l->flags & LIVE_MICRO) != 0;
	if (fate == FATE_COMMITTED) {
		r->leaf->committed++;
		r->leaf->committed_macro += !row->micro_op;
	} else if (fate == FATE_SQUASHED) {
		r->leaf->squashed++;
	}
	if ((l->flags & LIVE_REVIVED) && !vec_push(&s->revived, l->row))
		s->failed = true;
	r->last = NULL; /* removing moves others */
	live_remove(&s->live, l);
}

static void lose_row(struct reading *r, struct live *l)
{
	struct limbo_row *limbo = &r->s->limbo->rows[l->id & (LIMBO - 1)];

	*limbo = (struct limbo_row){.id = l->id,
				    .row = l->row,
				    .birth = l->since,
				    .tick = r->now,
				    .events = l->events,
				    .used = true};
	r->s->lost = true;
	end_row(r, l, FATE_LOST);
}

/* A row taken for lost is heard of again: it was not. */
static struct live *revive(struct reading *r, uint64_t id)
{
	struct segment *s = r->s;
	struct limbo_row *limbo = &s->limbo->rows[id & (LIMBO - 1)];
	struct live *l;
	struct raw_row *row;

	if (!limbo->used || limbo->id != id || !(l = live_add(&s->live, id)))
		return NULL;
	limbo->used = false;
	row = &s->rows.data[limbo->row];
	l->row = limbo->row;
	l->since = limbo->birth;
	l->events = limbo->events;
	l->flags |= LIVE_FETCHED | LIVE_REVIVED;
	for (unsigned i = 0; i < STAGE_MAX; i++)
		if (r->role[i] == ROLE_FETCH && l->stage == STAGE_NONE)
			l->stage = (uint8_t)i;
	slot_enter(r, l->stage, rel(r, limbo->tick));
	slot_enter(r, SLOT_ALIVE, rel(r, limbo->tick));
	row->life = LIFE_OPEN;
	if (l->row < r->oldest)
		r->oldest = l->row;
	return l;
}

/*
 * The fetch queue is first in, first out: whoever was fetched before a row that reaches decode
 * and is still in fetch was thrown away without a record (7.2).
 */
static void overtake(struct reading *r, const struct live *decoded)
{
	struct fetch_queue *q = &r->s->fetched;
	uint64_t row = decoded->row;

	while (q->count && q->ring[q->first].row <= row) {
		struct fetched f = q->ring[q->first];
		struct live *l = f.row < row ? live_find(&r->s->live, f.id) : NULL;

		fetch_queue_pop(q);
		if (l && l->row == f.row && l->stage != STAGE_NONE && r->role[l->stage] == ROLE_FETCH)
			lose_row(r, l);
	}
	if (!r->overtook) {
		struct foreign f = {.tick = r->now, .kind = FOREIGN_OVERTAKE, .off = r->leaf->off};

		r->overtook = true;
		if (!vec_push(&r->s->log, f))
			r->s->failed = true;
	}
}

/* ---- micro-ops --------------------------------------------------------------------------- */

static bool same_pc(const struct segment *s, uint64_t a, uint64_t b)
{
	uint32_t x = s->rows.data[a].code, y = s->rows.data[b].code;
	bool has_x, has_y;

	if (x == CODE_NONE || y == CODE_NONE)
		return false;
	return codes_pc(&s->codes, x, &has_x) == codes_pc(&s->codes, y, &has_y) && has_x && has_y;
}

static void join_later(struct reading *r, uint64_t row, size_t entry)
{
	struct join j = {row, entry};

	if (vec_push(&r->s->joins, j))
		segment_leaf(r->s, row)->waiting++;
	else
		r->s->failed = true;
}

/*
 * Born past fetch: a micro-op. Its parent is the instruction just consumed at decode with the
 * same pc (GPV's ARM), or the next to be decoded (stock: `[internal ld/st]`).
 */
static void begin_micro_op(struct reading *r, struct live *l)
{
	struct segment *s = r->s;

	l->flags |= LIVE_MICRO;
	s->rows.data[l->row].micro_op = 1;
	if (s->any_macro && !r->macro_foreign && same_pc(s, l->row, s->macro_row)) {
		s->rows.data[l->row].parent = (uint32_t)(l->row - s->macro_row);
		return;
	}
	/* the macro may lie before the piece: in its log, or before that */
	if (r->macro_foreign)
		join_later(r, l->row, r->macro_entry);
	else if (!r->decoded)
		join_later(r, l->row, 0);
	if (r->pending_count < PENDING_MAX)
		r->pending[r->pending_count++] = l->row;
}

static void adopt(struct reading *r, uint64_t parent)
{
	struct segment *s = r->s;

	for (size_t i = 0; i < r->pending_count; i++) {
		uint64_t row = r->pending[i];

		if (same_pc(s, row, parent) && row > parent)
			s->rows.data[row].parent = (uint32_t)(row - parent);
	}
	r->pending_count = 0;
}

/* ---- records ----------------------------------------------------------------------------- */

static void on_tick(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	int64_t tick = (int64_t)rec->id;

	if (tick < r->now) {
		note_bad(r, BAD_BACKWARDS, rec);
		return;
	}
	if (r->active) {
		if (s->first_active > s->last_active)
			s->first_active = r->now;
		else if (r->now - s->last_active - 1 > r->leaf->gap)
			r->leaf->gap = r->now - s->last_active - 1;
		s->last_active = r->now;
		r->active = false;
	}
	if (!s->started) {
		s->started = true;
		s->first = tick;
	}
	if (s->rows.count - r->leaf->row0 >= LEAF_ROWS || r->off + rec->at - r->leaf->off >= LEAF_BYTES) {
		close_leaf(r, tick);
		open_leaf(r, r->off + rec->at, rec->line, tick);
	}
	s->last = r->now = tick;
	r->elapsed = rel(r, tick);
}

static void know_id(struct reading *r, uint64_t id)
{
	struct segment *s = r->s;

	if (!s->any_birth) {
		s->any_birth = true;
		s->first_id = s->next_id = id;
		for (size_t i = 0; i < s->leaves.count; i++)
			s->leaves.data[i].first_id = id;
	}
	if (id > s->next_id) {
		struct id_gap gap = {s->next_id, id};

		if (s->gaps.count < GAPS_MAX && !vec_push(&s->gaps, gap))
			s->failed = true;
	} else if (id < s->next_id) {
		s->jumbled = true;
	}
	s->first_id = id < s->first_id ? id : s->first_id;
	s->next_id = id >= s->next_id ? id + 1 : s->next_id;
}

/* Ids born before are born again: the stitcher must know when. */
static void log_birth(struct reading *r, const struct record *rec)
{
	struct foreign f = {.id = rec->id,
			    .tick = r->now,
			    .off = r->off + rec->at,
			    .line = rec->line,
			    .kind = FOREIGN_BIRTH};

	if (!vec_push(&r->s->log, f))
		r->s->failed = true;
}

static void on_birth(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	const char *at = r->text + rec->at;
	size_t text_len = rec->birth.text_len < CODE_TEXT ? rec->birth.text_len : CODE_TEXT;
	const char *pc = at + rec->birth.pc, *text = at + rec->birth.text;
	struct raw_row row = {.birth = r->now, .life = LIFE_OPEN, .dominant = STAGE_NONE};
	struct live *l = live_find(&s->live, rec->id);

	if (l) {
		note_bad(r, BAD_REBORN, rec);
		end_row(r, l, FATE_LOST);
	}
	if (s->limbo->rows[rec->id & (LIMBO - 1)].id == rec->id)
		s->limbo->rows[rec->id & (LIMBO - 1)].used = false;
	if (r->log_births)
		log_birth(r, rec);
	know_id(r, rec->id);
	if (s->rows.count == r->leaf->row0)
		r->leaf->first_id = rec->id;
	row.code = codes_next(&s->codes, pc, rec->birth.pc_len, text, text_len);
	l = live_add(&s->live, rec->id);
	if (!l || !vec_push(&s->rows, row)) {
		s->failed = true;
		return;
	}
	l->row = s->rows.count - 1;
	l->since = r->now;
	slot_enter(r, SLOT_ALIVE, r->elapsed);
	slot_enter(r, SLOT_NOWHERE, r->elapsed);
	r->last = l;
	r->active = true;
	s->last_entry_id = ~rec->id;
}

/* Once ids went backwards this cannot be told here; but then births are logged. */
static bool born_here(const struct reading *r, uint64_t id)
{
	const struct segment *s = r->s;

	if (r->log_births || !s->any_birth || id < s->first_id || id >= s->next_id)
		return false;
	for (size_t i = s->gaps.count; i-- > 0;)
		if (id >= s->gaps.data[i].from && id < s->gaps.data[i].to)
			return false;
	return true;
}

/* A record of a row that is not alive here. */
static struct live *stranger(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	struct live *l = revive(r, rec->id);
	struct foreign f = {.id = rec->id,
			    .tick = r->now,
			    .off = r->off + rec->at,
			    .line = rec->line,
			    .events = rec->events,
			    .kind = rec->kind,
			    .stage = rec->stage,
			    .adjacent = s->last_entry_id == rec->id};

	if (l)
		return l;
	if (!born_here(r, rec->id)) {
		if (!vec_push(&s->log, f))
			s->failed = true;
		return NULL;
	}
	if (rec->kind == REC_END)
		s->notes[NOTE_SECOND_REMOVAL]++;
	else
		note_bad(r, BAD_DEAD, rec);
	return NULL;
}

/* The log's newest entry is this record's. */
static bool logged(const struct segment *s, const struct record *rec)
{
	const struct foreign *f = s->log.count ? &s->log.data[s->log.count - 1] : NULL;

	return f && f->id == rec->id && f->kind == rec->kind && f->line == rec->line;
}

/*
 * The first five kinds are counted in lanes of one word, which needs no branch on what cannot
 * be predicted; a batch of records cannot overflow a lane.
 */
enum { LANES = 5, LANE_BITS = 12 };

#define LANE(set, kind) ((uint64_t)((set) >> (kind) & 1) << ((kind) * LANE_BITS))

static inline void count_in_lanes(struct reading *r, unsigned set)
{
	r->lanes += LANE(set, 0) + LANE(set, 1) + LANE(set, 2) + LANE(set, 3) + LANE(set, 4);
}

static void empty_lanes(struct reading *r)
{
	for (int k = 0; k < LANES; k++)
		r->s->event_counts[k] += r->lanes >> k * LANE_BITS & ((1u << LANE_BITS) - 1);
	r->lanes = 0;
}

static void count_rare_events(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;

	for (unsigned set = rec->events >> LANES << LANES; set; set &= set - 1)
		s->event_counts[__builtin_ctz(set)]++;
	if (rec->enter.latency >= 0) {
		unsigned k = (unsigned)__builtin_ctz(rec->enter.colour | 1u << EVENT_MAX);

		if (k < EVENT_MAX)
			s->event_latency[k] +=
			    (int64_t)rec->enter.latency + (s->event_latency[k] < 0);
	}
}

/* A row born before this piece reaches decode: the newest entry of the log. */
static void foreign_decode(struct reading *r)
{
	size_t entry = r->s->log.count;

	r->decoded = true;
	for (size_t i = 0; i < r->pending_count; i++)
		join_later(r, r->pending[i], entry);
	r->pending_count = 0;
}

static void on_enter(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	struct live *l = r->last && r->last->id == rec->id ? r->last : live_find(&s->live, rec->id);
	unsigned role = r->role[rec->stage];

	s->entries[rec->stage]++;
	count_in_lanes(r, rec->events);
	if (__builtin_expect(rec->events >> LANES || rec->enter.latency >= 0, 0))
		count_rare_events(r, rec);
	r->active = true;
	if (!l && !(l = stranger(r, rec))) {
		s->last_entry_id = rec->id;
		if (role == ROLE_DECODE && logged(s, rec))
			foreign_decode(r);
		return;
	}
	s->last_entry_id = rec->id;
	r->last = l;
	if (l->stage == STAGE_NONE && role == ROLE_DECODE)
		begin_micro_op(r, l);
	leave_stage(r, l);
	slot_enter(r, r->slot[rec->stage], r->elapsed);
	l->stage = rec->stage;
	l->since = r->now;
	l->events |= rec->events;
	switch (role) {
	case ROLE_FETCH:
		l->flags |= LIVE_FETCHED;
		if (!fetch_queue_push(&s->fetched, l->id, l->row))
			s->failed = true;
		break;
	case ROLE_DECODE:
		if (l->flags & LIVE_FETCHED) {
			r->decoded = true;
			if (r->pending_count)
				adopt(r, l->row);
			overtake(r, l);
			r->last = NULL; /* rows may have moved in the table */
		}
		break;
	case ROLE_COMMIT:
		l->flags |= LIVE_COMMITTED;
		break;
	default:
		break;
	}
}

/* The newest entry of the log ends a row: right behind its decode, it was consumed there. */
static void foreign_drop(struct reading *r)
{
	const struct foreign *log = r->s->log.data;
	size_t n = r->s->log.count;

	if (n < 2 || !log[n - 1].adjacent || log[n - 2].kind != REC_ENTER ||
	    log[n - 2].id != log[n - 1].id || r->role[log[n - 2].stage] != ROLE_DECODE)
		return;
	r->macro_foreign = true;
	r->macro_entry = n - 1;
}

static void on_end(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	struct live *l = r->last && r->last->id == rec->id ? r->last : live_find(&s->live, rec->id);
	enum fate fate = FATE_SQUASHED;

	r->active = true;
	if (!l && !(l = stranger(r, rec))) {
		if (logged(s, rec))
			foreign_drop(r);
		s->last_entry_id = ~rec->id;
		return;
	}
	if (l->flags & LIVE_COMMITTED) {
		fate = FATE_COMMITTED;
	} else if (l->stage != STAGE_NONE && r->role[l->stage] == ROLE_DECODE &&
		   l->since == r->now && s->last_entry_id == rec->id) {
		fate = FATE_DROPPED;
		s->any_macro = true;
		s->macro_row = l->row;
		r->macro_foreign = false;
	}
	s->last_entry_id = ~rec->id;
	end_row(r, l, fate);
}

static void on_sample(struct reading *r, const struct record *rec)
{
	struct sample_sum *sum = &r->sums[rec->stage];
	struct metric_sum *all = &r->s->metrics[rec->stage];

	if (!(r->sampled >> rec->stage & 1)) {
		r->sampled |= UINT64_C(1) << rec->stage;
		*sum = (struct sample_sum){.metric = rec->stage};
	}
	sum->count++;
	sum->sum += rec->value;
	if (all->count++ == 0) {
		all->min = all->max = rec->value;
	} else {
		all->min = rec->value < all->min ? rec->value : all->min;
		all->max = rec->value > all->max ? rec->value : all->max;
	}
}

static void play(struct reading *r, const struct record *recs, size_t n)
{
	for (size_t i = 0; i < n && !r->s->failed; i++) {
		const struct record *rec = &recs[i];

		switch (rec->kind) {
		case REC_TICK:
			on_tick(r, rec);
			break;
		case REC_BIRTH:
			on_birth(r, rec);
			break;
		case REC_ENTER:
			on_enter(r, rec);
			break;
		case REC_END:
			on_end(r, rec);
			break;
		case REC_SAMPLE:
			on_sample(r, rec);
			continue;
		case REC_NOTE:
			r->s->notes[rec->stage] += rec->id;
			continue;
		case REC_BAD:
			note_bad(r, rec->stage, rec);
			continue;
		}
	}
}

static void begin_reading(struct reading *r, struct names *names)
{
	struct segment *s = r->s;

	/* stages that only the trace names have no role */
	pthread_mutex_lock(&names->lock);
	memset(r->slot, SLOT_NOWHERE, sizeof(r->slot));
	for (size_t i = 0; i < STAGE_MAX; i++) {
		r->role[i] = i < names->config.stage_count ? names->config.stages[i].role
							   : (uint8_t)ROLE_OTHER;
		if (r->role[i] != ROLE_COMMIT)
			r->slot[i] = (uint8_t)i;
	}
	pthread_mutex_unlock(&names->lock);
	for (size_t i = 0; i < EVENT_MAX; i++)
		s->event_latency[i] = -1;
	s->first = s->first_active = 0;
	s->last = s->last_active = -1;
}

static void finish_reading(struct reading *r, int64_t end_tick)
{
	struct segment *s = r->s;

	if (r->active) {
		if (s->first_active > s->last_active)
			s->first_active = r->now;
		else if (r->now - s->last_active - 1 > r->leaf->gap)
			r->leaf->gap = r->now - s->last_active - 1;
		s->last_active = r->now;
	}
	if (end_tick == TICK_NONE && !s->started && s->rows.count) {
		/* a trace without any cycle line: all of it in one */
		s->started = true;
		s->first = s->last = r->now;
	}
	s->end_tick = end_tick == TICK_NONE ? r->now + 1 : end_tick;
	if (s->end_tick < r->now)
		s->end_tick = r->now;
	close_leaf(r, s->end_tick);
	for (size_t i = 0; i < s->live.cap; i++)
		if (s->live.slots[i].flags)
			segment_leaf(s, s->live.slots[i].row)->waiting++;
}

void segment_read(struct segment *s, const struct reader *reader, struct names *names,
		  bool again, const char *text, size_t len, uint64_t off, int64_t tick0, int64_t end_tick, bool final)
{
	struct reading r = {
	    .s = s, .text = text, .off = off, .now = tick0, .log_births = again};
	struct record batch[LEX_BATCH];
	struct lexer lx;
	size_t n;

	s->off = off;
	s->len = len;
	s->tick0 = tick0;
	s->again = again;
	begin_reading(&r, names);
	lexer_begin(&lx, names, again);
	if (!open_leaf(&r, off, 0, tick0))
		return;
	while (!s->failed && (n = reader->lex(&lx, text, len, final, batch, LEX_BATCH)) > 0) {
		s->stumbled = lx.stumbled;
		if (s->stumbled)
			return;
		play(&r, batch, n);
		empty_lanes(&r);
	}
	s->lines = lx.line;
	if (!s->failed)
		finish_reading(&r, end_tick);
}
