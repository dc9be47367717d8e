/*
 * Leaves of whole rows: rows come in program order, leaves go to the index.
 *
 * A leaf begins at a tick where a row starts, and takes at least LEAF_ROWS. When the next one
 * opens, nothing more can happen in it: rows born later do nothing before. What the rows alive do
 * later waits: with the row itself while it is young, then, step by step, in a heap, so that a
 * row costs O(log n) however long it lives. Memory: the rows alive.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_ROWLEAF_H
#define PIPEGLASS_PIPELINE_INDEX_ROWLEAF_H

#include "pipeline/index/index.h"
#include "pipeline/index/rowrun.h"

enum {
	YOUNG_LEAVES = 4, /* a row is young while it crosses so many leaves */
	STUCK_LEAVES =
	    8192,    /* a row alive for so many no longer holds heads back: it is a late row */
	MACROS = 64, /* CPUs whose last instruction is remembered */
	QUIET_BITS = 1024
};

struct young_row {
	uint64_t row;
	int64_t start, end, commit; /* end, commit TICK_NONE: in flight */
	uint8_t fate, micro_op, stays, age;
	uint8_t slot[ROW_STAYS];
	int64_t from[ROW_STAYS], to[ROW_STAYS];
};

/* What a row that is no longer young will do. */
struct row_step {
	int64_t tick;
	uint8_t slot;
	enum { STEP_ENTER, STEP_LEAVE, STEP_FATE } kind;
	uint8_t fate, micro_op; /* STEP_FATE */
};

struct old_row {
	uint64_t row, leaf; /* leaf: the one it was born in or soon after */
	int64_t end;
	uint8_t fate, dominant;
};

struct row_leaves {
	struct trace_index *ix;
	struct segment s; /* one leaf, for index_append() */
	uint8_t slot[STAGE_NONE + 1];
	VEC(struct whole_row) whole;
	VEC(struct young_row) young;
	VEC(struct row_step) steps; /* a heap by tick */
	VEC(struct old_row) old;    /* by row; from old_first on */
	size_t old_first;
	uint64_t occupancy[SLOTS + 1], moved[SLOTS + 1],
	    area[SLOTS + 1]; /* of rows no longer young */
	uint64_t row0, leaf_count;
	int64_t tick, newest, end_max; /* of the leaf; start of its last row; of all ends */
	int64_t active;                /* last tick with a record before the leaf */
	uint64_t id_max;
	uint64_t quiet[QUIET_BITS / 64];
	unsigned quiet_shift;
	bool shown; /* the leaf before was given out early: no row starts at the tick of this one */
	int64_t seen; /* last tick with a record, within the leaf being closed */
	struct {
		bool used;
		uint32_t pc, part;
		uint64_t id, row, last_id;
	} macro[MACROS]; /* by CPU */
	bool begun, failed;
	uint64_t fates[FATE_COUNT], rows; /* so far */
};

void row_leaves_init(struct row_leaves *l, struct trace_index *ix, struct names *names);
void row_leaves_free(struct row_leaves *l);
/* The next row; code and thread as the trace numbers them. */
void row_leaves_add(struct row_leaves *l, const struct packed_row *p, uint32_t code,
		    uint16_t thread);
/*
 * Rows that start before this tick come too late: what they did before it is not counted, and they
 * stand behind the rows that are there.
 */
int64_t row_leaves_floor(const struct row_leaves *l);
/* Give out the leaf being filled: no row will start at the tick of its last one or before. */
void row_leaves_show(struct row_leaves *l);
void row_leaves_finish(struct row_leaves *l);

#endif
