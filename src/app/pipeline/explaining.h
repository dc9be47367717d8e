/*
 * Why the run of a tab's trace took so long (analysis/pipeline/why.h), evaluated beside the screen.
 *
 * The pane asks for it, of the trace or of what is selected; so do curves, the critical path and, of
 * a trace that is not long, the inspector. What-ifs are tried in the same job, one at a time
 * (app/pipeline/analysing.h).
 */
#ifndef PIPEGLASS_APP_PIPELINE_EXPLAINING_H
#define PIPEGLASS_APP_PIPELINE_EXPLAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct app;
struct call;
struct explaining;
struct curve_given;
struct pane;
struct tab;
struct why;

void explaining_free(struct explaining *x); /* stops what goes on; NULL is fine */
struct pane *explaining_pane(struct app *a);
/* Of the current tab what was evaluated last; NULL: nothing yet, and why. */
const struct why *explaining_inspect(struct app *a, const char **instead);

/* While the critical path is shown: its nth step behind the cursor, or before it (dir < 0). */
enum status explaining_step(struct call *c, int dir, int64_t n, struct error *e);

/*
 * The metric why:CAUSE, cycles of the critical path per cycle, or why, all of them stacked, as far as
 * was evaluated last; as long as the tab lives. NULL: no such cause; the in-order stages of a trace
 * are causes when it was evaluated once.
 */
const struct curve_given *explaining_given(struct tab *t, const char *metric);
/* Before a frame: begins what it shows, path, curve or inspector. */
void explaining_want(struct app *a);

#endif
