/*
 * Joining the pieces: the life cycle across cuts, and publication in order.
 *
 * Pieces are given in the order of the text. The stitcher plays each piece's log of foreign
 * records to the rows still alive from the pieces before, completes the sums of the leaves
 * they touch, and hands finished leaves to the index. A row that stays alive for more than
 * STITCH_PATIENCE bytes of text is published without an end, which follows as a late row.
 * Cost: O(log entries + leaves) a piece; memory O(rows alive + pieces not published).
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_STITCH_H
#define PIPEGLASS_PIPELINE_INDEX_STITCH_H

#include "pipeline/index/index.h"

enum { STITCH_PATIENCE = 24 << 20, UNBORN_MAX = 1 << 20, UNBORN_EARLY = 128 << 10 };

struct warning_entry {
	uint64_t line, off, row;
	uint8_t bad;
};

/* What the finished pieces add up to; under the index lock. */
struct trace_counts {
	struct totals totals;
	uint64_t notes[NOTE_COUNT];
	struct metric_sum metrics[METRIC_MAX];
	VEC(struct warning_entry) warnings;
	uint64_t warning_count;
	uint64_t lines, links, link_span; /* link_span: the longest step back, in ids */
	int64_t first, last; /* ticks seen; first > last: none */
	uint64_t late; /* rows that came too late to be put in order */
	int64_t ticks_per_cycle; /* found in the text; 0: nothing found */
	bool started;
};

struct stitcher;

/* explicit_lives: not implied by the records (reader->births_needed). */
struct stitcher *stitcher_new(struct trace_index *ix, struct trace_counts *counts,
			      struct codes *codes, struct names *names, bool explicit_lives);
void stitcher_free(struct stitcher *st);

/*
 * True when the piece was read under an assumption that did not hold: its first tick is less than
 * the last one before it, or it has names not seen before. Read it again from *tick0; it may name.
 */
bool stitcher_rejects(const struct stitcher *st, const struct segment *s, int64_t *tick0);

/* Numbers for the piece's codes in the trace's table; to be called once before packing. */
bool stitcher_map_codes(struct codes *codes, struct segment *s);

/* Takes the piece over; it comes back from stitcher_recycle() when it is published. */
void stitcher_add(struct stitcher *st, struct segment *s);
struct segment *stitcher_recycle(struct stitcher *st); /* NULL: none */
/*
 * Publish the page being filled as it is, with rows that have not ended in pieces that were added
 * before a time: later ones wait for theirs. STITCH_NONE, STITCH_ALL.
 */
#define STITCH_NONE INT64_MIN
#define STITCH_ALL INT64_MAX
void stitcher_show(struct stitcher *st, int64_t added_before);
void stitcher_finish(struct stitcher *st); /* the text has ended */
bool stitcher_failed(const struct stitcher *st);

#endif
