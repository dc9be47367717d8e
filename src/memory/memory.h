/*
 * What a trace of shared memory holds (formats/chiron.md), for those who know the kind.
 *
 * CPUs access words of blocks that caches of two levels hold. The trace has what missed: a stay is
 * the time that a block was in a cache, from the load to what took it away; a reference is an
 * access that waited, with the cycles it took. Stays have numbers, their rows, in the order of the
 * file; they lie by block (mapped from the cache file, or from an unlinked one while it is read).
 * What few of the references differ in - word, object, source line and CPU - is a cell: costs and
 * fills of objects, classes, source lines, blocks and words are sums over cells, and what belongs
 * together is what shares one.
 *
 * Numbers are dense, from 0 in the order in which things were met first; MEMORY_NONE is none. A
 * word has WORD_BYTES bytes. A caller holds the lock for reading while it looks at anything here;
 * arrays may move when it is let go. Text (names, paths) is the trace's (hostile) and lives as long
 * as the trace. What was published stays true, but that stays which had no end get one.
 */
#ifndef PIPEGLASS_MEMORY_MEMORY_H
#define PIPEGLASS_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

#define MEMORY_NONE UINT32_MAX
enum { MEMORY_GLYPHS = 36 }; /* CPUs or caches with a digit or letter of their own */
#define MEMORY_OPEN INT64_MAX /* the end of a stay that lasts */

enum { WORD_BYTES = 4 };

enum memory_level { MEMORY_L1, MEMORY_L2, MEMORY_LEVELS };

/*
 * Why a block had to be loaded (guides/sharing.md): name, help. False is an upper bound where the
 * trace has no word masks, as then writes that hit are not seen.
 */
#define MEMORY_CAUSES(_)                                                                           \
	_(COLD, "cold", "the cache never had the block")                                           \
	_(REPLACEMENT, "replacement", "another block took its place")                              \
	_(TRUE, "true", "another CPU wrote the word: true sharing")                                \
	_(FALSE, "false", "another CPU wrote another word of the block: false sharing")            \
	_(INCLUSION, "inclusion", "the L2 cache lost the block around it, the word unchanged")

enum memory_cause {
#define MEMORY_CAUSE_ENUM(name, key, help) MEMORY_##name,
	MEMORY_CAUSES(MEMORY_CAUSE_ENUM)
#undef MEMORY_CAUSE_ENUM
	    MEMORY_CAUSE_COUNT
};
extern const char *const memory_cause_names[MEMORY_CAUSE_COUNT];
/* They are the parts of a field (trace/result.h). */
size_t memory_cause_parts(const void *result);
const char *memory_cause_part(const void *result, size_t part);
/* For people: what is no more than a bound, without word masks, says so. */
const char *memory_cause_told(bool masks, size_t part);

/* How a stay ended. */
enum memory_ending {
	MEMORY_RESIDENT,   /* it did not */
	MEMORY_REPLACED,   /* another block came: records a, b */
	MEMORY_INVALIDATED /* another CPU wants the block for itself: records e, f */
};
extern const char *const memory_ending_names[]; /* "replaced"; NULL: it did not */

struct memory_stay {
	int64_t start, end;  /* [start, end); MEMORY_OPEN */
	uint32_t row, block; /* its own number, and that of the block */
	uint32_t cell; /* whose access loaded it; MEMORY_NONE: it was there when the trace began,
			  or the CPU is not known */
	uint32_t taker;      /* whose access took it away; MEMORY_NONE: not known */
	uint32_t change;     /* ticks to the first change between shared and private; or NONE */
	uint16_t cache;      /* within its level */
	uint8_t cause : 3;   /* enum memory_cause */
	uint8_t ending : 2;  /* enum memory_ending */
	uint8_t level : 1;   /* enum memory_level */
	uint8_t private : 1; /* when it was loaded */
	uint8_t dirty : 1;   /* when it ended */
};

/* A CPU waited for a read or write; or a cache loaded a block. */
struct memory_event {
	int64_t tick;  /* of a wait: when it began, by the last load or upgrade of that CPU */
	uint32_t cell; /* of a load as of a stay */
	uint32_t cycles : 29, kind : 3; /* of a wait: is it a write? of a load: enum memory_cause */
};
#define MEMORY_CYCLES_MOST ((UINT32_C(1) << 29) - 1)

struct memory_cell {
	uint32_t word, object, line; /* object: the smallest alive there then; or MEMORY_NONE */
	uint16_t cpu;
	uint64_t cycles;
	uint32_t reads, writes; /* that waited */
	/* Loads by this access, and cycles of those references, charged to the outermost level. */
	uint32_t fills[MEMORY_LEVELS][MEMORY_CAUSE_COUNT];
	uint64_t fill_cycles[MEMORY_LEVELS][MEMORY_CAUSE_COUNT];
	/*
	 * Cycles of references that waited at a level because of others, MEMORY_LEVELS: at the
	 * outermost one: over the word, over another one of the block. Of a load by its cause; of a
	 * write to a block that others had by what they had loaded it for.
	 */
	uint64_t shared[MEMORY_LEVELS + 1][2];
};

struct memory_word {
	uint64_t address; /* a multiple of WORD_BYTES */
	uint32_t block[MEMORY_LEVELS];
	uint32_t object; /* of the last access */
	uint64_t cycles; /* of all that waited */
	/* while it is read: */
	uint32_t cell;    /* of its last reference; MEMORY_NONE */
	uint32_t write;   /* the last one of the word; 0: none */
	uint32_t version; /* of the objects, when the word's was looked up; 0: look again */
	uint16_t writer;
};

struct memory_block {
	uint64_t address;
	uint32_t transfers; /* to other caches, by a load or a write of it, while one had changed it
			       (HITM) */
	uint32_t stays;      /* so far */
	uint32_t begin, end; /* where they are in their order, as far as they are published */
	uint32_t next;       /* while they are put in order */
	uint32_t word; /* the dearest in it, of equals the first: its name; MEMORY_NONE: none yet */
	uint32_t holdings; /* while it is read: caches.c: the first of what caches have of it;
			      MEMORY_NONE */
	uint32_t owner;    /* and the stay in a cache that has it for itself; MEMORY_NONE */
	uint8_t level;
};

/* One creation; those of one name are a class. */
struct memory_object {
	uint64_t address, size;
	uint32_t class;  /* its name, memory_class() */
	uint32_t parent; /* the object around it, when it was made; or MEMORY_NONE */
	uint32_t ordinal; /* within its class, from 0 */
	uint32_t next;    /* while it is read: objects.c: of its bucket; MEMORY_NONE */
	int64_t born, died; /* ticks; died MEMORY_OPEN: it lives */
};

/* A line of the source. */
struct memory_line {
	uint32_t file, line; /* file: as the trace numbers it, memory_file() */
};

/* Who took blocks away from whom, by writing: one line of one object from another. */
struct memory_culprit {
	uint32_t victim_object, victim_line; /* the access that missed afterwards */
	uint32_t object, line;               /* the write before that */
	uint8_t level;
	uint8_t cause; /* MEMORY_TRUE, MEMORY_FALSE or MEMORY_INCLUSION */
	uint64_t count, cycles;
};

/* Which block had to go for which. */
struct memory_eviction {
	uint32_t victim, by; /* blocks of one level */
	uint64_t count;
};

/* What was published. */
struct memory_index {
	uint32_t block_bytes[MEMORY_LEVELS];
	uint32_t caches[MEMORY_LEVELS]; /* they grow with what is met */
	unsigned radix;   /* 8, 10 or 16 */
	bool guessed;     /* nobody said how large caches and blocks are */
	bool masks;       /* loads say which words were written meanwhile: verdicts are exact */
	bool by_taker;    /* invalidations name the CPU that took the block, not who lost it */
	bool cache_ids;   /* at level 2 caches are named, not CPUs */
	bool at_end;      /* loads have the time at which the wait for them ended */
	int64_t first, last; /* ticks, inclusive; last < first: none */

	uint32_t stay_count, reference_count;
	const struct memory_stay *ordered; /* by block, then cache, then start */
	const uint32_t *at;                /* by row: where it is; memory_stay() */
	const struct memory_event *references; /* waits, by CPU; those of one as they came */

	/* These are of all that was read so far; ended: stays, by cache and enum memory_ending. */
	uint32_t ended[MEMORY_LEVELS][MEMORY_GLYPHS][MEMORY_INVALIDATED + 1];
	uint32_t cell_count, word_count, block_count, object_count, class_count, line_count,
	    culprit_count, eviction_count;
	const struct memory_cell *cells;
	const struct memory_word *words;
	const struct memory_block *blocks;
	const struct memory_object *objects;
	const struct memory_line *lines;
	const struct memory_culprit *culprits;
	const struct memory_eviction *evictions;
};

/* Out until memory_unlock(); never NULL. From any thread. */
const struct memory_index *memory_lock(const struct trace *t);
void memory_unlock(const struct trace *t);

/* Under the lock. */
const char *memory_class(const struct trace *t, uint32_t class); /* a name; "?": MEMORY_NONE */
/* What the table of files (TRACE.files) says; NULL: nothing. */
const char *memory_file(const struct trace *t, uint32_t file);
/* The folder to look for these in, that the user named; NULL: none. */
const char *memory_sources(const struct trace *t);
/* "vecadd.c:56", "file 1:205"; appends. */
struct sbuf;
void memory_put_line(const struct trace *t, uint32_t line, struct sbuf *out);
/* "ArrayC+0x18", "Cell[17]+0x4", "0x40000000": a place in memory by name; appends. */
void memory_put_word(const struct trace *t, uint32_t word, struct sbuf *out);
/* "ArrayC", "Cell[17]" where a class has several; "?": MEMORY_NONE; appends. */
void memory_put_object(const struct trace *t, uint32_t object, struct sbuf *out);

/*
 * From now on objects of classes that match are locks, also those that come later: the metric
 * lock-wait is about them. NULL: none are, and there is no such metric. *count: how many there are
 * so far. STATUS_USAGE: the expression is bad, and nothing changed. Takes the lock. O(classes).
 */
enum status memory_mark_locks(struct trace *t, const char *pattern, uint32_t *count,
			      struct error *e);
/* Whose access it was; of MEMORY_NONE one whose numbers are MEMORY_NONE, and its CPU UINT16_MAX. */
const struct memory_cell *memory_access(const struct memory_index *x, uint32_t cell);
/*
 * Stays of a block in a cache that meet [from, to): x->ordered[*begin .. *end). Stays of one block
 * in one cache do not overlap, so they are in the order of their ends, too. O(log n).
 */
void memory_stays(const struct memory_index *x, uint32_t block, uint32_t cache, int64_t from,
		  int64_t to, uint32_t *begin, uint32_t *end);
/* The block of an address; MEMORY_NONE: no record is of it. O(blocks). */
uint32_t memory_block_at(const struct trace *t, enum memory_level level, uint64_t address);

/* Its number stays the same while more come. */
static inline const struct memory_stay *memory_stay(const struct memory_index *x, uint32_t row)
{
	return &x->ordered[x->at[row]];
}

/* The stay meets [from, to); one that takes no time is there at its tick. */
static inline bool memory_meets(const struct memory_stay *s, int64_t from, int64_t to)
{
	return s->start < to && (s->end > from || (s->end == s->start && s->start == from));
}

/* The component of a cache, as trace_component() numbers them: CPUs, then L1, then L2. */
static inline size_t memory_component(const struct memory_index *x, enum memory_level level,
				      uint32_t cache)
{
	return (size_t)x->caches[MEMORY_L1] * (level == MEMORY_L1 ? 1 : 2) + cache;
}

#endif
