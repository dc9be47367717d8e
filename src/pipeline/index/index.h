/*
 * The published index: pages of 16 leaves, in order of birth, never changed once there.
 *
 * A page is {directory entry (fixed width)} + {running sums at its start, leaf heads with
 * what each leaf adds, packed rows} (varints). A sum over any range of pages is one
 * subtraction, so pictures and curves cost O(log n) a cell at any zoom. Writers append under
 * the write lock, readers hold the read lock for the length of a query. Where rows lie scattered
 * in the text, off counts ROW_TEXT a row: how much would be read, not where.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_INDEX_H
#define PIPEGLASS_PIPELINE_INDEX_INDEX_H

#include <pthread.h>

#include "base/vec.h"
#include "trace/blob.h"
#include "pipeline/index/segment.h"

enum { PAGE_LEAVES = 16, LATE_NEW = 2048, ROW_TEXT = 256 };

/* Running sums from the start of the trace. area of SLOT_ALIVE counts rows alive. */
struct sums {
	uint64_t area[SLOTS];
	uint64_t committed, committed_macro, squashed;
	uint64_t fates[FATE_COUNT], event_rows[EVENT_MAX], dominant[STAGE_MAX], micro_ops;
	uint64_t samples[METRIC_MAX];
	double sample_sum[METRIC_MAX];
};

/* As it stands in the cache file. Rows count births: unborn rows come before them. */
struct page_entry {
	uint64_t off, line;
	uint64_t row0, first_id;
	int64_t tick;
	int64_t end_max; /* of its rows; TICK_NONE: some never end */
	uint64_t pos;    /* in the blob */
	uint32_t len;
	uint32_t leaves;
	int64_t gap;
	uint64_t id_min, id_max; /* of its rows, in formats of whole rows */
};

struct leaf_head {
	uint64_t off, line, row0, rows, head, first_id;
	int64_t tick, end_max, gap;
	bool split;        /* begins inside a cycle: more of that is in the leaf before */
	uint64_t link_min; /* smallest id of a producer that its text names; LINK_NONE */
	uint64_t id_span;  /* formats of whole rows: ids are first_id and up to so much more */
	const unsigned char *sums, *packed;
	size_t sums_len, packed_len;
};

struct page_view {
	struct page_entry entry;
	struct sums before;
	struct leaf_head leaves[PAGE_LEAVES];
	/* where the page ends */
	uint64_t off_end, row_end;
	int64_t tick_end;
};

/* An end, or a text, that came after its row was published. */
struct late_row {
	uint64_t row;
	int64_t end; /* LATE_TEXT: what came is the text */
	uint16_t events;
	uint8_t fate, dominant;
	uint32_t code; /* of a late text */
};

#define LATE_TEXT INT64_MIN

/* A row without a birth record. */
struct unborn_row {
	uint64_t id, off, line;
	int64_t end; /* TICK_NONE: in flight */
	uint16_t events;
	uint8_t dominant;
};

struct trace_index {
	pthread_rwlock_t lock;
	struct blob blob;
	VEC(struct page_entry) pages;
	const struct page_entry *mapped_pages; /* of a cache file, instead of pages */
	size_t page_count;
	VEC(int64_t) end_max[12]; /* maxima over 16^(level + 1) pages */
	VEC(struct late_row) late;     /* by row */
	VEC(struct late_row) late_new; /* the latest of them, in no order: at most LATE_NEW */
	uint64_t late_count;           /* that came while the text was read */
	VEC(struct unborn_row) unborn; /* [0, early): rows 0..; the rest come after the born */
	size_t early;
	VEC(struct late_label) late_labels; /* by row, once complete */
	struct sums total; /* at the end of the published pages */
	uint64_t off_end, row_end; /* of the published pages */
	int64_t tick_end;
	int64_t first; /* tick of the trace's first cycle line */
	bool complete;  /* nothing will be added: late unborn rows have numbers too */
	/* the page being filled */
	struct page_entry open;
	struct sbuf heads, rows;
	struct leaf_head previous;
	struct sums open_before, running;
	uint64_t next_off, next_row; /* behind the last leaf appended */
	int64_t next_tick;
	bool failed;
};

bool index_init(struct trace_index *ix, int fd, uint64_t file_off);
void index_free(struct trace_index *ix);

/* Writer: append packed leaf i of s; a full page is published. Takes the lock for that. */
void index_append(struct trace_index *ix, const struct segment *s, size_t i);
void index_flush(struct trace_index *ix); /* publish the page being filled */
void index_late(struct trace_index *ix, const struct late_row *row); /* locks */
void index_late_text(struct trace_index *ix, uint64_t row, uint32_t code); /* locks */
bool index_settle_late(struct trace_index *ix); /* sort the newest in; locks */

/* Readers, under the read lock. */
const struct page_entry *index_page(const struct trace_index *ix, size_t page);
size_t index_page_of_row(const struct trace_index *ix, uint64_t born); /* page_count: none */
/* The last page that begins at or before tick; 0 when none does. */
size_t index_page_of_tick(const struct trace_index *ix, int64_t tick);
/* False when the page's bytes are damaged. */
bool index_view(const struct trace_index *ix, size_t page, struct page_view *v);
bool index_sums(const struct trace_index *ix, size_t page, struct sums *out); /* at its start */
/* Add what a leaf adds. */
void leaf_add_sums(const struct trace_index *ix, const struct leaf_head *leaf, struct sums *io);
/* Decode the rows of a leaf; row numbers, parents, late ends and texts are final. */
bool index_leaf_rows(const struct trace_index *ix, const struct leaf_head *leaf, struct row *out);
/* What came late of rows[0..n), the first of which is birth born0. */
void index_apply_late(const struct trace_index *ix, struct row *rows, uint64_t born0, size_t n);
/* The first row known of in [from, to) (births) with a late end after tick; ROW_NONE. */
uint64_t index_late_in(const struct trace_index *ix, uint64_t from, uint64_t to, int64_t tick);
/* Largest end among rows of pages [from, to). */
int64_t index_end_max(const struct trace_index *ix, size_t from, size_t to);
/* The first page from there on with a row that ends behind tick; page_count: none. O(log n). */
size_t index_page_alive(const struct trace_index *ix, size_t page, int64_t tick);
int index_leaf_of_row(const struct page_view *v, uint64_t born);
int index_leaf_of_tick(const struct page_view *v, int64_t tick);
/*
 * The last leaf that begins at or before tick, and not inside a cycle: all records of its first
 * tick are in it or behind it. False: there is none, or the index is damaged.
 */
bool index_at_tick(const struct trace_index *ix, int64_t tick, size_t *page, struct page_view *v,
		   int *leaf);
static inline int64_t leaf_tick_end(const struct page_view *v, unsigned leaf)
{
	return leaf + 1 < v->entry.leaves ? v->leaves[leaf + 1].tick : v->tick_end;
}
static inline uint64_t leaf_off_end(const struct page_view *v, unsigned leaf)
{
	return leaf + 1 < v->entry.leaves ? v->leaves[leaf + 1].off : v->off_end;
}
/* The rows of a leaf are not bounded by LEAF_ROWS: one cycle may bear any
 * number. Callers size their buffers by leaf->rows, which is at most the page's packed bits. */

#endif
