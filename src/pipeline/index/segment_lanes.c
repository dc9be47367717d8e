/*
 * Formats that say themselves when a stage and a life end (Kanata): lanes, ends of stages,
 * labels, links (formats/kanata-o3pipeview.md 1.5-1.8).
 */
#include "config.h"

#include <string.h>

#include "pipeline/index/segment_private.h"

static struct live *alive(struct reading *r, uint64_t id)
{
	struct live *l = r->last && r->last->id == id ? r->last : live_find(&r->s->live, id);

	if (l)
		r->last = l;
	return l;
}

static uint64_t here(const struct reading *r, const struct record *rec)
{
	return r->off + rec->at;
}

/* ---- stages ------------------------------------------------------------------------------ */

static void close_stage(struct reading *r, struct live *in)
{
	if (in->stage == STAGE_NONE)
		return;
	slot_leave(r, r->slot[in->stage]);
	live_begin(in, STAGE_NONE, r->now);
}

void lanes_enter(struct reading *r, struct live *l, const struct record *rec)
{
	struct live *in = lane_entry(&r->s->lanes, rec->enter.lane, l->id, l->row);

	if (!in) {
		r->s->failed = true;
		return;
	}
	close_stage(r, in);
	slot_enter(r, r->slot[rec->stage], r->elapsed);
	live_begin(in, rec->stage, r->now);
	l->lanes |= (uint16_t)(1u << rec->enter.lane);
	l->events |= rec->events;
}

/* The first lane's stage decides what a row was in most: it is left as in other formats. */
static void leave_first_lane(struct reading *r, struct live *l)
{
	leave_stage(r, l);
	live_begin(l, STAGE_NONE, r->now);
	slot_enter(r, SLOT_NOWHERE, r->elapsed);
}

static bool stretch_stage(struct reading *r, struct live *in, unsigned stage)
{
	int64_t from, here;

	if (!live_stretch(in, stage, r->now, &from))
		return false;
	r->s->notes[NOTE_LATE_END] += from < r->now;
	here = from > r->leaf->tick ? from : r->leaf->tick;
	slot_enter(r, r->slot[stage], rel(r, here));
	slot_leave(r, r->slot[stage]);
	segment_add_time(r->s, r->s->leaves.count - 1, r->slot[stage], from, here);
	return true;
}

void lanes_leave(struct reading *r, const struct record *rec)
{
	struct live *l = alive(r, rec->id), *in = l;
	const struct live_table *lane = &r->s->lanes.of[rec->enter.lane];

	r->active = true;
	if (!l && !(in = l = reading_stranger(r, rec)))
		return;
	if (rec->enter.lane)
		in = l->lanes >> rec->enter.lane & 1 ? live_find(lane, rec->id) : NULL;
	if (in && in->stage == rec->stage && in == l)
		leave_first_lane(r, l);
	else if (in && in->stage == rec->stage)
		close_stage(r, in);
	else if (!in || !stretch_stage(r, in, rec->stage))
		r->s->notes[NOTE_STALE_END]++;
}

void lanes_end(struct reading *r, struct live *l)
{
	struct segment *s = r->s;

	s->ended[l->id & (ENDED - 1)] = (struct ended_row){l->id, l->row, true};
	for (unsigned set = l->lanes; set; set &= set - 1) {
		struct live_table *lane = &s->lanes.of[__builtin_ctz(set)];
		struct live *in = live_find(lane, l->id);

		if (!in)
			continue;
		close_stage(r, in);
		live_remove(lane, in);
	}
}

/* ---- labels ------------------------------------------------------------------------------ */

/* Backslash and n are a blank, with a t a tab, as they are where the row's own text is read. */
static size_t unescape(const char *p, size_t len, char out[CODE_TEXT])
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		char next = p[i] == '\\' && i + 1 < len ? p[i + 1] : '\0';

		out[n++] = next == 'n' ? ' ' : next == 't' ? '\t' : p[i];
		i += next == 'n' || next == 't';
	}
	return n;
}

uint32_t lanes_text(struct reading *r, const struct record *rec)
{
	const char *at = r->text + rec->at, *text = at + rec->birth.text;
	size_t len = rec->birth.text_len < CODE_TEXT ? rec->birth.text_len : CODE_TEXT;
	char spelt[CODE_TEXT];

	if (rec->stage != LABEL_TEXT)
		return CODE_NONE;
	if (memchr(text, '\\', len)) {
		len = unescape(text, len, spelt);
		text = spelt;
	}
	return codes_next(&r->s->codes, at + rec->birth.pc, rec->birth.pc_len, text, len);
}

static bool known_late(struct reading *r, const struct record *rec, uint64_t *row)
{
	const struct ended_row *e = &r->s->ended[rec->id & (ENDED - 1)];

	*row = e->row;
	return e->used && e->id == rec->id;
}

void lanes_label(struct reading *r, const struct record *rec)
{
	struct segment *s = r->s;
	struct live *l = alive(r, rec->id);
	uint64_t row;

	if (l) {
		row = l->row;
	} else if (known_late(r, rec, &row)) {
		struct late_label late = {row, here(r, rec), rec->stage};

		s->notes[NOTE_LATE_LABEL]++;
		if (!vec_push(&s->late_labels, late))
			s->failed = true;
	} else if (!reading_stranger(r, rec)) {
		return;
	}
	if (l && rec->stage == LABEL_STAGE && l->stage == STAGE_NONE && l->dominant == STAGE_NONE &&
	    l->lanes == 0)
		reading_bad(r, BAD_LABEL, rec);
	if (rec->stage == LABEL_TEXT)
		s->rows.data[row].code = codes_join(&s->codes, s->rows.data[row].code, &s->codes,
						    lanes_text(r, rec),
						    label_between(LABEL_TEXT, rec->events));
}

/* ---- links ------------------------------------------------------------------------------- */

void lanes_link(struct reading *r, const struct record *rec)
{
	uint64_t producer = rec->link.low | (uint64_t)rec->link.high << 32;

	if (rec->id > producer && rec->id - producer > r->s->link_span)
		r->s->link_span = rec->id - producer;
	if (producer < r->leaf->link_min)
		r->leaf->link_min = producer;
	if (alive(r, rec->id) || reading_stranger(r, rec))
		r->s->links++;
	else if (!reading_logged(r->s, rec))
		r->s->notes[NOTE_STRAY_LINKS]++;
}
