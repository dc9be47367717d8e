/*
 * What the files of this room share: the store itself and the queries they build on.
 */
#ifndef PIPEGLASS_PIPELINE_STORE_PRIVATE_H
#define PIPEGLASS_PIPELINE_STORE_PRIVATE_H

#include <stdatomic.h>

#include "pipeline/index/indexer.h"
#include "trace/cachefile.h"

struct store {
	struct trace trace; /* first: see kind.h */
	struct source *source;
	const struct reader *reader;
	struct names names;
	struct trace_index index;
	struct trace_counts counts;
	struct codes codes;
	struct indexer *indexer;
	struct cachefile cache;
	int64_t ticks_per_cycle;   /* as asked for; 0: what the trace says */
	struct segments segments;  /* of formats with recall */
	uint32_t start_config_crc; /* of stages and events before the trace added its own */
	void *map; /* of a finished cache file: the blob is part of it */
	size_t map_len;
	int wake[2];

	pthread_mutex_t lock; /* of the rest */
	pthread_cond_t done;
	bool complete, cached, cancelled;
	bool followed; /* was, at any time */
	double started, seconds;
	uint64_t index_bytes;
	enum status failed;
	struct error error;
};

double store_clock(void); /* seconds, monotonic */

static inline void store_read_lock(const struct store *s)
{
	pthread_rwlock_rdlock((pthread_rwlock_t *)(uintptr_t)&s->index.lock);
}

static inline void store_unlock(const struct store *s)
{
	pthread_rwlock_unlock((pthread_rwlock_t *)(uintptr_t)&s->index.lock);
}

/* Rows in all, with the lock held: unborn ones before, born ones, late unborn ones. */
uint64_t rows_total(const struct trace_index *ix);
/* Decode rows [first, first + n) with the lock held. */
size_t rows_get(const struct trace_index *ix, uint64_t first, size_t n, struct row *out);

/* First row with start >= tick, with the lock held. */
uint64_t rows_born_at(const struct trace_index *ix, int64_t tick);

/* A walk over leaves in the order of rows, either way; with the lock held. */
struct leaf_walk {
	const struct trace_index *ix;
	size_t page;
	int leaf;
	struct page_view view;
	bool ok;
	struct row *rows; /* of the leaf, after leaf_walk_rows() */
	size_t rows_cap;
};

bool leaf_walk_begin(struct leaf_walk *w, const struct trace_index *ix, uint64_t born);
bool leaf_walk_step(struct leaf_walk *w, int dir);
bool leaf_walk_rows(struct leaf_walk *w);
void leaf_walk_end(struct leaf_walk *w);

/* Where the text of rows [first, first + n) begins and, by their ends, ends. */
struct extent {
	uint64_t off, off_end, line;
	int64_t tick;      /* at off */
	uint64_t row;      /* born first at off */
	bool split;        /* off lies inside a cycle, or between two */
	bool clipped;
};

bool rows_extent(const struct trace_index *ix, uint64_t first, uint64_t n, const struct row *rows,
		 struct extent *out);
/* Text that covers ticks [t0, t1) and every row alive then. */
bool ticks_extent(const struct trace_index *ix, int64_t t0, int64_t t1, struct extent *out);

/* From the leaf that holds a birth on; up to tick, but no more than limit bytes (0: the usual). */
bool born_extent(const struct trace_index *ix, uint64_t born, struct extent *x);
void extent_end(const struct trace_index *ix, int64_t tick, uint64_t limit, struct extent *x);
/* From the start of the trace up to the end of the last of d's rows. */
bool unborn_extent(const struct trace_index *ix, const struct detail *d, struct extent *x);
/* Does the text of a leaf begin with a cycle line, which its tick already counts? Not if it is split. */
bool text_at_cut(const struct reader *reader, const struct window *w, bool split);

/*
 * The details, without notes, of rows [first, last) that are alive at tick or later, as far as they
 * go until `until`. Some dead ones may be among them. Takes the read lock.
 */
typedef void alive_fn(void *arg, const struct detail *d);
enum status details_alive(struct store *s, uint64_t first, uint64_t last, int64_t tick,
			  int64_t until, alive_fn *fn, void *arg, struct error *e);

/* A thread as names.h has it, where store_thread() gives what people are shown. */
int64_t store_thread_name(const struct store *s, uint16_t thread);

/* The cache file. True: the index is loaded from it. */
bool cache_open(struct store *s, const struct trace_options *o);
void cache_save(struct store *s);
enum { CACHE_HEADER = 1 << 16 };

#endif
