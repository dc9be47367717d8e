/*
 * What belongs together in a trace of shared memory: cycles and loads by source line, object,
 * class, word, block or CPU, of everything or of that part which something selected has.
 *
 * All of it is sums over cells (memory/memory.h). What few things share - the words that a line
 * touches, the lines that load a block - is the sum by the one of the cells of the other. Made
 * under the trace's lock of the moment; O(cells).
 */
#ifndef PIPEGLASS_ANALYSIS_MEMORY_RELATED_H
#define PIPEGLASS_ANALYSIS_MEMORY_RELATED_H

#include "base/sbuf.h"
#include "memory/memory.h"

enum memory_thing {
	MEMORY_BY_LINE,
	MEMORY_BY_OBJECT,
	MEMORY_BY_CLASS,
	MEMORY_BY_WORD,
	MEMORY_BY_L1_BLOCK,
	MEMORY_BY_L2_BLOCK,
	MEMORY_BY_CPU,
	MEMORY_THING_COUNT
};
/* What several of them are called. */
extern const char *const memory_thing_names[MEMORY_THING_COUNT];

static inline enum memory_thing memory_by_block(enum memory_level level)
{
	return level == MEMORY_L1 ? MEMORY_BY_L1_BLOCK : MEMORY_BY_L2_BLOCK;
}

/* Cells that have each of these; zeros: all cells. */
struct memory_selection {
	bool chosen[MEMORY_THING_COUNT];
	uint32_t of[MEMORY_THING_COUNT]; /* MEMORY_NONE: outside all objects or classes */
};

static inline struct memory_selection memory_only(enum memory_thing by, uint32_t number)
{
	struct memory_selection s = {0};

	s.chosen[by] = true;
	s.of[by] = number;
	return s;
}

/* Not all cells. */
static inline bool memory_selects(const struct memory_selection *s)
{
	for (int by = 0; by < MEMORY_THING_COUNT; by++)
		if (s->chosen[by])
			return true;
	return false;
}

struct memory_sum {
	uint64_t cycles, count; /* of references that waited */
	uint64_t objects;       /* of a class, in the whole trace */
	uint64_t fills[MEMORY_LEVELS][MEMORY_CAUSE_COUNT];
	uint64_t fill_cycles[MEMORY_LEVELS][MEMORY_CAUSE_COUNT]; /* of the outermost level */
	uint64_t shared[MEMORY_LEVELS + 1][2]; /* as of a cell */
};

struct memory_sums {
	struct memory_sum *of; /* by number; of[count]: outside all of them */
	uint32_t count;
	struct memory_sum all;   /* of the selection */
	uint64_t cycles;         /* of the trace */
	uint32_t touched;        /* of them with a reference in the selection */
};

/* only NULL: of everything. STATUS_NOMEM; memory_sums_free() in any case. Under the lock. */
enum status memory_sum_up(struct memory_sums *s, const struct memory_index *x, enum memory_thing by,
			  const struct memory_selection *only, struct error *e);
void memory_sums_free(struct memory_sums *s);

/* Which has the most cycles, how many; and the next time the next. 0: no other has any. */
uint64_t memory_take_dearest(struct memory_sums *s, uint32_t *number);

/* The number of what a cell is of, MEMORY_NONE: outside of all; how many numbers there are. */
uint32_t memory_thing_of(const struct memory_index *x, const struct memory_cell *cell,
			 enum memory_thing by);
uint32_t memory_thing_count(const struct memory_index *x, enum memory_thing by);

/* Where it lies; of a line its file and number, of others their number; of none UINT64_MAX. */
uint64_t memory_address(const struct memory_index *x, enum memory_thing by, uint32_t number);

/* One of them by its name: "vecadd.c:56", "Cell[17]", "L2 block 0x40000300", "CPU[1]". Appends. */
void memory_put_thing(const struct trace *t, const struct memory_index *x, enum memory_thing by,
		      uint32_t number, struct sbuf *out);
/* The class of an object, and of the object that a word is of; MEMORY_NONE: of none. */
static inline uint32_t memory_class_of(const struct memory_index *x, uint32_t object)
{
	return object == MEMORY_NONE ? MEMORY_NONE : x->objects[object].class;
}

static inline uint32_t memory_class_of_word(const struct memory_index *x, uint32_t word)
{
	return word == MEMORY_NONE ? MEMORY_NONE : memory_class_of(x, x->words[word].object);
}

/* For sorting: negative, a before b. */
static inline int memory_ascending(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* 0 of nothing. */
static inline double memory_share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

/*
 * What was waited because of a cause: of loads at both levels. MEMORY_UPGRADE: of references that
 * loaded nothing, writes to blocks that others had, too. At least so many: where completions are
 * missing, loads have cycles of references to other words.
 */
enum { MEMORY_UPGRADE = MEMORY_CAUSE_COUNT };
uint64_t memory_cause_cycles(const struct memory_sum *s, unsigned cause);

/*
 * How data are shared (guides: less than 5 % of the cycles were waited because of others, to load
 * or to write: not at all; of those 80 % or more false, 20 % or less true).
 */
enum memory_verdict {
	MEMORY_NOT_SHARED,
	MEMORY_SHARED_FALSE,
	MEMORY_SHARED_TRUE,
	MEMORY_SHARED_MIXED = MEMORY_SHARED_FALSE | MEMORY_SHARED_TRUE
};
/* At one level, whatever the other one did; MEMORY_LEVELS: at the outermost of each reference. */
enum memory_verdict memory_verdict_of(const struct memory_sum *s, enum memory_level level);

#endif
