/*
 * The block view: blocks of a level over time, a line each, and which caches hold them.
 *
 * Plain state. Lines are the dearest blocks, as many as have a share of the cost, in the order of
 * cost or of addresses; the last line says what is left out. Several blocks may share a line, and
 * one block may have a line below it for each cache. Both levels can be seen at once: they have one
 * time axis and one cursor, which is in a line of one of them and at a tick. The stay there is the
 * current one. Each motion ends with a settled state. Filters take away stays, never lines.
 *
 * A frame costs, for each line, block and cache, O(the less of stays in the window and of columns
 * * log n): a column of many stays of one cache is looked at in some of them. Lists are made when
 * the trace grew or the order changed: O(cells + blocks * log blocks).
 */
#ifndef PIPEGLASS_VIEW_MEMORY_BLOCKS_H
#define PIPEGLASS_VIEW_MEMORY_BLOCKS_H

#include "view/axis.h"
#include "view/grid.h"
#include "view/memory/rows.h"
#include "view/split.h"

/* What cells show; which stays count, by how they ended. */
enum blocks_face { FACE_OCCUPANCY, FACE_TEMPERATURE, FACE_CAUSES, FACE_COUNT };
enum blocks_ends { ENDS_ALL, ENDS_COHERENCE, ENDS_REPLACEMENT };

/* Of several holders: stages with colours that are no cache's. */
enum { BLOCKS_FEW = 1, BLOCKS_MANY = 15 };
/* Of events in a cell: twice as many, or more, each. */
static const char blocks_ramp[] = ".:-=+*#%@";

enum { BLOCKS_LOOKED_AT = 64 /* stays of a cache in one column; of more of them some */ };

struct blocks_line {
	uint32_t first, count; /* rows; none: what the others cost */
	uint32_t cache, end;   /* of caches [cache, end) */
	bool unfolded;         /* one cache of a block that has its own line above */
	uint32_t dearest;      /* row */
	uint64_t worth;        /* of all of them */
	bool related;          /* one is, to what is selected */
};

struct blocks_part {
	struct memory_rows rows; /* the level's blocks */
	int64_t unfolded;        /* the row that has a line for each cache; INT64_MAX: none has */
	uint32_t caches;         /* of the level */
	bool sampled; /* as last drawn: not every stay was looked at */
};

/* What is in a column of a line. */
struct block_column {
	uint32_t row;            /* of the block that most caches had: */
	uint16_t holders, cache; /* how many, and one of them */
	uint32_t events, loads;  /* loads and losses; loads */
	uint32_t causes[MEMORY_CAUSE_COUNT];
	bool selected; /* the selected object caused the load of a stay */
	bool sampled;  /* numbers are estimates: not every stay was looked at */
	uint32_t last; /* the block that was counted last, */
	uint16_t had;  /* by so many caches */
};

/* What the user chose, whatever the trace has. */
struct blocks_look {
	uint8_t face, ends; /* enum blocks_face, enum blocks_ends */
	uint8_t order;      /* enum row_order */
	uint8_t one;        /* but one level where there is room for both, or both */
	uint32_t bundle;    /* blocks a line */
	uint32_t asked;     /* blocks that are to have lines; 0: those of most of the cost */
};

struct blocks {
	struct trace *trace;
	struct axis axis;
	struct memory_focus focus; /* its version grows with whatever lists depend on */
	struct blocks_look look;
	struct blocks_part part[MEMORY_LEVELS];
	struct split split; /* into levels, each with a heading above */
	uint32_t current;   /* the stay under the cursor; MEMORY_NONE: there is none */
	uint32_t unfolded;  /* this block has lines for its caches; MEMORY_NONE: none has */
	uint64_t hidden;    /* caches that are not shown: a bit of each glyph */
	struct regex *only; /* blocks that match have lines; NULL: all. Owned */
	char *locks; /* classes that match are locks (memory_mark_locks()); NULL: none. Owned */
};

static inline bool blocks_shows_cache(const struct blocks *b, uint32_t cache)
{
	return !(b->hidden >> cache % MEMORY_GLYPHS & 1);
}

static inline bool blocks_passes(const struct blocks *b, uint8_t ending)
{
	return b->look.ends == ENDS_ALL ||
	       ending == (b->look.ends == ENDS_COHERENCE ? MEMORY_INVALIDATED : MEMORY_REPLACED);
}

/* That the cursor is in. */
static inline enum memory_level blocks_level(const struct blocks *b)
{
	return (enum memory_level)b->split.in;
}

void blocks_init(struct blocks *b, struct trace *t);
void blocks_free(struct blocks *b);
/* After the axis moved or was laid out, the trace grew or something was chosen; the cursor stays */
void blocks_settle(struct blocks *b);

/* To a stay at a tick, TICK_NONE or before it: its start; its block gets a line. */
void blocks_goto(struct blocks *b, uint32_t stay, int64_t tick);
void blocks_goto_block(struct blocks *b, uint32_t block);
void blocks_other(struct blocks *b); /* to the other level's block here; none: to its lines */
/* The stays that these lead to; MEMORY_NONE: there is none. */
uint32_t blocks_next(const struct blocks *b, int dir); /* of the block, in the order of starts */
/* Of who took the block, or what came in its place, and when. */
uint32_t blocks_taker(const struct blocks *b, int64_t *tick);

/* Twice as many blocks share a line, or half as many, so many times; no caches have lines then. */
void blocks_bundle(struct blocks *b, int64_t steps);
/* The block under the cursor gets lines for its caches, or has them no more; each has its line. */
void blocks_unfold(struct blocks *b);

/* The block of the current stay, else the dearest of the cursor's line; MEMORY_NONE: none. */
uint32_t blocks_block(const struct blocks *b);
struct blocks_line blocks_line(const struct blocks *b, enum memory_level level, int64_t line);
/* Under the lock: the current stay; NULL: there is none. */
const struct memory_stay *blocks_stay(const struct blocks *b, const struct memory_index *x);
/* Under the lock: the columns of a line, axis.columns of them. */
void blocks_columns(const struct blocks *b, const struct memory_index *x,
		    const struct blocks_line *line, enum memory_level level,
		    struct block_column *out);

/* marks: shown in the ruler; NULL: none. */
void blocks_draw(struct blocks *b, const struct marks *marks, struct grid *g, struct rect area,
		 const struct palette *p);
/* The stay under the cursor in one line. */
void blocks_describe(const struct blocks *b, struct sbuf *out);

/* Everything about the stay under the cursor, and its block. */
struct pane;
struct pane *blocks_stay_pane(struct blocks *b);
/* What each cache has at the cursor's tick. */
struct pane *blocks_caches_pane(struct blocks *b);
#endif
