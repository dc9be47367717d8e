/*
 * What the files that read a piece share: the dispatch of records (segment_read.c), the fetch
 * queue and micro-ops of the pipetrace's life cycle (segment_fetch.c), lanes, labels and links
 * of formats that say themselves when a stage or a life ends (segment_lanes.c).
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_SEGMENT_PRIVATE_H
#define PIPEGLASS_PIPELINE_INDEX_SEGMENT_PRIVATE_H

#include "pipeline/index/segment.h"

enum { PENDING_MAX = 64 };

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
	bool explicit_lives; /* see struct reader */
	uint8_t role[STAGE_MAX];
	uint8_t slot[STAGE_NONE + 1]; /* of each stage, where its time counts */
	uint64_t moved[SLOTS + 1]; /* sum of entry ticks less sum of leaving ticks, from tick0 */
	uint64_t area[SLOTS];  /* at the last leaf's end */
	struct leaf_sum *leaf;
	uint64_t id_max; /* of the leaf's rows */
	bool ids_mixed;  /* they do not ascend */
	struct live *last; /* the row of the record before */
	uint64_t oldest;   /* no row before it is alive */
	uint64_t pending[PENDING_MAX]; /* micro-ops that wait for their parent's decode */
	size_t pending_count;
	bool decoded;   /* some fetched row has reached decode: no flow from before goes on */
	uint64_t overtook[(THREAD_MAX + 64) / 64]; /* set of threads: a row of ours has reached decode */
	bool macro_foreign; /* the last macro dropped at decode is entry macro_entry of the log */
	size_t macro_entry;
	struct sample_sum sums[METRIC_MAX]; /* of the current leaf */
	uint64_t sampled;                   /* set of metrics with a sum */
};

static inline uint64_t rel(const struct reading *r, int64_t tick)
{
	return (uint64_t)tick - (uint64_t)r->s->tick0;
}

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

/* segment_read.c */
void reading_bad(struct reading *r, enum bad bad, const struct record *rec);
void reading_end_row(struct reading *r, struct live *l, enum fate fate);
/* The live row that a record speaks of; NULL: none here, and that has been counted or logged. */
struct live *reading_stranger(struct reading *r, const struct record *rec);
bool reading_logged(const struct segment *s, const struct record *rec);

/* segment_fetch.c */
struct live *fetch_revive(struct reading *r, uint64_t id);
void fetch_overtake(struct reading *r, const struct live *decoded);
void fetch_begin_micro_op(struct reading *r, struct live *l);
void fetch_adopt(struct reading *r, uint64_t parent);
void fetch_foreign_decode(struct reading *r);
void fetch_foreign_drop(struct reading *r);

/* segment_lanes.c */
void lanes_enter(struct reading *r, struct live *l, const struct record *rec);
void lanes_leave(struct reading *r, const struct record *rec);
void lanes_end(struct reading *r, struct live *l);
void lanes_label(struct reading *r, const struct record *rec);
/* The code of a label's text; CODE_NONE when it is no text. */
uint32_t lanes_text(struct reading *r, const struct record *rec);
void lanes_link(struct reading *r, const struct record *rec);

#endif
