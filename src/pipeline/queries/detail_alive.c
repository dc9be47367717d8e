#include "config.h"

#include "pipeline/store_private.h"

enum { ALIVE_GAP = 64, ALIVE_RUN = 1 << 14 }; /* rows: nearer ones are read in one go */

static enum status read_run(struct store *s, uint64_t first, uint64_t last, int64_t until,
			    alive_fn *fn, void *arg, struct error *e)
{
	struct detail d = {
	    .limit = UINT64_MAX, .no_notes = true, .bounded = true, .until = until};
	enum status st = store_detail(s, first, (size_t)(last - first), &d, e);

	if (st == STATUS_OK)
		fn(arg, &d);
	detail_free(&d);
	return st;
}

enum status details_alive(struct store *s, uint64_t first, uint64_t last, int64_t tick,
			  int64_t until, alive_fn *fn, void *arg, struct error *e)
{
	/* where rows follow each other in the text, all between the first and the last is read */
	const uint64_t gap = s->reader->lex_rows ? ALIVE_GAP : ALIVE_RUN;
	uint64_t begun = ROW_NONE,
		 alive = 0; /* the run: from its first to behind its last one alive */
	enum status st = STATUS_OK;
	struct row rows[LEAF_ROWS];
	size_t n = 1;

	for (; first < last && n && st == STATUS_OK; first += n) {
		n = store_rows(s, first,
			       last - first < LEAF_ROWS ? (size_t)(last - first) : LEAF_ROWS, rows);
		for (size_t i = 0; i < n && st == STATUS_OK; i++) {
			if (rows[i].end < tick)
				continue;
			if (begun != ROW_NONE &&
			    (first + i - alive >= gap || first + i - begun >= ALIVE_RUN)) {
				st = read_run(s, begun, alive, until, fn, arg, e);
				begun = ROW_NONE;
			}
			if (begun == ROW_NONE)
				begun = first + i;
			alive = first + i + 1;
		}
	}
	return st == STATUS_OK && begun != ROW_NONE ? read_run(s, begun, alive, until, fn, arg, e) : st;
}
