/*
 * What the model is told in files: machines, mappings of counters, and counts. Machines and
 * mappings of common kinds are shipped, part of the program. O(text).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_FILES_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_FILES_H

#include "analysis/pipeline/cpi0_counts.h"
#include "base/sbuf.h"

/* Of the paper: where nobody has chosen another one. */
#define CPI0_MACHINE_DEFAULT "r10000"

/*
 * A machine by the name it is shipped under, or from a file. STATUS_USAGE: neither; else its error,
 * "FILE:LINE: what".
 */
enum status cpi0_machine_open(struct machine *m, const char *name, struct error *e);
enum status cpi0_mapping_open(struct cpi0_mapping *map, const char *name, struct error *e);
/* The mix of a file of counters; "-" is standard input. */
enum status cpi0_counts_open(struct cpi0_mix *mix, const struct cpi0_mapping *map, const char *path,
			     struct error *e);
/* The name of the i-th machine that is shipped, in the order of a list; false: there is none. */
bool cpi0_machine_shipped(size_t i, struct sbuf *name);

#endif
