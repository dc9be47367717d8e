/*
 * Who shares what in a trace of shared memory, and what that costs: `sharing`.
 *
 * One result: how often each level had to load a block and why; objects, classes, source lines and
 * blocks by the cycles that were waited for them, with a verdict on how they are shared; who took
 * blocks from whom; how long each CPU waited; and, if asked for, every word with the CPUs that touched
 * it. Texts are the trace's (hostile) or kept here. O(cells log cells + stays).
 */
#ifndef PIPEGLASS_ANALYSIS_MEMORY_SHARING_H
#define PIPEGLASS_ANALYSIS_MEMORY_SHARING_H

#include "analysis/answer.h"
#include "analysis/memory/collisions.h"
#include "analysis/pairing.h"
#include "base/intern.h"
#include "base/vec.h"
#include "memory/kind.h"

/* An object, a class, a line, a block or a word. Counts UINT64_MAX, texts NULL: it has none. */
struct sharing_row {
	uint32_t number;
	const char *name;  /* as the trace has it: of the class, the file */
	const char *function; /* of a line, by its text; NULL: not known */
	const char *label; /* for people; of a block: its dearest word */
	uint64_t address, size, line, level, instances;
	uint64_t transfers; /* of a block: HITM */
	struct memory_sum sum;
	double share, false_share; /* of all cycles; of its own, those of a block's level */
	double upgrade_share;      /* of its own, of writes that had to get a block first */
	uint64_t each;             /* of a class: cycles per instance */
	const char *worst;         /* the dearest instance */
	enum memory_verdict judged;
	const char *verdict, *told; /* for programs and for people */
};
typedef VEC(struct sharing_row) sharing_rows;

/* What rows of all things have, out of their sums. Texts are kept; false: no memory. O(1). */
bool sharing_row_make(struct sharing_row *row, struct intern *texts, const struct trace *t,
		      const struct memory_index *x, enum memory_thing by, uint32_t number,
		      const struct memory_sums *sums);
/* Classes, whose rows are so many bytes apart, get instances, each and worst. O(objects + cells). */
bool sharing_add_instances(struct sharing_row *rows, size_t count, size_t stride,
			   struct intern *texts, const struct trace *t,
			   const struct memory_index *x);

struct sharing_end {
	const char *object, *file, *function, *label; /* function: as of a row */
	uint64_t line;
	uint32_t class, at; /* numbers, of the first one: of the object, of the line */
};

struct sharing_pair {
	struct sharing_end victim, culprit;
	uint64_t level, count, false_count, cycles;
};

struct sharing_cpu {
	const char *name;
	uint64_t cycles;
	double share;       /* of the time */
	const char *waited; /* "GS 41 %, ArrayC 39 %" */
};

/* A line that a CPU touched a word from. */
struct sharing_site {
	const char *file, *function, *label;
	uint64_t line, reads, writes, cycles; /* that waited */
};

struct sharing_use {
	uint64_t cpu, reads, writes;
	struct sharing_site *sites; /* without those of no line */
	size_t site_count;
	const char *told; /* "3 rw": the CPU reads and writes */
};

struct sharing_word {
	uint64_t address, offset, cycles;
	const char *object;
	struct sharing_use *cpus;
	size_t cpu_count;
};

/* Each list has the dearest first. */
struct sharing {
	const struct trace *trace;
	bool masks;
	bool guessed; /* the sizes of caches and blocks are */
	uint64_t instances, block_bytes[MEMORY_LEVELS], caches[MEMORY_LEVELS];
	int64_t first, last;
	struct memory_sum all;
	sharing_rows objects, classes, lines, blocks;
	VEC(struct sharing_pair) pairs;
	VEC(struct sharing_cpu) cpus;
	memory_collisions collisions;
	VEC(struct sharing_word) words;
	struct sharing_use *uses;   /* of all words, */
	struct sharing_site *sites; /* and of those */
	struct intern *texts;
	bool failed; /* no memory */
};

/* Of a struct sharing; the second one has every word as well, and so has the answer "words". */
extern const struct section sharing_sections[], sharing_word_sections[];
extern const struct answer memory_components_answer, sharing_answer, sharing_words_answer, memory_hints_answer;
extern const struct pairing memory_pairing; /* compare.c */

/* "at most " where the trace has no word masks, else "". */
static inline const char *sharing_bound(const struct sharing *r)
{
	return r->masks ? "" : "at most ";
}

/*
 * For people: loads of a level by a cause are a part each. What it is called, with what is a bound
 * called so; can it be done without?
 */
size_t sharing_load_parts(const void *result);
const char *sharing_load_name(bool masks, size_t part);
int sharing_load_is_minor(const void *result, size_t part);

/* What is false, at least in part. */
static inline bool sharing_is_false(const struct sharing_row *row)
{
	return row->judged == MEMORY_SHARED_FALSE || row->judged == MEMORY_SHARED_MIXED;
}

/*
 * The words of a block of a level, or of an object, and the lines that touched them: by CPU "r" read, "w" written, "rw" or NULL.
 * source: functions are told, too; or NULL. sharing_grid_free() also after a failure. The caller holds
 * the lock. O(cells).
 */
struct source_text;
struct sharing_grid_row {
	uint64_t offset, cycles;
	const char *word, *line; /* "ArrayC+0x18", "vecadd.c:56" */
	const char *function;    /* that the line is in; NULL: not known */
	const char **marks;
};

struct sharing_grid {
	VEC(struct sharing_grid_row) rows; /* by their offsets */
	uint64_t address;
	size_t cpus;
	const char **marks;
	struct intern *texts;
};

extern const struct section sharing_grid_section;
enum status sharing_grid_make(struct sharing_grid *g, const struct trace *t,
			      const struct memory_index *x, struct source_text *source,
			      enum memory_thing by, uint32_t number, struct error *e);
void sharing_grid_free(struct sharing_grid *g);

#endif
