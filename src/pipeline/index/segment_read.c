#include "config.h"

#include "pipeline/index/segment_private.h"

#include <stdlib.h>
#include <string.h>

enum { GAPS_MAX = 4096, BAD_MAX = TRACE_WARNINGS };

static void bad_of_row(struct reading *r, enum bad bad, const struct record *rec, uint64_t row)
{
	struct segment *s = r->s;
	struct bad_line b = {rec->line, r->off + rec->at, row, (uint8_t)bad};

	s->bad_count++;
	if (s->bad.count < BAD_MAX && !vec_push(&s->bad, b))
		s->failed = true;
}

void reading_bad(struct reading *r, enum bad bad, const struct record *rec)
{
	bad_of_row(r, bad, rec, r->s->rows.count);
}

/* ---- leaves ------------------------------------------------------------------------------ */

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
	leaf->id_span = leaf->rows ? r->id_max - leaf->first_id : 0;
	/* in no order they must not look as if they were: a wider span does no harm */
	if (r->ids_mixed && leaf->id_span < leaf->rows)
		leaf->id_span = leaf->rows;
	if (leaf->first_id > UINT64_MAX - leaf->id_span)
		leaf->first_id = UINT64_MAX - leaf->id_span;
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
	r->leaf->link_min = LINK_NONE;
	while (r->oldest < s->rows.count && s->rows.data[r->oldest].life != LIFE_OPEN)
		r->oldest++;
	r->leaf->head = r->oldest;
	return true;
}

/* Much text in one cycle: rows in it must be found without reading all of it. */
static void split_leaf(struct reading *r, const struct lexer *lx)
{
	uint64_t off = r->off + lx->pos;

	if (off - r->leaf->off < LEAF_SPLIT || off == r->off + r->s->len)
		return;
	close_leaf(r, r->now);
	if (open_leaf(r, off, lx->line, r->now))
		r->leaf->split = true;
}

/* ---- lives ------------------------------------------------------------------------------- */

void reading_end_row(struct reading *r, struct live *l, enum fate fate)
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
	if (r->explicit_lives)
		lanes_end(r, l);
	if ((l->flags & LIVE_REVIVED) && !vec_push(&s->revived, l->row))
		s->failed = true;
	r->last = NULL; /* removing moves others */
	live_remove(&s->live, l);
}

/* ---- records ----------------------------------------------------------------------------- */

static void on_tick(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	int64_t tick = (int64_t)rec->id;

	if (tick < r->now) {
		reading_bad(r, BAD_BACKWARDS, rec);
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
		s->first = s->rows.count ? r->now : tick;
	}
	/* a cycle line may say the same tick again: what follows is more of it */
	if (tick > r->now && (s->rows.count - r->leaf->row0 >= LEAF_ROWS ||
			      r->off + rec->at - r->leaf->off >= LEAF_BYTES)) {
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

static void leaf_bears(struct reading *r, uint64_t id)
{
	struct leaf_sum *leaf = r->leaf;
	bool first = r->s->rows.count == leaf->row0;

	r->ids_mixed = !first && (r->ids_mixed || id <= r->id_max);
	if (first || id < leaf->first_id)
		leaf->first_id = id;
	if (first || id > r->id_max)
		r->id_max = id;
}

/* Ids born before are born again: the stitcher must know when. */
static void log_birth(struct reading *r, const struct record *rec, bool alive)
{
	struct foreign f = {.id = rec->id,
			    .tick = r->now,
			    .at = rec->at,
			    .line = rec->line,
			    .row = (uint32_t)r->s->rows.count,
			    .kind = FOREIGN_BIRTH,
			    .adjacent = alive};

	if (!vec_push(&r->s->log, f))
		r->s->failed = true;
}

static void on_birth(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	const char *at = r->text + rec->at;
	size_t text_len = rec->birth.text_len < CODE_TEXT ? rec->birth.text_len : CODE_TEXT;
	const char *pc = at + rec->birth.pc, *text = at + rec->birth.text;
	struct raw_row row = {.birth = r->now, .life = LIFE_OPEN, .dominant = STAGE_NONE,
			      .thread = rec->events};
	struct live *l = live_find(&s->live, rec->id);

	if (l) {
		reading_bad(r, BAD_REBORN, rec);
		reading_end_row(r, l, FATE_LOST);
	}
	if (s->limbo->rows[rec->id & (LIMBO - 1)].id == rec->id)
		s->limbo->rows[rec->id & (LIMBO - 1)].used = false;
	if (r->log_births)
		log_birth(r, rec, l != NULL);
	know_id(r, rec->id);
	leaf_bears(r, rec->id);
	row.code = r->explicit_lives
		       ? CODE_NONE /* labels tell */
		       : codes_next(&s->codes, pc, rec->birth.pc_len, text, text_len);
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
struct live *reading_stranger(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	struct live *l = fetch_revive(r, rec->id);
	struct foreign f = {.id = rec->id,
			    .tick = r->now,
			    .at = rec->at,
			    .line = rec->line,
			    .kind = rec->kind,
			    .stage = rec->stage,
			    .adjacent = s->last_entry_id == rec->id};

	if (l)
		return l;
	if (!born_here(r, rec->id)) {
		if (rec->kind == REC_ENTER || rec->kind == REC_LEAVE)
			f.lane = rec->enter.lane;
		if (rec->kind == REC_ENTER)
			f.events = rec->events;
		if (rec->kind == REC_LABEL) {
			f.code = lanes_text(r, rec);
			f.joint = (uint8_t)rec->events;
		}
		if (!vec_push(&s->log, f))
			s->failed = true;
		return NULL;
	}
	if (r->explicit_lives)
		bad_of_row(r, BAD_ENDED, rec, ended_row(s->ended, rec->id, s->rows.count));
	else if (rec->kind != REC_END)
		reading_bad(r, BAD_DEAD, rec);
	else
		s->notes[NOTE_SECOND_REMOVAL]++;
	return NULL;
}

/* The log's newest entry is this record's. */
bool reading_logged(const struct segment *s, const struct record *rec)
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

static void on_enter(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	struct live *l = r->last && r->last->id == rec->id ? r->last : live_find(&s->live, rec->id);
	unsigned role = r->role[rec->stage];

	s->entries[rec->stage]++;
	if (!r->explicit_lives || rec->events) {
		count_in_lanes(r, rec->events);
		if (__builtin_expect(rec->events >> LANES || rec->enter.latency >= 0, 0))
			count_rare_events(r, rec);
	}
	r->active = true;
	if (!l && !(l = reading_stranger(r, rec))) {
		s->last_entry_id = rec->id;
		s->entries[rec->stage] -= r->explicit_lives; /* nobody's, or the stitcher's to count */
		if (role == ROLE_DECODE && reading_logged(s, rec))
			fetch_foreign_decode(r);
		return;
	}
	s->last_entry_id = rec->id;
	r->last = l;
	if (rec->enter.lane) {
		lanes_enter(r, l, rec);
		return;
	}
	if (l->stage == STAGE_NONE && role == ROLE_DECODE)
		fetch_begin_micro_op(r, l);
	leave_stage(r, l);
	slot_enter(r, r->slot[rec->stage], r->elapsed);
	if (r->explicit_lives) {
		live_begin(l, rec->stage, r->now);
	} else {
		l->stage = rec->stage;
		l->since = r->now;
	}
	l->events |= rec->events;
	switch (role) {
	case ROLE_FETCH:
		l->flags |= LIVE_FETCHED;
		if (!fetch_queue_push(&s->fetched, l->id, l->row, s->rows.data[l->row].thread))
			s->failed = true;
		break;
	case ROLE_DECODE:
		if (l->flags & LIVE_FETCHED) {
			r->decoded = true;
			if (r->pending_count)
				fetch_adopt(r, l->row);
			fetch_overtake(r, l);
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

static void on_end(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	struct live *l = r->last && r->last->id == rec->id ? r->last : live_find(&s->live, rec->id);
	enum fate fate = FATE_SQUASHED;

	r->active = true;
	if (!l && !(l = reading_stranger(r, rec))) {
		if (reading_logged(s, rec))
			fetch_foreign_drop(r);
		s->last_entry_id = ~rec->id;
		return;
	}
	if (rec->stage == END_RETIRED || (l->flags & LIVE_COMMITTED)) {
		fate = FATE_COMMITTED;
	} else if (rec->stage == END_BY_STAGES && l->stage != STAGE_NONE && r->role[l->stage] == ROLE_DECODE &&
		   l->since == r->now && s->last_entry_id == rec->id) {
		fate = FATE_DROPPED;
		s->any_macro = true;
		s->macro_row = l->row;
		r->macro_foreign = false;
	}
	s->last_entry_id = ~rec->id;
	reading_end_row(r, l, fate);
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
		case REC_LEAVE:
			lanes_leave(r, rec);
			break;
		case REC_LABEL:
			lanes_label(r, rec);
			break;
		case REC_LINK:
			lanes_link(r, rec);
			break;
		case REC_SAMPLE:
			on_sample(r, rec);
			continue;
		case REC_NOTE:
			r->s->notes[rec->stage] += rec->id;
			continue;
		case REC_BAD:
			reading_bad(r, rec->stage, rec);
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

static void look_at_beginning(struct reading *r, const struct reader *reader, size_t len)
{
	struct record rec = {.kind = REC_BAD};
	int bad = reader->beginning ? reader->beginning(r->text, len, &rec.line, &rec.at) : -1;

	if (bad >= 0)
		reading_bad(r, (enum bad)bad, &rec);
}

void segment_read(struct segment *s, const struct reader *reader, struct names *names,
		  bool again, const char *text, size_t len, uint64_t off, int64_t tick0, int64_t end_tick, bool final)
{
	struct reading r = {
	    .s = s, .text = text, .off = off, .now = tick0, .log_births = again,
	    .explicit_lives = reader->births_needed};
	struct record batch[LEX_BATCH];
	struct lexer lx;
	int64_t ignored;
	bool at_cut = off > 0 && !s->open && reader->cut(text, text + len, &ignored);
	size_t n;

	s->off = off;
	s->len = len;
	s->tick0 = tick0;
	s->again = again;
	begin_reading(&r, names);
	lexer_begin_at(&lx, names, again, tick0, at_cut);
	lx.may_count = again;
	if (reader->births_needed && !s->ended && !(s->ended = calloc(ENDED, sizeof(*s->ended))))
		s->failed = true;
	if (!open_leaf(&r, off, 0, tick0))
		return;
	r.leaf->split = off > 0 && !at_cut;
	if (off == 0)
		look_at_beginning(&r, reader, len);
	while (!s->failed && (n = reader->lex(&lx, text, len, final, batch, LEX_BATCH)) > 0) {
		s->stumbled = lx.stumbled;
		if (s->stumbled)
			return;
		play(&r, batch, n);
		empty_lanes(&r);
		split_leaf(&r, &lx);
	}
	s->lines = lx.line;
	if (!s->failed)
		finish_reading(&r, end_tick);
}
