/*
 * Mixes from the counters of real machines: `perf stat -x,`, and lists of `name value` lines, as
 * perfex and the sample core write them. A mapping says what each counter counts, a line each (and
 * `#` begins a line of comment):
 *
 *     load L1-dcache-loads
 *     instructions Graduated instructions
 *     rest integer
 *
 * First a class of instructions, or `instructions` (all of them), `cycles`, `branches` (tries of
 * the predictor, when the class branch is not counted), `branch-misses`, `data-accesses` (where
 * loads and stores are not both counted), `data-misses`, `load-misses` (where those of stores are
 * not counted), `fetch-accesses` (known, but hits are per instruction), `fetch-misses`; then the
 * counter's name, blanks and all. Several counters of a class are added up, which the mix notes, and
 * several of `data-misses` and `fetch-misses`, likewise.
 * Counts are decimal. `rest`: instructions that no counter of a class counted are of this one.
 * Counters without a line are ignored; so are modifiers of perf
 * (`:u`) and its prefix `cpu/.../`, and what perfex puts around names.
 *
 * What perf tells of parts of a run (-I, -A, --per-core, kinds of cores) is added up; a summary
 * replaces what it sums up. What was not counted is not 0: the mix says so. Counters that contradict
 * each other stay as they were: more failures than tries, and, as `folded`, more instructions of the
 * classes than of all.
 * O(lines * (mappings + counters)).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_COUNTS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_COUNTS_H

#include "analysis/pipeline/cpi0_mix.h"

enum { CPI0_COUNTERS = 256, CPI0_COUNTER_NAME = 64 };

struct cpi0_mapping {
	struct {
		char name[CPI0_COUNTER_NAME];
		int target; /* a class, or one of those in cpi0_counts.c */
	} counters[CPI0_COUNTERS];
	int count;
	enum op_class rest; /* OP_CLASS_COUNT: none */
};

/* STATUS_INPUT: "LINE: what is wrong there", or what is wrong with all of it. */
enum status cpi0_mapping_read(struct cpi0_mapping *out, const char *text, size_t len,
			      struct error *e);
/*
 * Likewise. A counter of instructions that was not counted (at all, or in some part of the run in
 * which others were) or that is there twice is an error; one of misses or cycles that was not
 * counted is not known.
 */
enum status cpi0_counts_read(struct cpi0_mix *out, const struct cpi0_mapping *map, const char *text,
			     size_t len, struct error *e);

/*
 * The i'th of what several counters were added up to, classes first, as a mapping calls it (a class
 * with its blanks); NULL: there are no more. The bits of `summed` are these, not of classes alone.
 */
const char *cpi0_summed_name(const struct cpi0_mix *mix, int i);

#endif
