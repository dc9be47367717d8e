/*
 * What `reduce` and `depth` have in common: files of several kinds, each of them a reduction.
 *
 * A file is a save file (reduce_file.h), an optrace, or any pipeline trace; several are added up,
 * each as often as FILE=INTEGER says. Only what was executed can be simulated and charged, so those
 * parts are missing where a save file is among them.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_REDUCE_H
#define PIPEGLASS_CMD_PIPELINE_REDUCE_H

#include "analysis/pipeline/reduce_evaluate.h"
#include "analysis/pipeline/reduce_optrace.h"
#include "analysis/pipeline/reduce_trace.h"
#include "cmd/options.h"
#include "cmd/output.h"

enum { DEAREST_SHOWN = 10, DEAREST_TRIED = 5 };

/* A dependency between two static instructions, told in words. */
struct dearest {
	struct arc_charge charge;
	uint64_t from_pc, pc;
	char *from_text, *text; /* sanitised; NULL: none known */
	int64_t saved;          /* cycles less when it is not there; -1: not tried */
};

struct reduce_answer {
	struct reduction reduction;
	size_t point_count;
	struct pipeline *points; /* --ne times --ns */
	struct reduce_cycles *cycles;
	int64_t *simulated; /* NULL: not all of it was executed */
	int64_t setups[SLACK_SETUPS]; /* the first of --ns */
	size_t setup_count;
	struct slack_result slack; /* --times; instructions 0: not asked for, or not to be had */
	struct pipeline at; /* where arcs were charged: the last of --ne and --ns */
	VEC(struct dearest) dearest; /* of a single trace */
	struct executed_counts counts; /* summed up */
	const char *format; /* "optrace", "reduction", a trace's, or "several" */
	enum isa isa;
	bool links, estimate;
	uint64_t bad_lines;
};

/* Opens and reduces what o->files names. End with reduce_answer_free(), also after an error. */
enum status reduce_answer_new(struct reduce_answer *a, const struct cmd_options *o,
			      struct output *out, struct error *e);
void reduce_answer_free(struct reduce_answer *a);

enum status reduce_json(const struct reduce_answer *a, struct output *out, struct error *e);
enum status reduce_text(const struct reduce_answer *a, const struct cmd_options *o,
			struct output *out, struct error *e);

#endif
