/*
 * Why the run of a tab's trace took so long (analysis/pipeline/why.h), evaluated beside the screen.
 *
 * The pane asks for it, of the trace or of what is selected, and is made again when it has come;
 * one job at a time, then a what-if. ^C stops it, and so does closing the pane; :why begins again.
 */
#ifndef PIPEGLASS_APP_PIPELINE_EXPLAINING_H
#define PIPEGLASS_APP_PIPELINE_EXPLAINING_H

struct app;
struct explaining;
struct pane;

void explaining_free(struct explaining *x); /* stops what goes on; NULL is fine */
struct pane *explaining_pane(struct app *a);

#endif
