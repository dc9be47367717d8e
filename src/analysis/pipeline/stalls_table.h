/*
 * The tables of what analysis/pipeline/stalls.h found: stages, events, the run, and a line for each
 * static instruction, function or source line, in any order.
 *
 * All costs have one table of fields, whatever they are the costs of. A table is made of copies
 * and borrows the rest: it is good as long as the stalls and the binary behind them. O(lines *
 * (stages + events)) to make and to fold, O(lines * log lines) to sort.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_STALLS_TABLE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_STALLS_TABLE_H

#include <stdbool.h>

#include "trace/result.h"
#include "analysis/pipeline/stall_by.h"
#include "analysis/pipeline/stalls.h"
#include "base/sbuf.h"

/* stages, events, run: of a const struct stalls *. Ends with key == NULL. */
extern const struct section stall_sections[];

struct stall_line {
	struct stall_cost cost;
	struct code_place place; /* what is known of all it holds */
	char label[48];          /* of what is no static instruction, function or line; or "" */
};

struct stall_table {
	const struct stalls *stalls;
	enum stall_by by;
	struct section section; /* for people: base names, places beside pcs */
	struct section whole;   /* for programs: every key, always */
	struct stall_line *lines;
	size_t count;
	/* private */
	int64_t *cells, *spare;
	struct stall_row *longest, *spare_longest;
};

/* A line for each static instruction of a table by pc: how long its rows lived, and stayed in stages. */
extern const struct section stall_longest;

/*
 * The costs by what `by` says, sorted by head, most first; NAMELESS: those of no static
 * instruction, one line or none. FUNCTION and LINE need stalls_locate(); what has no name is
 * one line without. STATUS_NOMEM.
 */
enum status stall_table_new(struct stall_table *t, const struct stalls *r, enum stall_by by,
			    struct error *e);
void stall_table_free(struct stall_table *t);

/*
 * Sort by a column as its heading reads: numbers fall, texts and pcs rise; equals by what they
 * are, so that there is one order on every machine. STATUS_USAGE: no such column, with a list.
 */
enum status stall_table_sort(struct stall_table *t, const char *column, struct error *e);

/*
 * For people: lines from `limit` on become one, and what is nameless another below, so that
 * every column adds up to the totals. Not to be sorted after that.
 */
void stall_table_fold(struct stall_table *t, uint64_t limit);

#endif
