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

#include "base/regex.h"
#include "view/axis.h"
#include "view/grid.h"
#include "view/memory/focus.h"

/* What cells show: name, help. */
#define BLOCKS_FACES(_)                                                                            \
	_(OCCUPANCY, "occupancy", "which cache holds the block; + two or three, # more")           \
	_(TEMPERATURE, "temperature", "how many loads and losses, in the colour of their cause")   \
	_(CAUSES, "causes", "the letter of the most frequent cause of loads, and how many")

enum blocks_face {
#define BLOCKS_FACE_ENUM(name, text, help) FACE_##name,
	BLOCKS_FACES(BLOCKS_FACE_ENUM)
#undef BLOCKS_FACE_ENUM
	    BLOCKS_FACE_COUNT
};

/* Which stays are shown, by how they ended: name. */
#define BLOCKS_ENDS(_)                                                                             \
	_(ALL, "all")                                                                              \
	_(COHERENCE, "coherence")                                                                  \
	_(REPLACEMENT, "replacement")

enum blocks_ends {
#define BLOCKS_ENDS_ENUM(name, text) ENDS_##name,
	BLOCKS_ENDS(BLOCKS_ENDS_ENUM)
#undef BLOCKS_ENDS_ENUM
	    BLOCKS_ENDS_COUNT
};

/* Which levels are shown. */
enum blocks_levels { LEVELS_AUTO /* both, where there is room */, LEVELS_ONE, LEVELS_BOTH };

/* Of a block, summed over cells. */
struct block_sum {
	uint64_t cost;  /* cycles waited for its words */
	uint64_t most;  /* of them those of its dearest cell, */
	uint32_t cell;  /* which is this one; MEMORY_NONE: nobody waited */
	uint32_t rank;  /* in its level, from 1 */
	bool mixed;     /* several objects are in it */
	bool related;   /* to what is selected */
};

struct blocks_part {
	VEC(uint32_t) order; /* all blocks of the level, the dearest first */
	VEC(uint32_t) shown; /* those that have lines, in the order asked for */
	uint64_t cost, shown_cost;
	uint64_t ended[BLOCKS_ENDS_COUNT]; /* stays */
	uint32_t wanted;     /* so many of the dearest have lines in any case */
	uint32_t top;        /* first line that is shown */
	int y, h;            /* in the view; its heading is above */
};

/* What is in a column of a line. */
struct block_column {
	uint16_t holders; /* caches that had the block, or that of the line that most had */
	uint16_t cache;   /* one of them */
	uint32_t block;
	uint32_t events;  /* loads and losses */
	uint32_t causes[MEMORY_CAUSE_COUNT];
	bool selected; /* the selected object caused the load of a stay */
};

enum blocks_line_kind { LINE_BLOCKS, LINE_CACHE, LINE_OTHERS, LINE_NONE };

struct blocks_line {
	enum blocks_line_kind kind;
	uint32_t first, count; /* in shown */
	uint32_t cache;        /* of a cache's line */
};

struct blocks {
	struct trace *trace;
	struct axis axis;
	struct memory_focus focus;
	VEC(struct block_sum) sums; /* by block */
	struct blocks_part part[MEMORY_LEVELS];

	enum memory_level level; /* that the cursor is in */
	uint32_t line;
	uint32_t current; /* the stay under the cursor; MEMORY_NONE: there is none */

	enum blocks_face face;
	enum blocks_ends ends;
	enum blocks_levels levels;
	bool by_address;
	uint32_t bundle; /* blocks a line */
	uint32_t share;  /* hundredths of the cost that blocks with lines have together, or, */
	uint32_t top;    /* if not 0, their number */
	uint32_t unfolded;        /* this block has lines for its caches; MEMORY_NONE: none has */
	VEC(uint32_t) unfolded_caches;
	VEC(uint32_t) without;    /* caches that are not shown, of both levels */

	/* What the lists were made of. */
	uint32_t made_cells, made_stays;
	unsigned made_version;
	bool fresh;  /* nothing else changed since */
};

void blocks_init(struct blocks *b, struct trace *t);
void blocks_free(struct blocks *b);
void blocks_layout(struct blocks *b, int w, int h);
/* After the axis was moved, the trace grew or `fresh` was taken away. */
void blocks_settle(struct blocks *b);
bool blocks_both(const struct blocks *b); /* levels are shown */

/* Motions; all keep the cursor on the screen. */
void blocks_move(struct blocks *b, int64_t lines, int64_t columns);
void blocks_scroll(struct blocks *b, int64_t lines, int64_t columns);
void blocks_center(struct blocks *b);
bool blocks_hit(const struct blocks *b, int x, int y, enum memory_level *level, uint32_t *line,
		int64_t *tick);
void blocks_click(struct blocks *b, enum memory_level level, uint32_t line, int64_t tick);

/* To a stay at a tick, TICK_NONE: its start; its block gets a line. */
void blocks_goto(struct blocks *b, uint32_t stay, int64_t tick);
/* To the line of a block. */
void blocks_goto_block(struct blocks *b, uint32_t block);
/* The stays that these lead to; MEMORY_NONE: there is none. */
uint32_t blocks_next(const struct blocks *b, int dir); /* of the block, in the order of starts */
uint32_t blocks_taker(const struct blocks *b); /* of who took the block, or of what came in its place */
uint32_t blocks_other(const struct blocks *b); /* in the other level's cache at this tick */
/* The next block, or the one before, of which this matches: objects, source lines, addresses. */
uint32_t blocks_find(struct blocks *b, const struct regex *re, int dir);

void blocks_bundle(struct blocks *b, int64_t steps);
/* The block under the cursor gets lines for its caches, or has them no more. */
void blocks_unfold(struct blocks *b);
/* The caches of a CPU are shown, or not; the last one stays. False: there is no such CPU. */
bool blocks_toggle_cache(struct blocks *b, uint32_t cache);
/* Those of a CPU alone. */
void blocks_only_cache(struct blocks *b, uint32_t cache);

/* The block at the cursor, MEMORY_NONE: none. */
uint32_t blocks_block(const struct blocks *b);
uint32_t blocks_lines(const struct blocks *b, enum memory_level level);
struct blocks_line blocks_line(const struct blocks *b, enum memory_level level, uint32_t line);
bool blocks_shows_cache(const struct blocks *b, uint32_t cache);
bool blocks_passes(const struct blocks *b, const struct memory_stay *s);
/* Under the lock: the columns of a line, axis.columns of them. */
void blocks_columns(const struct blocks *b, const struct memory_index *x,
		    const struct blocks_line *line, enum memory_level level,
		    struct block_column *out);
/* The columns that a stay is in; they may be off the screen. */
void blocks_span(const struct axis *a, const struct memory_stay *s, int64_t *x0, int64_t *x1);

enum status blocks_draw(struct blocks *b, struct grid *g, struct rect area, const struct palette *p,
			struct error *e);
/* For the title; the stay under the cursor in one line; the glyph of a cache. */
void blocks_status(const struct blocks *b, struct sbuf *out);
void blocks_describe(const struct blocks *b, struct sbuf *out);
char blocks_glyph(uint32_t cache);
/* Under the lock, harmless: a word by name and address, a source line; appends. */
void blocks_put_word(const struct trace *t, const struct memory_index *x, uint32_t word,
		     struct sbuf *out);
void blocks_put_line(const struct trace *t, uint32_t line, struct sbuf *out);
/* "false (upper bound)": why a load was needed. */
const char *blocks_cause(const struct memory_index *x, uint8_t cause);

/* Everything about the stay under the cursor, and its block. */
struct pane;
struct pane *blocks_stay_pane(struct blocks *b);

#endif
