/*
 * The metric `cpi0`: what the growth-rate model says along a tab's trace, as a curve of windows.
 *
 * A window is a column of the screen, and 64 cycles at least: of fewer instructions there is no
 * mix. Windows stand at fixed places of the trace, so that a curve does not change as one moves
 * along it. Those of the screen, and a screen more on either side, are worked out on a thread of
 * their own; until then they are blank. Of a trace that is being read they follow it for at most a
 * tenth of the time. O(rows of the windows), O(1) a frame.
 */
#ifndef PIPEGLASS_APP_PIPELINE_CPI0_LINE_H
#define PIPEGLASS_APP_PIPELINE_CPI0_LINE_H

#include "analysis/pipeline/codemap.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "app/background.h"
#include "view/resource_curve.h"

struct app;
struct cpi0_line;

struct cpi0_line *cpi0_line_new(void);
void cpi0_line_free(struct cpi0_line *l); /* stops what goes on; NULL is fine */
/* What is drawn; as long as the line lives. */
const struct curve_given *cpi0_line_given(const struct cpi0_line *l);

/* Before a frame: work out what the tabs on the screen need and do not have. Headless: at once. */
void cpi0_lines_want(struct app *a);

#endif
