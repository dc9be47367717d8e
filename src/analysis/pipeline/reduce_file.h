/*
 * Save files: a reduction as text that people can read, and write (a published histogram).
 *
 *     pipeglass reduction 1
 *     # of a loop of four instructions
 *     instructions 400
 *     targets 99
 *     arc 2 1 99             # DISTANCE BRANCHES COUNT: 99 arcs of distance 2 over one target
 *
 * A line is a keyword and numbers; `#` begins a comment. Only `instructions` is needed. Counts are
 * those of REDUCE_COUNT_INFO, `cap`, `r3plus`, `shorts`, and
 *
 *     arcs STAGE COUNT           arcs left at a stage: raw, r1, r2, r3
 *     chains STAGE LENGTH COUNT  chains of LENGTH arcs after a reduction: r1, r2, r3
 *     raw DISTANCE COUNT         all arcs by distance, up to 4095; used if `arcs raw` is told
 *     branch LENGTH COUNT        taken short forward branches
 *     arc DISTANCE BRANCHES COUNT [LENGTH...]   the histogram, each stack's oldest arc included,
 *                                with the lengths of the short branches among BRANCHES
 *     stack COUNT                a chain of several arcs, which are in the lines behind it:
 *     at RESOLVER DISTANCE BRANCHES [LENGTH...]  RESOLVER from that of the first, which is 0
 *
 * Reading what was written gives the same reduction, and writing that the same text. O(text).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_FILE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_FILE_H

#include "analysis/pipeline/reduce_result.h"
#include "base/sbuf.h"

/* Does the text begin as such a file does? */
bool reduction_detect(const char *text, size_t len);

/*
 * STATUS_INPUT: `LINE: what`, or what is wrong with the whole. *out is empty after an error;
 * reduction_free() it otherwise.
 */
enum status reduction_read(struct reduction *out, const char *text, size_t len, struct error *e);
bool reduction_write(const struct reduction *r, struct sbuf *out); /* false: no memory */

#endif
