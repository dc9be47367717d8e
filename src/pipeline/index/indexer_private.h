/*
 * What the indexer's files share: the pool of workers and pieces cut at cycle lines (indexer.c),
 * those cut inside a cycle because nothing more comes (indexer_quiet.c), pieces of formats whose text gives whole rows (indexer_rows.c).
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_INDEXER_PRIVATE_H
#define PIPEGLASS_PIPELINE_INDEX_INDEXER_PRIVATE_H

#include "pipeline/index/indexer.h"
#include "pipeline/index/order.h"
#include "pipeline/index/rowfeed.h"

enum {
	PIECE_FIRST = 1 << 20,
	PIECE_LAST = 8 << 20,
	PIECE_LAST_COPIED = 2 << 20, /* where windows are memory of ours: gzip */
	PIECE_LIMIT = 256 << 20,     /* of text without a cycle line */
	WORKERS_MAX = 16,
	GATHER_BYTES = 64 << 10,
	GATHER_MS = 50,
	QUIET_MS = 250, /* live text that says nothing for so long: show what there is */
	FLIGHT_MS = 500 /* rows of live text wait so long for their ends, and those behind them */
};

/* A piece on its way: cut, read, stitched. */
struct piece {
	struct window w;
	size_t len; /* of the window, up to the cut */
	int64_t tick0, end_tick;
	bool cut;          /* at a cycle line */
	bool quiet;        /* inside a cycle, or between two */
	bool open;         /* begins so: a cycle line at its beginning is not in tick0 */
	bool final, loose; /* loose: not cut at a cycle line; its first tick is not known */
	struct segment *s;
	size_t skip;         /* formats of whole rows: what stands before it is context */
	struct row_run *run; /* and this instead of s */
	bool ready;
};

struct indexer {
	struct indexer_options o;
	struct stitcher *stitcher;
	struct row_feed *feed;   /* formats of whole rows, instead of the stitcher */
	struct order *order;     /* and a look at them before; NULL: there is none */
	int looking;             /* workers that are at it */
	struct row_lexer *carry; /* the one that sees all text in order, once that is needed */
	bool any_record;
	pthread_mutex_t lock;
	pthread_cond_t room;
	pthread_t workers[WORKERS_MAX];
	int worker_count, running;
	bool cancelled, ended; /* ended: the last piece was cut */
	bool cutting, stitching;

	VEC(struct segment *) spare;
	VEC(struct row_run *) spare_runs;
	struct piece *ring; /* pieces under way, in order */
	size_t ring_cap, ring_first, ring_count;
	uint64_t from, seen; /* text so far: cut, looked at */
	uint64_t tried;      /* and looked at for a cut inside a cycle */
	size_t want;
	int64_t next_tick;
	bool next_loose;
	bool next_open;
	enum status status;
	struct error error;
};

enum status indexer_window(struct indexer *ix, uint64_t from, size_t want, struct window *w,
			   struct error *e);

/* Text that nobody has read yet is there, or none will come. *total: file bytes known before. */
bool indexer_has_news(const struct indexer *ix, uint64_t *total);
/*
 * Where live text has fallen silent: show what is in flight, and cut what there is of the cycle.
 * False: nothing to cut, or something has come. Waits QUIET_MS. Sets p->w, len and quiet.
 */
bool indexer_cut_quiet(struct indexer *ix, struct piece *p);

/* As what indexer.c does for pieces of records, with runs of rows and the feed. */
bool rows_begin(struct indexer *ix); /* false: no memory, or no temporary file */
void rows_look(struct indexer *ix);  /* every worker, before anything else */
enum status rows_cut(struct indexer *ix, struct piece *p, struct error *e);
void rows_read(struct indexer *ix, struct piece *p);
void rows_stitch(struct indexer *ix, struct piece *p);
void rows_finish(struct indexer *ix);
void rows_free(struct indexer *ix);

#endif
