/*
 * Curves as a view of a tab: of traces with metrics. Where another view has the time axis they go
 * along with it, cursor and all.
 */
#ifndef PIPEGLASS_APP_CURVES_H
#define PIPEGLASS_APP_CURVES_H

#include "app/view.h"

extern const struct view_kind curves_view_kind;

#endif
