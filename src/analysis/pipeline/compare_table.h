/*
 * Several runs of a program against the first one, as tables: the parts of the run time, and the
 * static instructions, with a column for each run.
 *
 * What it joins are the comparisons of A with each of the others (compare.h). A line is a static
 * instruction of A with those that are the same elsewhere; one that A never committed stands with
 * those of the other runs that have its pc and text. The fields of two runs are called count_a,
 * count_b, cycles_a, cycles_b and delta (B less A), those of more runs also count_c, cycles_c,
 * delta_c and so on.
 *
 * Making it costs O(n log n) of the static instructions.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_TABLE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_TABLE_H

#include "analysis/pipeline/aligned.h"
#include "analysis/pipeline/compare.h"
#include "trace/result.h"

/* list of static instructions, heading */
#define COMPARE_LIST_INFO(_)                                                                       \
	_(ALL, "pcs")                                                                              \
	_(LOST, "lost in B")                                                                       \
	_(GAINED, "gained in B")                                                                   \
	_(CHANGED, "most changed")

enum compare_list {
#define COMPARE_LIST_ENUM(list, name) COMPARE_LIST_##list,
	COMPARE_LIST_INFO(COMPARE_LIST_ENUM)
#undef COMPARE_LIST_ENUM
};

struct compare_line {
	uint32_t of[RUNS_MOST]; /* [k], k > 0: number in with[k]->codes, COMPARE_ABSENT */
};

#define COMPARE_ABSENT UINT32_MAX

enum { COMPARE_FIELDS = 4 + 5 * RUNS_MOST + 1 };

/* Fields of a section, the run that each is of (RUN_A: of all, or of that one). */
struct compare_fields {
	struct field field[COMPARE_FIELDS];
	int run[COMPARE_FIELDS];
	size_t count;
};

struct compare_table {
	int runs;
	const struct compare *with[RUNS_MOST]; /* [k], k > 0: borrowed */
	size_t stages, parts;                  /* of all runs: as in struct compare */
	const char *part_names[STAGE_MAX * RUNS_MOST + COMPARE_PARTS];
	size_t part_of[RUNS_MOST][STAGE_MAX * RUNS_MOST + COMPARE_PARTS]; /* as with[k] has it */
	struct compare_line *lines; /* two runs: most lost first, most gained last; else most
				       changed first */
	size_t count;
	uint32_t *order; /* of the lines, as `people` shows them */
	size_t shown;    /* how many of them */
	/* What JSON holds; and for people: parts that are not zero, lines in their order. */
	struct section stage_list, pcs, part_list, people;
	/* private */
	struct compare_fields fields_of_stages, fields_of_pcs, fields_of_parts, fields_of_people;
};

/*
 * Over as many comparisons as with[] has behind with[0], which is none. wide: with the counts of
 * all runs, and the change in each part. False: no memory. The table must not be moved.
 */
bool compare_table_new(struct compare_table *t, const struct compare *const with[], int runs,
		       bool wide);
void compare_table_free(struct compare_table *t);

/* `people` becomes a list: all lines, or of two runs those that lost or gained, most first. */
void compare_table_list(struct compare_table *t, enum compare_list list);
/* The run that a line changed most in. */
int compare_table_run(const struct compare_table *t, const struct compare_line *line);
/* Cycles of a run less those of A. */
int64_t compare_table_delta(const struct compare_table *t, const struct compare_line *line,
			    int run);
const char *compare_part_name(const void *table, size_t part);

#endif
