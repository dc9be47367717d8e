/*
 * The path a program took: the instructions that committed, in program order.
 *
 * Rows lie in fetch order, where micro-ops stand wherever decode made them: their place among
 * the rows depends on timing. So an instruction counts once, at the place of its own row,
 * together with the micro-ops that it became; it is on the path when it or one of them
 * committed. A micro-op that names no row within PATH_REACH rows before it stands for itself.
 * Squashed rows are never on the path. 1 bit a row and 1/8 of that for look-ups, made in one
 * pass over the row index; the path of an unfinished store is that of the rows published then.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_PATH_H
#define PIPEGLASS_ANALYSIS_PIPELINE_PATH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "pipeline/store.h"

enum { PATH_REACH = 1024, PATH_PAGE = 8192 };

/* One instruction of the path with its micro-ops. */
struct path_step {
	uint64_t row;    /* its own */
	uint64_t last;   /* of its rows the one that committed last (the first of equals) */
	int64_t start;   /* birth of its own row */
	int64_t born;    /* birth of row `last` */
	int64_t end;     /* of row `last`: when the whole was committed */
	uint32_t code;   /* static instruction of its own row */
	uint32_t rows;   /* committed rows, micro-ops included */
	uint16_t events; /* set of event kinds of its own row and its committed micro-ops */
};

struct path;

enum status path_new(struct path **out, struct store *s, const atomic_bool *stop,
		     struct error *e);
void path_free(struct path *p);

uint64_t path_count(const struct path *p);
bool path_has(const struct path *p, uint64_t row);
uint64_t path_rank(const struct path *p, uint64_t row);  /* steps before row: O(1) */
uint64_t path_row(const struct path *p, uint64_t index); /* O(log n); ROW_NONE beyond the last */
/* The path index that a row belongs to, as itself or as a micro-op; UINT64_MAX: none. */
uint64_t path_index(const struct path *p, uint64_t row);

/*
 * Steps [first, first + n), clipped; returns how many. O(rows of them + PATH_REACH). The end of
 * a row that never ended is the end of the trace (last tick + 1).
 */
size_t path_read(const struct path *p, uint64_t first, size_t n, struct path_step *out);

/* Steps one at a time, at places near each other: O(1) each, PATH_PAGE of them in memory. */
struct path_cursor {
	const struct path *path;
	uint64_t first; /* of those held */
	size_t count;
	struct path_step *steps;
};

bool path_cursor_new(struct path_cursor *c, const struct path *p); /* false: no memory */
void path_cursor_free(struct path_cursor *c);
const struct path_step *path_at(struct path_cursor *c, uint64_t index); /* NULL: none */

/*
 * The committed rows of a step, in row order: the k-th of them (ROW_NONE: not so many), and
 * which of them a row is (-1: none). O(PATH_REACH).
 */
uint64_t path_member(const struct path *p, uint64_t index, int k);
int path_ordinal(const struct path *p, uint64_t index, uint64_t row);

#endif
