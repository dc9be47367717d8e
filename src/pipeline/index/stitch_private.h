/*
 * The stitcher's state, shared by the files that play logs (stitch_play.c, stitch_lanes.c) and that
 * take pieces in and publish them (stitch.c).
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_STITCH_PRIVATE_H
#define PIPEGLASS_PIPELINE_INDEX_STITCH_PRIVATE_H

#include "pipeline/index/stitch.h"

struct stitcher {
	struct trace_index *ix;
	struct trace_counts *counts;
	struct codes *codes;
	struct names *names;
	uint8_t role[STAGE_MAX];

	/* rows alive from the pieces before; rows are numbered from the trace's first birth */
	struct live_table live, ghosts; /* ghosts: unborn rows that have ended */
	uint64_t occupancy[SLOTS];
	uint64_t fates[FATE_COUNT]; /* so far, for the counts: whoever is alive is in flight */
	struct fetch_queue fetched;
	struct limbo limbo;
	struct lane_set lanes;
	struct ended_row *ended; /* ENDED of them */
	bool explicit_lives;     /* see struct reader */
	bool any_birth;
	uint64_t first_id, next_id;
	VEC(struct id_gap) gaps; /* ascending */
	uint64_t sure_end;       /* from it on some ids that were left out may have been forgotten */
	bool any_macro;
	uint64_t macro_row, macro_pc;
	bool macro_has_pc;
	int64_t last_active, end_tick;
	bool started;
	uint64_t rows, off; /* so far */
	uint64_t oldest;    /* no row before it is alive, published ones aside */

	VEC(struct segment *) pieces; /* not wholly published, in order */
	VEC(struct segment *) done;
	bool early; /* unborn rows still go before the born ones */
	bool failed;

	/* while a piece is joined */
	struct segment *s;
	struct leaf_sum *leaf;
};

/* Play the log of st->s, already among the pieces, to the rows alive; completes its leaves. */
void stitch_play(struct stitcher *st);
/* With the index locked for writing. */
void stitch_warn(struct stitcher *st, enum bad bad, uint64_t line, uint64_t off, uint64_t row);
/* The same, of a record of the log; it locks the index itself. row: where the warning leads to. */
void stitch_warn_of(struct stitcher *st, enum bad bad, const struct foreign *f, uint64_t row);
/* The last that is known of a row alive: ended so, or in flight (TICK_NONE). */
void stitch_settle(struct stitcher *st, const struct live *l, enum fate fate, int64_t end);
void stitch_leave_stage(struct stitcher *st, struct live *l, int64_t tick);
/* An id is born: from now on a record of it is no unborn row's. O(log gaps) but for late ones. */
void stitch_know_id(struct stitcher *st, uint64_t id);
/* Has it been born so far? Where too many ids were left out, more than are. O(log gaps). */
bool stitch_was_born(const struct stitcher *st, uint64_t id);
/* The same, and false where that is not sure. */
bool stitch_was_surely_born(const struct stitcher *st, uint64_t id);
void stitch_end_row(struct stitcher *st, struct live *l, enum fate fate, int64_t tick);
/* The piece that still holds a row, or NULL when the row is published. */
struct segment *stitch_piece_of(const struct stitcher *st, uint64_t row);
/* Who is meant by a foreign record; NULL: nobody alive, and that has been counted. */
struct live *stitch_whose(struct stitcher *st, const struct foreign *f);

/* stitch_lanes.c: what segment_lanes.c does, to rows of earlier pieces */
void stitch_enter_lane(struct stitcher *st, struct live *l, const struct foreign *f);
void stitch_leave(struct stitcher *st, const struct foreign *f);
void stitch_label(struct stitcher *st, const struct foreign *f);
void stitch_end_lanes(struct stitcher *st, struct live *l, int64_t tick);
void stitch_merge_lanes(struct stitcher *st);

#endif
