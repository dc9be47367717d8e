/*
 * The overview as a view of a tab: all components of the trace as small multiples (view/overview.h).
 * Every trace with metrics has one; Enter opens the component under the cursor in the first other view
 * of the tab that knows it, or adds its curves.
 */
#ifndef PIPEGLASS_APP_OVERVIEW_H
#define PIPEGLASS_APP_OVERVIEW_H

#include "app/view.h"
#include "view/overview.h"

extern const struct view_kind overview_view_kind;

struct overview_view {
	struct view base; /* first */
	struct overview overview;
};

/* NULL: the tab has none. */
struct overview_view *overview_of(const struct tab *t);

#endif
