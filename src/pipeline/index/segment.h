/*
 * A piece of the text, read by itself: what one worker makes and the stitcher joins.
 *
 * The text is cut at cycle lines. A worker gives rows to the instructions born in its piece
 * and follows them; records of instructions born before the piece go into a log, which the
 * stitcher plays to the rows still alive from the pieces before (formats/pipetrace.md 7 has
 * the life cycle). The result does not depend on how many workers there are.
 * Cost: one pass; memory some 3 % of the piece's text.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_SEGMENT_H
#define PIPEGLASS_PIPELINE_INDEX_SEGMENT_H

#include "base/vec.h"
#include "pipeline/formats/record.h"
#include "pipeline/index/codes.h"
#include "pipeline/index/fetch_queue.h"
#include "pipeline/index/lanes.h"
#include "pipeline/index/leaf.h"
#include "pipeline/index/live.h"

enum {
	LEAF_ROWS = 128,
	LEAF_BYTES = 32 << 10,
	LEAF_SPLIT = 256 << 10, /* of text in one cycle */
	SLOT_ALIVE = STAGE_MAX, /* rows alive, in arrays whose other slots are stages */
	SLOTS = STAGE_MAX + 1,
	SLOT_NOWHERE = SLOTS, /* where time does not count: before the first stage, in commit */
	LIMBO = 4096,
	ENDED = 1 << 14
};

/* Rows taken for lost lately: a record may still prove them alive. Direct-mapped by id. */
struct limbo {
	struct limbo_row {
		uint64_t id, row;
		int64_t birth, tick; /* taken for lost at tick */
		uint16_t events;
		bool used;
	} rows[LIMBO];
};

/*
 * Rows that have ended lately, for labels that come late. Direct-mapped by id: a label that comes
 * when another has its place is a warning.
 */
struct ended_row {
	uint64_t id, row;
	bool used;
};

/* The row of an id among ENDED of them; otherwise: it has ended too long ago. */
static inline uint64_t ended_row(const struct ended_row *ended, uint64_t id, uint64_t otherwise)
{
	const struct ended_row *e = &ended[id & (ENDED - 1)];

	return e->used && e->id == id ? e->row : otherwise;
}

/*
 * A label of a row that had ended: found again by its place. Its line does not tell its kind where
 * it goes on the label of the line before.
 */
struct late_label {
	uint64_t row, off, kind; /* kind: enum label_kind */
};

/* Sum of one statistic's samples within a leaf. */
struct sample_sum {
	uint8_t metric;
	uint32_t count;
	double sum;
};

#define LINK_NONE UINT64_MAX

struct leaf_sum {
	uint64_t off, line; /* of its first line; line from 0 at the piece's start */
	uint64_t first_id;  /* the least of its rows' */
	int64_t tick, end_tick; /* its ticks, half-open */
	int64_t gap;            /* longest run of ticks without a record that ends in it */
	uint64_t row0, rows;    /* of the piece */
	uint64_t head;          /* oldest row of the piece alive at its start */
	uint64_t waiting;       /* rows whose end or parent is not known yet */
	uint64_t id_span;       /* so much more is the most; rows - 1: they ascend without gaps */
	uint64_t link_min;      /* smallest id that a link in its text names as producer; LINK_NONE */
	uint64_t area[SLOTS];   /* ticks spent in each stage, and alive, during its ticks */
	uint64_t committed, committed_macro, squashed;
	size_t sample0, samples;
	size_t at, len; /* packed rows, once .packed */
	bool packed;
	bool split; /* begins inside a cycle: more of it is in the leaf before */
	/* the rest is of rows born in it, made when packed */
	int64_t end_max;
	uint64_t fates[FATE_COUNT], event_rows[EVENT_MAX], dominant[STAGE_MAX], micro_ops;
};

/*
 * A record of an instruction born before the piece, or a label; FOREIGN_OVERTAKE: a row of the
 * piece reached decode; FOREIGN_BIRTH: one was born (logged only when the piece is read again).
 */
enum { FOREIGN_OVERTAKE = REC_BAD + 1, FOREIGN_BIRTH };

struct foreign {
	uint64_t id;
	int64_t tick;
	uint32_t at, line; /* in the piece */
	union {
		uint16_t events; /* REC_ENTER */
		uint32_t code;   /* REC_LABEL: of its text, in the piece */
		uint32_t thread; /* FOREIGN_OVERTAKE */
		uint32_t row;    /* FOREIGN_BIRTH: in the piece */
	};
	uint8_t kind; /* REC_ENTER .. REC_LINK, FOREIGN_* */
	uint8_t stage;
	union {
		uint8_t lane;  /* REC_ENTER, REC_LEAVE */
		uint8_t joint; /* REC_LABEL: enum label_joint */
	};
	/* nothing stood between it and the record before, of its id; FOREIGN_BIRTH: its id lives */
	bool adjacent : 1;
};

/* A micro-op whose parent was born before the piece: the one log entry `entry` speaks of. */
struct join {
	uint64_t row;
	size_t entry; /* index + 1 into the log; 0: the last macro before the piece */
};

struct bad_line {
	uint64_t line, off, row;
	uint8_t bad;
};

struct metric_sum {
	uint64_t count;
	double min, max;
};

struct id_gap {
	uint64_t from, to; /* ids never born */
};

struct segment {
	uint64_t off, len;
	int64_t tick0;     /* of its first cycle line; never less than the last one before it */
	int64_t end_tick;  /* first tick after it */
	bool started;      /* a cycle line was seen */
	int64_t first, last; /* ticks seen */
	int64_t first_active, last_active; /* ticks with a record; first > last: none */
	uint64_t lines;

	VEC(struct raw_row) rows;
	VEC(struct leaf_sum) leaves;
	VEC(struct sample_sum) samples;
	VEC(struct foreign) log;
	VEC(struct join) joins;
	VEC(struct bad_line) bad;
	VEC(struct id_gap) gaps;
	VEC(uint64_t) revived; /* rows that were taken for lost for a while, and have ended */
	VEC(struct late_label) late_labels;
	struct sbuf packed;
	struct codes codes;
	uint32_t *code_map; /* of this piece -> of the trace */
	size_t mapped;      /* entries of it */

	struct live_table live;
	struct fetch_queue fetched;
	struct limbo *limbo;
	bool lost; /* something is in limbo */
	struct lane_set lanes;
	struct ended_row *ended; /* ENDED of them; NULL: the format has no labels */
	uint64_t links, link_span;
	uint64_t occupancy[SLOTS + 1]; /* at the end */
	bool any_birth;
	uint64_t first_id, next_id; /* ids born: [first_id, next_id) but for gaps */
	bool jumbled;               /* ids went backwards */
	bool any_macro;             /* the last instruction dropped at decode */
	uint64_t macro_row;
	uint64_t last_entry_id;     /* id of the last life record */

	uint64_t notes[NOTE_COUNT], bad_count;
	uint64_t entries[STAGE_MAX], event_counts[EVENT_MAX];
	int64_t event_latency[EVENT_MAX]; /* -1: none seen */
	struct metric_sum metrics[METRIC_MAX];
	bool again;    /* see segment_read() */
	bool quiet;    /* its last cycle may go on in the next piece */
	bool open;     /* a cycle line that it begins with is not in tick0; set before reading */
	bool stumbled; /* over a name without a number: to be read again when its turn comes */
	bool failed;   /* out of memory */

	/* of the stitcher */
	uint64_t base_row, base_line, published; /* leaves published */
	int64_t added; /* when it was, of live text: milliseconds */
};

bool segment_init(struct segment *s);
void segment_free(struct segment *s);
void segment_clear(struct segment *s); /* keeps the memory, for the next piece */
/* The piece is joined, and waits to be published: what a crowd took to be followed is given back. */
void segment_joined(struct segment *s);

/*
 * Read text[0..len), which is [off, off + len) of the trace. tick0 is its first cycle line's
 * tick, end_tick the next piece's, or TICK_NONE at the end of the trace (then its own last
 * tick + 1). final: the text ends here. again: the stitcher rejected a first reading and waits for
 * this one: new names get numbers, births are logged. Otherwise a new name stops the reading
 * (s->stumbled).
 */
void segment_read(struct segment *s, const struct reader *reader, struct names *names,
		  bool again, const char *text, size_t len, uint64_t off, int64_t tick0, int64_t end_tick, bool final);

/* The leaf that holds a row of the piece. O(log leaves). */
struct leaf_sum *segment_leaf(struct segment *s, uint64_t row);
/*
 * Ticks [from, to) in a slot, of which the text tells only afterwards: each goes to its leaf, of the
 * first n that are not published. Returns where these begin, from at least.
 */
int64_t segment_add_time(struct segment *s, size_t n, unsigned slot, int64_t from, int64_t to);

/* Pack every leaf that waits for nothing; its rows' codes are translated by code_map. */
void segment_pack(struct segment *s);
void segment_pack_leaf(struct segment *s, struct leaf_sum *leaf);

/* Account for the time in the stage just left; shared with the stitcher. */
static inline void live_leave(struct live *l, int64_t tick)
{
	uint64_t ticks = (uint64_t)tick - (uint64_t)l->since;
	uint32_t stay = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
	bool more = (stay > l->longest) | (l->dominant == STAGE_NONE);

	/* no branch: which stay is the longest cannot be foretold */
	l->longest = more ? stay : l->longest;
	l->dominant = more ? l->stage : l->dominant;
}

#endif
