/*
 * What-ifs as they are asked for, before there is a trace: words as they were typed.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_ASKED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_ASKED_H

#include <stdbool.h>

/* "dcache,branch", or "window=128,lsq=64" */
struct why_asked {
	bool set; /* else: without */
	const char *words;
};

#endif
