#include "config.h"

#include "pipeline/index/segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

enum { JOINED_KEPT = 1 << 14 }; /* entries */

bool segment_init(struct segment *s)
{
	memset(s, 0, sizeof(*s));
	s->limbo = calloc(1, sizeof(*s->limbo));
	return s->limbo && live_init(&s->live);
}

void segment_free(struct segment *s)
{
	vec_free(&s->rows);
	vec_free(&s->leaves);
	vec_free(&s->samples);
	vec_free(&s->log);
	vec_free(&s->joins);
	vec_free(&s->bad);
	vec_free(&s->gaps);
	vec_free(&s->revived);
	vec_free(&s->late_labels);
	sbuf_free(&s->packed);
	codes_free(&s->codes);
	live_free(&s->live);
	fetch_queue_free(&s->fetched);
	free(s->code_map);
	free(s->limbo);
	free(s->ended);
	lane_set_free(&s->lanes);
	s->ended = NULL;
	s->code_map = NULL;
	s->limbo = NULL;
}

void segment_clear(struct segment *s)
{
	struct segment kept = *s;

	memset(s, 0, sizeof(*s));
#define KEEP(field) (s->field = kept.field, vec_clear(&s->field))
	KEEP(rows);
	KEEP(leaves);
	KEEP(samples);
	KEEP(log);
	KEEP(joins);
	KEEP(bad);
	KEEP(gaps);
	KEEP(revived);
	KEEP(late_labels);
#undef KEEP
	s->packed = kept.packed;
	sbuf_clear(&s->packed);
	/* the next piece runs much the same code: what is known of it stays known */
	s->codes = kept.codes;
	s->code_map = kept.code_map;
	s->mapped = kept.mapped;
	if (s->codes.text_len > CODE_BYTES / 8) {
		codes_clear(&s->codes);
		s->mapped = 0;
	}
	s->live = kept.live;
	live_clear(&s->live);
	s->fetched = kept.fetched;
	s->fetched.first = s->fetched.count = 0;
	s->limbo = kept.limbo;
	s->lanes = kept.lanes;
	lane_set_clear(&s->lanes);
	s->ended = kept.ended;
	if (s->ended)
		memset(s->ended, 0, ENDED * sizeof(*s->ended));
	if (kept.lost)
		memset(s->limbo, 0, sizeof(*s->limbo));
}

void segment_joined(struct segment *s)
{
#define GIVE_BACK(field)                                                                           \
	if (s->field.cap > JOINED_KEPT)                                                            \
		vec_free(&s->field);
	GIVE_BACK(log)
	GIVE_BACK(joins)
	GIVE_BACK(revived)
	GIVE_BACK(late_labels)
#undef GIVE_BACK
	if (s->fetched.cap > JOINED_KEPT)
		fetch_queue_free(&s->fetched);
	live_clear(&s->live);
	lane_set_clear(&s->lanes);
}

struct leaf_sum *segment_leaf(struct segment *s, uint64_t row)
{
	size_t lo = 0, hi = s->leaves.count;

	bisect(lo, hi, i, s->leaves.data[i].row0 <= row);
	return &s->leaves.data[lo ? lo - 1 : 0];
}

int64_t segment_add_time(struct segment *s, size_t n, unsigned slot, int64_t from, int64_t to)
{
	while (n-- > s->published && from < to) {
		struct leaf_sum *leaf = &s->leaves.data[n];
		int64_t begin = leaf->tick > from ? leaf->tick : from;

		if (begin >= to)
			continue;
		leaf->area[slot] += (uint64_t)(to - begin);
		to = begin;
	}
	return to;
}

/* ---- packing ----------------------------------------------------------------------------- */

void segment_pack_leaf(struct segment *s, struct leaf_sum *leaf)
{
	const struct raw_row *rows = s->rows.data ? s->rows.data + leaf->row0 : NULL;

	leaf->end_max = leaf->tick;
	for (uint64_t i = 0; i < leaf->rows; i++) {
		const struct raw_row *row = &rows[i];
		int64_t end = row->life == LIFE_OPEN ? TICK_NONE : row->birth + (int64_t)row->life;

		if (end > leaf->end_max)
			leaf->end_max = end;
		leaf->fates[row->fate]++;
		for (unsigned set = row->events; set; set &= set - 1)
			leaf->event_rows[__builtin_ctz(set)]++;
		if (row->dominant != STAGE_NONE && row->life != LIFE_OPEN)
			leaf->dominant[row->dominant] += row->life;
		leaf->micro_ops += row->micro_op;
	}
	leaf->at = s->packed.len;
	leaf_encode(&s->packed, rows, leaf->rows, leaf->tick, s->code_map, NULL);
	leaf->len = s->packed.len - leaf->at;
	leaf->packed = true;
	s->failed |= s->packed.failed;
}

void segment_pack(struct segment *s)
{
	for (size_t i = 0; i < s->leaves.count; i++)
		if (s->leaves.data[i].waiting == 0 && !s->leaves.data[i].packed)
			segment_pack_leaf(s, &s->leaves.data[i]);
}
