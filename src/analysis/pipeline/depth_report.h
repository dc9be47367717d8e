/*
 * What is told of how many segments to cut a pipeline into: one result, of which the command
 * `depth` makes JSON and text and the pane "reduced trace" its table.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_DEPTH_REPORT_H
#define PIPEGLASS_ANALYSIS_PIPELINE_DEPTH_REPORT_H

#include "analysis/pipeline/depth.h"
#include "trace/result.h"

struct depth_report {
	const struct depth *d; /* borrowed */
	uint64_t instructions;
	double gamma;
	bool estimate;
	/* made: */
	double alpha, n_opt, best_speedup; /* NAN: there is none */
	int64_t best_n;                    /* -1 */
	const char *note, *alpha_note;     /* why; NULL: nothing to say */
	double growth[DEPTH_POINTS]; /* of the penalty, from one n to the next, over that; NAN */
};

void depth_report_make(struct depth_report *r);

enum depth_section { DEPTH_PIPELINES, DEPTH_TABLE };
extern const struct section depth_sections[];

#endif
