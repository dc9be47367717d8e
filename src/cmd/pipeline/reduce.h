/*
 * What `reduce` and `depth` have in common: files of several kinds, each of them a reduction.
 *
 * A file is a save file (reduce_file.h), or any pipeline trace; several are added up,
 * each as often as FILE=INTEGER says. Only what was executed can be simulated and charged, so those
 * parts are missing where a save file is among them.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_REDUCE_H
#define PIPEGLASS_CMD_PIPELINE_REDUCE_H

#include "analysis/pipeline/reduce_report.h"
#include "cmd/options.h"
#include "cmd/output.h"

enum { DEAREST_SHOWN = 10, DEAREST_TRIED = 5 };

struct reduce_answer {
	struct reduce_report report;
	/* which it borrows: */
	struct reduction reduction;
	struct pipeline *points; /* --ne times --ns; arcs are charged in the last one */
	struct reduce_cycles *cycles;
	int64_t *simulated; /* NULL: not all of it was executed */
	int64_t setups[SLACK_SETUPS]; /* the first of --ns */
	dearest_vec dearest; /* of a single trace */
};

/* Opens and reduces what o->files names. End with reduce_answer_free(), also after an error. */
enum status reduce_answer_new(struct reduce_answer *a, const struct cmd_options *o,
			      struct output *out, struct error *e);
void reduce_answer_free(struct reduce_answer *a);

/* What it is of, for people: "FILE + FILE". */
void reduce_put_files(const struct cmd_options *o, struct output *out);

#endif
