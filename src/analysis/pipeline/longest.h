/*
 * The instructions that lived longest, and those that were longest in each stage.
 *
 * Rows are offered one by one; LONGEST_MOST of them are kept for their lives, and as many for each
 * stage, the first of equals, each whole. So of every column the first LONGEST_MOST of the table are
 * exact. A life or a stay counts as long as it was, whatever range it was met in; one that is in flight counts up
 * to the end of the trace. Memory O(stages^2 * LONGEST_MOST), a row costs O(its stays + stages) unless it is kept.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_LONGEST_H
#define PIPEGLASS_ANALYSIS_PIPELINE_LONGEST_H

#include <stdbool.h>

#include "analysis/pipeline/range.h"
#include "analysis/pipeline/waited.h"
#include "analysis/pipeline/walk.h"
#include "trace/result.h"

enum { LONGEST_MOST = 16 };

struct long_row {
	struct row row;
	int64_t life;    /* cycles */
	struct waited_stay last;
	int64_t *cycles; /* one for each stage */
	uint64_t behind;   /* the row that had to commit first; UINT64_MAX: not known; and */
	uint64_t squashed; /* rows squashed before it was fetched: see analysis/pipeline/waited.h */
};

struct longest {
	struct store *store; /* borrowed */
	struct range_clock clock;
	size_t stages;
	struct long_row *rows; /* once closed: each once, by life */
	size_t count;
	/* private: a list for the lives and for each stage, the longest first; the next row's */
	size_t *kept;
	int64_t *cells, *next;
};

/* False: no memory. */
bool longest_new(struct longest *out, struct store *s);
void longest_offer(struct longest *l, const struct walk_row *row, int64_t trace_end);
/* No more rows: looks up what those that are kept waited for. O(rows kept * WAITED_WINDOW). */
void longest_close(struct longest *l);
void longest_free(struct longest *l);

/* "longest": of a const struct longest *. */
extern const struct section longest_section;

#endif
