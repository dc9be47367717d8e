/*
 * Two or more runs of a program, each aligned with the first one (align.h): which row of one is
 * which row of another, and all of them as one list.
 *
 * What two runs behind the first have in common that the first has not is not looked for: their
 * rows meet through those of the first. Queries cost what the one or two of align.h cost that
 * they ask; memory is that of runs - 1 alignments.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_ALIGNED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_ALIGNED_H

#include <stdatomic.h>

#include "analysis/pipeline/align.h"

enum { RUN_A, RUN_B, RUNS_LEAST = 2, RUNS_MOST = 8 };

/* What people call the runs: A, B, C, … */
static inline char run_letter(int run)
{
	return (char)('A' + run);
}

struct aligned_options {
	enum align_by by;
	uint64_t row[RUNS_MOST]; /* PAIR: which belong together; all committed */
};

struct aligned {
	int runs;
	struct align with[RUNS_MOST]; /* [k], k > 0: of run A and run k; [0] is none */
};

/* Errors of align_new(). */
enum status aligned_new(struct aligned *out, struct store *const stores[], int runs,
			const struct aligned_options *options, const atomic_bool *stop,
			struct error *e);
void aligned_free(struct aligned *al);

/* An alignment that a run is in, and which side it is there. */
const struct align *aligned_of(const struct aligned *al, int run, int *side);
const struct align_side *aligned_side(const struct aligned *al, int run);

/* As align_match(), align_near() and align_anchor() between any two. */
uint64_t aligned_match(const struct aligned *al, int run, uint64_t row, int other);
uint64_t aligned_near(const struct aligned *al, int run, uint64_t row, int other);
void aligned_anchor(const struct aligned *al, int run, uint64_t row, int other, uint64_t *here,
		    uint64_t *there);
/* The row that stands beside a row in a list; ROW_NONE: none, or it is a micro-op. */
uint64_t aligned_partner(const struct aligned *al, int run, uint64_t row, int other);

/*
 * The list of all rows. Before each row of A stand those rows of the others that align.h puts
 * there, of B first; behind it those that match it.
 */
struct aligned_group {
	uint64_t row[RUNS_MOST]; /* of A, and those that match it; ROW_NONE: none; of A: the end */
	uint64_t from[RUNS_MOST], to[RUNS_MOST]; /* rows [from, to) before it; of A: none */
	uint64_t line;                           /* of the first one */
};

struct aligned_cursor {
	const struct aligned *al;
	struct aligned_group group;
	uint64_t in; /* lines of the group before the cursor */
	int run;
	uint64_t row; /* where it stands */
	bool matched; /* in the part of the group that is one row of several runs */
};

uint64_t aligned_lines(const struct aligned *al);
uint64_t aligned_line_of(const struct aligned *al, int run, uint64_t row);
/* To a line, O(log^3 n); to the next one. False: it is behind the last one. */
bool aligned_seek(const struct aligned *al, uint64_t line, struct aligned_cursor *out);
bool aligned_step(struct aligned_cursor *c);

#endif
