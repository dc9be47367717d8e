/*
 * The pane of what a trace has that was not understood, of any kind: the warnings that were kept,
 * how many were only counted, or that there are none.
 */
#ifndef PIPEGLASS_VIEW_WARNINGS_PANE_H
#define PIPEGLASS_VIEW_WARNINGS_PANE_H

#include "trace/trace.h"
#include "view/pane.h"

struct pane *warnings_pane(struct trace *t);

#endif
