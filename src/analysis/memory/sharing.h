/*
 * Who shares what in a trace of shared memory, and what that costs: `sharing`.
 *
 * One result: how often each level had to load a block and why; objects, classes, source lines and
 * blocks by the cycles that were waited for them, with a verdict on how they are shared; who took
 * blocks from whom; how long each CPU waited; and, if asked for, every word with the CPUs and lines
 * that touched it. Texts are the trace's (hostile) or kept here. O(cells log cells + stays).
 */
#ifndef PIPEGLASS_ANALYSIS_MEMORY_SHARING_H
#define PIPEGLASS_ANALYSIS_MEMORY_SHARING_H

#include "analysis/components.h"
#include "analysis/memory/related.h"
#include "analysis/memory/source.h"
#include "memory/kind.h"

/* An object, a class, a line, a block, a level or a CPU. Counts UINT64_MAX, texts NULL: none. */
struct sharing_row {
	uint32_t number, ordinal; /* ordinal: of an object in its class */
	const char *label; /* for people */
	const char *of;    /* the class of an object, the dearest word of a block;
			      in the result of a CPU: "GS 41 %, ArrayC 39 %" */
	struct source_place place; /* of a line */
	uint64_t address, size, level, instances;
	uint64_t transfers;                 /* of a block: HITM */
	uint64_t fills[MEMORY_CAUSE_COUNT]; /* of a block and a level: at that level */
	struct memory_sum sum;
	double share;         /* of all cycles; of a CPU: of the time */
	double false_share;   /* of its own, of a block those of its level */
	double upgrade_share; /* of its own, of writes that had to get a block first */
	uint64_t each;        /* of a class: cycles per instance */
	enum memory_verdict judged;
	const char *verdict, *told; /* for programs and for people */
};
typedef VEC(struct sharing_row) sharing_rows;

/* Of a thing out of the sums of all. Texts are those of s; NULL: no memory, it is nothing. O(1). */
void sharing_row_make(struct sharing_row *row, struct source_text *s, const struct memory_index *x,
		      enum memory_thing by, uint32_t number, const struct memory_sums *sums);

struct sharing_end {
	const char *object, *label; /* label: "c:30" */
	struct source_place place;
	uint32_t class, at; /* numbers: of the object's class, of the line */
};

/* Who took blocks from whom: by writing, or, of classes alone (at MEMORY_NONE), taking places. */
struct sharing_pair {
	struct sharing_end victim, culprit;
	uint64_t level, count, false_count, cycles;

	/* Of blocks that made room. */
	uint64_t sets, hit;     /* of a cache, and in how many of them it was; 0: not known */
	uint64_t set, distance; /* one of these; to where what took its place lies */
	const char *cause;      /* sharing_conflict, "capacity"; NULL: not known */
	double share;           /* of what the victim lost so at that level */
};
typedef VEC(struct sharing_pair) sharing_pairs;
extern const char sharing_conflict[];

/*
 * pairs.c: by writing, and by taking places, each pair of ends of a level once; names come later.
 * False: no memory. Under the lock. O(n log n) of culprits, of evictions.
 */
bool sharing_take(sharing_pairs *pairs, const struct memory_index *x);
bool sharing_collide(sharing_pairs *pairs, const struct memory_index *x);
/* The stay that ended so first, of a pair or collision; MEMORY_NONE. Takes the lock. O(stays). */
uint32_t sharing_first_loss(const struct trace *t, const struct sharing_pair *p);

/* A word that a CPU touched from a source line; or several of these, with what all of them have. */
struct sharing_touch {
	uint32_t key[2]; /* their order within a word: line and CPU, of all words CPU and line */
	uint64_t address, cpu, reads, writes, cycles; /* of accesses that waited */
	uint64_t weight;    /* of all words: its cycles, the dearest is first */
	uint64_t offset;    /* in the block or object that was asked for; of all: in its object */
	const char *name;   /* "ArrayC+0x18" */
	const char *object; /* its class; NULL: none */
	struct source_place place;
	const struct sharing_touch *first; /* of count beside each other, but of a touch */
	size_t count;
};
typedef VEC(struct sharing_touch) sharing_touches;

struct sharing_words {
	/* Each is made of those before; uses: of a word from a line, of all words by a CPU. */
	sharing_touches touches, uses, words;
};

/*
 * The words of a block of a level or of an object, or one; MEMORY_THING_COUNT: all. Texts are those
 * of s, NULL: no memory. sharing_words_free() also after a failure. The caller holds the lock.
 * O(cells log cells).
 */
enum status sharing_words_make(struct sharing_words *w, struct source_text *s,
			       const struct memory_index *x, enum memory_thing by, uint32_t number,
			       struct error *e);
void sharing_words_free(struct sharing_words *w);
/* What a CPU did: read, wrote or both, 'r', 'w', 'b'; '.': nothing. O(CPUs that did). */
char sharing_words_mark(const struct sharing_touch *of_line, uint64_t cpu);

/* Each list has the dearest first. */
struct sharing {
	struct sharing_words words; /* first; all, if they are asked for */
	bool failed; /* no memory */
	const char *at_most; /* "at most " where the trace has no word masks, else "" */
	const char *bound; /* of all that is called false or inclusion: "upper"; NULL: exact */
	const char *geometry; /* "given"; "guessed": with it all verdicts are */
	struct memory_sum all;
	/* By things: blocks of both levels are all with those of L1, and words have none. */
	sharing_rows of[MEMORY_THING_COUNT], levels;
	sharing_pairs pairs, collisions;
	struct source_text *source; /* of the trace; has all texts */
};

void sharing_free(struct sharing *r); /* what it holds */

/* Of a struct sharing; the first two are of words, and only the answer "words" has them. */
enum { SHARING_WORDS, SHARING_TOUCHES, SHARING_WORDLESS };
extern const struct section sharing_sections[];
extern const struct answer memory_components_answer, sharing_answer, sharing_words_answer,
    memory_hints_answer;
extern const struct answer memory_compare_answer; /* of two traces: compare.c */

/* Of loads by cause (.minor of a field): those that tell of sharing stay longest. */
int sharing_cause_is_minor(const void *result, size_t cause);

#endif
