/*
 * An open trace of shared memory, for the files of this room: how records come in, and what was
 * published.
 *
 * One thread reads lines, with the lock held for writing (trace/lines.h): chiron.c takes a line apart,
 * caches.c follows what the caches hold and says why they missed, objects.c which object is where.
 * What they find goes into columns.c, which publishes it in orders from time to time.
 */
#ifndef PIPEGLASS_MEMORY_MEMORY_PRIVATE_H
#define PIPEGLASS_MEMORY_MEMORY_PRIVATE_H

#include "base/intern.h"
#include "base/vec.h"
#include "memory/memory.h"
#include "trace/cachefile.h"
#include "trace/lines.h"

/* What is counted while reading: key, help */
#define MEMORY_NOTES(_)                                                                            \
	_(STARTS, "starts", "reads and writes that began: not used")                               \
	_(MISSES, "misses", "misses: not used")                                                    \
	_(AMBIGUOUS, "three-fields", "reads or writes of three numbers, which may be either: left out") \
	_(UNKNOWN, "unknown-records", "records of letters that the format has not")                \
	_(DELETED, "deletes-of-nothing", "objects deleted that were not there")                    \
	_(RELOADED, "loads-while-resident", "blocks loaded that the cache had already")            \
	_(ABSENT, "losses-while-absent", "blocks lost that the cache did not have")                \
	_(BOTH, "private-twice", "blocks that two caches had for themselves at once")              \
	_(BACKWARDS, "times-back", "events earlier than one before them")                          \
	_(CPUS, "cpus-beyond", "records of CPUs that the header does not have")                    \
	_(TORN, "torn", "the last line, cut off")

enum memory_note {
#define MEMORY_NOTE_ENUM(name, key, help) MEMORY_NOTE_##name,
	MEMORY_NOTES(MEMORY_NOTE_ENUM)
#undef MEMORY_NOTE_ENUM
	    MEMORY_NOTE_COUNT
};

/* One record of the file, as chiron.c understood it. */
struct memory_record {
	char letter; /* 'c' 'd' 'm' 'g' 'h' 'b' 'a' 'f' 'e' 'p' 'R' 'W', 'r' 'w' where they start */
	uint64_t address, size, victim;
	uint32_t cpu, level; /* level: enum memory_level */
	uint64_t source;     /* as the file has it */
	uint32_t file, line; /* the same, split */
	int64_t tick, cycles;
	uint64_t mask;
	bool has_mask;
	const char *name; /* of 'c', of 'd' if it is there; not terminated */
	size_t name_len;
};

struct memory_caches;  /* caches.c: what is resident where */
struct memory_objects; /* objects.c: what is alive where */
struct memory_columns; /* columns.c: growing columns and their orders */

/* Set by the user for this kind: trace_settings. Zeros: not set. */
struct memory_settings {
	unsigned radix;       /* 8, 10, 16 */
	uint32_t geometry[4]; /* L1 and L2 block bytes, L1 and L2 caches, where the header is missing */
};

struct memory {
	struct lines lines; /* first: so that each gives the other */
	struct memory_index index; /* what memory_lock() gives */
	struct memory_settings settings;
	/* of reading */
	unsigned header;  /* `i` lines so far */
	struct memory_caches *caches;
	struct memory_objects *alive;
	struct memory_columns *columns;
	/* tables that grow; index points at them */
	VEC(struct memory_cell) cells;
	VEC(struct memory_word) words;
	VEC(struct memory_block) blocks;
	VEC(struct memory_object) objects;
	VEC(struct memory_line) source_lines;
	VEC(struct memory_culprit) culprits;
	VEC(struct memory_eviction) evictions;
	struct intern *classes;
	VEC(char *) files; /* paths by number; NULL: not in the table */
	struct cachefile cache;
	bool cached;
};

static inline struct memory *memory_of(const struct trace *t)
{
	return (struct memory *)(uintptr_t)t;
}

/* ---- chiron.c ---- */

extern const struct trace_format chiron_format;
/* A line of the text; warns of what it does not understand. */
void chiron_line(struct lines *l, char *text, size_t len);

/* ---- caches.c: what a record means ---- */

bool memory_caches_begin(struct memory *m);             /* the header is known */
void memory_caches_take(struct memory *m, const struct memory_record *r); /* all but c and d */
void memory_caches_end(struct memory *m);               /* of the text: what is resident stays open */
void memory_caches_free(struct memory *m);

/* ---- objects.c ---- */

void memory_create(struct memory *m, const struct memory_record *r);
void memory_delete(struct memory *m, const struct memory_record *r);
uint32_t memory_object_at(struct memory *m, uint64_t address); /* smallest that lives; MEMORY_NONE */
void memory_objects_free(struct memory *m);

/* ---- columns.c ---- */

bool memory_columns_new(struct memory *m);
void memory_columns_free(struct memory *m);
/* The new row; MEMORY_NONE: no memory (lines.failed). */
uint32_t memory_add_stay(struct memory *m, const struct memory_stay *stay);
/* Of any row so far; good until the next is added. */
struct memory_stay *memory_stay_at(struct memory *m, uint32_t row);
bool memory_add_reference(struct memory *m, int64_t tick, uint32_t cell, uint32_t cycles);
/* Orders of all that is there, published: when it is due, and at the end. False: no memory. */
bool memory_publish_in_time(struct memory *m);
bool memory_publish(struct memory *m);

/* ---- cache.c ---- */

bool memory_cache_load(struct memory *m, const struct trace_options *o);
void memory_cache_save(struct memory *m);

/* ---- metrics.c, info.c: parts of memory_trace_kind ---- */

size_t memory_metric_count(const struct trace *t);
bool memory_metric(const struct trace *t, size_t i, struct metric_info *out);
bool memory_metric_find(const struct trace *t, const char *name, const struct regex *component,
			struct metric_ref *out);
enum status memory_values(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
			  size_t n, double *values, bool *exact, struct error *e);
enum status memory_means(struct trace *t, size_t metric, int64_t from, int64_t to, size_t n,
			 double *means, struct error *e);
extern const struct section memory_info_sections[];
void *memory_info_make(struct trace *t);

#endif
