/*
 * The two halves of a table: what its lines are and say (compare_table.c), and the columns that are
 * made of it (compare_table_fields.c). O(runs) each.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_TABLE_PRIVATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_COMPARE_TABLE_PRIVATE_H

#include "analysis/pipeline/compare_table.h"

/* Of a line and a run: commits, cycles, and cycles in a part; 0: it has none of it. */
uint64_t compare_line_count(const struct compare_table *t, const struct compare_line *line,
			    int run);
int64_t compare_line_cycles(const struct compare_table *t, const struct compare_line *line,
			    int run);
int64_t compare_line_part(const struct compare_table *t, const struct compare_line *line, int run,
			  size_t part);
/* Of a run: cycles in a part. */
int64_t compare_table_total(const struct compare_table *t, int run, size_t part);
/* pc and text as a run has them, or as the first one does that has the line; false: unknown. */
bool compare_line_describe_run(const struct compare_table *t, const struct compare_line *line,
			       int run, uint64_t *pc, bool *has_pc, const char **text, size_t *len);
bool compare_line_describe(const struct compare_table *t, const struct compare_line *line,
			   uint64_t *pc, bool *has_pc, const char **text, size_t *len);

/* The sections of a table whose lines are made. */
void compare_fields_make(struct compare_table *t, bool wide);

#endif
