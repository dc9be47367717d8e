/*
 * Two runs of a program, matched: which row of A is which row of B.
 *
 * A pure function over two stores. What is matched are the steps of the two paths (path.h):
 * the n-th committed instruction of A with that of B, as a diff would (diff.h), so that the
 * runs may differ a little; or what is born at the same tick, counted from 0 or from the first one
 * of each trace, as many of those born together as keep their order; or all from a chosen pair on.
 * Micro-ops follow their instruction. Squashed rows are never matched; they belong to the gap
 * in which they lie.
 *
 * Instructions are the same when pc and text are, whatever its blanks and capitals. Where the code
 * lies elsewhere in B (few pcs name the same text in both, or few texts have the same pc; each
 * static instruction counts once, however often it runs) or a trace has no pcs, the text decides,
 * without the addresses in it that lie near an instruction of either; between traces of different
 * formats the pc does. What the store keeps no text of is taken for the same.
 * Rows are taken to be in program order; the threads of a machine that has several are not
 * told apart.
 *
 * Times of the two are compared in ticks where a cycle of both has equally many and begins at the
 * same of them; else in cycles.
 *
 * The stores should be complete: rows published later are not covered. Time near linear in the
 * rows (some five decodings of the row index), memory 1.2 bits a row, 4 bytes a step, and what diff.h says.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/diff.h"
#include "analysis/pipeline/path.h"
#include "base/status.h"
#include "pipeline/store.h"

/* way, name for --by, help */
#define ALIGN_BY_INFO(_)                                                                           \
	_(COMMIT, "commit", "the n-th committed instruction, tolerating insertions")               \
	_(CYCLE, "cycle", "the same instruction born at the same tick")                            \
	_(START, "start", "the same instruction born at the same time since the start")   \
	_(PAIR, "pair", "a chosen pair of rows, then in the order of commits")

enum align_by {
#define ALIGN_BY_ENUM(way, name, help) ALIGN_BY_##way,
	ALIGN_BY_INFO(ALIGN_BY_ENUM)
#undef ALIGN_BY_ENUM
	    ALIGN_BY_COUNT
};

extern const char *const align_by_names[ALIGN_BY_COUNT];

/* By what instructions of the two are the same. */
#define ALIGN_KEY_INFO(_)                                                                          \
	_(PC_TEXT, "pc and text")                                                                  \
	_(PC, "pc")                                                                                \
	_(TEXT, "text")

enum align_key {
#define ALIGN_KEY_ENUM(key, name) ALIGN_KEY_##key,
	ALIGN_KEY_INFO(ALIGN_KEY_ENUM)
#undef ALIGN_KEY_ENUM
	    ALIGN_KEY_COUNT
};

extern const char *const align_key_names[ALIGN_KEY_COUNT];

enum { ALIGN_A, ALIGN_B, ALIGN_SIDES };

/* What people call the sides. */
static inline char align_letter(int side)
{
	return (char)('A' + side);
}

struct align_options {
	enum align_by by;
	uint64_t row[ALIGN_SIDES]; /* PAIR: which belong together; both committed */
};

struct align_side {
	struct store *store; /* borrowed */
	struct path *path;
	uint32_t *code_keys; /* by static instruction: equal numbers are the same instruction */
	size_t codes;
	uint32_t *keys;               /* by step: the same; DIFF_NOTHING: it equals nothing */
	uint64_t keyed;               /* steps that have one */
	bool unknown;                 /* the index does not keep the text of some */
	uint16_t event_of[EVENT_MAX]; /* bit that an event has on side A; 0: A has no such */
	uint8_t stage_of[STAGE_MAX];  /* number that a stage has on side A; STAGE_NONE: none */
	int64_t ticks_per_cycle;
	int64_t phase;  /* cycles begin at ticks phase + n * ticks_per_cycle; 0 <= phase < that */
	int64_t origin; /* START: the time of its first tick; else 0 */
};

struct align {
	struct align_side side[ALIGN_SIDES];
	enum align_by by;
	enum align_key key;
	bool guessed; /* some of both sides have a text that the index does not keep: they are alike */
	struct diff diff;     /* runs of path indexes: .a of side A, .b of side B */
	VEC(uint64_t) before; /* matched steps before each run */
};

/*
 * STATUS_USAGE: a row of the chosen pair is not there or did not commit. *stop (may be NULL),
 * set from elsewhere: STATUS_INTERRUPTED.
 */
enum status align_new(struct align *out, struct store *a, struct store *b,
		      const struct align_options *options, const atomic_bool *stop,
		      struct error *e);
void align_free(struct align *al);

/* Might more have been matched? */
bool align_is_bound(const struct align *al);
/* Matched by what was committed, they have nothing to match; and what to say then. */
bool align_is_apart(const struct align *al);
#define ALIGN_APART "no instruction in common: probably different programs"
/* For people, behind the number of matched steps: why it is not exact; "": it is. */
const char *align_caveat(const struct align *al);
/* Matched steps, and the path indexes of the n-th of them. O(log runs). */
uint64_t align_pairs(const struct align *al);
bool align_pair(const struct align *al, uint64_t n, uint64_t index[ALIGN_SIDES]);
/* The number of the pair that a path index belongs to; false: *pair is the next one behind it. */
bool align_pair_of(const struct align *al, int side, uint64_t index, uint64_t *pair);

/* Rows of the n-th pair; behind the last one the numbers of rows there are. */
void align_pair_rows(const struct align *al, uint64_t n, uint64_t row[ALIGN_SIDES]);
/* The first pair whose row of a side is not before a row. */
uint64_t align_next_pair(const struct align *al, int side, uint64_t row);

/* The row of the other side that a row of `side` is; ROW_NONE: unmatched. O(log n), micro-ops
 * O(PATH_REACH). */
uint64_t align_match(const struct align *al, int side, uint64_t row);
/*
 * The same; for an unmatched row where it would stand: of one that committed, the next matched
 * row of the other side; of one that did not, as many rows behind the matched row before it as
 * on its own side, but at most the next matched one: identical wrong paths lie beside each other.
 * Of traces that have nothing in common the row of the same number, or the last.
 */
uint64_t align_near(const struct align *al, int side, uint64_t row);
/*
 * The two rows by whose births a row and that one are laid beside each other: these themselves,
 * or, where the row did not commit, the last matched ones before it (without any, the next).
 */
void align_anchor(const struct align *al, int side, uint64_t row, uint64_t rows[ALIGN_SIDES]);

/* The cycle that a tick lies in; the cycle of tick 0 is 0, or -1 if that one begins later. */
int64_t align_cycle(const struct align_side *side, int64_t tick);
/* Times of the two are compared in cycles, as their clocks do not tick together. */
bool align_in_cycles(const struct align *al);
/* What is matched is what was born at the same time. */
bool align_by_time(const struct align *al);
/*
 * A tick of a side as times of the two are compared: itself, or its cycle; START: less that of its
 * first one. And the length of [from, to) so, clipped. Another side's tick at that time; the open
 * ends of a range stay open.
 */
int64_t align_time(const struct align *al, int side, int64_t tick);
int64_t align_length(const struct align *al, int side, int64_t from, int64_t to);
int64_t align_other_tick(const struct align *al, int side, int64_t tick);

#endif
