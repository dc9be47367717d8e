/*
 * Why the run of a tab's trace took so long (analysis/pipeline/why.h), evaluated beside the screen.
 *
 * The pane asks for it, and is made again when it has come. One job at a time: an evaluation of
 * the trace or of what is selected, then each what-if that was asked for, all of them again when
 * it is another part. ^C stops it, and so does closing the pane; :why begins again.
 */
#ifndef PIPEGLASS_APP_PIPELINE_EXPLAINING_H
#define PIPEGLASS_APP_PIPELINE_EXPLAINING_H

#include "view/pane.h"

struct app;
struct call;
struct explaining;

void explaining_free(struct explaining *x); /* stops what goes on; NULL is fine */
struct pane *explaining_pane(struct app *a);

#endif
