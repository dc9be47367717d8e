/*
 * The pane `info`: what `pipeglass info` says of a trace, whatever its kind. Made for the width of
 * the pane, so it shows what is known when it is drawn first.
 */
#ifndef PIPEGLASS_VIEW_INFO_PANE_H
#define PIPEGLASS_VIEW_INFO_PANE_H

#include "trace/trace.h"
#include "view/pane.h"

struct pane *info_pane(struct trace *t); /* borrowed */

#endif
