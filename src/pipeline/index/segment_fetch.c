/*
 * The fetch queue and micro-ops: who was overtaken in fetch, and whose parts micro-ops are
 * (formats/pipetrace.md 7).
 */
#include "config.h"

#include "pipeline/index/segment_private.h"

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
	reading_end_row(r, l, FATE_LOST);
}

/* A row taken for lost is heard of again: it was not. */
struct live *fetch_revive(struct reading *r, uint64_t id)
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
void fetch_overtake(struct reading *r, const struct live *decoded)
{
	struct segment *s = r->s;
	uint64_t row = decoded->row;
	uint16_t thread = s->rows.data[row].thread;
	struct fetched f;
	size_t at = 0;

	while (fetch_queue_overtaken(&s->fetched, row, thread, &at, &f)) {
		struct live *l = f.row < row ? live_find(&s->live, f.id) : NULL;

		if (l && l->row == f.row && l->stage != STAGE_NONE && r->role[l->stage] == ROLE_FETCH)
			lose_row(r, l);
	}
	if (!(r->overtook[thread / 64] >> thread % 64 & 1)) {
		struct foreign log = {.tick = r->now, .kind = FOREIGN_OVERTAKE,
				      .at = (uint32_t)(r->leaf->off - r->off), .thread = thread};

		r->overtook[thread / 64] |= UINT64_C(1) << thread % 64;
		if (!vec_push(&s->log, log))
			s->failed = true;
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
void fetch_begin_micro_op(struct reading *r, struct live *l)
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

void fetch_adopt(struct reading *r, uint64_t parent)
{
	struct segment *s = r->s;

	for (size_t i = 0; i < r->pending_count; i++) {
		uint64_t row = r->pending[i];

		if (same_pc(s, row, parent) && row > parent)
			s->rows.data[row].parent = (uint32_t)(row - parent);
	}
	r->pending_count = 0;
}


/* A row born before this piece reaches decode: the newest entry of the log. */
void fetch_foreign_decode(struct reading *r)
{
	size_t entry = r->s->log.count;

	r->decoded = true;
	for (size_t i = 0; i < r->pending_count; i++)
		join_later(r, r->pending[i], entry);
	r->pending_count = 0;
}

/* The newest entry of the log ends a row: right behind its decode, it was consumed there. */
void fetch_foreign_drop(struct reading *r)
{
	const struct foreign *log = r->s->log.data;
	size_t n = r->s->log.count;

	if (n < 2 || !log[n - 1].adjacent || log[n - 2].kind != REC_ENTER ||
	    log[n - 2].id != log[n - 1].id || r->role[log[n - 2].stage] != ROLE_DECODE)
		return;
	r->macro_foreign = true;
	r->macro_entry = n - 1;
}
