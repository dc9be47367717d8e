/*
 * What is told of a reduced trace: one result, of which the command `reduce` makes JSON and text
 * and the pane "reduced trace" its tables.
 *
 * Whoever made the reduction fills in what it rests on and what was evaluated of it, all borrowed;
 * reduce_report_make() counts what the tables are about. O(shapes).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_REPORT_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_REPORT_H

#include "analysis/pipeline/reduce_trace.h"
#include "trace/result.h"

/* Rows and columns of tables: the last one is of all that is more, too. */
enum { REPORT_CHAINS = 12, REPORT_DISTANCES = 24, REPORT_BRANCHES = 8, REPORT_NOTES = 8 };

/* A dependency between two static instructions, told in words. */
struct dearest {
	struct arc_charge charge;
	uint64_t from_pc, pc;
	char *from_text, *text; /* NULL: none known */
	int64_t saved;          /* cycles less when it is not there; -1: not tried */
};
typedef VEC(struct dearest) dearest_vec;
void dearest_free(dearest_vec *list);

struct report_stage {
	const char *name, *help;
	uint64_t arcs, removed, chains, single, longest; /* or REDUCE_UNKNOWN */
};

struct report_chain {
	uint64_t length, count[REDUCE_STAGES];
};

struct report_distance {
	uint64_t distance; /* REDUCE_UNKNOWN: of all */
	uint64_t at[REPORT_BRANCHES], all;
};

struct report_part {
	const char *letter, *name, *help; /* letter: where it is drawn */
	int64_t cycles;
	double share;
};

struct report_note {
	uint64_t count;
	const char *text;
};

/* Parts of a pipeline's cycles, and, where it is known, naive behind them. */
enum reduce_part {
#define REDUCE_PART_ENUM(part, help) REDUCE_PART_##part,
	REDUCE_CYCLES_INFO(REDUCE_PART_ENUM)
#undef REDUCE_PART_ENUM
	    REDUCE_PART_COUNT
};

struct reduce_report {
	const struct reduction *r;
	const char *format; /* "optrace", "reduction", a trace's, or "several" */
	enum isa isa;
	bool links, estimate;
	struct executed_counts counts;
	uint64_t bad_lines;
	/* Pipelines: by execute, of each all that there are of setup. */
	const struct reduce_cycles *points;
	const int64_t *simulated; /* cycles of each; NULL: not all of it was executed */
	size_t point_count;
	struct reduce_cycles at; /* the one that is told in parts, where arcs are charged */
	const dearest_vec *dearest;
	/* With times of instructions; instructions 0: not asked for, or not to be had. */
	const int64_t *setups;
	size_t setup_count;
	struct slack_result slack;
	/* made */
	const char *isa_key, *isa_name, *arcs;
	double p_b;
	uint64_t agreeing, tried; /* of the pipelines simulated; REDUCE_UNKNOWN */
	size_t across;            /* points of one execute */
	struct shape_list shapes;
	struct report_stage stages[REDUCE_STAGES];
	struct report_chain chains[REPORT_CHAINS];
	struct report_distance distances[REPORT_DISTANCES + 1];
	struct report_part parts[REDUCE_PART_COUNT + 1];
	struct report_note notes[REPORT_NOTES];
	size_t chain_count, distance_count, branch_count, note_count;
	uint64_t most; /* arcs of one distance */
};

/* STATUS_NOMEM; end with reduce_report_free(), also after an error. */
enum status reduce_report_make(struct reduce_report *r, struct error *e);
void reduce_report_free(struct reduce_report *r);

/* All but the stacks, which are no table. */
enum reduce_section {
	REDUCE_PROGRAM,
	REDUCE_NOTES,
	REDUCE_STAGE_TABLE,
	REDUCE_CHAINS,
	REDUCE_CHAIN_TABLE,
	REDUCE_HISTOGRAM,
	REDUCE_DISTANCES,
	REDUCE_POINTS,
	REDUCE_GRID,
	REDUCE_AT,
	REDUCE_PARTS,
	REDUCE_DEAREST,
	REDUCE_TIMES
};
extern const struct section reduce_sections[], reduce_penalties;

/* Cycles that dependencies cost an instruction. */
double reduce_penalty(const struct reduce_cycles *c);
double reduce_per(int64_t part, uint64_t whole); /* 0 of nothing */

/* The dearest of the charges, at most so many, by what the store says of their code. */
void dearest_of_store(dearest_vec *out, const struct reduced_trace *r, const struct store *s,
		      size_t most);

#endif
