/*
 * An open trace of shared memory, for the files of this room: how records come in, and what was
 * published.
 *
 * One thread reads lines, with the lock held for writing (trace/lines.h): chiron.c takes a line
 * apart, places.c gives numbers to what it names. Another one takes batches of such records before
 * the lock is let go: caches.c follows what the caches hold and says why they missed, objects.c
 * which object is where. What they find goes into columns.c, which publishes it in orders from time
 * to time.
 */
#ifndef PIPEGLASS_MEMORY_MEMORY_PRIVATE_H
#define PIPEGLASS_MEMORY_MEMORY_PRIVATE_H

#include <stdatomic.h>

#include "base/intern.h"
#include "base/vec.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "trace/cachefile.h"
#include "trace/lines.h"
#include "trace/result.h"
#include "trace/tick.h"

/* What is counted while reading: key, help */
#define MEMORY_NOTES(_)                                                                            \
	_(AMBIGUOUS, "three-fields",                                                               \
	  "reads or writes of three numbers, which may be either: left out")                       \
	_(UNKNOWN, "unknown-records", "records of letters that the format has not")                \
	_(DELETED, "deletes-of-nothing", "objects deleted that were not there")                    \
	_(RELOADED, "loads-while-resident",                                                        \
	  "blocks loaded that the cache had already: the old one counts as replaced")              \
	_(FIRST, "there-from-first", "blocks lost that were never loaded: there from the first")   \
	_(ABSENT, "losses-while-absent", "blocks lost that the cache had lost before")             \
	_(BOTH, "private-twice", "blocks that two caches had for themselves at once")              \
	_(BACKWARDS, "times-back", "events earlier than one before them")                          \
	_(CPUS, "cpus-beyond", "records of CPUs that the header does not have")                    \
	_(WRONG, "wrong-lines", "other lines that are no records: left out")

enum memory_note {
#define MEMORY_NOTE_ENUM(name, key, help) MEMORY_NOTE_##name,
	MEMORY_NOTES(MEMORY_NOTE_ENUM)
#undef MEMORY_NOTE_ENUM
	    MEMORY_NOTE_COUNT
};

/* Beyond this and its negative no tick goes. */
#define MEMORY_TICK_MOST (INT64_C(1) << 61)

/* CPUs and caches have smaller numbers; components are of so many kinds; events in a summary. */
enum { MEMORY_CPUS_MOST = 4096, MEMORY_KINDS = 3, MEMORY_SUMMED = 64 };

/* Instead of a record's letter: nothing is made of the line; or it is left out, and counted. */
enum { MEMORY_NOTHING = ' ', MEMORY_LEFT_OUT = '?' };

/* One line of the file, as chiron.c understood it. */
struct memory_record {
	uint64_t number, offset; /* of the line: from 1, in bytes */
	uint64_t address; /* of 'i' its number, 0: none */
	uint64_t source;  /* a file, and six digits of a line */
	union {
		int64_t tick; /* from 0, below MEMORY_TICK_MOST */
		uint64_t size;
	};
	union {
		uint64_t victim, mask;
		const char *name; /* of 'c', of 'd' if it is there; not terminated */
		const char *why;  /* it is left out */
	};
	/* Numbers, by memory_number(): of loads and completions, and of all others. */
	uint32_t word, line;
	uint32_t block; /* of its level: the victim of 'a' and 'b'; of a load when it is taken */
	union {
		uint32_t cycles; /* at most INT32_MAX */
		uint32_t name_len;
	};
	uint16_t cpu;  /* or, of level 2, a cache; < MEMORY_CPUS_MOST */
	uint8_t level; /* enum memory_level; of a completion MEMORY_L1 */
	char letter;   /* 'c' 'd' 'g' 'h' 'b' 'a' 'f' 'e' 'p' 'R' 'W'; 'i' */
	bool has_mask;
	uint8_t note; /* enum memory_note: of what is left out */
};

/* What MEMORY_SUMMED events have together that follow each other. */
enum { MEMORY_ALL = MEMORY_CAUSE_COUNT, MEMORY_WAITED, MEMORY_AMOUNTS };
struct memory_summary {
	int64_t first, latest; /* ticks: the least of all, and the greatest end */
	uint64_t amounts[MEMORY_AMOUNTS]; /* how many, by kind; all of them; cycles */
};

/* A CPU or a cache. */
struct memory_component {
	const char *name;
	uint64_t items;      /* waits; stays */
	uint32_t begin, end; /* those that were published, in events */
	uint32_t next;       /* while they are put in order */
};

/* Tables that grow while text is read: a row of one, the table in struct memory, a row's type. */
#define MEMORY_TABLES(_)                                                                           \
	_(block, blocks, struct memory_block)                                                      \
	_(cell, cells, struct memory_cell)                                                         \
	_(word, words, struct memory_word)                                                         \
	_(object, objects, struct memory_object)                                                   \
	_(line, source_lines, struct memory_line)                                                  \
	_(culprit, culprits, struct memory_culprit)                                                \
	_(eviction, evictions, struct memory_eviction)

/* What is made of stays and references when they are published: in one file, or piece of memory. */
struct memory_orders {
	struct memory_stay *stays;   /* by block, then cache, then start */
	struct memory_event *events; /* by component: CPUs, L1, L2 caches; then as they came */
	struct memory_summary *sums; /* of events */
	uint32_t *at;                /* by row: where the stay is */
};

/* They begin behind the header of a cache file, whatever file it is; tables come behind them. */
enum { MEMORY_ORDERS_OFF = 4096 };

struct chiron;         /* chiron.c: the text while it is read */
struct memory_columns; /* columns.c: growing columns and their orders */

/* Of a block in a cache. */
struct memory_holding {
	uint32_t stay;   /* the row of the last one; MEMORY_NONE: none yet */
	uint32_t writes; /* there had been when it ended */
	uint32_t next;   /* of the block in another cache; MEMORY_NONE */
	uint16_t cache;
};

/* A load that waits for the completion. */
struct memory_load {
	bool waits;
	uint32_t stay;
	uint32_t taker, culprit; /* MEMORY_NONE: nobody; taker: of the stay before */
};

/* A loss that waits for the completion of the access that took the block. */
struct memory_loss {
	uint32_t stay;
	uint64_t around; /* the access: the number of its L2 block */
};

/* caches.c: what is resident where */
struct memory_caches {
	uint16_t clusters[MEMORY_CPUS_MOST]; /* by CPU: its L2 cache, by the header */
	VEC(struct memory_holding) holdings;
	struct memory_load loads[MEMORY_LEVELS][MEMORY_CPUS_MOST]; /* by the CPU or cache named */
	int64_t ticks[MEMORY_CPUS_MOST]; /* by CPU: of its last load or upgrade; INT64_MIN */
	VEC(struct memory_loss) losses;
	uint32_t writes; /* so far */
	bool masked, unmasked; /* there were loads with a mask; without */
};

/* Rows by what they begin with; lists of objects by their bucket. */
enum memory_ids { PLACE_IDS, LINE_IDS, CELL_IDS, CULPRIT_IDS, EVICTION_IDS, OBJECT_IDS, ALL_IDS };

/* A row of the table of files. */
struct memory_path {
	uint32_t file;
	const char *path;
};

struct memory {
	struct lines lines; /* first: so that each gives the other */
	struct memory_index index; /* what memory_lock() gives */
	struct memory_orders orders; /* published with it */
	struct memory_settings settings;
	const char *sources;
	/* of reading */
	int64_t began;      /* the first tick of the text */
	uint32_t version;   /* of what is alive: another one whenever that changes */
	struct chiron *text; /* of chiron.c */
	struct ids *ids[ALL_IDS];
	uint64_t sizes; /* of buckets of objects that have any, a bit each */
	struct memory_columns *columns;
	/* tables that grow; index points at them */
#define MEMORY_VEC(name, list, type) VEC(type) list;
	MEMORY_TABLES(MEMORY_VEC)
#undef MEMORY_VEC
	struct intern *classes, *texts; /* texts: what is kept for warnings */
	VEC(struct memory_path) files;
	VEC(uint32_t) instances;        /* by class: how many objects */
	VEC(struct memory_component) components[MEMORY_KINDS]; /* CPUs, L1 caches, L2 caches */
	struct regex *locks;            /* classes that the user calls so; NULL: none are */
	/* of the cache file */
	struct cachefile cache;
	const struct trace_options *options; /* while it is opened */
	void *map; /* a file, or memory: orders are in it, and tables that were cached; NULL: not
		      yet */
	size_t map_len;
	bool caches_it, cached; /* it is being written; all comes from there */
	atomic_bool followed;   /* was, at any time */
	bool watched;           /* while it is read */
	bool in_memory;         /* no file is made for what grows */
	/* of the thread that takes records: apart from what the one that reads them looks at */
	struct memory_caches caches;
};

static inline struct memory *memory_of(const struct trace *t)
{
	return (struct memory *)(uintptr_t)t;
}

/* The last tick that was met; before the first that one. */
static inline int64_t memory_now(const struct memory *m)
{
	return m->lines.last < m->lines.first ? m->began : m->lines.last;
}

/* ---- chiron.c ---- */

extern const struct trace_format chiron_format;
/*
 * All of the text, for lines_reader.all: lines are taken with the lock held for writing, and what
 * came of them is published between pieces of the text. What is not understood is warned of.
 */
enum status chiron_read(struct lines *l, struct error *e);
/* A text that is there; nothing is published, nothing locked. Without memory: lines.failed. */
void chiron_read_text(struct memory *m, const char *text, size_t len);
/*
 * The line at p, which ends in a newline before `end`, or is zeros from somewhere on; from letter
 * on. Returns the next one.
 */
const char *chiron_line(const char *p, const char *end, unsigned radix, struct memory_record *r);

/* ---- opening.c: what the numbers of a text mean; O(its length) ---- */

/* From its first lines, into the index. Without memory: lines.failed. */
void memory_open_text(struct memory *m, const char *text, const char *end);

/* ---- caches.c: what a record means ---- */

void memory_caches_begin(struct memory *m);
/* All but c, d, m, r and w. Without memory: lines.failed. */
void memory_caches_take(struct memory *m, struct memory_record *r);
/* Counted, and warned of at the line that is read, and the stay; MEMORY_NONE: the last one. */
void memory_note(struct memory *m, enum memory_note note, uint32_t stay, const char *text);

/* ---- places.c: numbers of what records name; O(1) ---- */

/* Before so much text is read: words and blocks will not move while it is. False: no memory. */
bool memory_expect(struct memory *m, size_t bytes);
/*
 * What a record names, of those that memory_caches_take() takes; while another thread takes those
 * before. False: no memory.
 */
bool memory_number(struct memory *m, struct memory_record *r);
/*
 * These belong to the thread that takes records. Of an access; and one more stay that an access,
 * `by`, made necessary. MEMORY_NONE: no memory (lines.failed).
 */
uint32_t memory_cell_of(struct memory *m, const struct memory_record *r);
uint32_t memory_count_culprit(struct memory *m, const struct memory_stay *stay, uint32_t by);

/* ---- objects.c ---- */

/* Without memory: lines.failed. */
void memory_create(struct memory *m, const struct memory_record *r);
void memory_delete(struct memory *m, const struct memory_record *r);
/* The smallest that lives there, of those the youngest, or MEMORY_NONE. O(1) but for the dead. */
uint32_t memory_object_at(struct memory *m, uint64_t address);

/* ---- columns.c ---- */

bool memory_columns_new(struct memory *m);
void memory_columns_free(struct memory *m);
/* The new row; MEMORY_NONE: no memory (lines.failed). */
uint32_t memory_add_stay(struct memory *m, struct memory_stay *stay);
/* Of any row so far; good until the next is added. */
struct memory_stay *memory_stay_at(struct memory *m, uint32_t row);
/* Without memory: lines.failed. */
void memory_add_reference(struct memory *m, const struct memory_event *r);
/* The index gets the tables as they are: before the lock is let go after they grew. */
void memory_refresh(struct memory *m);
/*
 * All that is there, in its orders: when it is due, and at the end. Without the lock, which they
 * take at their end. last: they go to the cache file, if one is made. False: no memory.
 */
bool memory_publish_in_time(struct memory *m);
bool memory_publish(struct memory *m, bool last);
/* So many as the index has stays and references; under the lock. Those before are unmapped. */
void memory_use_orders(struct memory *m, void *map, size_t len);

/* ---- cache.c ---- */

/* False: a new file is begun, if there is to be one: caches_it. */
bool memory_cache_load(struct memory *m, const struct trace_options *o);
/* Orders are in it: it gets the rest. */
void memory_cache_save(struct memory *m);
void memory_cache_give_up(struct memory *m, int error); /* an errno, or 0 */

/* ---- names.c ---- */

void memory_files_read(struct memory *m); /* TRACE.files, if it is there */
/* There are so many from now on, or more. False: no memory. */
bool memory_add_caches(struct memory *m, uint32_t l1, uint32_t l2);
/* By its number among all; NULL: there are not so many. */
const struct memory_component *memory_component_at(const struct memory *m, size_t i);

/* ---- kind.c ---- */

/* Nothing is read yet, and the caller has the source. NULL: no memory. */
struct memory *memory_new(struct source *source);
void memory_free(struct memory *m); /* all but its lines */

/* ---- metrics.c, info.c: parts of memory_trace_kind ---- */

size_t memory_metric_count(const struct trace *t);
bool memory_metric(const struct trace *t, size_t i, struct metric_info *out);
bool memory_metric_find(const struct trace *t, const char *name, const struct regex *component,
			struct metric_ref *out);
enum status memory_values(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
			  size_t n, double *values, bool *exact, struct error *e);
enum status memory_means(struct trace *t, size_t metric, int64_t from, int64_t to, size_t n,
			 double *means, struct error *e);
bool memory_traced(struct trace *t, int64_t from, int64_t to);
extern const struct section memory_info_sections[];
void *memory_info_make(struct trace *t);

#endif
