/*
 * What the files of the overview share.
 */
#ifndef PIPEGLASS_VIEW_OVERVIEW_PRIVATE_H
#define PIPEGLASS_VIEW_OVERVIEW_PRIVATE_H

#include "base/num.h"
#include "view/overview.h"
#include "view/resource_private.h"

/* Columns before the label of a line: its depth, and the sign of a fold. */
static inline int overview_indent(const struct overview *o, size_t line)
{
	return o->tree.nodes.data[o->tree.shown.data[line]].depth + 2;
}

#endif
