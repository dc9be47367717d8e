/*
 * The words of the status line about the instruction view: where, how large, how fast.
 *
 * Only what changes with the user's own doing is in it, so that an idle screen stays silent.
 * O(log n).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_STATUS_H
#define PIPEGLASS_VIEW_PIPELINE_STATUS_H

#include "view/pipeline/pipeview.h"

/*
 * Append "row 12 345 of 1 234 567  cycle 48 312 907  1:4  IPC 1.23" in at most width columns;
 * what does not fit is left out from the end. The zoom is rows:ticks a cell ("8 cols" when a
 * tick has several columns), with "estimated" where the picture's stages are; IPC is the
 * mean over the ticks on screen.
 */
void pipeview_status(struct pipeview *v, int width, struct sbuf *out);

#endif
