/*
 * Curves as the view of a tab: of traces with metrics that no other view shows. Where one does they
 * lie on its axis, in a part of the window or in all of it (app/commands_resource.h).
 */
#ifndef PIPEGLASS_APP_CURVES_H
#define PIPEGLASS_APP_CURVES_H

#include "app/view.h"

extern const struct view_kind curves_view_kind;

#endif
